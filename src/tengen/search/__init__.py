"""Monte-Carlo tree search, the player that uses it, and its clock."""
