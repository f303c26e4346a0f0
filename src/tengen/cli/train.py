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
    from tengen.training.lessons import Lessons, Play
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
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    rules: Annotated[str, typer.Option(help="Rules by name, or KataGo's JSON.")] = "chinese",
    komi: GameKomi = None,
    plies: Annotated[int, typer.Option(min=1, max=2, help="Plies that the model looks ahead when it plays.")] = 1,
    temperature: Annotated[
        float, typer.Option(min=0, help="Moves are drawn by exp(lead / points / temperature); 0: the best move.")
    ] = 0.35,
    epsilon: Annotated[float, typer.Option(min=0, max=1, help="Share of moves drawn uniformly.")] = 0.0,
    finals: Annotated[int, typer.Option(min=1, help="With --from: number of positions at the end of a game.")] = 10,
    teacher: Annotated[
        str, typer.Option(help="With --from: the model that gives the owners of final positions.")
    ] = "territory/gnugo",
    rate: Annotated[float | None, typer.Option(min=0, help="Learning rate.", show_default="that of the model")] = None,
    set: Annotated[
        list[str] | None, typer.Option(help="A setting of the model: layers=4; repeatable.", show_default=False)
    ] = None,
    checkpoints: Annotated[int, typer.Option(min=0, help="Number of model files kept on the way.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(help="Folder for curves of loss and results.", show_default=False)
    ] = None,
    patience: Annotated[float, typer.Option(min=0.1, help="Timeout for an answer of the engine, in seconds.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games.")] = 0,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Train a model by playing, or on the ends of recorded games. A stopped run can be resumed."""
    from tengen.go.rules import Rules
    from tengen.training.learner import learner_of
    from tengen.training.lessons import Finals, Play
    from tengen.training.loop import train

    checked_format(format, ("text", "json"))
    if (against is not None) + self_play + (records is not None) != 1:
        raise TengenError("choose one of --against PLAYER, --self-play and --from RECORDS")
    play = Play(size, Rules.parse(rules), komi, plies, temperature, epsilon, seed)
    lessons = _lessons(against, records, play, finals, teacher, patience)
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


def _lessons(
    against: str | None, records: Path | None, play: Play, finals: int, teacher: str, patience: float
) -> Lessons:
    from tengen.go.record import read_all
    from tengen.search.match import Contestant
    from tengen.training.lessons import AgainstEngine, Finals, SelfPlay

    if records is not None:
        found = read_all(records)
        for error in found.errors:
            notice(f"tengen train: {printable(str(error))}")
        return Finals(tuple(found), finals, teacher, play.seed)
    return SelfPlay(play) if against is None else AgainstEngine(Contestant(against), play, patience)


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
