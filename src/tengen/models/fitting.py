"""Fitting a model of any kind to a corpus: `tengen fit`.

Start at `fit_model`. It calls the model's `fit_corpus`, fits its calibration to held-out games if it is a model of
ownership and the labels have leads, and writes a model file that records the data sources, the command and metrics on
other held-out positions.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.dataset import Batch, DataSet, DataSets
from tengen.corpus.plays import PlayBatch, Plays, PlaySets, WonGames
from tengen.corpus.splits import Split
from tengen.errors import ConvergenceWarning, ModelError, TengenError
from tengen.measure.moves import MoveScores, move_scores
from tengen.measure.ownership import log_likelihoods, ownership_errors
from tengen.measure.winners import winner_measures
from tengen.models.base import OwnershipModel, StoredModel
from tengen.models.calibration import Calibration, LabelledLeads, fit_calibration
from tengen.models.evaluator import Evaluations, ask
from tengen.models.files import read_card
from tengen.models.leads import completed
from tengen.models.protocol import FloatArray
from tengen.models.registry import load

HELD_OUT = 1000
"""Number of held-out positions used for the metrics."""

CALIBRATED = 4000
"""Number of held-out positions of each data set that a calibration is fitted to, besides those of the metrics."""

_OTHER: dict[str | None, Split] = {"train": "valid", "valid": "test"}
"""The games that a model is measured on, by those it learned from."""
_FEW = 0.02
"""The share of positions drawn from the games, so that a measure comes from many of them."""


def fit_model(
    model: Any,
    data: DataSet | DataSets | PlaySets,
    output: Path,
    *,
    command: str = "",
    work: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, float]:
    """Fit a model and write its file; return its metrics on held-out games. Work files are kept in `work` if given.

    The metric `converged` is 0 if an iteration stopped early; otherwise it is absent.
    """
    if not isinstance(model, StoredModel) or type(model).fit is StoredModel.fit:
        raise ModelError(f"{model.name} has nothing to learn")
    if (model.learns_from == "plays") != isinstance(data, PlaySets):
        wants, not_these = ("played moves", "labels") if model.learns_from == "plays" else ("labels", "played moves")
        raise ModelError(f"{model.name} learns from {wants}, not from {not_these}")
    if output.is_dir():
        raise TengenError(f"{output} is a folder: name a file for the model")
    share = None if progress is None else lambda done: progress(round(100 * done), 100)
    with _work_files(work, output) as folder:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default", ConvergenceWarning)
            learn: Any = model.fit_corpus  # it takes DataSets or PlaySets; the check above chose the right kind
            facts: dict[str, float] = learn(data, work=folder, workers=workers, scheduler=scheduler, progress=share)
        for each in caught:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        calibrate(model, data)
        early = {"converged": 0.0} if any(each.category is ConvergenceWarning for each in caught) else {}
        metrics = facts | early | held_out_of_all(model, data)
        model.save(output, sources=[_source(part) for part in data.parts], metrics=metrics, command=command)
    return metrics


@contextmanager
def _work_files(work: Path | None, output: Path) -> Iterator[Path]:
    """Yield the folder of work files. One without a given name is removed after the fit.

    It is kept for the next attempt if the fit is stopped, but not if the settings or data are refused: then it would be
    in the way of the right ones.
    """
    if work is not None:
        yield work
        return
    folder = output.with_name(output.name + ".work")
    new = not folder.exists()
    try:
        yield folder
    except TengenError:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def calibrate_file(file: Path, data: DataSet | DataSets, output: Path, *, command: str = "") -> dict[str, float]:
    """Fit only the calibration of a model in a file and write it; return its metrics on held-out games."""
    card = read_card(file)
    model = load(file)
    calibrate(model, data)
    if Calibration.of(model) is None:
        raise ModelError(f"{card.name} was not calibrated: it needs ownership, and held-out games with leads")
    metrics = card.metrics | held_out_of_all(model, data)
    leads = [f"leads of {_source(_held_out(part))}" for part in data.parts if part.split in _OTHER]
    model.save(output, sources=[*card.sources, *leads], metrics=metrics, command=f"{card.command}; {command}")
    return metrics


def calibrate(model: Any, data: DataSet | DataSets | PlaySets) -> None:
    """Fit how a model of ownership turns it into leads and winrates, on held-out games whose labels have leads."""
    if not isinstance(model, OwnershipModel) or "lead" in model.gives or isinstance(data, PlaySets):
        return
    model.__dict__.pop("calibration_", None)
    parts = []
    for part in data.parts:
        batches = iter(_held_out(part)) if part.split in _OTHER else iter(())
        for batch in islice(batches, 1, 1 + CALIBRATED // HELD_OUT):  # the first is for the metrics
            said = ask(model, batch.positions, "ownership")
            parts.append(LabelledLeads(batch.positions, said, batch.leads.astype(float), batch.winrates.astype(float)))
    table = fit_calibration(parts)
    if table is not None:
        model.calibration_ = table


def _held_out(data: DataSet) -> DataSet:
    """Return the games that a model is measured on."""
    how: Any = {"size": data.size, "split": _OTHER[data.split], "finals": data.finals, "batch": HELD_OUT}
    return DataSet(data.store, data.labels, seed=0, **how)


def held_out_of_all(model: Any, data: DataSet | DataSets | PlaySets) -> dict[str, float]:
    """Return a model's metrics on held-out games of each data set, with its name as prefix if there are several."""
    if isinstance(data, PlaySets):
        found = [(f"{part.store.path.name}_{part.size}_", held_out_plays(model, part)) for part in data.parts]
    else:
        found = [(f"{part.labels}_{part.size}_", held_out_metrics(model, part)) for part in data.parts]
    several = len(found) > 1
    return {several * prefix + name: value for prefix, facts in found for name, value in facts.items()}


def held_out_metrics(model: Any, data: DataSet) -> dict[str, float]:
    """Return a model's metrics on held-out games; empty if there are none with these labels."""
    if data.split not in _OTHER:
        return {}
    batch = next(iter(_held_out(data)), None)
    if batch is None:
        return {}
    said = completed(ask(model, batch.positions), batch.positions)
    facts = _ownership_measures(said, batch) | measures(said, batch)
    means = {name: round(float(np.nanmean(each)), 5) for name, each in facts.items() if np.isfinite(each).any()}
    return {**means, "positions": float(len(batch))}


def held_out_plays(model: Any, data: Plays) -> dict[str, float]:
    """Return how well a model predicts moves, or else winners, of held-out games; empty if there are none."""
    if data.split not in _OTHER:
        return {}
    games = replace(data, split=_OTHER[data.split], sample=_FEW, limit=None, batch=HELD_OUT)
    if "policy" not in model.gives:
        return _held_out_winners(model, games)
    found: list[MoveScores] = []
    for batch in games:
        found.append(play_scores(model, batch))
        if sum(map(len, found)) >= HELD_OUT:
            break
    if not found:
        return {}
    ranks, evidence = zip(*((each.rank, each.log_evidence) for each in found), strict=True)
    scores = MoveScores(np.concatenate(ranks), np.concatenate(evidence))
    values = {"top1": scores.within(1), "top5": scores.within(5), "log_evidence": scores.log_evidence}
    return {name: round(float(each.mean()), 5) for name, each in values.items()} | {"positions": float(len(scores))}


def _held_out_winners(model: Any, games: Plays) -> dict[str, float]:
    """Return how well a model predicts the winners of games from the positions after half of their moves."""
    parts: list[WonGames] = []
    for shard in games.shards:
        parts.append(games.with_winners(shard, 0.5))
        if sum(map(len, parts)) >= HELD_OUT:
            break
    if not sum(map(len, parts)):
        return {}
    held = WonGames.join(parts)
    winrate = ask(model, held.positions, "winrate").winrate
    assert winrate is not None
    values = winner_measures(winrate, held.won.astype(np.float64))
    means = {f"winner_{name}": round(float(each.mean()), 5) for name, each in values.items()}
    return means | {"positions": float(len(held))}


def play_scores(model: Any, batch: PlayBatch) -> MoveScores:
    """Return rank and log-evidence of the moves played."""
    policy = ask(model, batch.positions, "policy").policy
    assert policy is not None
    return move_scores(policy, batch.moves)


def measures(said: Evaluations, batch: Batch) -> dict[str, FloatArray]:
    """Return how well policies, winrates and leads agree with the labels: one value per position, NaN if unlabelled.

    A policy is scored on the best move of the labelled policy: whether it is in the top one or five, and its log
    probability.
    """
    found: dict[str, FloatArray] = {}
    if said.policy is not None:
        known = np.isfinite(batch.policies).all(1)
        scores = move_scores(said.policy[known], batch.policies[known].argmax(1))
        values = {"top1": scores.within(1), "top5": scores.within(5), "log_likelihood": scores.log_evidence}
        for name, value in values.items():
            found[f"policy_{name}"] = np.full(len(batch), np.nan)
            found[f"policy_{name}"][known] = value
    if said.winrate is not None:
        found["winrate_log_likelihood"] = log_likelihoods(said.winrate, batch.winrates)
        found["winrate_brier"] = (said.winrate - batch.winrates) ** 2
    if said.lead is not None:
        found["lead_error"] = np.abs(said.lead - batch.leads)
    return found


def _ownership_measures(said: Evaluations, batch: Batch) -> dict[str, FloatArray]:
    if said.ownership is None:
        return {}
    labelled = np.isfinite(batch.targets)
    errors = ownership_errors(said.ownership, np.nan_to_num(batch.targets), labelled.astype(float), soft=True)
    return {"vertex_error": errors.vertex, "net_error": errors.net, "log_likelihood": errors.log_likelihood}


def _source(data: DataSet | Plays) -> str:
    some = "" if data.limit is None else f", first {data.limit} games"
    if isinstance(data, Plays):
        games = {True: " without handicap", False: " with handicap", None: ""}[data.even]
        share = f"{data.sample:.4g} of the moves of {data.store.path.name}{games}"
        return f"{share}, {data.size}×{data.size}, split {data.split or 'all'}{some}"
    about = data.store.label_about(data.labels)
    who = f"{about.get('teacher', '')} {about.get('version', '')}".strip()
    return f"labels {data.labels} ({who}), {data.size}×{data.size}, split {data.split or 'all'}{some}"
