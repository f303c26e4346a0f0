"""Boards that the tests of the drawings share."""

import numpy as np
from numpy.typing import NDArray

LETTERS = {"X": 1, "O": -1, "x": 1, "o": -1, ".": 0, "+": 0}

# A finished game: White has died at B5 and E2, Black at F8; F4 is dame.
FINISHED = """
. . X O . . . . .
. X X O . X . . .
. X O O O . O . .
X X X X O . O O .
. O . X X O O . O
. . . X X . O O .
. X X X X X X O O
. . . X O . X X O
. . . X . . . X X
"""
FINISHED_OWNER = """
X X X O O O O O O
X X X O O O O O O
X X O O O O O O O
X X X X O O O O O
X X X X X O O O O
X X X X X . O O O
X X X X X X X O O
X X X X X X X X O
X X X X X X X X X
"""


def board(rows: str) -> NDArray[np.int8]:
    """Read rows of X O . into an array."""
    return np.array([[LETTERS[letter] for letter in row.split()] for row in rows.strip().splitlines()], np.int8)
