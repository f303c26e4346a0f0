"""How well winrates predict who has won."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tengen.measure.arrays import FloatArray, floats, same_shape
from tengen.measure.ownership import log_likelihoods


def winner_measures(winrates: npt.ArrayLike, won: npt.ArrayLike) -> dict[str, FloatArray]:
    """Return accuracy, log-likelihood and Brier score of every prediction; `won` is 1 if Black has won, else 0.

    A winrate of one half names nobody and counts as half right.
    """
    said, result = floats(winrates, "winrates", 0, 1), floats(won, "winners", 0, 1)
    same_shape(winrates=said, won=result)
    right = np.where(said == 0.5, 0.5, (said > 0.5) == (result == 1))
    return {"accuracy": right, "log_likelihood": log_likelihoods(said, result), "brier": (said - result) ** 2}
