"""The numbers of the paper."""

FILTERS, SIDE = 105, 3
FEATURES = {"2×2 templates": 5184, "CRBM": 5145}
GAMES = 1000
"""GNU Go's games against itself, from which both values are learned."""
EPSILON, KOMI, LONGEST = 0.1, 5.5, 100
"""Of the match; a game longer than this has no winner."""
WON, PLAYED = 54, 63
"""Games won by the CRBM against templates."""
ITERATIONS = 110
"""Games after which the learner beats its former self."""

BOARDS = (20, 40, 60, 80, 100, 120, 140)
"""Training boards of the winner's classification."""
WINNERS = {
    "2×2 templates": (0.5945, 0.6439, 0.6732, 0.6807, 0.7083, 0.7006, 0.7197),
    "CRBM": (0.5055, 0.5156, 0.5204, 0.5381, 0.5324, 0.5685, 0.5926),
    "invariant CRBM": (0.5096, 0.5629, 0.6320, 0.6225, 0.6632, 0.6549, 0.6984),
}
"""Share of games whose winner is found; the paper does not say whether from middle or end boards."""
