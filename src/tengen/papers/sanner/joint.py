"""Log-likelihood as the paper defines it: log P(s | c) of all owners of a board together.

The sum over the marginals, which the other table has, is the same for models that treat each point alone. For a field
it is an approximation that counts neighbours as if they were independent. Jointly it needs ln Z, exactly, so it is
computed for fewer positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from tengen.measure.compare import mean
from tengen.papers import StageProgress
from tengen.papers.report import Row
from tengen.papers.sanner.answers import RESAMPLING, Answers, Test
from tengen.papers.sanner.kept import kept
from tengen.papers.sanner.models import TrainedModel
from tengen.territory.coupling import GridCrf
from tengen.territory.ising import Solver


def joint_likelihoods(
    candidates: Mapping[str, TrainedModel],
    said: Mapping[str, Answers],
    test: Test,
    positions: int | None,
    progress: StageProgress,
) -> Iterator[Row]:
    """Yield −log P(s | c) per labelled point of every model, on all positions or a number of them."""
    rows = test.rows(positions)
    sample = test.sample.take(rows)
    owners = np.nan_to_num(sample.targets).astype(float)
    labelled = np.maximum((owners != 0).sum((1, 2)), 1)
    title = f"Figure 5: −log-likelihood of whole boards per point (nats), exact, on {len(rows)} positions"
    for name, candidate in candidates.items():
        if not isinstance(candidate.model, GridCrf):
            surprise = said[name].surprise[rows]
        elif candidate.model.settings.inference == Solver().inference:
            progress(f"likelihood of {name}", None)
            asked = np.concatenate([sample.boards, owners.astype(np.int8)])
            compute = partial(candidate.model.log_likelihoods, sample.boards, owners)
            surprise = -kept(test.folder, candidate.model, asked, "joint", compute) / labelled
        else:  # the same field under another inference
            continue
        found = mean(surprise, sample.games, resampling=RESAMPLING)
        yield Row(title, name.removesuffix(" / BP"), None, found.value, (found.low, found.high))
