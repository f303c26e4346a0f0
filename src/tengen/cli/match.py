"""`tengen match`: a match between two players."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.games import GameKomi, checked_format, json_line
from tengen.errors import TengenError
from tengen.plain import notice

if TYPE_CHECKING:
    from tengen.measure.sprt import Sprt
    from tengen.search.match import Contestant, Match, Played, Standing

FORMATS = ("text", "json")


@verb("match")
def match_command(
    first: Annotated[str, typer.Argument(help="tengen[:key=value,…], gnugo[:level=10] or gtp:COMMAND.")],
    second: Annotated[str, typer.Argument(help="The other player.")],
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Number of games; pairs share an opening.")] = 20,
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    rules: Annotated[str, typer.Option(help="Rules by name, or KataGo's JSON.")] = "chinese",
    komi: GameKomi = None,
    opening_moves: Annotated[int, typer.Option(min=0, max=200, help="Opening moves before the players begin.")] = 2,
    central: Annotated[bool, typer.Option("--central", help="Opening moves on the nine central points.")] = False,
    openings: Annotated[str | None, typer.Option(help="A file of records whose first moves are the openings.")] = None,
    referee: Annotated[
        str | None, typer.Option(help="Program that counts finished games, such as gnugo (default: the judge).")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Number of games played at the same time.")] = 2,
    sprt: Annotated[str | None, typer.Option(help="Stop early: elo0,elo1 of a sequential test, such as 0,50.")] = None,
    patience: Annotated[
        float, typer.Option(min=1, help="Timeout in seconds for a program's start and first answer.")
    ] = 20,
    folder: Annotated[Path | None, typer.Option(help="Folder of the records; a stopped match is resumed.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
) -> None:
    """Play a match with paired colours; print the score, its interval and the Elo difference."""
    from tempfile import TemporaryDirectory

    from tengen.go.record import read_all
    from tengen.go.rules import Rules
    from tengen.search.match import Contestant, Match

    checked_format(format, FORMATS)
    for player in (first, second, referee):
        if player is not None:
            _check_player(Contestant(player))
    match = Match(
        Contestant(first),
        Contestant(second),
        games,
        size=size,
        rules=Rules.parse(rules),
        komi=komi,
        opening_moves=opening_moves,
        central=central,
        openings=tuple(read_all(openings)) if openings else (),
        referee=Contestant(referee) if referee else None,
        patience=patience,
    )
    test = None if sprt is None else _sprt(sprt)
    with TemporaryDirectory() as passing:
        standing = match.play(folder or Path(passing), at_once=at_once, sprt=test, report=_reporter(match, format))
    if format == "json":
        print(json_line(_summary(match, standing, test)), end="")
    else:
        print(_text(match, standing, test, kept=folder is not None), end="")


def _check_player(player: Contestant) -> None:
    """Refuse options that `tengen gtp` would refuse, with the same message, before any player is started."""
    from dataclasses import fields

    from typer.main import get_command

    from tengen.cli.app import program
    from tengen.cli.gtp import settings_of
    from tengen.search.player import Settings

    if player.kind != "tengen":
        return
    parser: Any = get_command(program("gtp"))
    refusal: Any = typer.BadParameter.__base__  # typer exports only this class; all its parser errors share the base
    try:
        options = parser.commands["gtp"].make_context("gtp", player.words()).params
        settings_of(usual=None, **{each.name: options[each.name] for each in fields(Settings) if each.name in options})
    except refusal as problem:
        raise TengenError(f"player {player.text!r} cannot play: {problem.format_message()}") from None
    except TengenError as problem:
        raise TengenError(f"player {player.text!r} cannot play: {problem}") from None


def _sprt(text: str) -> Sprt:
    from tengen.measure.sprt import Sprt

    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise TengenError(f"a sequential test is written elo0,elo1, such as 0,50, not {text!r}") from None
    return Sprt(low, high)


def _reporter(match: Match, format: str) -> Callable[[Played, Standing], None]:
    """Return a function that reports each game: as JSON, or as text on standard error with the time left."""
    begun, played = time.monotonic(), 0

    def say(game: Played, standing: Standing) -> None:
        nonlocal played
        played += 1
        if format == "json":
            row = {"schema": 1, "game": game.number, "colour": game.colour, "result": game.result}
            print(json_line({**row, "score": _finite(game.score, 1), "moves": game.moves}), end="", flush=True)
            return
        done = standing.games + standing.void
        left = (time.monotonic() - begun) / played * (match.games - done) / 60
        tally = f"{standing.wins} won, {standing.losses} lost, {standing.draws} drawn"
        outcome = {1.0: "wins", 0.0: "loses", 0.5: "draws"}.get(game.score, "has no result")
        said = (
            f"game {game.number + 1}: {match.first.text} {outcome} as {game.colour}, {game.result}, {game.moves} moves"
        )
        notice(f"{said} ({done} of {match.games}: {tally}; {left:.0f} min left)")

    return say


def _summary(match: Match, standing: Standing, test: Sprt | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "schema": 1,
        "first": match.first.text,
        "second": match.second.text,
        "games": standing.games,
        "wins": standing.wins,
        "losses": standing.losses,
        "draws": standing.draws,
        "void": standing.void,
        "score": [_finite(value, 4) for value in standing.score],
        "elo": [_finite(value, 1) for value in standing.elo],
    }
    if test is not None:
        state = standing.test(test)
        row["sprt"] = {"elo0": test.elo0, "elo1": test.elo1, "llr": round(state.llr, 3), "decision": state.decision}
    return row


def _finite(value: float, digits: int) -> float | None:
    """Return a rounded value for JSON, which has neither nan nor infinity."""
    return round(value, digits) if math.isfinite(value) else None


def _text(match: Match, standing: Standing, test: Sprt | None, kept: bool) -> str:
    share, elo = standing.score, standing.elo
    lines = [
        f"{match.first.text} against {match.second.text}, {match.size}×{match.size}, {match.rules}",
        f"{standing.games} games: {standing.wins} won, {standing.losses} lost, {standing.draws} drawn",
    ]
    if standing.games:
        lines.append(f"score {share.value:.1%} (95 %: {share.low:.1%} to {share.high:.1%})")
        lines.append(f"Elo {elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})")
    if standing.void:
        why = "their records give the reason" if kept else "use --folder to keep their records, which give the reason"
        lines.append(f"games without a result, not counted: {standing.void} ({why})")
    if test is not None:
        state = standing.test(test)
        said = {"accept": f"at least {test.elo1:g}", "reject": f"not above {test.elo0:g}", "continue": "undecided"}
        bounds = f"{state.lower:.2f} to {state.upper:.2f}"
        lines.append(f"sequential test: {said[state.decision]} (log likelihood ratio {state.llr:.2f}, bounds {bounds})")
    return "\n".join(lines) + "\n"
