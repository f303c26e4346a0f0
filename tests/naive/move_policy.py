"""Levels and scores of moves, put together from the functions for each kind of feature: a twin of move_policy.hpp."""

from __future__ import annotations

import numpy as np

from tengen.views.move_features import LEVELS, move_levels
from tengen.views.move_patterns import response_keys


def levels(positions, patterns=None, nested=False, forest=None, oakfoam=False, responses=None):
    """The level of each move in each column [n, points + 1, columns]; 0 for all columns if a move is not allowed.

    `responses` are the known keys of response patterns.
    """
    parts = [move_levels(positions, oakfoam=oakfoam)]
    if patterns is not None:
        found = (patterns.nested if nested else patterns.largest)(positions.stones, positions.to_play)
        parts.append(_with_pass(found.reshape(len(positions), positions.points, -1)))
    if responses is not None:
        numbers = {key: number for number, key in enumerate(responses.tolist(), 1)}
        parts.append(
            np.array([response_numbers(positions.take(slice(i, i + 1)), numbers) for i in range(len(positions))])
        )
    if forest is not None:
        parts.append(_with_pass(forest.leaves(positions.stones, positions.to_play)))
    allowed = positions.legal
    return np.where(allowed[..., None], np.concatenate(parts, axis=2, dtype=np.uint32, casting="unsafe"), 0), allowed


def response_numbers(position, numbers):
    """The numbers of the response patterns around every move of one position; 0 for occupied points."""
    empty = np.append(np.flatnonzero(position.stones.ravel() == 0), position.points).astype(np.int32)
    found = np.zeros((position.points + 1, 8), int)
    keys = response_keys(position.take(np.zeros(len(empty), int)), empty)
    found[empty] = [[numbers.get(key, 0) for key in row] for row in keys.tolist()]
    return found


def _with_pass(found):
    return np.concatenate([found, np.zeros_like(found[:, :1])], axis=1)


def tables(patterns=None, nested=False, forest=None, responses=None):
    """The levels and columns of each table."""
    found = [(most, 1) for most in LEVELS.values()]
    if patterns is not None:
        found.append((len(patterns), 13 if nested else 1))
    if responses is not None:
        found.append((len(responses), 8))
    return found + [(leaves, 1) for leaves in (forest.leaf_counts if forest is not None else [])]


def scores(levels, allowed, tables, rows):
    """Σ w + Σ ⟨v, v⟩ over pairs, straight from the definition; −∞ where a move is not allowed."""
    flat = np.zeros((*levels.shape, rows.shape[1]))
    column = base = 0
    for most, columns in tables:
        here = levels[..., column : column + columns].astype(int)
        flat[..., column : column + columns, :] = np.where((here > 0)[..., None], rows.astype(float)[base + here], 0)
        column, base = column + columns, base + most
    total = flat[..., 0].sum(axis=2)
    for i in range(column):
        for j in range(i):
            total += (flat[..., i, 1:] * flat[..., j, 1:]).sum(axis=2)
    return np.where(allowed, total, -np.inf)
