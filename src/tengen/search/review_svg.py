"""A review as a picture: Black's lead with its error, and Black's winrate, over the moves.

The two graphs share the axis of moves. Swings are lines across both, numbered in the order of their size and listed
below. Lines differ in colour and in dashes, and the colours (blue and vermilion of Okabe and Ito's palette) differ for
colour-blind readers too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tengen.go.svg_shapes import element, number, text, wrapped
from tengen.search.review_text import nice

if TYPE_CHECKING:
    from tengen.search.review import Review

WIDTH, LEFT, RIGHT = 860.0, 76.0, 24.0
PANEL, GAP, DISC = 220.0, 64.0, 10.0
LETTER, TITLE, LINE = 13.0, 17.0, 20.0
INK, GRID, PAPER, BLUE, RED = "#222222", "#d0d0d0", "#ffffff", "#0072B2", "#D55E00"

Scale = Callable[[float], float]


def draw(review: Review) -> str:
    """Return the picture."""
    room = WIDTH - LEFT - RIGHT
    titles = wrapped(review.title, WIDTH - 2 * RIGHT, TITLE, 3)
    notes = [line for note in (review.about, f"Evaluated by {review.method}.") for line in _lines(note)]
    above = 16 + (TITLE + 5) * len(titles) + LINE * len(notes) + 20
    swings = [f"{rank}. {swing}" for rank, swing in enumerate(review.swings, 1)]
    below = [line for swing in swings for line in _lines(swing)] or ["No swing exceeds the noise of the evaluation."]
    tops = above, above + PANEL + GAP
    height = tops[1] + PANEL + 62 + LINE * (len(below) + 1)
    count = max(len(review.moves), 1)

    def across(move: float) -> float:
        return LEFT + room * move / count

    body = [element("rect", x=0, y=0, width=WIDTH, height=height, fill=PAPER)]
    y = 16 + TITLE / 2
    for line in titles:
        body.append(text(line, RIGHT, y, TITLE, INK, text_anchor="start"))
        y += TITLE + 5
    for line in notes:
        body.append(text(line, RIGHT, y, LETTER, INK, text_anchor="start"))
        y += LINE
    body += _swing_lines(review, across, tops)
    body += _lead_panel(review, across, tops[0])
    body += _winrate_panel(review, across, tops[1])
    body += _moves_axis(count, across, tops[1] + PANEL)
    y = tops[1] + PANEL + 62
    body.append(text("Largest swings", RIGHT, y, LETTER, INK, text_anchor="start", font_weight="bold"))
    for line in below:
        y += LINE
        body.append(text(line, RIGHT, y, LETTER, INK, text_anchor="start"))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(WIDTH)} {number(height)}" '
        f'width="{number(WIDTH)}" height="{number(height)}" role="img" font-family="Helvetica, Arial, sans-serif">'
    )
    return "\n".join([head, *body, "</svg>"]) + "\n"


def _lines(words: str) -> list[str]:
    return wrapped(words, WIDTH - 2 * RIGHT, LETTER, 2)


def _lead_panel(review: Review, across: Scale, top: float) -> Iterator[str]:
    leads = [review.start_lead, *(move.lead for move in review.moves)]
    errors = [move.lead_sd for move in review.moves]
    errors = [errors[0] if errors else 0.0, *errors]
    most = nice(max(5.0, *(abs(lead) for lead in leads)))

    def up(lead: float) -> float:
        return top + PANEL / 2 * (1 - max(-1.0, min(1.0, lead / most)))

    marks = [(value, "0" if not value else f"{'B' if value > 0 else 'W'}+{abs(value):g}") for value in _fifths(most)]
    yield from _frame(top, "Black's lead in points", [(up(value), label) for value, label in marks], zero=up(0))
    upper = [(across(i), up(lead + error)) for i, (lead, error) in enumerate(zip(leads, errors, strict=True))]
    lower = [(across(i), up(lead - error)) for i, (lead, error) in enumerate(zip(leads, errors, strict=True))]
    yield element("polygon", points=_points([*upper, *reversed(lower)]), fill=BLUE, fill_opacity=0.15)
    yield _curve([(across(i), up(lead)) for i, lead in enumerate(leads)], BLUE)
    yield text("shaded: ± one standard error", WIDTH - RIGHT, top - 9, LETTER, BLUE, text_anchor="end")


def _winrate_panel(review: Review, across: Scale, top: float) -> Iterator[str]:
    rates = [review.start_winrate, *(move.winrate for move in review.moves)]

    def up(rate: float) -> float:
        return top + PANEL * (1 - rate)

    marks = [(up(value / 100), f"{value} %") for value in (0, 25, 50, 75, 100)]
    yield from _frame(top, "Black's winrate", marks, zero=up(0.5))
    yield _curve([(across(i), up(rate)) for i, rate in enumerate(rates)], RED, dashes="7 3")


def _frame(top: float, label: str, marks: list[tuple[float, str]], zero: float) -> Iterator[str]:
    for y, words in marks:
        colour = INK if y == zero else GRID
        yield element("line", x1=LEFT, y1=y, x2=WIDTH - RIGHT, y2=y, stroke=colour, stroke_width=1)
        yield text(words, LEFT - 8, y, LETTER, INK, text_anchor="end")
    yield element("line", x1=LEFT, y1=top, x2=LEFT, y2=top + PANEL, stroke=INK, stroke_width=1)
    yield text(label, LEFT, top - 9, LETTER, INK, text_anchor="start", font_weight="bold")


def _moves_axis(count: int, across: Scale, y: float) -> Iterator[str]:
    step = max(1, int(nice(count / 8)) if count > 40 else 5)
    for move in range(0, count + 1, step):
        yield element("line", x1=across(move), y1=y, x2=across(move), y2=y + 5, stroke=INK, stroke_width=1)
        yield text(str(move), across(move), y + 15, LETTER, INK, text_anchor="middle")
    yield text("move", (LEFT + WIDTH - RIGHT) / 2, y + 33, LETTER, INK, text_anchor="middle", font_weight="bold")


def _swing_lines(review: Review, across: Scale, tops: tuple[float, float]) -> Iterator[str]:
    """Draw a line for each swing across both graphs, with its number between them; close numbers alternate."""
    last, low = -WIDTH, False
    for rank, swing in sorted(enumerate(review.swings, 1), key=lambda item: item[1].move):
        x = across(swing.move)
        low = x - last < 2 * DISC + 2 and not low
        y, last = tops[0] + PANEL + DISC + 3 + (2 * DISC + 1) * low, x
        for top in tops:
            end = top + PANEL
            yield element("line", x1=x, y1=top, x2=x, y2=end, stroke=INK, stroke_width=1, stroke_dasharray="2 3")
        yield element("circle", cx=x, cy=y, r=DISC, fill=PAPER, stroke=INK)
        yield text(str(rank), x, y, LETTER, INK, text_anchor="middle")


def _fifths(most: float) -> list[float]:
    return [most * share for share in (-1, -0.5, 0, 0.5, 1)]


def _curve(points: list[tuple[float, float]], colour: str, **style: str) -> str:
    dashes = {"stroke_dasharray": style["dashes"]} if "dashes" in style else {}
    return element("polyline", points=_points(points), fill="none", stroke=colour, stroke_width=2, **dashes)


def _points(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)
