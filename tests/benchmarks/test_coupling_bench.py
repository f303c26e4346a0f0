"""The references of the coupling bench give the answers of the kernels, and its rows have the agreed keys."""

import numpy as np
import pytest

from tengen.benchmarks.coupling import bench_coupling, numpy_frontier, numpy_propagation, random_boards
from tengen.territory.coupling import CouplingCrf
from tengen.territory.ising import grid_graph


def test_the_references_agree_with_the_kernels():
    fields, couplings = CouplingCrf().ising(random_boards(5, 3))
    graph = grid_graph(5, 5)
    log_z = graph.log_partition(fields, couplings)
    means, *_ = graph.propagate(fields, couplings, 1e-6, 200)
    for k in range(3):
        assert numpy_frontier(fields[k], couplings[k], 5) == pytest.approx(log_z[k], abs=1e-9)
        assert np.abs(numpy_propagation(fields[k], couplings[k], 5) - means[k]).max() < 1e-3


def test_a_row_for_every_case():
    rows = list(bench_coupling(seconds=0.05, boards=2))
    assert [row["size"] for row in rows] == [19, 19, 19, 9, 9]
    assert rows[-1]["note"].startswith("this converges on 2 of 2")
    for row in rows:
        assert {"bench", "case", "size", "threads", "ms", "reference", "ratio"} <= row.keys()
        assert row["ms"] > 0
