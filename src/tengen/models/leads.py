"""Lead and winrate from ownership.

Start at `completed`. On a settled board the lead equals the count of tengen.go.counting under all rules:

- area: the sum of the ownership, minus komi and handicap bonus;
- territory: the same, minus the stones on the board (Black's minus White's), plus the prisoners. A living black stone
  adds 1 − 1 = 0; a dead one adds −1 − 1, for the point below it and the prisoner, which both go to White;
- group tax and button are counted without the stones that are more likely dead than alive.

The lead is assumed to be normal with variance κ·Σ(1 − ownership²). κ is `CORRELATION`, above 1 because neighbours share
their fate.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tengen.go.board import Board
from tengen.go.counting import Mask, points_besides
from tengen.go.positions import Positions
from tengen.models.evaluator import Evaluations
from tengen.models.protocol import FloatArray

CORRELATION = 2.0
"""κ, chosen by hand."""


def completed(said: Evaluations, positions: Positions) -> Evaluations:
    """Return evaluations with the leads, spreads and winrates that follow from those given, if there are any.

    A lead with neither a spread nor an ownership gets the spread of a board with ownership 0 everywhere.
    """
    if said.ownership is None and said.lead is None:
        return said
    ownership = np.zeros(positions.stones.shape) if said.ownership is None else said.ownership
    leads = expected_leads(positions, ownership) if said.lead is None else said.lead
    spreads = np.sqrt(CORRELATION * (1 - ownership**2).sum(axis=(1, 2))) if said.lead_sd is None else said.lead_sd
    winrates = said.winrate
    if winrates is None:
        winrates = np.array([chance_of(lead, sd) for lead, sd in zip(leads.tolist(), spreads.tolist(), strict=True)])
    return replace(said, lead=leads, lead_sd=spreads, winrate=winrates)


def winrates_of(said: Evaluations, positions: Positions) -> FloatArray:
    """Return Black's winrate in each position: the evaluator's own, or one computed from its lead or ownership."""
    winrates = completed(said, positions).winrate
    assert winrates is not None, "the evaluator gives a winrate, a lead or an ownership"
    return winrates


def expected_lead(board: Board, ownership: FloatArray) -> float:
    """Return Black's expected lead for an ownership, under the board's rules and komi."""
    area = float(ownership.sum())
    if board.rules.scoring != "AREA":
        prisoners = board.captures.black - board.captures.white
        area += prisoners - int(board.stones.sum())
    return area + points_besides(board, lambda: likely_dead(board, ownership))


def expected_leads(positions: Positions, ownership: FloatArray) -> FloatArray:
    """Return Black's expected lead in each of n positions with ownership [n, row, column]."""
    leads: FloatArray = ownership.sum(axis=(1, 2)) - positions.komi - positions.bonus
    prisoners = positions.captures[:, 0] - positions.captures[:, 1] - positions.stones.sum(axis=(1, 2))
    leads += prisoners * [rules.scoring != "AREA" for rules in positions.rules]
    for i, rules in enumerate(positions.rules):
        if rules.tax == "ALL" or rules.button:
            leads[i] = expected_lead(positions.board(i), ownership[i])
    return leads


def likely_dead(board: Board, ownership: FloatArray) -> Mask:
    """Return a mask of the chains whose points the ownership gives to the enemy."""
    signed, heads = ownership * board.stones, board.chain_numbers()
    stones = heads >= 0
    sums = np.bincount(heads[stones], signed[stones], minlength=heads.size)
    return stones & (sums[heads] < 0)


def spread_of(ownership: FloatArray) -> float:
    """Return the standard deviation of the lead for an ownership."""
    return math.sqrt(CORRELATION * float((1 - ownership**2).sum()))


def chance_of(lead: float, sd: float) -> float:
    """Return the probability that Black wins if the lead is normal with this mean and standard deviation."""
    if sd == 0:
        return 0.5 + 0.5 * float(np.sign(lead))
    return 0.5 * (1 + math.erf(lead / sd / math.sqrt(2)))
