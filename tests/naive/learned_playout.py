"""The learned player in pure Python: all weights afresh for every move, the same random stream, the same games."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product

from .board import BLACK, NaiveBoard, Point, opponent
from .knowing_playout import images_of, is_bad_self_atari, surroundings
from .playout import NaiveRandom, PlayoutBoard
from .tactics import simple

UNIT, MOST = 1024, 1 << 22
LAST, BEFORE, ANSWER, ATTACK, DEFENCE, SELF_ATARI = range(1, 7)
Levels = list[int]


def classes() -> dict[str, int]:
    """The class of each drawing of nine letters as the mover X sees it, numbered from 1 by the least code."""
    drawings = {
        "".join(letters)
        for top, left in product((False, True), repeat=2)
        for letters in product(
            *("." if i == 4 else "#" if (top and i < 3) or (left and i % 3 == 0) else ".XO" for i in range(9))
        )
    }
    numbers: dict[str, int] = {}
    count = 0
    for drawing in sorted((image for each in drawings for image in images_of(each)), key=code_of):
        if drawing not in numbers:
            count += 1
            numbers.update(dict.fromkeys(images_of(drawing), count))
    return numbers


def code_of(drawing: str) -> int:
    """The neighbours of a drawing, two bits each, from the top left."""
    around = drawing[:4] + drawing[5:]
    return sum(".XO#".index(letter) << 2 * i for i, letter in enumerate(around))


CLASSES: dict[str, int] = {}


class NaiveLearned:
    def __init__(self, tables: Sequence[Sequence[int]], random: NaiveRandom) -> None:
        self.tables, self.random = tables, random
        self.last: Point | None = None
        self.before: Point | None = None

    def choose(self, board: PlayoutBoard, colour: int) -> Point | None:
        point = self.draw(board, colour)
        self.before, self.last = self.last, point
        return point

    def times(self, weight: int, table: int, level: int) -> int:
        return min(weight * self.tables[table][level - 1] // UNIT, MOST) if level else weight

    def draw(self, board: PlayoutBoard, colour: int) -> Point | None:
        """Ko, suicide and self-atari are looked at when a point is drawn; its weight is then corrected."""
        weights, final = {}, set()
        for point in sorted(board.empties):
            levels = self.levels(board, point, colour)
            weight = 0 if board.is_eye(point, colour, True) else self.tables[0][levels[0] - 1]
            for table in range(LAST, SELF_ATARI):
                weight = self.times(weight, table, levels[table])
            weights[point] = weight
        while (total := sum(weights.values())) > 0:
            rest = self.random.below(total)
            ends = accumulate(weights.values())
            point, end = next((p, end) for p, end in zip(weights, ends, strict=True) if rest < end)
            rest -= end - weights[point]
            if point in final:
                return point
            allowed = board.ko != (point, colour) and board.breathes(point, colour)
            true = self.times(weights[point], SELF_ATARI, self_atari(board, point, colour)) if allowed else 0
            if rest < true:
                return point
            final.add(point)
            weights[point] = true
        return None

    def levels(self, board: PlayoutBoard, point: Point, colour: int) -> Levels:
        """The levels of a move, but for self-atari."""
        seen = surroundings(board, point)
        levels = [pattern_class(seen if colour == BLACK else seen.translate(str.maketrans("XO", "OX")))] + [0] * 6
        for centre, table in ((self.last, LAST), (self.before, BEFORE)):
            if centre is None:
                continue
            levels[table] = 1 if point in board.neighbours(centre) else 2 if point in board.diagonals(centre) else 0
            for stone in (centre, *board.neighbours(centre)):
                if stone in board.stones:
                    levels[ANSWER] = max(levels[ANSWER], answer(board, stone, point, colour))
        if self.last is not None:
            for stone in (self.last, *board.neighbours(self.last)):
                liberties = board.liberties(stone) if stone in board.stones else set()
                if point in liberties and len(liberties) in (2, 3):
                    table = DEFENCE if board.stones[stone] == colour else ATTACK
                    levels[table] = max(levels[table], 4 - len(liberties))
        return levels


def pattern_class(drawing: str) -> int:
    if not CLASSES:
        CLASSES.update(classes())
    return CLASSES[drawing]


def answer(board: PlayoutBoard, stone: Point, point: Point, colour: int) -> int:
    """What a move does at a chain in atari."""
    if len(board.liberties(stone)) != 1:
        return 0
    if board.stones[stone] != colour:
        return 0 if point not in board.liberties(stone) else 3 if len(board.chain(stone)) == 1 else 4
    for n in {n for each in board.chain(stone) for n in board.neighbours(each)}:
        if board.stones.get(n) == opponent(colour) and board.liberties(n) == {point}:
            return 5
    if point not in board.liberties(stone):
        return 0
    after = simple(board)
    after.place(point, colour)
    breath = len(after.liberties(point)) if point in after.stones else 0
    return min(max(breath - 1, 0), 2)


def self_atari(board: PlayoutBoard, point: Point, colour: int) -> int:
    if not is_bad_self_atari(board, point, colour):
        return 0
    after = simple(board)
    after.place(point, colour)
    return min(len(after.chain(point)), 3)


def learned_moves(
    start: NaiveBoard, colour: int, seed: int, index: int, tables: Sequence[Sequence[int]]
) -> list[Point | None]:
    """The moves of one playout; None is a pass."""
    board = PlayoutBoard.of(start)
    player = NaiveLearned(tables, NaiveRandom(seed, index))
    moves: list[Point | None] = []
    while len(moves) < 3 * board.width * board.height and moves[-2:] != [None, None]:
        moves.append(player.choose(board, colour))
        board.play(moves[-1], colour)
        colour = opponent(colour)
    return moves
