"""Fitting a model of ownership to a corpus: `tengen fit`.

Start at `fit_model`. Models of patterns are harvested shard by shard, with files that let a stopped job go on; other
models are given the data as it streams. The file that comes out says where its data came from and what made it.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.dataset import DataSet, DataSets
from tengen.corpus.splits import Split
from tengen.errors import ConvergenceWarning, ModelError
from tengen.measure.ownership import ownership_errors
from tengen.models.base import StoredModel
from tengen.models.protocol import Progress
from tengen.territory.harvest import harvest
from tengen.territory.patterns import PatternModel

HELD_OUT = 1000
"""How many positions of other games the card's metrics are from."""


def fit_model(
    model: Any,
    data: DataSet | DataSets,
    output: Path,
    *,
    command: str = "",
    work: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, float]:
    """Fit a model and write its file; return its metrics on held-out games. `work` keeps the harvest if given."""
    if type(model).fit is StoredModel.fit:
        raise ModelError(f"{model.name} has nothing to learn")
    early: dict[str, float] = {}
    if isinstance(model, PatternModel):
        folder = work or output.with_name(output.name + ".work")
        hard = model.labels == "hard"
        counts = harvest(
            data,
            folder,
            templates=model.templates,
            min_count=model.min_count,
            hard=hard,
            workers=workers,
            scheduler=scheduler,
            progress=progress,
        )
        model.fit_counts(counts, data)
    else:
        early = _fit(model, data, None if progress is None else lambda share: progress(round(100 * share), 100))
    metrics = _size(model) | early | held_out_of_all(model, data)
    model.save(output, sources=[_source(part) for part in data.parts], metrics=metrics, command=command)
    if isinstance(model, PatternModel) and work is None:
        shutil.rmtree(folder)
    return metrics


def _fit(model: Any, data: DataSet | DataSets, progress: Progress | None) -> dict[str, float]:
    """Fit a model and return the metric `converged`: 0 if an iteration stopped early, otherwise left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", ConvergenceWarning)
        model.fit(data, progress=progress)
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return {"converged": 0.0} if any(each.category is ConvergenceWarning for each in caught) else {}


def held_out_of_all(model: Any, data: DataSet | DataSets) -> dict[str, float]:
    """Return how good a model is on other games of each data set, named after it where there are several."""
    found = [(f"{part.labels}_{part.size}_", held_out(model, part)) for part in data.parts]
    several = len(found) > 1
    return {several * prefix + name: value for prefix, facts in found for name, value in facts.items()}


def held_out(model: Any, data: DataSet) -> dict[str, float]:
    """Return how good a model is on games it did not learn from; nothing where there are none of these labels."""
    other: dict[str | None, Split] = {"train": "valid", "valid": "test"}
    if data.split not in other:
        return {}
    games = DataSet(
        data.store,
        data.labels,
        size=data.size,
        split=other[data.split],
        finals=data.finals,
        seed=0,
        batch=HELD_OUT,
    )
    batch = next(iter(games), None)
    if batch is None:
        return {}
    said = model.ownership_many(batch.boards)
    errors = ownership_errors(said, np.nan_to_num(batch.targets), np.isfinite(batch.targets).astype(float), soft=True)
    names = {"vertex_error": errors.vertex, "net_error": errors.net, "log_likelihood": errors.log_likelihood}
    facts = {name: round(float(np.nanmean(values)), 5) for name, values in names.items()}
    return {**facts, "positions": float(len(batch))}


def _size(model: Any) -> dict[str, float]:
    return {"patterns": float(len(model.keys_))} if isinstance(model, PatternModel) else {}


def _source(data: DataSet) -> str:
    about = data.store.label_about(data.labels)
    who = f"{about.get('teacher', '')} {about.get('version', '')}".strip()
    some = "" if data.limit is None else f", first {data.limit} games"
    return f"labels {data.labels} ({who}), {data.size}×{data.size}, split {data.split or 'all'}{some}"
