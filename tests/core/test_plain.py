"""The plain reference program plays the same game as ours: lengths and areas agree within four standard errors."""

from __future__ import annotations

import numpy as np
import pytest

from tengen._core import Position

from .dev import plain_playouts

ROUNDS, GAMES = 40, 250


def rounds(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Per round: mean length and mean area of Black, of our playouts and of the reference's."""
    position = Position(side, side)
    ours, plain = [], []
    for seed in range(1, ROUNDS + 1):
        black, _, moves, _ = position.owner_counts(GAMES, seed, 1, 1, 1)
        ours.append((moves / GAMES, black.sum() / GAMES))
        plain.append(np.array(plain_playouts(side, GAMES, seed)) / GAMES)
    return np.array(ours), np.array(plain)


@pytest.mark.parametrize("side", [9, 13])
def test_statistics_agree(side: int) -> None:
    ours, plain = rounds(side)
    error = np.sqrt((ours.var(axis=0, ddof=1) + plain.var(axis=0, ddof=1)) / ROUNDS)
    assert (abs(ours.mean(axis=0) - plain.mean(axis=0)) < 4 * error).all()
    assert (error < 0.01 * ours.mean(axis=0)).all()


@pytest.mark.slow
def test_statistics_agree_on_the_large_board() -> None:
    test_statistics_agree(19)


@pytest.mark.parametrize("arguments", [(8, 1, 1), (-9, 1, 1), (9, -1, 1), (9, 10**9, 1), (9, 1, -1), (9.0, 1, 1)])
def test_refusals(arguments: tuple[int, int, int]) -> None:
    with pytest.raises((ValueError, TypeError)):
        plain_playouts(*arguments)


def test_the_same_seed_gives_the_same_games() -> None:
    assert plain_playouts(9, 100, 5) == plain_playouts(9, 100, 5) != plain_playouts(9, 100, 6)
    assert plain_playouts(9, 0, 5) == (0, 0)
