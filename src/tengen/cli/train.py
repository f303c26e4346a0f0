"""`tengen train`: trains a model by playing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.fit import made_model
from tengen.cli.games import GameKomi, checked_format, progress_bar
from tengen.errors import TengenError, printable
from tengen.plain import notice

if TYPE_CHECKING:
    from tengen.training.lessons import Finals
    from tengen.training.loop import Row


@verb("train")
def train_command(
    model: Annotated[
        str, typer.Argument(help="A model such as territory/fate-net, or a file to begin with.", show_default=False)
    ],
    folder: Annotated[
        Path, typer.Option(help="Folder of the run; a stopped run is resumed from it.", show_default=False)
    ],
    against: Annotated[
        str | None, typer.Option(help="Learn from an engine while playing it: gnugo:level=1.", show_default=False)
    ] = None,
    self_play: Annotated[bool, typer.Option("--self-play", help="Learn by TD(0) from games against itself.")] = False,
    records: Annotated[
        Path | None,
        typer.Option("--from", help="Learn from the ends of recorded games: a file or folder.", show_default=False),
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", "-n", min=1, help="Games in all.", show_default="1000, or each record once")
    ] = None,
    size: Annotated[int | None, typer.Option(min=2, max=25, help="Board size.", show_default="9")] = None,
    rules: Annotated[str | None, typer.Option(help="Rules by name, or KataGo's JSON.", show_default="chinese")] = None,
    komi: GameKomi = None,
    plies: Annotated[
        int | None,
        typer.Option(min=1, max=2, help="Plies that the model looks ahead when it plays.", show_default="1"),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Moves are drawn by exp(lead / temperature); 0: the best move.",
            show_default="0.35",
        ),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of moves drawn uniformly.", show_default="0")
    ] = None,
    finals: Annotated[
        int | None,
        typer.Option(min=1, help="With --from: number of positions at the end of a game.", show_default="10"),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            help="With --from: the model that gives the owners of final positions.", show_default="territory/gnugo"
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(min=0, help="Learning rate.", show_default="the model's, a tenth of it for messages")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option(help="A setting of the model: layers=4; repeatable.", show_default=False)
    ] = None,
    checkpoints: Annotated[int, typer.Option(min=0, help="Number of model files kept on the way.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(help="Folder for curves of loss and results.", show_default=False)
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(min=0.1, help="Timeout for an answer of the engine, in seconds.", show_default="20"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games.")] = 0,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Train a model by playing, or on the ends of recorded games. A stopped run can be resumed."""
    from tengen.go.rules import Rules
    from tengen.search.match import Contestant
    from tengen.training.learner import learner_of
    from tengen.training.lessons import AgainstEngine, Finals, Lessons, Play, SelfPlay
    from tengen.training.loop import train

    checked_format(format, ("text", "json"))
    if (against is not None) + self_play + (records is not None) != 1:
        raise TengenError("choose one of --against PLAYER, --self-play and --from RECORDS")
    playing = {"size": size, "komi": komi, "plies": plies, "temperature": temperature, "epsilon": epsilon}
    lessons: Lessons
    if records is not None:
        _refuse({"rules": rules, **playing, "patience": patience}, "--from, which plays no games")
        lessons = _finals(records, seed, **_given(positions=finals, teacher=teacher))
    else:
        _refuse({"finals": finals, "teacher": teacher}, "--against and --self-play: it is for --from")
        play = Play(rules=Rules.parse(rules or "chinese"), seed=seed, **_given(**playing))
        if against is None:
            _refuse({"patience": patience}, "--self-play, which waits for no engine")
            lessons = SelfPlay(play)
        else:
            lessons = AgainstEngine(Contestant(against), play, **_given(patience=patience))
    total = games or (len(lessons.games) if isinstance(lessons, Finals) else 1000)
    learner = learner_of(_begun(model, set or []), rate)
    with progress_bar("training") as show:
        rows = train(
            learner,
            lessons,
            folder,
            total,
            checkpoints=checkpoints,
            plot=plot,
            report=lambda row: _report(row, total, show),
            command=" ".join(["tengen", *sys.argv[1:]]),
        )
    facts = _summary(rows, folder)
    if format == "json":
        print(json.dumps({"schema": 1, **facts}))
        return
    for key, value in facts.items():
        print(f"{key.replace('_', ' '):<26}{value}")


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were given; the others have the defaults of what takes them."""
    return {name: value for name, value in options.items() if value is not None}


def _refuse(options: dict[str, Any], where: str) -> None:
    for name in _given(**options):
        raise TengenError(f"--{name} has no effect with {where}")


def _finals(records: Path, seed: int, **options: Any) -> Finals:
    from tengen.go.record import read_all
    from tengen.training.lessons import Finals

    found = read_all(records)
    for error in found.errors:
        notice(f"tengen train: {printable(str(error))}")
    return Finals(tuple(found), seed=seed, **options)


def _begun(name: str, given: list[str]) -> Any:
    """Return the model to begin with: from a file, or by name with settings and without weights."""
    from tengen.models.registry import listing, load

    if name in listing():
        return made_model(name, given)
    if given:
        raise TengenError(f"{name} has its settings already: leave out --set")
    return load(name)


def _report(row: Row, total: int, show: Any) -> None:
    if "error" in row:
        notice(f"game {row['iteration'] + 1} is lost: {row['error']}")
    if show is not None:
        show(row["iteration"] + 1, total)


def _summary(rows: list[Row], folder: Path) -> dict[str, Any]:
    played = [row for row in rows if "loss" in row]
    won = [row["score"] for row in played if "score" in row]
    facts: dict[str, Any] = {"file": str(folder / "model.safetensors"), "games": len(rows)}
    facts["lost_games"] = len(rows) - len(played)
    last = played[-max(1, len(played) // 10) :]
    if last:
        facts["loss_of_the_last_tenth"] = round(sum(row["loss"] for row in last) / len(last), 4)
    if won:
        facts["won"] = sum(won)
    return facts
