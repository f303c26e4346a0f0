"""The numbers of the paper. Figures 3 to 5 are plots without numbers."""

GAMES = 113
"""Professional games, of which the last ten positions are learned."""

ITERATIONS = {"network against GNU Go, 2-ply": 4000, "random field, 1-ply": 2200, "self-play network, 2-ply": 5500}
"""Games of training of Figures 3, 4 and 5."""
CHECKPOINT_GAMES = 60
"""Games against GNU Go, level 1, with the weights of each checkpoint, half of them with each colour."""
DECLINE = 1500
"""Iterations after which the network becomes weaker."""

PRUNING = {(True, 0): 75.0, (False, 0): 85.0, (True, 1): 70.0, (False, 1): 80.0}
"""Games won by pruned UCT against UCT in percent, by random opening and plies of the evaluation."""
PLAYOUTS = 20_000
"""Playouts of each move. The paper also gives this as the number of games; the win rates are multiples of 5 %, as of 20
games."""
