"""Models of the next move."""
