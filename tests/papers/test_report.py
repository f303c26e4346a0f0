"""Reports of papers: numbers beside numbers, in text and as JSON."""

import json

import pytest

from tengen.errors import TengenError
from tengen.papers import PAPERS, find, quick_corpus
from tengen.papers.report import Finding, Row, json_lines, texts
from tests.cli.program import call

REPORT = [
    Row("Table 1: time (ms)", "largest", 1.7, 0.0512, (0.05, 0.0525)),
    Row("Table 1: time (ms)", "sampler", 10568.7, 12.5, note="500 sweeps"),
    Row("Table 1: time (ms)", "not run", "< 45 min", None, note="too few games"),
    Finding("the largest is fastest", True, "0.05 against 12.5 ms"),
    Finding("the moon is cheese", None, "difference 0.1 [−0.2, 0.4]"),
]


def test_text_is_one_table_after_the_other():
    first, second = texts(REPORT)
    assert first.splitlines() == [
        "Table 1: time (ms)",
        "         published  ours                     note",
        "───────  ─────────  ───────────────────────  ─────────────",
        "largest  1.7        0.0512 [0.0500, 0.0525]",
        "sampler  10,568.7   12.5                     500 sweeps",
        "not run  < 45 min   –                        too few games",
    ]
    assert second.splitlines() == [
        "Findings",
        "yes          the largest is fastest",
        "             0.05 against 12.5 ms",
        "not decided  the moon is cheese",
        "             difference 0.1 [−0.2, 0.4]",
    ]


def test_json_is_one_object_a_line():
    lines = [json.loads(line) for line in json_lines(REPORT)]
    assert all(set(line) == {"schema", "table", "row", "published", "ours", "interval", "note"} for line in lines)
    assert lines[0]["interval"] == [0.05, 0.0525]
    assert lines[2]["published"] == "< 45 min"
    assert lines[2]["ours"] is None
    assert [(line["published"], line["ours"]) for line in lines[3:]] == [(True, True), (True, None)]
    assert {line["table"] for line in lines[3:]} == {"findings"}


def test_what_is_not_finite_is_null_in_json():
    (line,) = json_lines([Row("t", "r", 1.0, float("nan"), (float("-inf"), 1.0))])
    assert (json.loads(line)["ours"], json.loads(line)["interval"]) == (None, [None, 1.0])


def test_lines_come_as_they_are_found():
    def slow():
        yield REPORT[0]
        raise AssertionError("asked for the second before the first was printed")

    assert "largest" in next(json_lines(slow()))


def test_every_paper_can_run():
    assert all(callable(paper.reproduce) for paper in PAPERS)


def test_an_unknown_paper_lists_the_known():
    with pytest.raises(TengenError, match=r"known are .*sanner"):
        find("newton")
    assert "known are" in call("reproduce", "newton", code=2).stderr


def test_without_quick_a_corpus_is_needed():
    assert "--corpus DIR" in call("reproduce", "sanner", code=2).stderr


def test_the_small_corpus_is_looked_for_here_too(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.papers.__file__", str(tmp_path / "a" / "b" / "c" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TengenError, match="--corpus"):
        quick_corpus()
    (tmp_path / "examples" / "corpus").mkdir(parents=True)
    (tmp_path / "examples" / "corpus" / "store.json").write_text("{}")
    assert quick_corpus() == tmp_path / "examples" / "corpus"
