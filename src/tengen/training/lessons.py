"""Where the positions of a training run come from, and what they should learn.

Every iteration of a run is one game; `lesson(number, learner)` returns its positions with the owners to learn. The
sources are `AgainstEngine` and `SelfPlay` (Low 2008, §3 and §4), in which the learner plays, and `Finals`, the ends of
recorded games. Everything drawn at random in game n depends on the seed and n only, so a run can continue anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np

from tengen.engines.gtp import GtpEngine
from tengen.errors import EngineError, IllegalMove, TengenError
from tengen.go.board import Board
from tengen.go.colour import Colour
from tengen.go.counting import count, find_territory, result_string
from tengen.go.positions import Positions
from tengen.go.record import Game
from tengen.go.rules import Rules
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.evaluator import ask
from tengen.models.protocol import FloatArray
from tengen.models.state import identity
from tengen.numbers import checked_count, checked_number
from tengen.search.match import Contestant
from tengen.search.plies import TEMPERATURE, afterstates, read, shares
from tengen.search.restrict import avoid, depths
from tengen.teachers.engines import final_judgement
from tengen.territory.gnugo import influence_ownership
from tengen.training.learner import Floats, Learner, Stones

AHEAD = 2
"""A position learns the engine's evaluation of the position this many moves later."""

PATIENCE = 20.0
"""Default timeout for an answer of the engine, in seconds."""

_NEEDED = ("genmove", "play", "clear_board", "initial_influence", "final_status_list")


@dataclass(frozen=True, eq=False)
class Lesson:
    """Positions of a game [n, row, column] with the owners to learn, and facts about the game for the log."""

    stones: Stones
    targets: Floats
    turns: Stones
    """The player to move in each position: 1 Black, −1 White."""
    facts: dict[str, Any]

    @classmethod
    def of(cls, boards: Sequence[Board], targets: Sequence[FloatArray] | FloatArray, facts: dict[str, Any]) -> Lesson:
        """Return the positions of boards of one size."""
        given = Positions.of(boards)
        return cls(given.stones, np.asarray(targets, np.float32), given.to_play, facts)


class Lessons(Protocol):
    """A source of positions."""

    def described(self) -> dict[str, Any]:
        """Return the conditions as JSON; a run continues only under the same ones."""

    def check(self) -> None:
        """Raise an error if the source cannot be used here, for example because a program is missing."""

    def lesson(self, number: int, learner: Learner) -> Lesson:
        """Return the positions of game `number`; raise EngineError if another program fails."""


@dataclass(frozen=True)
class Play:
    """The board, and how a learner plays on it."""

    size: int = 9
    rules: Rules = field(default_factory=lambda: Rules.parse("chinese"))
    komi: float | None = None
    """Points White receives; by default the usual komi of the rules."""
    plies: int = 1
    temperature: float = TEMPERATURE
    """In points: moves are drawn with probabilities proportional to exp(lead / temperature); with 0 the best move is
    played."""
    epsilon: float = 0.0
    """Share of moves drawn uniformly instead."""
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.size, "size", 25, least=2)
        checked_count(self.seed, "seed", 2**63 - 1)
        checked_number(self.temperature, "temperature", 0)
        checked_number(self.epsilon, "epsilon", 0, 1)
        if self.plies not in (1, 2):
            raise TengenError(f"plies: 1 or 2, not {self.plies!r}")

    def described(self) -> dict[str, Any]:
        """Return the conditions as JSON."""
        facts = {"size": self.size, "rules": self.rules.json(), "komi": self.board().komi, "plies": self.plies}
        return {**facts, "temperature": self.temperature, "epsilon": self.epsilon, "seed": self.seed}

    def board(self) -> Board:
        """Return the empty board."""
        return Board(self.size, rules=self.rules, komi=self.komi)

    def random(self, number: int) -> np.random.Generator:
        """Return the source of all random numbers of a game."""
        return np.random.default_rng((self.seed, number))

    def goes_on(self, board: Board) -> bool:
        """Return whether a game is neither over nor too long."""
        return not board.is_over and board.move_number < 3 * self.size**2

    def draw(self, board: Board, learner: Learner, random: np.random.Generator, *, may_pass: bool) -> str:
        """Return a move for the player to move; without `may_pass`, a pass only if there is no other move."""
        uniform = random.random() < self.epsilon
        plies, exact = 1 if uniform else self.plies, self.temperature > 0
        barred = None if may_pass or len(afterstates([board]).moves) == 1 else depths([avoid(["pass"])], board)
        reading = read(board, learner, plies, exact=exact, seed=random, barred=barred)
        if uniform:
            chosen = int(random.integers(len(reading.moves)))
        elif exact:
            chosen = int(random.choice(len(reading.moves), p=shares(self.size**2 * reading.values, self.temperature)))
        else:
            chosen = reading.order[0]
        return reading.moves[chosen]


@dataclass(frozen=True)
class AgainstEngine:
    """Games against GNU Go, or an engine with the same commands; the learner has Black in even games.

    Position k learns the engine's territory at position k + 2, asked from the engine that plays, and the last ones its
    judgement of the final position. Every game has a new process, so that an engine that dies costs one game and the
    same seed gives the same game.
    """

    engine: Contestant
    play: Play = Play()
    patience: float = PATIENCE
    """Timeout for an answer, in seconds."""

    def described(self) -> dict[str, Any]:
        """Return the conditions as JSON."""
        return {"against": self.engine.text, **self.play.described()}

    def check(self) -> None:
        """Start the engine once."""
        try:
            with self._started(0) as engine:
                engine.greet()
                missing = [command for command in _NEEDED if command not in engine.known_commands]
                if not missing:
                    engine.set_position(self.play.board())
        except EngineError as error:
            raise EngineError(f"{self.engine.text!r} cannot teach: {error}") from None
        if missing:
            raise EngineError(f"{self.engine.text!r} cannot teach: it does not know {missing[0]}, as GNU Go does")

    def lesson(self, number: int, learner: Learner) -> Lesson:
        """Play a game."""
        colour: Colour = "black" if number % 2 == 0 else "white"
        random, board = self.play.random(number), self.play.board()
        with self._started(number) as engine:
            engine.set_position(board)
            boards, owners = [board.copy()], [influence_ownership(engine, board)]
            resigned = False
            while self.play.goes_on(board) and not resigned:
                if board.to_play == colour:
                    move = self.play.draw(board, learner, random, may_pass=True)
                    engine.play(colour, move)
                else:
                    move = engine.genmove(board.to_play)
                    resigned = move == "resign"
                if not resigned:
                    _play(board, move)
                    boards.append(board.copy())
                    owners.append(influence_ownership(engine, board))
            result = f"{'B' if colour == 'black' else 'W'}+R"
            if not resigned:
                judged = final_judgement(engine, board)
                owners[-1] = judged.ownership
                result = "?" if judged.lead is None else result_string(judged.lead)
        targets = (owners[AHEAD:] + AHEAD * [owners[-1]])[-len(boards) :]
        return _lesson(boards, targets, colour, result)

    def _started(self, number: int) -> GtpEngine:
        engine = self.engine.engine(self.play.rules, self.play.seed + number)
        engine.timeout = checked_number(self.patience, "patience", 0)
        return engine


@dataclass(frozen=True)
class SelfPlay:
    """TD(0): position k learns the learner's own evaluation of position k + 1, the last one the area of its board.

    Nobody passes while there is a move that fills no eye. So dead stones are captured, and the area of the final board
    can be counted as it stands.
    """

    play: Play = Play()

    def described(self) -> dict[str, Any]:
        """Return the conditions as JSON."""
        return {"self_play": True, **self.play.described()}

    def check(self) -> None:
        """Nothing to check."""

    def lesson(self, number: int, learner: Learner) -> Lesson:
        """Play a game."""
        random, board = self.play.random(number), self.play.board()
        boards = [board.copy()]
        while self.play.goes_on(board):
            board.play(self.play.draw(board, learner, random, may_pass=False))
            boards.append(board.copy())
        final = (board.stones + find_territory(board.stones)[0]).astype(float)
        targets = [*_owners(learner, boards)[1:], final]
        return _lesson(boards, targets, "black", result_string(count(board).lead))


@dataclass(frozen=True)
class Finals:
    """The last positions of recorded games; all learn the owners that a teacher sees in the final position.

    The order of the games changes with every pass over them.
    """

    games: Sequence[Game]
    positions: int = 10
    """Number of positions of each game."""
    teacher: ModelLike = "territory/gnugo"
    seed: int = 0
    _owners: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        checked_count(self.positions, "positions", least=1)
        checked_count(self.seed, "seed", 2**63 - 1)
        if not self.games:
            raise TengenError("there are no games to learn from")

    def described(self) -> dict[str, Any]:
        """Return the conditions as JSON."""
        digest = blake2b(digest_size=8)
        for game in self.games:
            digest.update(game.sgf().encode())
        facts = {"games": len(self.games), "records": digest.hexdigest(), "positions": self.positions}
        return {**facts, "seed": self.seed, "teacher": identity(evaluator_of(self.teacher))}

    def check(self) -> None:
        """Ask the teacher once."""
        self._final(0)

    def lesson(self, number: int, learner: Learner) -> Lesson:
        """Return the end of a game."""
        turn, place = divmod(number, len(self.games))
        chosen = int(np.random.default_rng((self.seed, turn)).permutation(len(self.games))[place])
        game, last = self.games[chosen], len(self.games[chosen])
        boards = [game.board(moves) for moves in range(max(0, last + 1 - self.positions), last + 1)]
        targets = np.repeat(self._final(chosen)[None], len(boards), 0)
        return Lesson.of(boards, targets, {"result": game.result, "moves": last})

    def _final(self, chosen: int) -> FloatArray:
        """Return the owners at the end of a game; the teacher is asked once."""
        if chosen not in self._owners:
            self._owners[chosen] = _owners(self.teacher, [self.games[chosen].board()])[0]
        return self._owners[chosen]


def _owners(teacher: ModelLike, boards: Sequence[Board]) -> FloatArray:
    """Return the ownership of boards of one size according to a model."""
    said = ask(evaluator_of(teacher), Positions.of(boards), "ownership").ownership
    assert said is not None
    return said


def _play(board: Board, move: str) -> None:
    try:
        board.play(move)
    except IllegalMove as problem:
        raise EngineError(f"the engine played {move}: {problem}") from None


def _lesson(boards: Sequence[Board], targets: Sequence[FloatArray] | FloatArray, colour: Colour, result: str) -> Lesson:
    facts: dict[str, Any] = {"colour": colour}
    if result[:2] in ("B+", "W+"):
        facts["score"] = float((result[0] == "B") == (colour == "black"))
    facts |= {"result": result, "moves": len(boards) - 1}
    return Lesson.of(boards, targets, facts)
