"""Models of the next move, and what they are made of."""
