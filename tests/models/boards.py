"""Positions to try models on, and the same positions turned, mirrored and with colours reversed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import tengen
from tengen.go.board import Board
from tengen.go.colour import opposite
from tengen.go.points import point
from tengen.go.symmetry import TRANSPOSE, transform, transform_point

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.sgf"))

FULL = """
    . X X X O O .
    X X X X O O O
    X . X X O . O
    X X X X O O O
"""

SETTLED = """
    . X . X O . O
    X X X X O O O
    . X . X O . O
    X X X X O O O
"""


def random_board(seed: int, width: int, height: int, moves: int) -> Board:
    """Random legal moves, with a pass now and then."""
    random = np.random.default_rng(seed)
    board = Board(width, height, komi=0.5)
    for _ in range(moves):
        legal = board.legal_moves()
        board.play(legal[random.integers(len(legal))] if legal and random.random() < 0.97 else "pass")
    return board


def example_board(path: Path, share: float) -> Board:
    """A game that ships, after a share of its moves."""
    game = tengen.read(path)
    return game.board(int(len(game.moves) * share))


SHAPES = [(2, 2, 0), (2, 2, 3), (3, 2, 4), (5, 5, 12), (9, 9, 0), (9, 9, 30), (9, 9, 75), (13, 9, 60), (19, 19, 150)]

BOARDS: dict[str, Callable[[], Board]] = {
    **{f"{w}x{h}, {moves} moves": partial(random_board, i, w, h, moves) for i, (w, h, moves) in enumerate(SHAPES)},
    "full": partial(Board.from_text, FULL),
    "settled": partial(Board.from_text, SETTLED, to_play="white"),
    **{
        f"{path.stem} {share:.0%}": partial(example_board, path, share) for path in EXAMPLES for share in (0.25, 0.5, 1)
    },
}
"""Every position to try, by name; each call makes it anew."""

FINISHED = {"full", "settled", *(title for title in BOARDS if title.startswith("finished") and title.endswith("100%"))}
"""Those in which every stone is settled."""


def moved(board: Board, k: int = 0, *, reverse: bool = False) -> Board:
    """The same position under symmetry k, by the same moves where they are known; reversed colours, and so the komi."""
    komi = -board.komi if reverse else board.komi
    if not board.past_known:
        stones = transform(board.stones, k) * (-1 if reverse else 1)
        return Board.from_stones(stones, opposite(board.to_play) if reverse else board.to_play).with_rules(
            board.rules, komi=komi
        )
    size = (board.width, board.height)
    other = Board(*(reversed(size) if k & TRANSPOSE else size), rules=board.rules, komi=komi)
    for colour, name in board.moves:
        place = name if name == "pass" else transform_point(point(name, size), k, *size)
        other.play(place, opposite(colour) if reverse else colour)
    other.to_play = opposite(board.to_play) if reverse else board.to_play
    return other
