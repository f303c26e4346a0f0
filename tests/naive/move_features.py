"""Tactical features of moves from the words of van Niekerk & Kroon's table, played out on copies of the naive board.

`Historic` reads them as Oakfoam did. Readings that are too long end in `TooLong`.
"""

from __future__ import annotations

from .board import LEGAL, NaiveBoard, Point, opponent
from .prior import fate_distance
from .tactics import NaiveReader, simple

Move = Point | None  # None is a pass


class Words:
    """The levels of the moves of a board, whose `moves` end with the last two."""

    def __init__(self, board: NaiveBoard, colour: int) -> None:
        self.board, self.colour = simple(board), colour
        if board.ko is not None and board.ko[1] != colour:
            self.board.ko = None
        self.all_chains = [(c, board.stones[min(c)], len(board.liberties(min(c)))) for c in board.chains()]
        moves = [point for point, _ in board.moves]
        self.last, self.second_last = (moves[-1:] or [None])[0], (moves[-2:-1] or [None])[0]
        self.passed = bool(moves) and self.last is None

    def levels(self, move: Move) -> list[int]:
        if move is None:
            return [2 if self.passed else 1, *[0] * 9]
        if self.board.objection(move, self.colour) != LEGAL:
            return [0] * 10
        return [
            0,
            self.capture(move),
            self.extension(move),
            self.self_atari(move),
            self.atari(move),
            self.border(move),
            self.circular(move, self.last),
            self.circular(move, self.second_last),
            self.fate(move, self.last),
            self.fate(move, self.second_last),
        ]

    def after(self, point: Point, colour: int | None = None) -> NaiveBoard:
        board = simple(self.board)
        board.play(point, colour or self.colour)
        return board

    def chains(self, colour: int, liberties: int) -> list[frozenset[Point]]:
        return [chain for chain, owner, count in self.all_chains if (owner, count) == (colour, liberties)]

    def beside(self, point: Point, chains: list[frozenset[Point]]) -> list[frozenset[Point]]:
        return [chain for chain in chains if any(n in chain for n in self.board.neighbours(point))]

    def captured(self, point: Point) -> list[frozenset[Point]]:
        return self.beside(point, self.chains(opponent(self.colour), 1))

    def capture(self, point: Point) -> int:
        taken = self.captured(point)
        applies = [bool(taken)]
        applies.append(bool(taken) and self.captures_in_ladder(point))
        others = [n for n in self.board.neighbours(point) if self.board.stones.get(n) == opponent(self.colour)]
        other = any(len(self.board.liberties(n)) > 1 for n in others)
        applies.append(bool(taken) and other and self.extends(point, opponent(self.colour)))
        applies.append(any(self.last in chain for chain in taken))
        own = self.chains(self.colour, 1)
        saving = [chain for chain in taken if any(self.beside(stone, own) for stone in chain)]
        applies.append(bool(saving))
        applies.append(any(len(chain) >= 10 for chain in saving))
        return highest(applies)

    def captures_in_ladder(self, point: Point) -> bool:
        return all(not NaiveReader().defended(self.board, min(chain)) for chain in self.captured(point))

    def extends(self, point: Point, colour: int) -> bool:
        extended = self.beside(point, self.chains(colour, 1))
        if not extended:
            return False
        after = self.after(point, colour)
        return point in after.stones and len(after.liberties(point)) >= 2

    def extension(self, point: Point) -> int:
        extends = self.extends(point, self.colour)
        return highest([extends, extends and self.stays_in_ladder(point)])

    def stays_in_ladder(self, point: Point) -> bool:
        return NaiveReader().attacked(self.after(point), point)

    def is_self_atari(self, point: Point) -> bool:
        return len(self.after(point).liberties(point)) == 1

    def self_atari(self, point: Point) -> int:
        holds = self.is_self_atari(point)
        return highest([holds, holds and len(self.after(point).chain(point)) > 5])

    def atari(self, point: Point) -> int:
        chains = self.beside(point, self.chains(opponent(self.colour), 2))
        ko = self.board.ko is not None
        return highest([bool(chains), bool(chains) and ko, any(self.in_ladder(point, chain) for chain in chains)])

    def in_ladder(self, point: Point, chain: frozenset[Point]) -> bool:
        return not NaiveReader().defended(self.after(point), min(chain))

    def line(self, point: Point) -> int:
        row, column = point
        return 1 + min(row, column, self.board.height - 1 - row, self.board.width - 1 - column)

    def border(self, point: Point) -> int:
        return self.line(point) if self.line(point) <= 4 else 0

    def circular(self, point: Point, other: Move) -> int:
        if other is None:
            return 0
        x, y = abs(point[0] - other[0]), abs(point[1] - other[1])
        return x + y + max(x, y) if x + y + max(x, y) <= 10 else 0

    def fate(self, point: Point, other: Move) -> int:
        distance = fate_distance(self.board, other, point)
        return distance if distance is not None and distance <= 10 else 0


class Historic(Words):
    """Oakfoam: liberties of captured points do not count, ladders are followed on the board as it is."""

    def levels(self, move: Move) -> list[int]:
        found = super().levels(move)
        return [*found[:-1], 0 if self.passed else found[-1]]

    def liberties(self, point: Point, colour: int) -> set[Point]:
        around = self.board.neighbours(point)
        own = [n for n in around if self.board.stones.get(n) == colour]
        return {n for n in around if n not in self.board.stones}.union(*map(self.board.liberties, own)) - {point}

    def extends(self, point: Point, colour: int) -> bool:
        return bool(self.beside(point, self.chains(colour, 1))) and len(self.liberties(point, colour)) >= 2

    def is_self_atari(self, point: Point) -> bool:
        return len(self.liberties(point, self.colour)) < 2 and sum(map(len, self.captured(point))) < 2

    def captures_in_ladder(self, point: Point) -> bool:
        own = self.beside(point, self.chains(self.colour, 1))
        return any(self.is_shape(point) and not self.works(chain, point) for chain in own)

    def stays_in_ladder(self, point: Point) -> bool:
        own = self.beside(point, self.chains(self.colour, 1))
        return any(self.is_shape(point) and self.works(chain, point) for chain in own)

    def in_ladder(self, point: Point, chain: frozenset[Point]) -> bool:
        (liberty,) = self.board.liberties(min(chain)) - {point}
        works = not self.is_self_atari(point) and self.works(chain, liberty, point)
        return self.is_shape(liberty, point) and not works

    def is_shape(self, liberty: Point, closed: Move = None) -> bool:
        return sum(n not in self.board.stones and n != closed for n in self.board.neighbours(liberty)) <= 2

    def works(self, chain: frozenset[Point], liberty: Point, closed: Move = None) -> bool:
        board, owner = self.board, self.board.stones[min(chain)]
        around = board.neighbours(liberty)
        if any(board.stones.get(n) == owner and n not in chain for n in around):
            return False
        enemies = {n for stone in chain for n in board.neighbours(stone) if board.stones.get(n) == opponent(owner)}
        if any(len(board.liberties(n)) == 1 for n in enemies):
            return False
        return any(
            self.runs_out(liberty, minus(liberty, stone), minus(turn, liberty), owner)
            for stone in chain.intersection(around)
            for turn in around
            if turn not in board.stones and turn != closed and minus(turn, liberty) != minus(liberty, stone)
        )

    def runs_out(self, point: Point, ahead: Point, aside: Point, owner: int) -> bool:
        """Whether the fleeing stones find no friend on their way, step after step."""
        seen = [self.cell(plus(point, step)) for step in (ahead, aside)]
        first, second = reversed(seen) if self.line(point) <= 3 else seen
        if first != 0:
            return second != opponent(owner) if first is None else first == opponent(owner)
        if second != 0:
            return second is None or second == opponent(owner)
        back = minus(point, aside)
        beside = {self.cell(back) if self.cell(back) is None else self.cell(minus(back, aside))}
        beside.add(self.cell(minus(plus(point, ahead), aside)))
        if owner in beside and opponent(owner) not in beside:
            return False
        point = plus(point, aside)
        return self.runs_out(point, *((ahead, aside) if self.line(point) <= 3 else (aside, ahead)), owner)

    def cell(self, point: Point) -> int | None:
        """The stone at a point, 0 if it is empty, None off the board."""
        on_board = 0 <= point[0] < self.board.height and 0 <= point[1] < self.board.width
        return self.board.stones.get(point, 0) if on_board else None


def plus(a: Point, b: Point) -> Point:
    return a[0] + b[0], a[1] + b[1]


def minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1]


def highest(applies: list[bool]) -> int:
    """The number of the last level that applies, from 1."""
    return max((level for level, holds in enumerate(applies, 1) if holds), default=0)
