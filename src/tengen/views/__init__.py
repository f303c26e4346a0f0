"""Ways to look at a board: graphs, influence, patterns and tactics."""
