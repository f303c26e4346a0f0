"""Intervals."""

import numpy as np
import pytest

from tengen.measure.intervals import bootstrap_share, wilson


def test_wilson_of_17_in_20():
    share, low, high = wilson(17, 20)
    assert share == 0.85
    assert (round(low, 2), round(high, 2)) == (0.64, 0.95)


def test_wilson_stays_between_0_and_1():
    assert wilson(0, 10).low == 0
    assert wilson(10, 10).high == pytest.approx(1)
    assert wilson(0, 0)[1:] == (0.0, 1.0)


def test_the_bootstrap_covers_the_true_share():
    random = np.random.default_rng(1)
    totals = random.integers(5, 40, 400)
    counts = random.binomial(totals, 0.1)
    interval = bootstrap_share(counts, totals)
    assert interval.low < 0.1 < interval.high
    assert interval.value == counts.sum() / totals.sum()
    assert interval == bootstrap_share(counts, totals)
