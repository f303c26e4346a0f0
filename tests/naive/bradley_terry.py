"""Bradley–Terry by loops over moves: lists of levels by table, dictionaries of weights."""

from __future__ import annotations

import math

Move = list[list[int]]
"""For each table the levels of the move, without zeros."""
Position = tuple[list[Move], int]
"""The moves and the place of the winner."""
Weights = list[list[float]]


def strength(move: Move, gammas: Weights) -> float:
    product = 1.0
    for levels, table in zip(move, gammas, strict=True):
        for level in levels:
            product *= table[level]
    return product


def objective(positions: list[Position], gammas: Weights) -> float:
    """The penalised log-likelihood per position."""
    value = 0.0
    for moves, winner in positions:
        value += math.log(strength(moves[winner], gammas) / sum(strength(move, gammas) for move in moves))
    for table in gammas:
        for gamma in table[1:]:
            value += math.log(gamma / (1 + gamma) ** 2)
    return value / len(positions)


def updated(positions: list[Position], gammas: Weights, number: int) -> list[float]:
    """The weights of a table after one update: the maximum of the lower bound, by bisection for each level."""
    table = gammas[number]
    after = [1.0]
    for level in range(1, len(table)):
        wins, terms = 1.0, {1: 2 * table[level] / (1 + table[level])}
        for moves, winner in positions:
            total = sum(strength(move, gammas) for move in moves)
            wins += moves[winner][number].count(level)
            for move in moves:
                n = len(move[number])
                times = move[number].count(level)
                terms[n] = terms.get(n, 0.0) + times * strength(move, gammas) / total
        after.append(table[level] * root(terms, wins))
    return after


def root(terms: dict[int, float], wins: float) -> float:
    """The positive x with Σ terms[n] xⁿ = wins."""
    low, high = 0.0, 1.0
    while sum(a * high**n for n, a in terms.items()) < wins:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if sum(a * middle**n for n, a in terms.items()) < wins:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fit(positions: list[Position], sizes: list[int], gain: float) -> Weights:
    """The whole loop, twice: the table whose last update gained most comes first."""
    gammas = [[1.0] * (size + 1) for size in sizes]
    for _ in range(2):
        gains = [math.inf] * len(sizes)
        while max(gains) > gain:
            number = gains.index(max(gains))
            before = objective(positions, gammas)
            gammas[number] = updated(positions, gammas, number)
            gains[number] = objective(positions, gammas) - before
    return gammas


def loss(positions: list[Position], weights: Weights, factors: list[list[list[float]]] | None = None) -> float:
    """Σ −ln P(winner) by ln γ, with factors where they are given."""
    total = 0.0
    for moves, winner in positions:
        scores = [score(move, weights, factors) for move in moves]
        total += math.log(sum(math.exp(s - scores[winner]) for s in scores))
    return total


def score(move: Move, weights: Weights, factors: list[list[list[float]]] | None) -> float:
    """Σ w_i + Σ_{i<j} ⟨v_i, v_j⟩."""
    levels = [(table, level) for table, some in enumerate(move) for level in some]
    value = sum(weights[table][level] for table, level in levels)
    if factors is not None:
        for i, (table, level) in enumerate(levels):
            for other, second in levels[:i]:
                value += sum(a * b for a, b in zip(factors[table][level], factors[other][second], strict=True))
    return value
