"""Models of the winner: the probability that Black wins."""
