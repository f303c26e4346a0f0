"""A playout in pure Python that draws from the same random stream as the core and must end on the same board.

What a draw picks depends on the order of the list of empty points, and so on the order in which a captured chain is
taken off. That order is the core's: a chain is a ring that begins at its head, and a new stone goes right behind the
head of its largest friend.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .board import BLACK, WHITE, NaiveBoard, Point, opponent

MASK = 2**64 - 1


def scatter(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


class NaiveRandom:
    """SplitMix64; the stream of playout i is NaiveRandom(seed, i)."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state = (scatter((seed + 0x632BE59BD9B4E019) & MASK) + scatter(~stream & MASK)) & MASK

    def number(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return scatter(self.state)

    def below(self, bound: int) -> int:
        return ((self.number() >> 32) * bound) >> 32


class PlayoutBoard(NaiveBoard):
    """The naive board with an ordered list of empty points and chains in ring order, head first."""

    @classmethod
    def of(cls, board: NaiveBoard) -> PlayoutBoard:
        """The same stones put down afresh, row by row."""
        self = cls(board.width, board.height)
        self.empties = self.points()
        self.rings: list[list[Point]] = []
        for point in sorted(board.stones):
            self.settle(point, board.stones[point])
        self.ko = board.ko
        return self

    def settle(self, point: Point, colour: int) -> None:
        """Puts a stone down without taking anything; the last empty point fills the gap in the list."""
        self.empties[self.empties.index(point)] = self.empties[-1]
        self.empties.pop()
        friends: list[list[Point]] = []
        for n in self.neighbours(point):
            if self.stones.get(n) == colour and self.ring(n) not in friends:
                friends.append(self.ring(n))
        self.stones[point] = colour
        largest = max(friends, key=len, default=[])
        merged = [*largest[:1], point, *largest[1:]]
        for friend in friends:
            if friend is not largest:
                merged = [merged[0], *friend[1:], friend[0], *merged[1:]]
        self.rings = [ring for ring in self.rings if ring not in friends] + [merged]

    def ring(self, point: Point) -> list[Point]:
        return next(ring for ring in self.rings if point in ring)

    def place(self, point: Point, colour: int) -> tuple[set[Point], set[Point]]:
        self.settle(point, colour)
        taken: set[Point] = set()
        for n in self.neighbours(point):
            if self.stones.get(n) == opponent(colour) and not self.liberties(n):
                taken |= self.take_off(n)
        assert self.liberties(point), "no suicide in a playout"
        return taken, set()

    def take_off(self, point: Point) -> set[Point]:
        ring = self.ring(point)
        self.rings.remove(ring)
        self.empties += ring
        return super().take_off(point)

    def is_simple_eye(self, point: Point, colour: int) -> bool:
        return all(self.stones.get(n) == colour for n in self.neighbours(point))

    def is_eye(self, point: Point, colour: int, diagonal: bool) -> bool:
        """An own eye: with `diagonal`, the enemy may hold one diagonal in the middle and none at the edge."""
        diagonals = self.diagonals(point)
        held = sum(self.stones.get(d) == opponent(colour) for d in diagonals)
        false = diagonal and held > (1 if len(diagonals) == 4 else 0)
        return self.is_simple_eye(point, colour) and not false

    def breathes(self, point: Point, colour: int) -> bool:
        """Whether a stone at `point` takes something or has a liberty."""
        self.stones[point] = colour
        around = [n for n in self.neighbours(point) if self.stones.get(n) == opponent(colour)]
        result = bool(self.liberties(point)) or any(not self.liberties(n) for n in around)
        del self.stones[point]
        return result

    def playable(self, point: Point, colour: int, diagonal: bool) -> bool:
        if self.is_eye(point, colour, diagonal) or self.ko == (point, colour):
            return False
        return self.breathes(point, colour)

    def draw(self, colour: int, random: NaiveRandom, diagonal: bool) -> Point | None:
        """A uniform draw; what is rejected moves behind the points still in play."""
        left = len(self.empties)
        while left > 0:
            index = random.below(left)
            if self.playable(self.empties[index], colour, diagonal):
                return self.empties[index]
            left -= 1
            self.empties[index], self.empties[left] = self.empties[left], self.empties[index]
        return None

    def owners(self) -> dict[Point, int]:
        """Who owns each point: stones, single-point eyes, and empty regions that touch one colour only."""
        result = dict(self.stones)
        for point in self.empties:
            for colour in (BLACK, WHITE):
                if self.is_simple_eye(point, colour) or self.border(point) == {colour}:
                    result[point] = colour
        return result

    def border(self, start: Point) -> set[int]:
        """The colours round the empty region of a point."""
        seen, todo, colours = {start}, [start], set()
        while todo:
            for n in self.neighbours(todo.pop()):
                if n in self.stones:
                    colours.add(self.stones[n])
                elif n not in seen:
                    seen.add(n)
                    todo.append(n)
        return colours


def playout(board: PlayoutBoard, colour: int, random: NaiveRandom, diagonal: bool) -> int:
    """Plays to the end; returns the number of moves, passes included."""
    moves = passes = 0
    while moves < 3 * board.width * board.height and passes < 2:
        point = board.draw(colour, random, diagonal)
        board.play(point, colour)
        passes = passes + 1 if point is None else 0
        moves += 1
        colour = opponent(colour)
    return moves


@dataclass
class Owners:
    """What many playouts say: how often each colour owned each point, moves in all, every lead for Black."""

    black: dict[Point, int] = field(default_factory=dict)
    white: dict[Point, int] = field(default_factory=dict)
    moves: int = 0
    leads: list[int] = field(default_factory=list)

    def add(self, owners: dict[Point, int]) -> None:
        for point, colour in owners.items():
            counts = self.black if colour == BLACK else self.white
            counts[point] = counts.get(point, 0) + 1
        self.leads.append(sum(1 if colour == BLACK else -1 for colour in owners.values()))


def owner_counts(start: NaiveBoard, n: int, seed: int, *, diagonal: bool, first: int) -> Owners:
    """n playouts; `first` is 1 (Black), 2 (White) or 3 (in turn)."""
    result = Owners()
    for i in range(n):
        board = PlayoutBoard.of(start)
        colour = first if first != 3 else (BLACK, WHITE)[i % 2]
        result.moves += playout(board, colour, NaiveRandom(seed, i), diagonal)
        result.add(board.owners())
    return result
