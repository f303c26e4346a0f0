"""Models of ownership: who will own each point."""
