"""`tengen fit`: fits a model to a corpus."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.games import checked_format, progress_bar
from tengen.errors import TengenError

if TYPE_CHECKING:
    from tengen.corpus.dataset import DataSet
    from tengen.corpus.store import Store

BATCH = 128
"""Number of positions in a batch; the batches of several data sets alternate."""


@verb("fit")
def fit_command(
    model: Annotated[str, typer.Argument(help="A model such as territory/bma or moves/patterns.", show_default=False)],
    corpus: Annotated[
        list[Path],
        typer.Option("--corpus", "--on", help="The corpus to learn from; repeatable.", show_default=False),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write.", show_default=False)
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            help="Its labels (tengen corpus stats lists them); repeatable; models of moves need none.",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        list[int] | None, typer.Option(help="Board size; repeatable.", min=2, max=25, show_default="19; net/small: all")
    ] = None,
    split: Annotated[str, typer.Option(help="train, valid, test or all.")] = "train",
    limit: Annotated[
        int | None, typer.Option(help="Learn only from the first N games.", min=1, show_default=False)
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option("--calibrate", help="Fit only how a model, given as a file, turns ownership into leads."),
    ] = False,
    finals: Annotated[bool, typer.Option("--finals", help="Learn only from final positions.")] = False,
    sample: Annotated[
        float | None, typer.Option(help="Models of moves: the share of moves to learn from.", show_default="0.1")
    ] = None,
    even: Annotated[
        bool, typer.Option("--even", help="Models of moves: learn from games without handicap only.")
    ] = False,
    set: Annotated[
        list[str] | None,
        typer.Option(help="A setting of the model: templates=10; repeatable.", show_default=False),
    ] = None,
    work: Annotated[
        Path | None, typer.Option(help="Keep work files here to reuse them (default: removed).", show_default=False)
    ] = None,
    pack: Annotated[
        Path | None,
        typer.Option(help="net/small: only write the training data here; --work goes on from it.", show_default=False),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes (default: one per core).", min=1, show_default=False)
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, tcp://…, on a trusted network.", show_default=False)
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Fit a model to a corpus and write its file. A stopped job can be resumed."""
    from tengen.corpus.dataset import DataSets
    from tengen.corpus.plays import Plays, PlaySets
    from tengen.corpus.store import Store
    from tengen.models.fitting import calibrate_file, fit_model
    from tengen.models.registry import load

    checked_format(format, ("text", "json"))
    if (output is None) == (pack is None):
        raise TengenError("choose -o FILE for the model, or with net/small --pack FOLDER for its training data")
    chosen: Any = None if split == "all" else split
    learner = load(Path(model)) if calibrate else made_model(model, set or [])
    stores, sizes = [Store(path) for path in corpus], size or list(getattr(learner, "sizes", [19]))
    data: DataSets | PlaySets
    if calibrate and "ownership" not in learner.gives:
        raise TengenError(f"{model} gives no ownership: there is nothing to calibrate")
    if getattr(learner, "learns_from", "labels") == "plays":
        if labels or finals:
            raise TengenError(f"{model} learns from the moves played: leave out --labels and --finals")
        share = 0.1 if sample is None else sample
        how: Any = {"split": chosen, "limit": limit, "sample": share, "even": True if even else None}
        data = PlaySets(tuple(Plays(store, size=size, **how) for store in stores for size in sizes))
    elif sample is not None or even:
        raise TengenError(f"{model} learns from labels: --sample and --even are for models of moves")
    elif not labels:
        raise TengenError(f"{model} learns from labels: --labels NAME (tengen corpus stats lists them)")
    else:
        data = DataSets(_chosen(stores, labels, sizes, split=chosen, limit=limit, finals=finals or None))
    command = " ".join(["tengen", *sys.argv[1:]])
    with progress_bar("fitting" if pack is None else "packing") as show:
        if output is None:
            facts = _packed(learner, data, pack, show)
        elif calibrate:
            assert isinstance(data, DataSets)
            metrics = calibrate_file(Path(model), data, output, command=command)
            facts = {"model": load(output).identity, "file": str(output), **metrics}
        else:
            metrics = fit_model(
                learner, data, output, command=command, work=work, workers=workers, scheduler=scheduler, progress=show
            )
            facts = {"model": learner.identity, "file": str(output), **metrics}
    if format == "json":
        print(json.dumps(facts))
        return
    for key, value in facts.items():
        print(f"{key.replace('_', ' '):<25} {value:,.10g}" if isinstance(value, float) else f"{key:<25} {value}")


def _packed(learner: Any, data: Any, folder: Any, show: Any) -> dict[str, Any]:
    """Write the training data of a model to a folder; return the number of files and bytes."""
    if not hasattr(learner, "pack"):
        raise TengenError(f"{learner.name} is trained here: -o FILE instead of --pack")
    share = None if show is None else lambda done: show(round(100 * done), 100)
    files = learner.pack(data, folder, progress=share)
    sizes = [file.stat().st_size for some in files.values() for file in some]
    counts = {f"{split}_packs": len(some) for split, some in files.items()}
    return {"folder": str(folder), **counts, "bytes": sum(sizes)}


def _chosen(stores: list[Store], labels: list[str], sizes: list[int], **how: Any) -> tuple[DataSet, ...]:
    """Return the data sets that have positions: labels may exist for some stores and sizes only."""
    from tengen.corpus.dataset import DataSet

    for name in labels:
        if not any(name in store.labels for store in stores):
            stores[0].label_folder(name)  # says which labels there are
    every = [
        DataSet(store, name, size=size, batch=BATCH, **how)
        for store in stores
        for name in labels
        if name in store.labels
        for size in sizes
        if len(sizes) == 1 or size in store.sizes
    ]
    if not every:
        raise TengenError(f"the corpus has no games of these sizes: {', '.join(map(str, sizes))}")
    return tuple(part for part in every if len(every) == 1 or next(iter(part), None) is not None) or tuple(every[:1])


def made_model(name: str, given: list[str]) -> Any:
    """Return a model with the given hyper-parameters; values are JSON, or else text."""
    from tengen.models.registry import find

    settings = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise TengenError(f"a setting is written NAME=VALUE, not {text!r}")
        try:
            settings[key] = json.loads(value)
        except ValueError:
            settings[key] = value
    try:
        return find(name).model_class()(**settings)
    except TypeError:
        raise TengenError(f"{name} has no such settings: {', '.join(settings)}") from None
