"""A review as text for the terminal and as values for JSON."""

from __future__ import annotations

from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Any

from tengen.errors import printable
from tengen.numbers import rounded

if TYPE_CHECKING:
    from tengen.search.review import Review, ReviewedMove

SLIDE = 2.0
"""A change of the lead without a listed swing is named if it exceeds its standard deviation by this factor."""

WIDTH, HEIGHT = 64, 11
"""Columns and rows of the graph; the middle row is an even game."""


def text(review: Review) -> str:
    """Return a graph of the lead, the swings and a table of all moves."""
    swings = [f"  {swing}" for swing in review.swings] or ["  none that exceeds the noise of the evaluation"]
    slide = longest_slide(review)
    swings += [f"  {slide}"] if slide else []
    notes = [f"note: {printable(warning)}" for warning in review.warnings]
    head = [printable(review.title), printable(review.about), f"evaluated by {review.method}", *notes]
    table = [
        "move         Black's lead   Black wins   swing",
        *(_row(move, any(swing.move == move.move for swing in review.swings)) for move in review.moves),
        *(review.legend if review.moves else ()),
    ]
    return "\n".join([*head, "", *graph(review), "", "largest swings", *swings, "", *table]) + "\n"


def _row(move: ReviewedMove, marked: bool) -> str:
    name = f"{move.move:4} {'B' if move.colour == 'black' else 'W'} {move.point:<5}"
    lead = f"{signed(move.lead):>6} ± {move.lead_sd:<4.1f}"
    return f"{name} {lead:>15} {move.winrate:>10.0%} {signed(move.swing):>9}{' *' if marked else ''}"


def longest_slide(review: Review) -> str | None:
    """Name the stretch between listed swings over which the lead changed most, if that is more than noise."""
    leads = [review.start_lead, *(move.lead for move in review.moves)]
    errors = [move.lead_sd for move in review.moves]
    errors = errors[:1] + errors
    ends = sorted({0, len(leads), *(swing.move for swing in review.swings)})
    found = max((_slide(leads, begin, end) for begin, end in pairwise(ends)), key=lambda change: change[0])
    size, begin, end = found
    if begin == end or size <= SLIDE * hypot(errors[begin], errors[end]):
        return None
    where = f"between moves {begin} and {end}" if begin else f"until move {end}"
    verb = "rose" if leads[end] > leads[begin] else "fell"
    return f"{where} Black's lead {verb} from {signed(leads[begin])} to {signed(leads[end])}"


def _slide(leads: list[float], begin: int, end: int) -> tuple[float, int, int]:
    """Return the largest change of the lead between two positions of a range, and these positions."""
    best, low, high = (0.0, begin, begin), begin, begin
    for now in range(begin, end):
        low = now if leads[now] <= leads[low] else low
        high = now if leads[now] >= leads[high] else high
        changes = (leads[now] - leads[low], low, now), (leads[high] - leads[now], high, now)
        best = max(best, *changes, key=lambda change: change[0])
    return best


def graph(review: Review) -> list[str]:
    """Draw Black's lead over the moves with plain characters; swings are marked below."""
    leads = [review.start_lead, *(move.lead for move in review.moves)]
    columns = min(WIDTH, len(leads))
    edges = [round(i * len(leads) / columns) for i in range(columns + 1)]
    means = [sum(leads[a:b]) / (b - a) for a, b in pairwise(edges)]
    top, half = nice(max(5.0, *map(abs, means))), HEIGHT // 2
    rows = [half - round(mean / top * half) for mean in means]
    drawn = []
    for row in range(HEIGHT):
        label = {0: f"B+{top:g}", half: "even", HEIGHT - 1: f"W+{top:g}"}.get(row, "")
        line = "".join("*" if at == row else "-" if row == half else " " for at in rows)
        drawn.append(f"{label:>6} |{line}".rstrip())
    marks = [" "] * columns
    for swing in review.swings:
        marks[next(i for i in range(columns) if edges[i] <= swing.move < edges[i + 1])] = "^"
    last = str(len(leads) - 1) if len(leads) > 1 else ""
    axis = f"  move |0{last.rjust(max(columns - 1, len(last)))}"
    return [*drawn, f"swings |{''.join(marks)}".rstrip(), axis]


def nice(value: float) -> float:
    """Return the smallest number of the series 5, 10, 20, 50, 100, … that is not less than the value."""
    scale = 1.0
    while True:
        for step in (5, 10, 20):
            if value <= step * scale:
                return step * scale
        scale *= 10


def signed(value: float) -> str:
    """Write a lead with its sign and one digit; an even one without a sign."""
    number = rounded(value, 1)
    return f"{number:+.1f}" if number else "0.0"


def review_json(review: Review) -> dict[str, Any]:
    """Return the review as values that JSON can hold."""
    return {
        "method": review.method,
        "start": {"lead": round(review.start_lead, 2), "winrate": round(review.start_winrate, 4)},
        "moves": [
            {
                "move": move.move,
                "colour": move.colour,
                "point": move.point,
                "lead": round(move.lead, 2),
                "winrate": round(move.winrate, 4),
                "lead_sd": round(move.lead_sd, 2),
                "swing": round(move.swing, 2),
            }
            for move in review.moves
        ],
        "swings": [
            {
                "move": swing.move,
                "colour": swing.colour,
                "point": swing.point,
                "loser": swing.loser,
                "points": round(swing.points, 2),
                "noise": round(swing.noise, 2),
                "better": swing.better,
            }
            for swing in review.swings
        ],
        "warnings": list(review.warnings),
    }
