"""Make docs/gallery.md and its pictures: positions with their verdicts and reasons.

    python examples/make_gallery.py docs

Run it again when verdicts, reasons or pictures change; a test compares the files with what it writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import tengen
from tengen.judge.difference import explanations

EXAMPLES = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Case:
    """A finished position, and the groups that it is about."""

    name: str
    title: str
    about: str
    rows: str
    groups: Sequence[str]
    """A stone of each of them."""


CASES = (
    Case(
        "two-eyes",
        "Two eyes",
        "Black's corner has two eyes, and no sequence of White moves takes them away, even if Black always passes. "
        "Such life is proved on the board (Benson's algorithm), without a network: the verdict is certain.",
        """
        .X.XO....
        XXXXO.O..
        OOOOO..O.
        ..O...O..
        OOOOOOOOO
        XXXXXXXXO
        .....X.XX
        ..X...X..
        .........
        """,
        ("B9", "A4"),
    ),
    Case(
        "dead-stones",
        "Dead stones in territory",
        "One stone of each colour is left inside the other's territory. Neither has room for eyes or a way out, so "
        "both are removed, and the points below them count as territory.",
        """
        ...XO....
        ..XXO....
        .O.XOO...
        ...X.O.X.
        ..XXOO...
        ..X.XO...
        ...XXO...
        ..XXOOO..
        ..X.OO...
        """,
        ("B7", "H6"),
    ),
    Case(
        "false-eye",
        "A false eye",
        "Black's corner seems to have two eyes, A9 and C9. But the two stones at D9 have no other liberty than C9: "
        "White captures them there, or Black fills C9 to save them. One eye is left, and all six stones are dead.",
        """
        .X.XXO...
        XXXOOO.O.
        OOOO.....
        ....O.O..
        OOOOOOOOO
        XXXXXXXXO
        .....X.XX
        ..X...X..
        .........
        """,
        ("B9", "D9"),
    ),
    Case(
        "vital-point",
        "The vital point",
        "Three points in a row make two eyes if Black plays in the middle. White has played there first, and no "
        "black move makes two eyes any more.",
        """
        .O.XO....
        XXXXO..O.
        OOOOO....
        ..O...O..
        OOOOOOOOO
        XXXXXXXXO
        .....X.XX
        ..X...X..
        .........
        """,
        ("D9", "B9"),
    ),
    Case(
        "seki",
        "Seki without eyes",
        "The four white stones at C9 and the three black ones at E9 have the same two liberties, D9 and D8. Whoever "
        "plays there first is captured, so nobody does: both live in seki, and the liberties are nobody's.",
        """
        .XO.XO...
        .XO.XO.O.
        XXOOXO...
        ..XXOOO..
        .XX.XO...
        ...XXO.O.
        ..X.XO...
        ...XXOO..
        ..X.XO...
        """,
        ("C9", "E9"),
    ),
    Case(
        "seki-with-eyes",
        "Seki with eyes",
        "Both groups at the top have one eye, and they share the liberty D9. Neither can fill it without being "
        "captured. Japanese rules do not count eyes in seki (A9 and F9); under Chinese rules they are points.",
        """
        .OO.X.XO.
        OOOXXXXO.
        XXXOOOOO.
        ..XO...O.
        .XXO..O..
        ..XO.....
        .XXOO.O..
        ...XO....
        ..XXO....
        """,
        ("B9", "E9"),
    ),
    Case(
        "open-border",
        "An open border",
        "There is a gap in White's wall at F6. The count says that the game is not finished, and where: the points "
        "behind the gap are nobody's yet.",
        """
        ....XO...
        ....XO...
        ...XXO...
        ...X.....
        ...XOO...
        ..XX.O...
        ...XXO...
        ...XOO...
        ...X.O...
        """,
        (),
    ),
)


def position_pages(folder: Path) -> Iterator[str]:
    """Draw the cases; yield a section for each."""
    for case in CASES:
        board = tengen.Board.from_text(case.rows.split(), rules="japanese", komi=0)
        score = tengen.score(board, captures=(0, 0))
        yield from section(folder, case.name, case.title, case.about, score.svg())
        yield from verdict_table(score, case.groups)


def game_pages(folder: Path) -> Iterator[str]:
    """Draw whole games; yield a section for each."""
    score = tengen.score(tengen.read(EXAMPLES / "unsafe-9x9.sgf"))
    about = (
        "Both players have passed, but the three white stones at E7 are in atari: Black captures them at F6, or White "
        "connects there. The judge is not sure enough and calls them unclear. The count keeps the likelier fate, and "
        "the headline says that it is not safe."
    )
    yield from section(folder, "unclear", "Not sure", about, score.svg())
    yield from verdict_table(score, ("E7",))

    board = tengen.Board.from_text(CASES[2].rows.split(), rules="japanese", komi=0)
    game = tengen.Game.from_sgf(_record(board, "B+5"))
    score = tengen.score(game)
    about = "The position with the false eye again, in a record with another result. One change explains it:"
    yield from section(folder, "difference", "A result that differs from the record", about, score.svg())
    yield from (f"- {each.sentence}" for each in explanations(score, game.result, server=game.server))
    yield ""


def middle_pages(folder: Path) -> Iterator[str]:
    """Draw an estimate and suggested moves; yield a section for each."""
    board = tengen.read(EXAMPLES / "finished-9x9.sgf").board(30)
    estimate = tengen.estimate(board)
    about = "In the middle of a game there are no verdicts but expected owners: the larger a square, the surer. Why E9:"
    yield from section(folder, "estimate", "An estimate", about, estimate.svg())
    yield from (f"- {reason}" for reason in estimate.explain("E9"))
    yield ""
    about = "Moves that a strong player would choose in the same position, with what they do, below the board."
    yield from section(folder, "moves", "Suggested moves", about, tengen.suggest(board, top=3).svg())


def section(folder: Path, name: str, title: str, about: str, picture: str) -> Iterator[str]:
    """Write a picture; yield the lines that show it."""
    (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
    yield from (f"## {title}", "", about, "", f"![{title}](gallery/{name}.svg){{ width=420 }}", "")


def verdict_table(score: tengen.Score, groups: Sequence[str]) -> Iterator[str]:
    """Yield a table of the verdicts on some groups, or of the warnings if there are none."""
    if not groups:
        yield from (f"- {warning}" for warning in score.warnings)
    else:
        yield from ("| verdict | reasons |", "|---|---|")
    for group in groups:
        verdict = next(each for each in score.verdicts if group in each.points)
        yield f"| {verdict} | {' '.join(map(str, verdict.reasons))} |"
    yield ""


def _record(board: tengen.Board, result: str) -> str:
    """Return a record that sets a position up and ends with two passes."""
    stones = {"AB": "", "AW": ""}
    for (row, column), sign in ((place, board.stones[place]) for place in zip(*board.stones.nonzero(), strict=True)):
        stones["AB" if sign == 1 else "AW"] += f"[{chr(97 + column)}{chr(97 + row)}]"
    placed = "".join(name + points for name, points in stones.items())
    return f"(;SZ[9]RU[Japanese]KM[0]RE[{result}]{placed};B[];W[])"


HEAD = """# Gallery of verdicts

What `tengen.score` says about positions, and why. Positions without a game are counted under Japanese rules, with no
komi and no captures. The pictures are those of `score.svg()`, `estimate.svg()` and `suggestions.svg()`. How verdicts
come about is described in [The judge](judge.md). `python examples/make_gallery.py docs` makes this page.
"""


def main(docs: Path) -> None:
    """Write the page and its pictures."""
    folder = docs / "gallery"
    folder.mkdir(exist_ok=True)
    lines = [HEAD, *position_pages(folder), *game_pages(folder), *middle_pages(folder)]
    (docs / "gallery.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
