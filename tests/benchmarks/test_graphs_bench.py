"""The ways that the bench of graphs compares lead to the same end, and its rows have the agreed keys."""

import numpy as np
import pytest

pytest.importorskip("networkx")
pytest.importorskip("pymatching")

from tengen.benchmarks.graphs import Cases, bench_graphs, flood
from tengen.views.graphs import STONE


def test_the_references_agree_with_the_kernels():
    cases = Cases(2)
    for k in range(2):
        graph, couplings = cases.graphs[k], cases.couplings[k]
        cases.fields[k] = np.zeros_like(cases.fields[k])
        _, edge_means, _ = cases.marginals(k)
        np.testing.assert_allclose(cases.determinant(k).edge_means, edge_means[0], atol=1e-6)
        spins, energy = cases.matching(k), cases.likeliest(k)[1][0]
        assert (couplings[0] * spins[graph.edges].prod(1)).sum() == pytest.approx(energy, abs=1e-4)
        chains = [region for region in flood(cases.stones[k]) if cases.stones[k][region[0]]]
        assert len(chains) == (graph.kinds == STONE).sum()


@pytest.mark.slow
def test_a_row_for_every_case():
    rows = list(bench_graphs(seconds=0.05, boards=1))
    assert len(rows) == 6
    for row in rows:
        assert {"bench", "case", "size", "threads", "ms", "reference", "ratio"} <= row.keys()
        assert row["ms"] > 0
