"""A slow, obvious twin of the position: a dict of stones, flood fills, snapshots, whole positions compared."""

from __future__ import annotations

from dataclasses import dataclass, field

Point = tuple[int, int]  # (row, column), row 0 at the top
Stones = dict[Point, int]

BLACK, WHITE = 1, 2
SIMPLE, POSITIONAL, SITUATIONAL = 0, 1, 2
LEGAL, OFF_BOARD, OCCUPIED, KO, SUPERKO, SUICIDE = range(6)


def opponent(colour: int) -> int:
    return BLACK + WHITE - colour


@dataclass
class NaiveBoard:
    """Stones, whose turn it is, ko, captures and everything that was on the board before."""

    width: int
    height: int
    ko_rule: int = SIMPLE
    suicide: bool = False
    stones: Stones = field(default_factory=dict)
    to_play: int = BLACK
    ko: tuple[Point, int] | None = None  # the point, and the colour that may not play there
    captures: dict[int, int] = field(default_factory=lambda: {BLACK: 0, WHITE: 0})
    passes: int = 0
    moves: list[tuple[Point | None, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.past: list[tuple[Stones, int]] = [(dict(self.stones), self.to_play)]
        self.snapshots: list[tuple[Stones, int, tuple[Point, int] | None, dict[int, int], int]] = []

    def points(self) -> list[Point]:
        return [(row, column) for row in range(self.height) for column in range(self.width)]

    def neighbours(self, point: Point) -> list[Point]:
        row, column = point
        around = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
        return [(r, c) for r, c in around if 0 <= r < self.height and 0 <= c < self.width]

    def diagonals(self, point: Point) -> list[Point]:
        row, column = point
        around = [(row + dr, column + dc) for dr in (-1, 1) for dc in (-1, 1)]
        return [(r, c) for r, c in around if 0 <= r < self.height and 0 <= c < self.width]

    def chain(self, point: Point) -> set[Point]:
        """The stones connected to the stone at `point`."""
        found, todo = {point}, [point]
        while todo:
            for n in self.neighbours(todo.pop()):
                if n not in found and self.stones.get(n) == self.stones[point]:
                    found.add(n)
                    todo.append(n)
        return found

    def liberties(self, point: Point) -> set[Point]:
        """The empty points next to the chain at `point`."""
        return {n for stone in self.chain(point) for n in self.neighbours(stone) if n not in self.stones}

    def chains(self) -> set[frozenset[Point]]:
        seen: set[Point] = set()
        found: set[frozenset[Point]] = set()
        for point in self.stones:
            if point not in seen:
                chain = self.chain(point)
                seen |= chain
                found.add(frozenset(chain))
        return found

    def place(self, point: Point, colour: int) -> tuple[set[Point], set[Point]]:
        """Puts a stone down and takes off what has no liberty; returns the enemy stones and the own stones lost."""
        self.stones[point] = colour
        taken: set[Point] = set()
        for n in self.neighbours(point):
            if self.stones.get(n) == opponent(colour) and not self.liberties(n):
                taken |= self.take_off(n)
        lost = set() if self.liberties(point) else self.take_off(point)
        return taken, lost

    def take_off(self, point: Point) -> set[Point]:
        chain = self.chain(point)
        for stone in chain:
            del self.stones[stone]
        return chain

    def after(self, point: Point, colour: int) -> tuple[Stones, set[Point]]:
        """The stones after a move, and the own stones it would lose."""
        before = dict(self.stones)
        _, lost = self.place(point, colour)
        result, self.stones = self.stones, before
        return result, lost

    def objection(self, point: Point | None, colour: int) -> int:
        """Why a move is not allowed; LEGAL if it is."""
        if point is None:
            return LEGAL
        if point in self.stones:
            return OCCUPIED
        stones, lost = self.after(point, colour)
        if lost and not (self.suicide and len(lost) > 1):
            return SUICIDE
        if self.ko_rule == SIMPLE:
            return KO if self.ko == (point, colour) else LEGAL
        return SUPERKO if self.repeats(stones, opponent(colour)) else LEGAL

    def repeats(self, stones: Stones, to_play: int) -> bool:
        return any(stones == before and (self.ko_rule == POSITIONAL or to_play == turn) for before, turn in self.past)

    def legal(self, colour: int) -> set[Point]:
        return {point for point in self.points() if self.objection(point, colour) == LEGAL}

    def play(self, point: Point | None, colour: int) -> None:
        """Plays on an empty point or passes (None), whatever the rules say."""
        self.snapshots.append((dict(self.stones), self.to_play, self.ko, dict(self.captures), self.passes))
        self.ko = None
        if point is not None:
            taken, lost = self.place(point, colour)
            self.captures[colour] += len(taken)
            self.captures[opponent(colour)] += len(lost)
            if len(taken) == 1 and len(self.chain(point)) == 1 and len(self.liberties(point)) == 1:
                self.ko = (taken.pop(), opponent(colour))
        self.passes = self.passes + 1 if point is None else 0
        self.moves.append((point, colour))
        self.to_play = opponent(colour)
        self.past.append((dict(self.stones), self.to_play))

    def undo(self) -> None:
        self.stones, self.to_play, self.ko, self.captures, self.passes = self.snapshots.pop()
        self.past.pop()
        self.moves.pop()
