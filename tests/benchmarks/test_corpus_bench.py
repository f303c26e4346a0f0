"""The bench of the corpus, on the one that ships."""

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.benchmarks.corpus import bench_corpus
from tengen.corpus.store import Store

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"


def test_there_is_a_row_for_each_size_with_labels():
    small, large = bench_corpus(CORPUS, seconds=0.4)
    assert (small["size"], large["size"]) == (9, 19)
    assert small["per_second"] > 0
    assert large["per_second"] > 0
    assert small["reference"] == "board by board"


def test_a_corpus_without_labels_is_refused(tmp_path):
    Store.create(tmp_path / "empty")
    with pytest.raises(tengen.TengenError, match="no labels to stream"):
        next(bench_corpus(tmp_path / "empty"))


def test_the_corpus_that_ships_is_what_the_docs_say():
    store = Store(CORPUS)
    sizes = [game.width for game in store]
    assert (sizes.count(9), sizes.count(19)) == (294, 36)
    assert store.labels == ["gnugo", "vote"]
    assert store.label_about("gnugo")["version"].startswith("GNU Go 3.8")
