"""Models of who wins, and the features that they are made of."""
