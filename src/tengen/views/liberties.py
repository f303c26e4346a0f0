"""Liberties of many boards at once, in numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def liberty_counts(stones: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Return the number of liberties of the chain at each point of boards [n, row, column]; 0 at empty points."""
    edged = np.pad(stones, ((0, 0), (1, 1), (1, 1)), constant_values=2)
    chain = np.arange(edged.size).reshape(edged.shape)
    directions = [(shift, axis) for axis in (1, 2) for shift in (1, -1)]
    same = [(edged == np.roll(edged, *way)) & (np.abs(edged) == 1) for way in directions]
    while True:  # every point takes the smallest number around it in its chain
        before = chain
        for way, joined in zip(directions, same, strict=True):
            chain = np.where(joined, np.minimum(chain, np.roll(chain, *way)), chain)
        if (chain == before).all():
            break
    pairs = []
    for way in directions:
        touching = (edged == 0) & (np.abs(np.roll(edged, *way)) == 1)
        pairs.append(np.stack([np.roll(chain, *way)[touching], np.flatnonzero(touching)], 1))
    owners = np.unique(np.concatenate(pairs), axis=0)[:, 0]
    counts = np.bincount(owners, minlength=edged.size)[chain]
    return np.where(np.abs(edged) == 1, counts, 0)[:, 1:-1, 1:-1]
