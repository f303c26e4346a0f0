"""Models of ownership: the expected owner of each point."""
