"""`tengen evaluate`: accuracy on positions with known answers."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.games import checked_format, progress_bar
from tengen.errors import TengenError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.benchmarks.evaluators import Evaluation
    from tengen.benchmarks.finals import Final
    from tengen.benchmarks.plays import PlayEvaluation
    from tengen.benchmarks.winners import WinnerEvaluation
    from tengen.measure.tables import Table
    from tengen.models.evaluator import Evaluator

FORMATS = ("text", "json", "markdown")


@verb("evaluate")
def evaluate_command(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Models such as territory/naive; or judge, counting, review, perhaps with its model, or suite.",
            show_default=False,
        ),
    ],
    on: Annotated[
        Path, typer.Option(help="A corpus; finals for judge and counting; a folder for suite.", show_default=False)
    ],
    labels: Annotated[
        str | None, typer.Option(help="Labels of the corpus; for judge and review their path without .meta.tsv.gz.")
    ] = None,
    size: Annotated[int, typer.Option(help="Board size.", min=2, max=25)] = 19,
    split: Annotated[str, typer.Option(help="train, valid, test or all.")] = "test",
    positions: Annotated[str, typer.Option(help="all, final or mid-game.")] = "all",
    sample: Annotated[int, typer.Option(help="Number of positions; for review and winners, of games.", min=1)] = 500,
    playouts: Annotated[
        int | None, typer.Option(help="Review: playouts of each search.", min=0, show_default=False)
    ] = None,
    even: Annotated[
        bool, typer.Option("--even", help="Models of moves, winners: measure on games without handicap only.")
    ] = False,
    winners: Annotated[
        bool, typer.Option("--winners", help="Measure how often models name the winner, during the games.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Write plots to this folder.", show_default=False)] = None,
    every: Annotated[int, typer.Option(help="Judge: use only every n-th final.", min=1)] = 1,
    agreeing: Annotated[
        bool, typer.Option("--agreeing", help="Judge: only games whose marks and labels agree on every chain.")
    ] = False,
    against: Annotated[
        list[str] | None,
        typer.Option(help="Judge: also measure gnugo, or a model of ownership, on the same games.", show_default=False),
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
) -> None:
    """Measure models, or the judge, on positions with known answers; or models on the moves or winners of games."""
    from tengen.models.estimate import evaluator_of

    checked_format(format, FORMATS)
    if winners and names[0] in ("judge", "counting", "review", "suite"):
        raise TengenError(f"--winners measures models, not {names[0]}")
    if names == ["judge"]:
        from tengen.benchmarks.finals import read_finals

        finals = read_finals(on, None if labels is None else Path(labels), agreeing=agreeing)
        _evaluate_judge(finals, split=split, every=every, against=against or [], format=format)
        return
    if names == ["counting"]:
        _evaluate_counting(on, None if labels is None else Path(labels), every=every, format=format)
        return
    if names[0] == "review" and len(names) <= 2:
        _evaluate_review(names[1:], on, None if labels is None else Path(labels), size, split, sample, playouts, format)
        return
    if names == ["suite"]:
        _evaluate_suite(on, format=format)
        return
    models = [evaluator_of(name) for name in names]
    if winners:
        if labels is not None or positions != "all":
            raise TengenError("winners are those of the records, at fixed stages: leave out --labels and --positions")
        _evaluate_games(models, names, on, size, split, even, sample, plot, format, winners=True)
        return
    others = [model.name for model in models if "policy" not in model.gives]
    if labels is None and not others:
        if positions != "all":
            raise TengenError("models of moves are measured on all positions of a game: leave out --positions")
        _evaluate_games(models, names, on, size, split, even, sample, plot, format, winners=False)
        return
    if labels is None:
        raise TengenError(
            f"{others[0]} needs labels to compare with: --labels NAME (tengen corpus stats lists them), or --winners; "
            "give judge, counting, review or suite alone"
        )
    if even:
        raise TengenError("--even is for moves and winners, which need no labels: leave out one of them")
    _evaluate_models(models, names, on, labels, size, split, positions, sample, plot, format)


def _evaluate_models(
    models: list[Evaluator],
    given: list[str],
    on: Path,
    labels: str,
    size: int,
    split: str,
    positions: str,
    sample: int,
    plot: Path | None,
    format: str,
) -> None:
    from tengen.benchmarks.evaluators import evaluate_models
    from tengen.corpus.dataset import DataSet
    from tengen.corpus.store import Store

    finals = {"all": None, "final": True, "mid-game": False}
    if positions not in finals:
        raise TengenError(f"positions are {', '.join(finals)}, not {positions!r}")
    chosen: Any = None if split == "all" else split
    data = DataSet(Store(on), labels, size=size, split=chosen, finals=finals[positions], seed=None)
    with progress_bar("evaluating") as show:
        evaluation = evaluate_models(models, data, sample=sample, given=given, progress=show)
    _show(evaluation, plot, format)


def _evaluate_games(
    models: list[Evaluator],
    given: list[str],
    on: Path,
    size: int,
    split: str,
    even: bool,
    sample: int,
    plot: Path | None,
    format: str,
    *,
    winners: bool,
) -> None:
    """Measure models on the winners of games, or on the moves played in them."""
    from tengen.benchmarks.plays import evaluate_plays
    from tengen.benchmarks.winners import evaluate_winners
    from tengen.corpus.plays import Plays
    from tengen.corpus.store import Store

    chosen: Any = None if split == "all" else split
    plays = Plays(Store(on), size=size, split=chosen, even=True if even else None)
    found: WinnerEvaluation | PlayEvaluation
    with progress_bar("evaluating") as show:
        if winners:
            found = evaluate_winners(models, plays, sample=sample, given=given, progress=show)
        else:
            found = evaluate_plays(models, plays, sample=sample, progress=show)
    _show(found, plot, format)


def _evaluate_judge(finals: Iterable[Final], *, split: str, every: int, against: list[str], format: str) -> None:
    from tengen.benchmarks.finals import held_out
    from tengen.benchmarks.judge import GnuGoJudge, Judge, evaluate_judges, judge_by, judge_comparisons, judge_table

    judges: dict[str, Judge] = {"tengen": judge_by("default")}
    judges |= {name: GnuGoJudge() if name == "gnugo" else judge_by(name) for name in against}
    reports = evaluate_judges(islice(held_out(finals, split), 0, None, every), judges)
    _print(judge_table(reports), format)
    if against:
        _print(judge_comparisons(reports), format)


def _evaluate_counting(on: Path, labels: Path | None, *, every: int, format: str) -> None:
    from tengen.benchmarks.counting import evaluate_counting
    from tengen.benchmarks.finals import read_finals

    _print(evaluate_counting(islice(read_finals(on, labels), 0, None, every)), format)


def _evaluate_review(
    model: list[str],
    on: Path,
    labels: Path | None,
    size: int,
    split: str,
    sample: int,
    playouts: int | None,
    format: str,
) -> None:
    from tengen.benchmarks.review import evaluate_review, read_labels
    from tengen.go.record import read_all
    from tengen.search.review import Reviewer

    if labels is None:
        raise TengenError("review needs labels to compare with: --labels PATH, without .meta.tsv.gz")
    known = read_labels(labels.with_name(f"{labels.name}.meta.tsv.gz"), size, split)
    reviewer = Reviewer(playouts, model=model[0] if model else "default")
    with progress_bar("reviewing") as show:
        tables = evaluate_review(read_all(on), known, reviewer, sample=sample, progress=show)
    for table in tables:
        _print(table, format)


def _evaluate_suite(on: Path, *, format: str) -> None:
    from tengen.benchmarks.suites import read_suite, suite_table

    cases = list(read_suite(on))
    _print(suite_table(cases), format)
    if format == "text":
        for case in cases:
            if not case.passes:
                print("\n" + case.text())


def _show(found: Evaluation | PlayEvaluation | WinnerEvaluation, plot: Path | None, format: str) -> None:
    """Print the tables of an evaluation, and draw its plots if a folder is given for them."""
    for table in found.tables():
        _print(table, format)
    if plot is not None:
        for path in found.plot(plot):
            typer.echo(f"drawn: {path}", err=True)


def _print(table: Table, format: str) -> None:
    print({"text": table.text, "json": table.json, "markdown": table.markdown}[format]())
