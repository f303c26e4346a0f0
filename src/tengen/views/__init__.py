"""How a board can be looked at."""
