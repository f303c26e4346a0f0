"""Matches between two GTP programs: colours paired, two games at a time, resumable.

Start at `Match.play`. A player is given as text: `tengen:playouts=1000,kind=uct`, `gnugo:level=10`, or `gtp:` and a
command. Both games of a pair start from the same opening. A match is a folder with one record per game, which holds the
result, and match.json with the conditions. A stopped match can be resumed, also elsewhere: the folder may be moved, and
its records joined in one file, games.sgf. A game in which a program crashed has the result Void and is not counted; a
program that cannot even start a game ends the match.
"""

from __future__ import annotations

import math
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from queue import SimpleQueue

from tengen.engines.gtp import GtpEngine, gnugo
from tengen.engines.process import EngineDied
from tengen.errors import EngineError, RecordError, TengenError
from tengen.go.board import Board
from tengen.go.colour import Colour, opposite
from tengen.go.counting import result_string
from tengen.go.files import claim
from tengen.go.points import point
from tengen.go.record import Game, Games, read, read_all
from tengen.go.rules import Rules
from tengen.judge.score import score
from tengen.measure.intervals import Interval
from tengen.measure.sprt import Sprt, SprtState, match_elo, match_score
from tengen.search.records import record_of

PATIENCE = 600.0
"""Timeout for an answer, in seconds."""

JOINED = "games.sgf"
"""The records of a match in one file, written by hand: a folder has one record per game."""

MODEL_OPTIONS = ("guide", "moves")
"""Options of a player that may be files."""

NO_RESULT = ("Void", "?")
"""Results of games that are not counted: a program stopped answering or refused a legal move; no count was possible."""

START = 20.0
"""Default timeout for the start and the first answer of a program, in seconds."""


@dataclass(frozen=True)
class Contestant:
    """A player of a match, as given in text."""

    text: str

    def __post_init__(self) -> None:
        if self.kind not in ("tengen", "gnugo", "gtp") or (self.kind == "gtp" and not self.text[4:].strip()):
            raise TengenError(
                f"{self.text!r} is not a player: write tengen[:key=value,…], gnugo[:level=10] or gtp:COMMAND"
            )
        if self.kind != "gtp":
            self._options()
        if self.kind == "gnugo":
            _whole(self._options().get("level", "10"))

    @property
    def kind(self) -> str:
        """The part before the colon: tengen, gnugo or gtp."""
        return self.text.partition(":")[0]

    @property
    def title(self) -> str:
        """The text with the names of files instead of their paths: the same weights elsewhere are the same player."""
        if not (files := self._files()):
            return self.text
        options = {**self._options(), **{key: path.name for key, path in files.items()}}
        return f"{self.kind}:{','.join(f'{key}={value}' for key, value in options.items())}"

    def digests(self) -> dict[str, str]:
        """Return the digests of files by option, such as the guide's: other weights are another player."""
        return {key: blake2b(path.read_bytes(), digest_size=8).hexdigest() for key, path in self._files().items()}

    def _files(self) -> dict[str, Path]:
        options = {} if self.kind == "gtp" else self._options()
        return {key: Path(options[key]) for key in MODEL_OPTIONS if key in options and Path(options[key]).is_file()}

    def words(self, **defaults: str) -> list[str]:
        """Return the options as command-line arguments: --playouts=100, and --ponder for ponder=yes.

        Without a kind, Tengen searches by playouts, whatever an engine does by default: a match is a measurement, and
        the same text is the same player on every machine. Defaults of the search may change between versions.
        """
        options = {**({"kind": "strong"} if self.kind == "tengen" else {}), **defaults, **self._options()}
        return [f"--{key}" if value == "yes" else f"--{key}={value}" for key, value in options.items()]

    def _options(self) -> dict[str, str]:
        pairs = [pair.partition("=") for pair in self.text.partition(":")[2].split(",") if pair]
        if not all(key and value for key, _, value in pairs):
            raise TengenError(f"the options of {self.text!r} are written key=value, with commas between them")
        return {key.strip(): value.strip() for key, _, value in pairs}

    def engine(self, rules: Rules, seed: int) -> GtpEngine:
        """Return the program, not yet started; the seed makes games differ unless the player gives its own."""
        if self.text.startswith("gtp:"):
            return GtpEngine(self.text[4:], timeout=PATIENCE)
        options = {"seed": str(seed), **self._options()}
        if self.text.startswith("gnugo"):
            level = options.pop("level", "10")
            extra = [word for key, value in options.items() for word in (f"--{key}", value)]
            return gnugo(level=_whole(level), rules=rules, extra=extra, timeout=PATIENCE)
        # -P: a file random.py in the working directory must not take the place of Python's own module.
        argv = [sys.executable, "-P", "-m", "tengen", "gtp", *self.words(seed=str(seed))]
        return GtpEngine(argv, timeout=PATIENCE)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise TengenError(f"a level is a whole number, not {text!r}")
    return int(text)


class Tables:
    """The running programs of all games in progress, with which all games can be stopped."""

    def __init__(self) -> None:
        self._engines: list[GtpEngine] = []
        self._lock = threading.Lock()
        self.closed = False

    @contextmanager
    def seat(self, engine: GtpEngine) -> Iterator[GtpEngine]:
        """Run a program during a with-block."""
        with self._lock:
            self._engines.append(engine)
        try:
            with engine:
                self.check()
                yield engine
        finally:
            with self._lock:
                self._engines.remove(engine)

    def check(self) -> None:
        """Raise TengenError after `close`."""
        if self.closed:
            raise TengenError("the match was stopped")

    def close(self) -> None:
        """Kill all programs; their games fail at the next command."""
        with self._lock:
            self.closed = True
            for engine in self._engines:
                engine.kill()


@dataclass(frozen=True)
class Played:
    """A finished game from the first player's point of view."""

    number: int
    colour: Colour
    result: str
    moves: int

    @property
    def score(self) -> float:
        """The first player's score: 1 for a win, 0 for a loss, ½ for a draw, nan without a result."""
        if self.result in NO_RESULT:
            return math.nan
        if self.result[:1] not in ("B", "W"):
            return 0.5
        return float((self.result[0] == "B") == (self.colour == "black"))


@dataclass(frozen=True)
class Standing:
    """The score of a match from the first player's point of view."""

    wins: int
    losses: int
    draws: int
    void: int = 0
    """Games without a result, which are not counted."""

    @classmethod
    def of(cls, games: list[Played]) -> Standing:
        """Count the results of games."""
        scores = [game.score for game in games]
        void = sum(map(math.isnan, scores))
        return cls(scores.count(1.0), scores.count(0.0), scores.count(0.5), void)

    @property
    def games(self) -> int:
        """The number of games with a result."""
        return self.wins + self.losses + self.draws

    @property
    def tally(self) -> str:
        """The games won of those with a result, in words."""
        void = f", {self.void} more without a result" if self.void else ""
        return f"{self.wins} of {self.games} games{void}"

    @property
    def score(self) -> Interval:
        """The mean score with Wilson's interval."""
        return match_score(self.wins, self.losses, self.draws)

    @property
    def elo(self) -> Interval:
        """The Elo difference with its interval."""
        return match_elo(self.wins, self.losses, self.draws)

    def test(self, sprt: Sprt) -> SprtState:
        """Return the state of a sequential test."""
        return sprt.state(self.wins, self.losses, self.draws)


@dataclass(frozen=True)
class Match:
    """The conditions of a match: players, number of games, board and openings."""

    first: Contestant
    second: Contestant
    games: int
    size: int = 9
    rules: Rules = field(default_factory=lambda: Rules.parse("chinese"))
    komi: float | None = None
    opening_moves: int = 2
    """Number of opening moves, the same in both games of a pair."""
    central: bool = False
    """Whether the opening moves are drawn from the nine central points, as Low draws the first move of a game."""
    openings: tuple[Game, ...] = ()
    """Records whose first moves serve as openings, in turn; by default openings are random."""
    referee: Contestant | None = None
    """The program that counts finished games; by default the judge."""
    patience: float = START
    """Timeout for the start and first answer of each program, in seconds."""

    def __post_init__(self) -> None:
        if self.central and self.openings:
            raise TengenError("openings are central or from records, not both")

    def described(self) -> dict[str, object]:
        """Return the conditions that must not change during a match."""
        programs = {"first": self.first, "second": self.second, **({"referee": self.referee} if self.referee else {})}
        weights = {f"{place} files": program.digests() for place, program in programs.items()}
        return {
            "first": self.first.title,
            "second": self.second.title,
            "size": self.size,
            "rules": self.rules.json(),
            "komi": self.start().komi,
            "opening_moves": self.opening_moves,
            **({"central": True} if self.central else {}),
            "openings": len(self.openings),
            "referee": self.referee.title if self.referee else "judge",
            **{place: digests for place, digests in weights.items() if digests},
        }

    def start(self) -> Board:
        """Return the empty board of a game."""
        return Board(self.size, rules=self.rules, komi=self.komi)

    def opening(self, number: int) -> Board:
        """Return the start position of a game; games 0 and 1 share it, games 2 and 3, and so on."""
        pair, board = number // 2, self.start()
        if self.openings:
            moves = self.openings[pair % len(self.openings)].moves[: self.opening_moves]
            for move in moves:
                board.play(move.point, move.colour)
            return board
        dice = random.Random(pair)
        for _ in range(self.opening_moves):
            legal = board.legal_moves()
            high = [move for move in legal if (_in_centre if self.central else _away_from_edge)(move, self.size)]
            board.play(dice.choice(high or legal or ["pass"]))
        return board

    def colour(self, number: int) -> Colour:
        """Return the first player's colour in a game."""
        return "black" if number % 2 == 0 else "white"

    def play(
        self,
        folder: Path,
        *,
        at_once: int = 2,
        sprt: Sprt | None = None,
        report: Callable[[Played, Standing], None] | None = None,
    ) -> Standing:
        """Play the games missing in the folder, until all are played or the test has decided.

        The programs are started once before, unless there is nothing to play: if one cannot play, EngineError is
        raised and nothing is written.
        """

        def decided() -> bool:
            return sprt is not None and Standing.of(done).test(sprt).decision != "continue"

        done = self.known(folder)
        missing = iter(numbers := sorted(set(range(self.games)) - {game.number for game in done}))
        if numbers and not decided():
            self.try_players()
        claim(folder / "match.json", self.described(), "match")
        results, tables, running = SimpleQueue[Played | Exception](), Tables(), 0
        threads: list[threading.Thread] = []
        try:
            while True:
                while running < at_once and not decided() and (number := next(missing, None)) is not None:
                    threads.append(
                        threading.Thread(target=self._play_into, args=(folder, number, results, tables), daemon=True)
                    )
                    threads[-1].start()
                    running += 1
                if not running:
                    return Standing.of(done)
                game = results.get()
                running -= 1
                if isinstance(game, Exception):
                    raise game
                done.append(game)
                if report is not None:
                    report(game, Standing.of(done))
        finally:
            tables.close()  # unfinished games are discarded
            for thread in threads:  # a thread still running at interpreter exit would leak its board
                thread.join()

    def try_players(self) -> None:
        """Start every program of the match once; raise EngineError if one cannot play, or count, on its board."""
        needed: dict[Contestant, set[str]] = {}
        for player, command in ((self.first, "genmove"), (self.second, "genmove"), (self.referee, "final_score")):
            if player is not None:
                needed.setdefault(player, {"clear_board", "play"}).add(command)
        for player, commands in needed.items():
            plays = player in (self.first, self.second)
            problem = f"player {player.text!r} cannot play" if plays else f"referee {player.text!r} cannot count"
            try:
                with player.engine(self.rules, 0) as engine:
                    engine.greet(timeout=self.patience)
                    if missing := sorted(commands - engine.known_commands):
                        raise EngineError(f"it does not know {missing[0]}")
                    engine.set_position(self.start())
            except TengenError as error:
                raise EngineError(f"{problem}: {error}") from None

    def known(self, folder: Path) -> list[Played]:
        """Return the games of this match that a folder has; it may have more, of a longer match."""
        joined = folder / JOINED
        records = read_all(joined) if joined.exists() else Games()
        for error in records.errors:
            raise error
        games = [self._played(record) for record in records]
        for path in sorted(folder.glob("game-*.sgf")):
            games.append(self._played(read(path)))
            if path.stem != _stem(games[-1].number):
                raise RecordError(f"this is game {games[-1].number} by its RO", file=str(path))
        known: dict[int, Played] = {}
        for game in games:
            if known.setdefault(game.number, game) != game:
                raise RecordError(f"two different records of game {game.number}", file=str(folder))
        return [game for number, game in sorted(known.items()) if number < self.games]

    def _played(self, record: Game) -> Played:
        number = record.root.get("RO") or ""
        fits = re.fullmatch("[0-9]{1,9}", number) and (record.width, record.height) == (self.size, self.size)
        if not fits or not record.result:
            problem = f"a game of this match is on {self.size}×{self.size}, with a result and its number in RO"
            raise RecordError(problem, file=record.file, game=record.index)
        return Played(int(number), self.colour(int(number)), record.result, len(record))

    def _play_into(self, folder: Path, number: int, results: SimpleQueue[Played | Exception], tables: Tables) -> None:
        try:
            record = self.play_game(number, tables)
            if not tables.closed:
                record.write(folder / f"{_stem(number)}.sgf")
            results.put(Played(number, self.colour(number), record.result, len(record)))
        except Exception as error:  # raised again in the thread that waits for the game
            results.put(error)

    def play_game(self, number: int, tables: Tables | None = None) -> Game:
        """Play one game and return its record; closing `tables` stops it."""
        tables = tables or Tables()
        players = {self.colour(number): self.first, opposite(self.colour(number)): self.second}
        board = self.opening(number)
        begun = time.monotonic()
        engines = {colour: player.engine(self.rules, number) for colour, player in players.items()}
        with tables.seat(engines["black"]), tables.seat(engines["white"]):
            for colour, engine in engines.items():
                try:
                    engine.set_position(board)
                except EngineError as error:
                    problem = f"player {players[colour].text!r} cannot start game {number + 1}"
                    raise EngineError(f"{problem}: {error}") from None
            result, why = self._play_on(board, engines, tables)
        record = record_of(board)
        record.root.set("PB", players["black"].title)
        record.root.set("PW", players["white"].title)
        record.root.set("RE", result)
        record.root.set("RO", str(number))
        record.root.set("C", f"{why}; {time.monotonic() - begun:.0f} seconds")
        return record

    def _play_on(self, board: Board, engines: dict[Colour, GtpEngine], tables: Tables) -> tuple[str, str]:
        """Play a game to the end; return the result and how the game ended."""
        most = 3 * board.width * board.height
        while not board.is_over and board.move_number < most:
            tables.check()
            mover = board.to_play
            lost = f"{'W' if mover == 'black' else 'B'}+"
            try:
                move = engines[mover].genmove(mover)
                if move == "resign":
                    return f"{lost}R", "resignation"
                board.play(move)
            except EngineDied as error:
                return "Void", f"{mover} stopped answering: {error}"
            except TengenError as error:
                return f"{lost}F", f"{mover} could not go on: {error}"
            try:
                engines[opposite(mover)].play(mover, move)
            except EngineDied as error:
                return "Void", f"{opposite(mover)} stopped answering: {error}"
            except EngineError as error:
                return "Void", f"{opposite(mover)} did not take a legal move: {error}"
        tables.check()
        return self._count(board, tables)

    def _count(self, board: Board, tables: Tables) -> tuple[str, str]:
        if self.referee is None:
            counted = score(board)
            return counted.result, "counted by the judge" + ("" if counted.safe else ", who is not sure")
        try:
            with tables.seat(self.referee.engine(self.rules, 0)) as engine:
                engine.set_position(board)
                lead = engine.final_score()
        except EngineError as error:
            return "?", f"the referee could not count: {error}"
        return ("?", "the referee could not say") if lead is None else (result_string(lead), "counted by the referee")


def _stem(number: int) -> str:
    return f"game-{number:04}"


def _away_from_edge(move: str, size: int) -> bool:
    """Whether a move is on the third line or higher; true for all moves on small boards."""
    edge = 2 if size >= 7 else 0
    return all(edge <= side < size - edge for side in point(move, size))


def _in_centre(move: str, size: int) -> bool:
    """Whether a move is on one of the nine points in the middle of the board."""
    first = (size - 3) // 2
    return all(first <= side < first + 3 for side in point(move, size))
