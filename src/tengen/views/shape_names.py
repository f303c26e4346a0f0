"""The name of a move's shape in Go words, from the stones around it: "hane", "one-point jump", "corner approach".

Start at `shape_name`. `SHAPES` lists the names, each with a definition and how it is recognised; the first that fits
counts, so special shapes come before general ones. Most are small drawings, rows divided by "/", that are tried under
the eight symmetries:

    *  the move               X  an own stone      Y  an own stone of another chain than the X
    .  an empty point         O  an enemy stone    Q  an enemy stone of another chain than the O
    #  outside of the board   x  no enemy stone    o  no own stone    -  no stone
                              n  no empty point    ?  anything
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tengen.go.board import Board
from tengen.go.points import Point, PointLike, star_points

_FITS = {"X": "X", "Y": "X", "O": "O", "Q": "O", ".": ".", "#": "#", "x": "X.#", "o": "O.#", "-": ".#", "n": "XO#"}
_CORNER = 7
"""The corner is the first seven lines of two sides, or half of a small board."""


def shape_name(board: Board, move: PointLike) -> str:
    """Return the name of the shape that a move of the player to move makes; "" if no name fits or it is not legal."""
    index = board.index(move)
    place = divmod(index, board.width)
    if index == board.width * board.height or not board.is_legal(place):
        return ""
    around = _Around(board, place)
    name = next((shape.name for shape in SHAPES if shape.fits(around)), "")
    return f"capture of {around.taken} stones" if name == "capture" and around.taken > 1 else name


class _Around:
    """The stones around a move as its player sees them."""

    def __init__(self, board: Board, move: Point) -> None:
        self.board, self.move = board, move
        stones = (board.stones if board.to_play == "black" else -board.stones).tolist()
        self._signs = {(r, c): ".XO"[stone] for r, row in enumerate(stones) for c, stone in enumerate(row)}
        self._chains = board.chain_numbers().tolist()

    def at(self, down: int, right: int) -> str:
        """Return what is at an offset from the move: X, O, . or #."""
        return self._signs.get((self.move[0] + down, self.move[1] + right), "#")

    def line(self, down: int, right: int) -> int:
        """Return the line of the point at an offset from the move, counted from the nearest side."""
        (row, column), board = self.move, self.board
        row, column = row + down, column + right
        return min(row, column, board.height - 1 - row, board.width - 1 - column) + 1

    def chain(self, down: int, right: int) -> int:
        return int(self._chains[self.move[0] + down][self.move[1] + right])

    @cached_property
    def after(self) -> tuple[int, int, int]:
        """How many stones the move captures, then the stones and liberties of its chain."""
        board = self.board.copy()
        taken = board.play(self.move)
        chain = board.chain(self.move)
        return (taken, len(chain.points), len(chain.liberties)) if chain else (taken, 0, 0)

    @property
    def taken(self) -> int:
        """How many stones the move captures."""
        return self.after[0]

    @cached_property
    def lines(self) -> Point:
        """The lines of the move, counted from the nearest sides."""
        (row, column), board = self.move, self.board
        return min(row, board.height - 1 - row) + 1, min(column, board.width - 1 - column) + 1

    @cached_property
    def corner(self) -> dict[Point, str] | None:
        """The stones in the corner of the move, X or O by their lines; None if the move is not in a corner."""
        reach = min(_CORNER, self.board.width // 2, self.board.height // 2)
        if max(self.lines) > reach:
            return None
        down = -1 if self.move[0] < self.board.height // 2 else 1
        right = -1 if self.move[1] < self.board.width // 2 else 1
        every = [(a, b) for a in range(1, reach + 1) for b in range(1, reach + 1)]
        signs = {(a, b): self.at(down * (self.lines[0] - a), right * (self.lines[1] - b)) for a, b in every}
        return {lines: sign for lines, sign in signs.items() if sign != "."}


@dataclass(frozen=True)
class Shape:
    """A name, what it means, and how it is recognised: one of the drawings fits and the test, if any, is passed."""

    name: str
    meaning: str
    drawings: tuple[str, ...] = ()
    test: Callable[[_Around], bool] | None = None

    def fits(self, around: _Around) -> bool:
        """Whether a move makes this shape."""
        drawn = not self.drawings or any(_fits(cells, around) for cells in self._variants)
        return drawn and (self.test is None or self.test(around))

    @cached_property
    def _variants(self) -> list[list[tuple[int, int, str]]]:
        return [cells for drawing in self.drawings for cells in _symmetric(drawing)]


def _symmetric(drawing: str) -> list[list[tuple[int, int, str]]]:
    """Return the cells of a drawing, as offsets from the move, under the symmetries that differ; stones come first."""
    rows = drawing.split("/")
    cells = [(r, c, sign) for r, row in enumerate(rows) for c, sign in enumerate(row)]
    row, column = next((r, c) for r, c, sign in cells if sign == "*")
    around = [(r - row, c - column, sign) for r, c, sign in cells if sign not in "*?"]
    around.sort(key=lambda cell: cell[2] not in "XYOQ")  # most drawings fail at their stones
    turned = []
    for down, right in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        turned.append([(r * down, c * right, sign) for r, c, sign in around])
        turned.append([(c * right, r * down, sign) for r, c, sign in around])
    return list({frozenset(cells): cells for cells in turned}.values())


def _fits(cells: list[tuple[int, int, str]], around: _Around) -> bool:
    for r, c, sign in cells:
        if around.at(r, c) not in _FITS[sign]:
            return False
    chains = {kind: {around.chain(r, c) for r, c, sign in cells if sign == kind} for kind in "XYOQ"}
    return not (chains["X"] & chains["Y"] or chains["O"] & chains["Q"])


def _takes_ko(around: _Around) -> bool:
    return around.after == (1, 1, 1)


def _opens(*lines: Point) -> Callable[[_Around], bool]:
    return lambda around: around.corner == {} and tuple(sorted(around.lines)) in lines


def _star(around: _Around) -> bool:
    return around.corner == {} and around.move in star_points(around.board.width, around.board.height)


def _centre(around: _Around) -> bool:
    stars = star_points(around.board.width, around.board.height)
    middle = around.board.height // 2, around.board.width // 2
    near = {around.at(r, c) for r in range(-2, 3) for c in range(-2, 3)}
    return around.move == middle and middle in stars and near == {"."}


def _invades(around: _Around) -> bool:
    inner = {lines: sign for lines, sign in (around.corner or {}).items() if max(lines) <= 4}
    return around.lines == (3, 3) and inner == {(4, 4): "O"}


def _beside_corner_stone(sign: str) -> Callable[[_Around], bool]:
    """Test for a move on the third or fourth line, two or three points from the only stone in the corner."""

    def test(around: _Around) -> bool:
        if len(around.corner or {}) != 1:
            return False
        ((a, b), whose), *_ = (around.corner or {}).items()
        near, far = sorted((abs(around.lines[0] - a), abs(around.lines[1] - b)))
        placed = min(around.lines) in (3, 4) and min(a, b) >= 3 and max(a, b) <= 5
        return whose == sign and placed and near <= 1 and 2 <= far <= 3

    return test


def _along_sides(around: _Around) -> Iterator[tuple[list[tuple[int, str]], list[tuple[int, str]]]]:
    """For a move on the third or fourth line of a side, yield the stones on one side of it and those on the other.

    Stones are X or O with their distances along the side, nearest first; they are on the second to the fifth line.
    Both directions are yielded, so that it is enough to look for a shape on the first.
    """
    for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        line = next(n for n in range(1, 26) if around.at(n * down, n * right) == "#")
        places = [(n, line - other) for n in range(1, 9) for other in range(2, 6)] if line in (3, 4) else []
        ways: list[list[tuple[int, str]]] = []
        for way in (1, -1):
            met = [(n, around.at(low * down + n * way * right, low * right + n * way * down)) for n, low in places]
            ways.append([(n, sign) for n, sign in met if sign in "XO"])
        yield ways[0], ways[1]
        yield ways[1], ways[0]


def _pincers(around: _Around) -> bool:
    for there, back in _along_sides(around):
        (n, first), (m, second), *_ = *there, (0, ""), (0, "")
        between_enemies = any(sign == "O" and away <= 5 for away, sign in back[:1])
        if (first, second) == ("O", "X") and 2 <= n <= 4 and 2 <= m - n <= 4 and not between_enemies:
            return True
    return False


def _extends(around: _Around) -> bool:
    return any(met and met[0][1] == "X" and 4 <= met[0][0] <= 6 for met, _ in _along_sides(around))


def _over_low_stone(around: _Around) -> bool:
    """Whether the enemy stone diagonal to the move is on the third or fourth line, one below that of the move."""
    stones = [around.line(r, c) for r in (-1, 1) for c in (-1, 1) if around.at(r, c) == "O"]
    return stones in ([3], [4]) and min(around.lines) == stones[0] + 1


SHAPES = (
    Shape("ko capture", "Takes a single stone that could take back if the ko rule allowed it.", test=_takes_ko),
    Shape("capture", "Takes stones; of two or more, the number is added.", test=lambda around: around.taken > 0),
    Shape(
        "throw-in",
        "A single stone played where the enemy captures it at once, to spoil an eye or take a liberty.",
        ("?On?/O*.n/?On?", "?On?/O*.n/###?", "?n?/n.n/O*O/###", "#n?/#.n/#*O/###"),
        lambda around: around.after == (0, 1, 1),
    ),
    Shape("connection", "Joins two own chains.", ("X*Y", "X?/*Y")),
    Shape(
        "fills an own eye", "All points around belong to one own chain.", ("?X?/X*X/?X?", "?X?/X*X/###", "?X#/X*#/###")
    ),
    Shape("crosscut", "Two stones of each colour, all alone, cross each other.", ("?--?/-XO-/-Q*-/?--?",)),
    Shape("cut", "Separates two enemy chains with an own stone on the other side.", ("XO/Q*",)),
    Shape("push through", "Pushes from an own stone into the gap between two enemy chains.", ("?X?/O*Q/?.?",)),
    Shape("wedge", "Played into the gap between two enemy stones.", ("?.?/O*Q/?.?",)),
    Shape("tengen", "The centre of the board, with no stone near.", test=_centre),
    Shape("3-3 point", "The third line of two sides, in an empty corner.", test=_opens((3, 3))),
    Shape("star point", "A marked point, in an empty corner: usually the fourth line of two sides.", test=_star),
    Shape("4-4 point", "The same point of a board too small to mark it.", test=_opens((4, 4))),
    Shape("3-4 point", "The third and fourth line, in an empty corner.", test=_opens((3, 4))),
    Shape("3-5 point", "The third and fifth line, in an empty corner.", test=_opens((3, 5))),
    Shape("4-5 point", "The fourth and fifth line, in an empty corner.", test=_opens((4, 5))),
    Shape("3-3 invasion", "The 3-3 point under an enemy stone on the star point.", test=_invades),
    Shape("corner approach", "Comes near the only stone in the corner, the enemy's.", test=_beside_corner_stone("O")),
    Shape("corner enclosure", "Adds a second own stone to one alone in the corner.", test=_beside_corner_stone("X")),
    Shape("bamboo joint", "Two pairs side by side with a gap: neither point of it cuts.", ("X*/../YY",)),
    Shape("hane on the first line", "A hane along the edge.", ("XO?/.*o/###",)),
    Shape("hane on the second line", "A hane one line above the edge.", ("XO?/.*o/?o?/###",)),
    Shape(
        "hane at the head of two",
        "A hane in front of exactly two enemy stones in line, with two own stones beside them.",
        ("?o?/.*o/XO./XO./?x?",),
    ),
    Shape("hane", "Diagonal to an own stone, around an enemy stone that touches both.", ("XO?/.*o/?o?",)),
    Shape(
        "block",
        "Stops enemy stones in front of it with an own stone next to it.",
        ("??X/OO*", "OO*X", "XO/.*/?X", "XOx/.*X", "?X?/O*x/###", "?X?/O*x/???/###"),
    ),
    Shape("turn", "Bends around an enemy stone.", ("XX/O*",)),
    Shape("crawl", "Goes along under enemy stones, on the first or second line.", ("oO/X*/##", "oO/X*/??/##")),
    Shape("push", "Goes along enemy stones from an own stone, or into a corner of them.", ("oO/X*", "X*O/?O?")),
    Shape("bump", "Goes from an own stone straight into an enemy stone.", ("?x?/X*O/?x?",)),
    Shape("descent", "Goes from an own stone straight towards the edge.", ("X/*/#", "X/*/./#")),
    Shape("hanging connection", "Protects a cut: an enemy stone there would be in atari.", ("?XO/*.Y/?.?",)),
    Shape("tiger's mouth", "Three own stones around an empty point.", ("?X?/*.X/?.?", "?*?/X.X/?.?")),
    Shape("peep", "Threatens to cut between two enemy chains.", ("?x?/O.Q/x*x", "oOX/*.Q/ox?")),
    Shape("clamp", "Takes an enemy stone between itself and an own stone.", ("??o?/XO*o/??o?",)),
    Shape("diagonal attachment", "Diagonal to an own stone and next to an enemy stone.", ("X.?/.*?/?O?",)),
    Shape("attachment", "Next to an enemy stone, without an own stone around.", ("ooo/o*O/ooo",)),
    Shape("empty triangle", "Three stones in a corner whose fourth point is empty.", ("?o??/o*.?/oXXo/?oo?",)),
    Shape("stretch", "Next to an own stone, away from enemy stones.", ("?x?/X*x/?x?",)),
    Shape("monkey jump", "A large knight's move from the second line to the first.", ("X.../...*/####",)),
    Shape(
        "pincer",
        "Takes an enemy stone at the side between itself and an own stone, with no enemy stone near on the other side.",
        (".../.*./...",),
        _pincers,
    ),
    Shape(
        "shoulder hit",
        "Diagonal to a lone enemy stone on the third or fourth line, one line higher, with no other stone around.",
        ("?.../?.*./-O../?-??",),
        _over_low_stone,
    ),
    Shape("diagonal move", "Diagonal to an own stone, the points between them empty.", ("X./.*",)),
    Shape("one-point jump", "In line with an own stone, one empty point between them.", ("X.*",)),
    Shape(
        "cap",
        "Two points above a lone enemy stone on the third or fourth line, with no other stone around.",
        tuple(f".../.*./.../-O-/?-?/{'???/' * line}###" for line in (1, 2)),
        lambda around: min(around.lines) > 4,
    ),
    Shape("knight's move", "Two points along and one across from an own stone.", ("X../..*",)),
    Shape("two-space extension", "Two empty points from an own stone, along a side.", ("X..*/..../..../####",)),
    Shape("two-space jump", "In line with an own stone, two empty points between them.", ("X..*",)),
    Shape("large knight's move", "Three points along and one across from an own stone.", ("X.../...*",)),
    Shape("elephant's move", "Two points along and two across from an own stone.", ("X../.../..*",)),
    Shape("extension", "Three to five empty points from an own stone, along a side.", test=_extends),
)
"""The shapes in the order in which they are tried."""
