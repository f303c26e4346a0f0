"""Log-likelihood as the paper defines it: log P(s | c) of all owners of a board together.

The sum over the marginals, which the other table has, is the same for models that treat each point alone. For a field
it is an approximation that counts neighbours as if they were independent. Jointly it needs ln Z, exactly, so it is
computed for fewer positions; they are dealt out among the draws of training boards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from tengen.papers import StageProgress
from tengen.papers.report import Row
from tengen.papers.sanner.answers import CHUNK, Answers, Floats, Test, spread_out
from tengen.papers.sanner.kept import kept
from tengen.papers.sanner.models import EXPONENTIAL, TrainedModel
from tengen.papers.sanner.threads import in_threads
from tengen.territory.coupling import GridCrf
from tengen.territory.ising import Solver


def with_joint_likelihoods(
    candidates: Mapping[str, TrainedModel],
    said: Mapping[str, Answers],
    test: Test,
    positions: int | None,
    progress: StageProgress,
) -> dict[str, Answers]:
    """Return the answers with −log P(s | c) per labelled point, on all positions or a number of them.

    A field under another inference than propagation has none: it is the same field.
    """
    found = {}
    for name, candidate in candidates.items():
        found[name] = said[name]
        if not isinstance(candidate.model, GridCrf):
            rows = test.rows(positions)
            alone = spread_out(said[name].surprise[rows], rows, len(test.sample))
            found[name] = replace(said[name], joint=alone)
        elif candidate.model.settings.inference == Solver().inference:
            progress(f"likelihood of {name}", None)
            models = (candidate.model, *candidate.others)
            parts = test.dealt_out(positions, len(models))
            draws = [_surprise(model, test, rows) for model, rows in zip(models, parts, strict=True)]
            others = [replace(each, joint=draw) for each, draw in zip(said[name].others, draws[1:], strict=True)]
            found[name] = replace(said[name], joint=draws[0], others=tuple(others))
    return found


def joint_likelihoods(said: Mapping[str, Answers], test: Test, positions: int | None) -> Iterator[Row]:
    """Yield the means, and the differences from the paper's BMA-Tree."""
    count = len(test.rows(positions))
    title = f"Figure 5: −log-likelihood of whole boards per point (nats), exact, on {count} positions"
    for name, answers in said.items():
        if answers.joint is not None:
            mean, gap = answers.mean("joint"), answers.against(said[EXPONENTIAL], "joint").difference
            values = [f"{value:+.3f}".replace("-", "−") for value in gap]
            note = f"minus BMA-Tree exponential {values[0]} [{values[1]}, {values[2]}] at 99 %"
            known = "" if name == EXPONENTIAL else note
            yield Row(title, name.removesuffix(" / BP"), None, mean.value, (mean.low, mean.high), known)


def _surprise(model: GridCrf, test: Test, rows: npt.NDArray[np.intp]) -> Floats:
    chunks = [rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK)]
    found = in_threads(partial(_surprise_of_some, model, test), chunks)
    return spread_out(np.concatenate([np.zeros(0), *found]), rows, len(test.sample))


def _surprise_of_some(model: GridCrf, test: Test, rows: npt.NDArray[np.intp]) -> Floats:
    boards, targets = test.sample.boards[rows], test.sample.targets[rows]
    owners = np.nan_to_num(targets).astype(float)
    labelled = np.maximum((owners != 0).sum((1, 2)), 1)
    asked = np.concatenate([boards, owners.astype(np.int8)])
    likelihoods = kept(test.folder, model, asked, "joint", lambda: model.log_likelihoods(boards, owners))
    surprise: Floats = -likelihoods / labelled
    return surprise
