"""Counting a finished board: area, territory and stone scoring, as lines that sum to the result.

Start at `count`. Dead stones are given, not judged: they are taken off, each empty region that touches one colour only
is that colour's, and the rules say what is counted. False eyes and seki are told apart by tengen.judge, which hands
what counts to `tally`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import as_stones, read_only
from tengen.go.board import Board, Captures
from tengen.go.points import PointLike, as_points, point_name, point_names
from tengen.go.rules import Rules

Owner = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class CountLine:
    """One line of the count: what, and how much of it for each player."""

    label: str
    black: float
    white: float


@dataclass(frozen=True)
class Count:
    """A counted board. `lead` is Black's points minus White's, and the sum of the lines."""

    rules: Rules
    komi: float
    lines: tuple[CountLine, ...]
    owner: Owner = field(compare=False)  # an array has no single truth; the verdicts of a Score name all its stones
    """1 where Black's, −1 where White's, 0 neutral; stones counted for their side, dead ones for the other."""
    dead: tuple[str, ...]
    dame: tuple[str, ...]
    """Empty points that are nobody's."""

    @property
    def lead(self) -> float:
        """Points Black is ahead, komi included."""
        return sum(line.black - line.white for line in self.lines)

    @property
    def result(self) -> str:
        """The result as it is written in records, such as B+3.5."""
        return result_string(self.lead)


def result_string(lead: float) -> str:
    """Write a lead (Black's points minus White's) as a result: B+3.5, W+12, Draw."""
    if lead == 0:
        return "Draw"
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):.10g}"


def lead_of(result: str) -> float | None:
    """Return the lead of a result such as W+3.5 or Draw, None where it tells no margin: `result_string` backwards."""
    if result == "Draw":
        return 0.0
    try:
        margin = float(result[2:]) if result[:2] in ("B+", "W+") else None
    except ValueError:
        return None
    return margin if margin is None or result[0] == "B" else -margin


def count(
    board: Board,
    dead: Iterable[PointLike] = (),
    *,
    rules: Rules | str | None = None,
    komi: float | None = None,
    captures: tuple[int, int] | None = None,
) -> Count:
    """Count a board. Marking one stone dead marks its chain; what is not given comes from the board."""
    board = board.with_rules(rules, komi)
    gone = dead_mask(board, dead)
    territory, neutral = find_territory(np.where(gone, 0, board.stones).astype(np.int8))
    return tally(board, gone, territory, np.where(gone, -board.stones, 0), neutral, captures)


def tally(
    board: Board,
    gone: Mask,
    territory: Owner,
    prisoners: Owner,
    dame: Mask,
    captures: tuple[int, int] | None = None,
) -> Count:
    """Count what is given under the board's rules: the dead, the territory that counts, whose prisoners they are."""
    taken = _checked_captures(board.captures if captures is None else captures)
    living = np.where(gone, 0, board.stones).astype(np.int8)
    if board.rules.scoring == "AREA":
        lines = [_sum_line("stones", living), _sum_line("territory", territory)]
        lines += [*_tax_lines(board.rules, living, territory), *_button_line(board)]
    else:
        lines = [_sum_line("territory", territory), *_tax_lines(board.rules, living, territory)]
        lines += [CountLine("captures", taken.black, taken.white), _sum_line("dead stones", prisoners)]
    lines.append(CountLine("komi", 0, board.komi))
    if bonus := board.rules.bonus(board.handicap):
        lines.append(CountLine("handicap", 0, bonus))
    return Count(board.rules, board.komi, tuple(lines), read_only(living + territory), names_of(gone), names_of(dame))


def points_besides(board: Board, dead: Callable[[], Mask]) -> float:
    """Return what Black is ahead by besides stones, territory and prisoners: komi, handicap bonus, button, group tax.

    The dead stones are asked for only where there is a group tax.
    """
    lead = -board.komi - board.rules.bonus(board.handicap)
    lines = _button_line(board) if board.rules.scoring == "AREA" else []
    if board.rules.tax == "ALL":
        living = np.where(dead(), 0, board.stones).astype(np.int8)
        lines = [*lines, *_tax_lines(board.rules, living, find_territory(living)[0])]
    return lead + sum(line.black - line.white for line in lines)


def dead_mask(board: Board, dead: Iterable[PointLike]) -> Mask:
    """Return where the chains of these points stand; a point without a stone is an error."""
    numbers, places = board.chain_numbers(), as_points(dead, board.width, board.height)
    for place in places:
        if numbers[place] < 0:
            raise TengenError(f"there is no stone at {point_name(*place, board.height)} to be dead")
    return np.isin(numbers, [numbers[place] for place in places])


def find_territory(stones: Owner) -> tuple[Owner, Mask]:
    """Return the owner of each empty point (0 on stones), and where the neutral points are."""
    numbers = _core.number_regions(as_stones(stones))
    empty = stones == 0
    touched = np.zeros((2, int(numbers.max()) + 1), bool)
    for side, colour in enumerate((1, -1)):
        touched[side, numbers[empty & next_to(stones == colour)]] = True
    black, white = touched[:, numbers]
    owner = np.where(empty, black.astype(np.int8) - white, 0).astype(np.int8)
    return owner, empty & (black == white)


def next_to(mask: Mask) -> Mask:
    """Return where a neighbour is in the mask."""
    near = np.zeros_like(mask)
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    near[:, 1:] |= mask[:, :-1]
    near[:, :-1] |= mask[:, 1:]
    return near


def around(values: npt.NDArray[Any], outside: int) -> npt.NDArray[Any]:
    """Return the values at the four neighbours of each point [4, row, column], and `outside` off the board."""
    near = np.full((4, *values.shape), outside, values.dtype)
    near[0, 1:], near[1, :-1] = values[:-1], values[1:]
    near[2, :, 1:], near[3, :, :-1] = values[:, :-1], values[:, 1:]
    return near


def empty_regions(stones: npt.NDArray[np.int8]) -> list[list[tuple[int, int]]]:
    """Return the connected regions of empty points."""
    return connected(stones == 0)


def connected(mask: Mask) -> list[list[tuple[int, int]]]:
    """Return the connected sets of points where the mask is true, in reading order."""
    numbers = _core.number_regions(np.ascontiguousarray(mask, np.bool_).view(np.int8))
    regions: dict[int, list[tuple[int, int]]] = {}
    rows, columns = np.nonzero(mask)
    for number, row, column in zip(numbers[rows, columns].tolist(), rows.tolist(), columns.tolist(), strict=True):
        regions.setdefault(number, []).append((row, column))
    return list(regions.values())


def neighbours(point: tuple[int, int], shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the points next to a point."""
    row, column = point
    near = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return [(r, c) for r, c in near if 0 <= r < shape[0] and 0 <= c < shape[1]]


def _tax_lines(rules: Rules, stones: Owner, territory: Owner) -> list[CountLine]:
    """The group tax of stone scoring: a group keeps two points for its eyes, and they do not count."""
    if rules.tax != "ALL":
        return []
    tax = {1: 0, -1: 0}
    for colour in tax:
        for group in connected((stones == colour) | (territory == colour)):
            tax[colour] -= min(2, sum(int(territory[point] == colour) for point in group))
    return [CountLine("group tax", tax[1], tax[-1])]


def _button_line(board: Board) -> list[CountLine]:
    """The button is half a point for whoever passes first."""
    if not board.rules.button:
        return []
    first = next((move.colour for move in board.moves if move.point == "pass"), None)
    return [CountLine("button", 0.5 * (first == "black"), 0.5 * (first == "white"))]


def _sum_line(label: str, owner: npt.NDArray[np.int8]) -> CountLine:
    return CountLine(label, int((owner == 1).sum()), int((owner == -1).sum()))


def _checked_captures(captures: tuple[int, int]) -> Captures:
    try:
        black, white = (operator.index(stones) for stones in captures)
    except (TypeError, ValueError):
        raise TengenError(f"captures are two whole numbers (by Black, by White), not {captures!r}") from None
    if min(black, white) < 0:
        raise TengenError("captures cannot be negative")
    return Captures(black, white)


def names_of(mask: Mask) -> tuple[str, ...]:
    """Return the names of the points where the mask is true."""
    names = point_names(mask.shape[1], mask.shape[0])
    return tuple(names[index] for index in np.flatnonzero(mask).tolist())
