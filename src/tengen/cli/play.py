"""`tengen play`: a game against Tengen in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.games import GameKomi, wants_colour
from tengen.cli.gtp import GuideModel, Kind, Playouts, Seconds, Seed, Threads, settings_of
from tengen.errors import TengenError
from tengen.plain import notice

if TYPE_CHECKING:
    from tengen.go.board import Board
    from tengen.go.colour import Colour
    from tengen.go.record import Game
    from tengen.judge.score import Score
    from tengen.search.player import Player

HELP = "enter a point such as D4, or: pass, undo, score, hint, resign, help, quit"


@verb("play")
def play_command(
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    rules: Annotated[str, typer.Option(help="Rules by name.")] = "chinese",
    komi: GameKomi = None,
    handicap: Annotated[int, typer.Option(min=0, max=9, help="Your handicap stones.")] = 0,
    colour: Annotated[str, typer.Option(help="Your colour: black or white.")] = "black",
    playouts: Playouts = None,
    seconds: Seconds = None,
    threads: Threads = 1,
    seed: Seed = None,
    kind: Kind = "auto",
    guide: GuideModel = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the game to this new file, after every move.")
    ] = None,
) -> None:
    """Play a game against Tengen in the terminal."""
    from tengen.go.board import Board
    from tengen.go.colour import as_colour
    from tengen.go.files import check_writable
    from tengen.search.player import Player

    if output is not None:
        check_writable(output)
        if output.is_file() and output.stat().st_size:
            raise TengenError(f"{output} exists and would be overwritten: choose another name")
    board = Board(size, rules=rules, komi=(0.5 if handicap >= 2 and komi is None else komi))
    if handicap >= 2:
        board.place_handicap(handicap)
    player = Player(board, settings_of(playouts, seconds, threads=threads, seed=seed, kind=kind, guide=guide))
    game = Sitting(player, as_colour(colour), output)
    try:
        game.play()
    except KeyboardInterrupt:
        print()  # the prompt's line ends here
        raise
    finally:
        game.save()


class Sitting:
    """A game between a person and Tengen."""

    def __init__(self, player: Player, person: Colour, output: Path | None = None) -> None:
        self._player = player
        self._person = person
        self._output = output
        self._saved: str | None = None
        self._over = ""
        self._result = ""
        self._words: dict[str, Callable[[], object]] = {
            "undo": self._undo,
            "score": self._score,
            "hint": self._hint,
            "resign": self._resign,
            "quit": self._quit,
            "help": lambda: print(HELP),
        }

    @property
    def _board(self) -> Board:
        return self._player.board

    def play(self) -> None:
        """Play until a player resigns, both pass, or the person quits."""
        print(HELP)
        while not self._over and not self._board.is_over:
            if self._board.to_play == self._person:
                self._listen()
            else:
                self._answer()
            self.save()
        print(self._board.text(colour=wants_colour(None)))
        if self._over:
            print(self._over)
        else:
            counted = self._score()
            self._result = counted.result if counted.state == "safe" else "?"

    def save(self) -> None:
        """Write the game if it has changed; a failure is reported and does not stop the game."""
        if self._output is None or (not self._board.moves and not self._result):
            return
        text = self._record().sgf()
        if text == self._saved:
            return
        from tengen.go.files import write_atomically

        try:
            write_atomically(self._output, f"{text}\n".encode())
            self._saved = text
        except OSError as problem:
            notice(f"tengen play: {self._output} could not be written: {problem.strerror}")

    def _record(self) -> Game:
        from tengen.search.records import record_of

        record = record_of(self._board)
        names = {"black": "Tengen", "white": "Tengen", self._person: "You"}
        record.root.set("PB", names["black"])
        record.root.set("PW", names["white"])
        if self._result:
            record.root.set("RE", self._result)
        return record

    def _listen(self) -> None:
        print(self._board.text(colour=wants_colour(None)))
        print(f"{self._person} to play: ", end="", flush=True)
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line:
            self._quit()
        elif word in self._words:
            self._words[word]()
        elif word:
            self._play(word)

    def _play(self, word: str) -> None:
        try:
            self._player.play(word)
        except TengenError as refused:
            print(f"{refused}; {HELP}" if word[:1].isalpha() and not word[1:].isdigit() else refused)

    def _answer(self) -> None:
        from tengen.go.colour import opposite

        decision = self._player.choose()
        if decision.move == "resign":
            self._resigns(opposite(self._person), f"Tengen resigns: {self._person} wins")
            return
        print(f"Tengen plays {decision.move}")
        self._player.play(decision.move)

    def _undo(self) -> None:
        board = self._board
        mine = [number for number, move in enumerate(board.moves) if move.colour == self._person]
        if not mine:
            print("there is no move to take back")
            return
        for _ in range(board.move_number - mine[-1]):
            self._player.undo()

    def _score(self) -> Score:
        from tengen.judge.score import score

        counted = score(self._board)
        dead = f"; dead: {' '.join(counted.dead)}" if counted.dead else ""
        print(f"{counted.headline}{dead}")
        for line in counted.lines:
            print(f"  {line.label}: Black {line.black:g}, White {line.white:g}")
        return counted

    def _hint(self) -> None:
        from tengen.go.colour import winrate_for

        found = self._player.think()
        best = found.candidates[0]
        chance = winrate_for(1 if self._person == "black" else -1, best.winrate)
        print(
            f"Tengen would play {best.move} ({chance:.0%}), then {' '.join(best.line[1:4]) or 'nothing in particular'}"
        )

    def _resign(self) -> None:
        self._resigns(self._person, "you resign: Tengen wins")

    def _resigns(self, loser: Colour, message: str) -> None:
        self._over, self._result = message, "W+R" if loser == "black" else "B+R"

    def _quit(self) -> None:
        self._over = "the game is left unfinished"
