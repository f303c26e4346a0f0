"""The knowing player in pure Python, on the playout twin's board and with the same random stream."""

from __future__ import annotations

from dataclasses import dataclass

from .board import BLACK, WHITE, NaiveBoard, Point, opponent
from .playout import NaiveRandom, PlayoutBoard
from .tactics import NaiveReader, TooLong, is_sacrifice, simple


@dataclass
class NaiveKnowledge:
    atari: int
    pattern: int
    shun_self_atari: int
    shun_random_self_atari: int
    ladder: int = 0


class NaivePlayer:
    def __init__(self, knowledge: NaiveKnowledge, drawings: list[str], random: NaiveRandom) -> None:
        self.knowledge, self.drawings, self.random = knowledge, drawings, random
        self.last: Point | None = None
        self.before: Point | None = None

    def choose(self, board: PlayoutBoard, colour: int) -> Point | None:
        point = self.answer(board, colour)
        self.before, self.last = self.last, point
        return point

    def happens(self, percent: int) -> bool:
        return percent > 0 and self.random.below(100) < percent

    def answer(self, board: PlayoutBoard, colour: int) -> Point | None:
        point = None
        if self.happens(self.knowledge.atari):
            point = self.pick(board, colour, self.atari_answers(board, colour))
        if point is None and self.happens(self.knowledge.pattern):
            point = self.pick(board, colour, self.pattern_answers(board))
        return point or self.draw(board, colour)

    def pick(self, board: PlayoutBoard, colour: int, candidates: set[Point]) -> Point | None:
        left = sorted(candidates)
        while left:
            point = left.pop(self.random.below(len(left)))
            if board.ko == (point, colour) or not board.breathes(point, colour):
                continue
            if not (is_bad_self_atari(board, point, colour) and self.happens(self.knowledge.shun_self_atari)):
                return point
        return None

    def centres(self) -> list[Point]:
        return [point for point in (self.last, self.before) if point is not None]

    def atari_answers(self, board: PlayoutBoard, colour: int) -> set[Point]:
        answers: set[Point] = set()
        reads = self.happens(self.knowledge.ladder)
        near = [p for centre in self.centres() for p in (centre, *board.neighbours(centre)) if p in board.stones]
        for point in near:
            liberties = board.liberties(point)
            if len(liberties) != 1:
                continue
            if board.stones[point] != colour:
                answers |= liberties
                continue
            around = {n for stone in board.chain(point) for n in board.neighbours(stone)}
            for n in around:
                if board.stones.get(n) == opponent(colour) and len(board.liberties(n)) == 1:
                    answers |= board.liberties(n)
            after = simple(board)
            after.place(min(liberties), colour)
            breath = len(after.liberties(point)) if min(liberties) in after.stones else 0
            if breath > 2 or (breath == 2 and not (reads and is_caught(board, min(liberties), colour))):
                answers |= liberties
        return answers

    def pattern_answers(self, board: PlayoutBoard) -> set[Point]:
        around = {
            p for centre in self.centres() for p in board.neighbours(centre) + board.diagonals(centre)
        } - board.stones.keys()
        return {point for point in around if fits_any(self.drawings, surroundings(board, point))}

    def draw(self, board: PlayoutBoard, colour: int) -> Point | None:
        left = len(board.empties)
        while left > 0:
            index = self.random.below(left)
            point = board.empties[index]
            if board.playable(point, colour, True) and not (
                is_bad_self_atari(board, point, colour) and self.happens(self.knowledge.shun_random_self_atari)
            ):
                return point
            left -= 1
            board.empties[index], board.empties[left] = board.empties[left], board.empties[index]
        return None


def is_bad_self_atari(board: NaiveBoard, point: Point, colour: int) -> bool:
    """A move that leaves its chain in atari, takes nothing, and is no sacrifice."""
    after = simple(board)
    taken, _ = after.place(point, colour)
    return not taken and len(after.liberties(point)) == 1 and not is_sacrifice(board, point, colour)


def is_caught(board: PlayoutBoard, point: Point, colour: int) -> bool:
    """Whether the chain of a move is captured in a ladder; no ko is retaken, and what has no end is no capture."""
    reader = NaiveReader(budget=50_000)
    try:
        return board.ko != (point, colour) and reader.attacked(reader.after(board, point, colour), point)
    except TooLong:
        return False


def surroundings(board: NaiveBoard, point: Point) -> str:
    """The nine points round one, as letters from the top left."""
    row, column = point
    letters = ""
    for r in range(row - 1, row + 2):
        for c in range(column - 1, column + 2):
            inside = 0 <= r < board.height and 0 <= c < board.width
            letters += ".XO"[board.stones.get((r, c), 0)] if inside else "#"
    return letters


ALLOWED = {".": ".", "X": "X", "O": "O", "#": "#", "x": ".O#", "o": ".X#", "?": ".XO#"}


def fits_any(drawings: list[str], seen: str) -> bool:
    """Whether a drawing fits nine letters, in some turn or mirror image, as it is or with the colours changed."""
    changed = seen.translate(str.maketrans("XO", "OX"))
    images = [image for letters in (seen, changed) for image in images_of(letters)]
    return any(
        all(a in ALLOWED[d] for a, d in zip(image, drawing, strict=True)) for drawing in drawings for image in images
    )


def images_of(letters: str) -> list[str]:
    rows = [letters[:3], letters[3:6], letters[6:]]
    images = []
    for _ in range(4):
        rows = ["".join(row[i] for row in reversed(rows)) for i in range(3)]
        images += ["".join(rows), "".join(reversed(rows))]
    return images


def knowing_moves(
    start: NaiveBoard, colour: int, seed: int, index: int, knowledge: NaiveKnowledge, drawings: list[str]
) -> list[Point | None]:
    """The moves of one playout; None is a pass."""
    board = PlayoutBoard.of(start)
    player = NaivePlayer(knowledge, drawings, NaiveRandom(seed, index))
    moves: list[Point | None] = []
    while len(moves) < 3 * board.width * board.height and moves[-2:] != [None, None]:
        moves.append(player.choose(board, colour))
        board.play(moves[-1], colour)
        colour = BLACK + WHITE - colour
    return moves
