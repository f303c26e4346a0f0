"""Many games at once: several processes, summaries, missing paths and pages of many games."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.program import ROOT, call

from tengen.cli import games, page
from tengen.cli.games import Failures, each_answer
from tengen.cli.report import ScoredFile, ScoreJob, Summary
from tengen.errors import RecordError

GAME = ROOT / "examples" / "finished-9x9.sgf"


@pytest.fixture
def folder(tmp_path):
    """Games that agree, differ, are not finished and are resigned, and a file that cannot be read."""
    text = GAME.read_text()
    (tmp_path / "a.sgf").write_text(text)
    (tmp_path / "b.sgf").write_text(text.replace("RE[W+8.0]", "RE[B+1.5]"))
    (tmp_path / "c.sgf").write_text("nothing")
    (tmp_path / "d.sgf").write_text("(;SZ[9]KM[6.5]RU[Japanese]RE[W+2.5];B[ee];W[ec])")
    (tmp_path / "e.sgf").write_text("(;SZ[9]KM[6.5]RU[Japanese]RE[B+R];B[ee];W[ec])(;SZ[9]RE[W+T];B[ee];W[ec])")
    return tmp_path


SUMMARY = (
    "5 games: 2 safe, 0 not safe, 1 not finished, 1 resigned, 1 lost on time, 0 forfeited; "
    "of the 2 safe or not safe: 1 as recorded, 1 differing, 0 without a recorded margin; 1 unreadable"
)


@pytest.mark.parametrize("format", ["csv", "html"])
def test_several_games_end_with_a_summary(folder, format):
    done = call("score", folder, "-f", format, code=1)
    assert done.stderr.splitlines()[-1] == f"tengen score: {SUMMARY}"
    assert len(done.stderr.splitlines()) == 2


def test_text_ends_with_the_summary(folder):
    done = call("score", folder, code=1)
    assert done.stdout.endswith(f"\n\n{SUMMARY}\n")
    assert len(done.stderr.splitlines()) == 1


def test_one_game_needs_no_summary():
    assert call("score", GAME, "-f", "csv").stderr == ""


def test_tables_keep_the_order_of_the_files(folder):
    rows = list(csv.DictReader(io.StringIO(call("score", folder, "-f", "csv", code=1).stdout)))
    assert [(row["file"][-5:], row["game"], row["state"], row["agrees"]) for row in rows] == [
        ("a.sgf", "1", "safe", "yes"),
        ("b.sgf", "1", "safe", "no"),
        ("c.sgf", "", "unreadable", ""),
        ("d.sgf", "1", "not finished", ""),
        ("e.sgf", "1", "resigned", ""),
        ("e.sgf", "2", "lost on time", ""),
    ]


@pytest.mark.parametrize("verb", ["score", "convert"])
def test_a_missing_path_costs_only_itself(verb, tmp_path):
    (tmp_path / "empty").mkdir()
    done = call(verb, "nowhere.sgf", GAME, tmp_path / "empty", "-f", "json", code=1)
    missing, found, empty = map(json.loads, done.stdout.splitlines())
    assert missing["error"] == "nowhere.sgf: no such file or folder"
    assert found["file"] == str(GAME)
    assert "no game records" in empty["error"]
    assert "nowhere.sgf: no such file or folder" in done.stderr


def test_paths_that_are_all_missing_are_named_in_one_line(tmp_path):
    out = tmp_path / "out.csv"
    done = call("score", "one.sgf", "two.sgf", "-f", "csv", "-o", out, code=2)
    assert done.stderr == "tengen score: one.sgf: no such file or folder; two.sgf: no such file or folder\n"
    assert not out.exists()


def answered(path, workers, job):
    failures = Failures("score")
    return [
        str(item) if isinstance(item, RecordError) else item
        for item in each_answer([str(path)], failures, job, workers)
    ], len(failures.found)


def test_several_processes_give_the_same_answers_in_the_same_order(folder, monkeypatch):
    monkeypatch.setattr(games, "POOL_POINTS", 100)
    monkeypatch.setattr(games, "CHUNK", 2)
    one, two = (answered(folder, workers, ScoreJob("json")) for workers in (1, 2))
    assert one == two
    assert len(two[0]) == 6


def test_a_few_games_start_no_processes(folder, monkeypatch):
    def pool(*arguments, **options):
        pytest.fail("a pool was started")

    monkeypatch.setattr("tengen.corpus.workers._pool", pool)
    assert len(answered(folder, 2, ScoreJob("csv"))[0]) == 6


class Fatal:
    """A job that ends its process at one of the games."""

    def __call__(self, game):
        if game.result == "B+1.5":
            os.kill(os.getpid(), signal.SIGKILL)
        return game.result


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_game_that_kills_its_process_costs_only_itself(folder, monkeypatch):
    monkeypatch.setattr(games, "POOL_POINTS", 100)
    items, failed = answered(folder, 2, Fatal())
    assert [item[-3:] for item in items[3:]] == ["2.5", "B+R", "W+T"]
    assert items[0] == "W+8"
    assert "b.sgf, game 1: its worker died" in items[1]
    assert failed == 2


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_answers_come_as_they_are_found_and_ctrl_c_ends_the_workers(tmp_path):
    (tmp_path / "many.sgf").write_text(GAME.read_text() * 5_000)
    command = [sys.executable, "-m", "tengen", "score", str(tmp_path), "-f", "csv", "--workers", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, encoding="utf-8"
    ) as process:
        lines = [process.stdout.readline() for _ in range(20)]
        assert lines[19].startswith("safe,")
        assert process.poll() is None  # 5,000 games take a while
        workers = children(process.pid)
        assert len(workers) >= 2
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the whole group
        for _ in range(20):  # an impatient person
            time.sleep(0.02)
            os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (130, "tengen score: stopped\n")
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_pages_list_disagreements_first_and_unreadable_files_last(folder):
    text = call("score", folder, "-f", "html", code=1).stdout
    assert f"<p>{SUMMARY}.</p>" in text
    rows = re.findall(r'<tr data-state="([^"]*)" data-title="[^"]*([a-e])\.sgf[^"]*"( data-differs)?>', text)
    assert rows == [
        ("safe", "b", " data-differs"),
        ("not finished", "d", ""),
        ("resigned", "e", ""),
        ("lost on time", "e", ""),
        ("safe", "a", ""),
        ("unreadable", "c", ""),
    ]
    assert text.index('<section id="game2"') < text.index('<section id="game4"') < text.index('<section id="game1"')
    for state, count in {"not finished": 1, "resigned": 1, "lost on time": 1, "safe": 2, "unreadable": 1}.items():
        assert f'name="state" value="{state}" checked> {state} ({count})' in text
    assert "differing only (1)" in text
    for meaning in ("dead", "unclear", "seki", "territory", "dame", "last move"):
        assert f"</svg> {meaning}</span>" in text
    assert sorted(re.findall('href="#(game[0-9]+)"', text)) == sorted(re.findall('<section id="(game[0-9]+)"', text))


def answer(number, agrees=None):
    return ScoredFile(f"<p>text {number}</p>", f"game {number} <&>", "safe", "B+1", "B+1", agrees)


def test_many_games_are_split_into_pages_beside_the_index(tmp_path):
    out = tmp_path / "report.html"
    items = [*(answer(number) for number in range(1, 402)), answer(402, agrees=False), RecordError("bad", file="x")]
    summary = page.write_page(iter(items), out)
    assert (summary.games, summary.unreadable) == (402, 1)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "report-1.html", "report-2.html", "report-3.html", "report.html",
    ]  # fmt: skip
    index = out.read_text()
    assert "<section" not in index
    links = re.findall(r'href="(report-\d\.html)#(game\d+)"', index)
    assert len(links) == 402
    assert links[0] == ("report-1.html", "game402")  # the one that differs
    for name in ("report-1.html", "report-2.html", "report-3.html"):
        part = (tmp_path / name).read_text()
        assert sorted(re.findall('<section id="(game[0-9]+)"', part)) == sorted(
            game for file, game in links if file == name
        )
        assert 'href="report.html">index</a>' in part
    assert "<p>text 402</p>" in (tmp_path / "report-1.html").read_text()
    assert "game 1 &lt;&amp;&gt;" in index


def test_two_hundred_games_stay_on_one_page(tmp_path):
    out = tmp_path / "report.html"
    page.write_page(map(answer, range(200)), out)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert out.read_text().count("<section") == 200


@pytest.mark.parametrize(("later", "kept"), [(150, []), (250, ["report-1.html", "report-2.html"])])
def test_a_smaller_report_removes_the_parts_of_a_larger_one_and_nothing_else(tmp_path, later, kept):
    out = tmp_path / "report.html"
    page.write_page(map(answer, range(450)), out)
    for name in ("report-4.html", "report-04.html", "report-x.html"):  # not written by a report, or not named so
        (tmp_path / name).write_text("mine")
    page.write_page(map(answer, range(450)), tmp_path / "report-7.html")  # another report: its index looks like a part
    page.write_page(map(answer, range(later)), out)
    left = {file.name for file in tmp_path.iterdir()}
    others = {"report-7.html", "report-7-1.html", "report-7-2.html", "report-7-3.html"}
    assert left == {"report.html", "report-4.html", "report-04.html", "report-x.html", *others, *kept}


def test_games_that_are_done_stay_in_a_part_when_a_table_is_stopped(tmp_path):
    def pieces(count):
        yield from (f"row {number}\n" for number in range(count))
        raise KeyboardInterrupt

    out = tmp_path / "scores.csv"
    out.write_text("former")
    with pytest.raises(KeyboardInterrupt, match=r"^2 games are in .*scores\.csv\.part$"):
        games.write_each(out, pieces(2), "head\n")
    assert (tmp_path / "scores.csv.part").read_text() == "head\nrow 0\nrow 1\n"
    assert out.read_text() == "former"
    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        games.write_each(tmp_path / "other.csv", pieces(0), "head\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["scores.csv", "scores.csv.part"]


def test_a_page_that_cannot_be_finished_leaves_nothing_behind(tmp_path):
    def items():
        yield from map(answer, range(300))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        page.write_page(items(), tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_the_states_add_up_to_the_games_and_the_record_is_compared_where_there_is_a_count():
    summary = Summary()
    for item in (answer(1, agrees=True), answer(2, agrees=False), RecordError("bad")):
        summary.add(item)
    summary.add(ScoredFile("", "", "not finished", "B+1", "B+2", None))
    assert str(summary) == (
        "3 games: 2 safe, 0 not safe, 1 not finished, 0 resigned, 0 lost on time, 0 forfeited; "
        "of the 2 safe or not safe: 1 as recorded, 1 differing, 0 without a recorded margin; 1 unreadable"
    )
