"""`tengen corpus import|label|stats`: games and labels at scale."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from tengen.cli.app import app, stderr_is_terminal, verb
from tengen.cli.games import checked_format, progress_bar
from tengen.errors import printable
from tengen.plain import notice

corpus_app = typer.Typer(
    name="corpus", help="Games and labels at scale: import records, label positions, show statistics."
)
app.add_typer(corpus_app, no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="The corpus.", show_default=False)]
Workers = Annotated[int | None, typer.Option(help="Processes (default: one per core).", min=1, show_default=False)]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, tcp://…, on a trusted network.", show_default=False)
]
Format = Annotated[str, typer.Option("--format", "-f", help="text or json.")]


@verb("import", corpus_app)
def import_command(
    paths: Annotated[list[str], typer.Argument(help="Records, folders, zips, label sets.", show_default=False)],
    to: Annotated[Path, typer.Option(help="The corpus to make or add to.", show_default=False)],
    size: Annotated[
        list[int] | None, typer.Option(help="Keep this board size only; may be repeated.", show_default=False)
    ] = None,
    handicap: Annotated[bool, typer.Option(help="Keep games with handicap stones.")] = True,
    min_moves: Annotated[int, typer.Option(help="Keep games with at least this many moves.", min=0)] = 1,
    max_moves: Annotated[int, typer.Option(help="Keep games with at most this many moves.", min=0)] = 10_000,
    counted: Annotated[bool, typer.Option(help="Keep only games that ended with a margin.")] = False,
    min_rank: Annotated[
        str | None, typer.Option(help="Minimum rank of the weaker player: 5k, 1d.", show_default=False)
    ] = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    format: Format = "text",
) -> None:
    """Import records into a corpus. Duplicates are removed; games left out are counted by reason."""
    from tengen.corpus.importer import Filters, Imported, import_games
    from tengen.corpus.labels import import_labels
    from tengen.corpus.sources import find_sources
    from tengen.corpus.store import Store

    checked_format(format, ("text", "json"))
    files, labels, missing = find_sources(paths)
    filters = Filters(tuple(size or ()), handicap, min_moves, max_moves, counted, min_rank)
    imported = Imported(0, 0, {}, ())
    if files:
        with _counter("games read") as show:
            imported = import_games(files, to, filters=filters, workers=workers, scheduler=scheduler, on_piece=show)
    store = Store(to)
    label_rows = {result.name: result.rows for source in labels for result in [import_labels(store, source)]}
    facts: dict[str, Any] = {"games": len(store), "added": imported.added, "rejected": store.rejected}
    problems = (*missing, *imported.problems)
    facts |= {"labels": label_rows, "unreadable": imported.unreadable, "problems": list(problems)}
    _print(facts, format)
    more = imported.unreadable + imported.outside - len(imported.problems)
    rest = [f"{more:,} more could not be read or have points outside the board"] if more else []
    _leave((*imported.failed, *problems, *rest), "import")


@verb("label", corpus_app)
def label_command(
    corpus: Folder,
    teacher: Annotated[
        str,
        typer.Option(help="playouts, marked, gnugo, gtp, katago or model, with settings: model:name=territory/bma."),
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the labels (default: the teacher's).", show_default=False)
    ] = None,
    command: Annotated[
        str | None, typer.Option(help="Command line of a gtp or katago teacher.", show_default=False)
    ] = None,
    positions: Annotated[str, typer.Option(help="final, or random:N positions per game.")] = "final",
    limit: Annotated[int | None, typer.Option(help="Label only the first N games.", min=1, show_default=False)] = None,
    size: Annotated[int | None, typer.Option(help="Label only games of this board size.", show_default=False)] = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    format: Format = "text",
) -> None:
    """Label positions with a teacher. A stopped job can be resumed."""
    from tengen.corpus.store import Store
    from tengen.teachers.labelling import LabelledTurns, label_store

    checked_format(format, ("text", "json"))
    with progress_bar("labelling") as show:
        done = label_store(
            Store(corpus),
            teacher,
            name=name or re.sub(r"[^\w-]+", "-", teacher),
            command=command,
            turns=LabelledTurns.parse(positions),
            limit=limit,
            size=size,
            workers=workers,
            scheduler=scheduler,
            on_unit=show,
        )
    _print({"labels": done.rows, "silent": done.silent}, format)
    _leave(done.failed, "label")


@verb("stats", corpus_app)
def stats_command(
    corpus: Folder,
    plot: Annotated[Path | None, typer.Option(help="Also draw a plot (.svg, .png).", show_default=False)] = None,
    format: Format = "text",
) -> None:
    """Show statistics of a corpus."""
    from tengen.corpus import stats as room
    from tengen.corpus.store import Store

    checked_format(format, ("text", "json"))
    stats = room.corpus_stats(Store(corpus))
    _print(stats.as_dict(), format)
    if plot is not None:
        room.plot(stats, plot)


def _print(facts: dict[str, Any], format: str) -> None:
    if format == "json":
        print(json.dumps(facts, ensure_ascii=False))
        return
    for key, value in facts.items():
        if key == "schema":
            continue
        if isinstance(value, list):
            value = "; ".join(map(printable, value)) or "none"
        if isinstance(value, dict):
            value = ", ".join(f"{name} {count:,}" for name, count in value.items()) or "none"
        print(
            f"{key.replace('_', ' '):<14}{value:,}" if isinstance(value, int) else f"{key.replace('_', ' '):<14}{value}"
        )


def _leave(failed: tuple[str, ...], name: str) -> None:
    for problem in failed:
        notice(f"tengen corpus {name}: {printable(problem)}")
    if failed:
        raise typer.Exit(1)


@contextmanager
def _counter(title: str) -> Iterator[Any]:
    if not stderr_is_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:,.0f}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda count: progress.update(task, completed=count)
