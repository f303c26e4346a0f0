"""`tengen reproduce`: repeat the experiments of a paper and print our numbers beside the published ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import stderr_is_terminal, verb
from tengen.cli.games import checked_format
from tengen.errors import TengenError
from tengen.plain import notice

if TYPE_CHECKING:
    from tengen.papers import StageProgress

Say = Callable[[str], None]


@verb("reproduce")
def reproduce_command(
    paper: Annotated[
        str, typer.Argument(help="The first author: kamenetsky, largman, low, sanner, vanniekerk.", show_default=False)
    ],
    corpus: Annotated[
        Path | None, typer.Option(help="The corpus (default with --quick: examples/corpus).", show_default=False)
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="Name of the corpus's labels (default: the first).", show_default=False)
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="Number of training games (default: as in the paper).", min=1, show_default=False)
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small run, five minutes at most.")] = False,
    work: Annotated[
        Path | None, typer.Option(help="Keep intermediate results here, to resume a stopped run.", show_default=False)
    ] = None,
    pictures: Annotated[Path | None, typer.Option(help="Write plots to this folder.", show_default=False)] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Repeat a paper's experiments, print our numbers beside the published ones, and check its findings."""
    from tengen.papers import find, quick_corpus
    from tengen.papers.report import json_lines, texts

    checked_format(format, ("text", "json"))
    chosen = find(paper)
    if corpus is None and not quick:
        raise TengenError("name the games to learn from: --corpus DIR, or --quick for a small run on examples/corpus")
    place = corpus or quick_corpus()
    with _watched(f"reproduce {paper}") as (say, progress):
        options: dict[str, Any] = {"labels": labels, "games": games, "quick": quick, "work": work}
        report = chosen.reproduce(place, **options, pictures=pictures, progress=progress)
        for text in json_lines(report) if format == "json" else texts(report):
            say(text)


@contextmanager
def _watched(title: str) -> Iterator[tuple[Say, StageProgress]]:
    """Yield functions that print and report progress: a bar on a terminal, otherwise a line per stage."""
    if stderr_is_terminal():
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
            task = bar.add_task(title)

            def say(text: str) -> None:
                bar.stop()
                print(text, flush=True)
                bar.start()

            def show(stage: str, share: float | None = None) -> None:
                bar.update(task, description=stage, total=None if share is None else 1.0, completed=share or 0.0)

            yield say, show
        return
    last = ""

    def tell(stage: str, share: float | None = None) -> None:
        nonlocal last
        if stage != last:
            notice(f"tengen {title}: {stage}")
        last = stage

    yield lambda text: print(text, flush=True), tell
