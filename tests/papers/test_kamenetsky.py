"""Kamenetsky et al. run again: the games, the paper's errors, and the whole on a handful of games."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")
pytest.importorskip("scipy", reason="scipy is not installed (pip install 'tengen[train]')")

from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.measure.finals import FinalErrors
from tengen.papers import find
from tengen.papers.kamenetsky import Run, lower
from tengen.papers.kamenetsky import models as m
from tengen.papers.kamenetsky.games import Finals, area_lead, finished_games, learned_from, lesson_of
from tengen.papers.kamenetsky.models import AllAlive, Trained
from tengen.papers.report import Finding, Row
from tengen.territory import block_training

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"

# Black owns the left, White the right; the white stone at B3 is dead and the middle column is neutral.
BOARD = Board.from_text("""
    . . X . O . .
    . . X . O . .
    . O X . O . .
    . . X . O . .
    . . X . O . .
""")
OWNER = np.array([1, 1, 1, 0, -1, -1, -1]) * np.ones((5, 1))


def one_game(lead):
    return Finals(["club:1"], BOARD.stones[None], OWNER[None], np.array([0.5]), np.array([lead]))


def test_a_game_is_learned_from_or_tested_and_never_both():
    learn, test = finished_games(Store(CORPUS), "gnugo", 9)
    assert not set(learn.ids) & set(test.ids)
    assert all(map(learned_from, learn.ids))
    assert not any(map(learned_from, test.ids))
    assert len(learn) + len(test) == 294
    assert set(np.unique(test.targets)) <= {-1, 0, 1}


def test_draws_and_validation_games_have_no_common_game():
    learn, _ = finished_games(Store(CORPUS), "gnugo", 9)
    lesson = lesson_of(learn, 3, 30)
    parts = [set(each.ids) for each in (*lesson.draws, lesson.valid)]
    assert [len(part) for part in parts] == [30, 30, 30, -(-len(learn) // 5)]
    assert len(set.union(*parts)) == sum(map(len, parts))
    assert set.union(*parts) < set(learn.ids)
    with pytest.raises(TengenError, match="too few"):
        lesson_of(learn.take(range(3)), 3)


def errors_of(wrong):
    wrong = np.asarray(wrong, float)
    tens, nothing = np.full(len(wrong), 10.0), np.zeros(len(wrong))
    return FinalErrors(tens, wrong, tens, nothing, nothing, nothing)


def test_a_claim_needs_all_draws_and_a_share_has_an_interval_too():
    random = np.random.default_rng(0)
    wrong = random.integers(3, 7, 60)
    draws = {"naive": [wrong], "good": [wrong - 2, wrong - 3, wrong - 1], "unsteady": [wrong - 3, wrong - 3, wrong + 4]}
    run = Run(9, {}, {name: [errors_of(each) for each in found] for name, found in draws.items()})
    assert lower("", run, "good", "naive").held is True
    assert lower("", run, "naive", "good").held is False
    assert lower("", run, "unsteady", "naive").held is None
    assert run.difference("good", "naive").value == pytest.approx(-20)
    assert lower("", run, "good", "naive", 0.9).held is True
    assert lower("", run, "good", "naive", 0.2).held is False
    assert run.rate("naive", "block").value == pytest.approx(10 * wrong.mean())


def test_of_equally_good_levels_the_larger_is_chosen():
    assert Trained("", None, 0, (), ((1e-5, 0.02), (1e-4, 0.01), (1e-3, 0.01))).l2 == 1e-3


def test_the_area_is_counted_with_dead_chains_taken_off():
    assert area_lead(BOARD.stones, OWNER) == 0
    assert area_lead(BOARD.stones, BOARD.stones.astype(float)) == -10 - 1  # B3 alive: the left is no territory


def test_the_papers_errors_of_a_dead_stone_taken_for_alive():
    naive = AllAlive().ownership(BOARD)
    errors = one_game(lead=-0.5).errors(naive[None])
    assert (errors.chains.item(), errors.wrong_chains.item()) == (3, 1)
    assert errors.points.item() == 30 - 4  # four points are as near to B3 as to Black's chain
    assert errors.game.item() == 1
    assert errors.winner.item() == 0
    right = one_game(lead=-0.5).errors(OWNER[None])
    assert (right.wrong_chains.item(), right.wrong_points.item(), right.exact.item()) == (0, 0, 1)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The whole run with 40 games to learn from, in fewer steps."""
    work, pictures = tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("pictures")
    options = {"labels": "gnugo", "games": 40, "quick": True, "work": work, "pictures": pictures}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_training, "STEPS", 20)
        patch.setattr(block_training, "ITERATIONS", 30)
        lines = list(find("kamenetsky").reproduce(CORPUS, **options, progress=lambda stage, share: None))
    return lines, work, pictures


def test_every_number_of_table_2_has_ours_beside_it(report):
    rows = {
        (row.table.partition(": ")[2], row.row): row for row in report[0] if isinstance(row, Row) and "9×9" in row.table
    }
    published = [
        (row, title.split()[0], value.published) for (title, row), value in rows.items() if value.published is not None
    ]
    assert len(published) == 16
    assert (m.NEIGHBOURS, "block", 2.76) in published
    assert all(
        np.isfinite(value.ours) and value.interval is not None for (title, _), value in rows.items() if "error" in title
    )


def test_the_order_of_the_paper_holds_on_games_of_gnu_go(report):
    ours = {row.row: row.ours for row in report[0] if row.table.startswith("Table 2, 9×9: block")}
    assert ours[m.NAIVE] > ours[m.STERN] > ours[m.BLOCK]
    assert ours[m.NEIGHBOURS] < ours[m.NAIVE] / 6


def test_findings_are_of_sizes_with_enough_games(report):
    claims = [line.row if isinstance(line, Row) else line.claim for line in report[0] if isinstance(line, Finding)]
    assert claims
    assert all(claim.startswith("9×9") for claim in claims)


def test_pictures_are_drawn_and_a_second_run_takes_the_models_that_are_there(report):
    lines, work, pictures = report
    assert (pictures / "block-graph-9x9.svg").exists()
    assert len(list(work.glob("9-40-*.safetensors"))) == len(list(work.glob("19-*.safetensors"))) == 9 * 2
    options = {"labels": "gnugo", "games": 40, "quick": True, "work": work, "pictures": None}
    again = list(find("kamenetsky").reproduce(CORPUS, **options, progress=lambda stage, share: None))
    assert [line for line in again if "Time" not in line.table] == [line for line in lines if "Time" not in line.table]


def test_a_corpus_without_final_positions_is_refused(tmp_path):
    Store.create(tmp_path / "empty")
    options = {"labels": None, "games": None, "quick": True, "work": None, "pictures": None}
    with pytest.raises(TengenError, match="no labelled final positions"):
        list(find("kamenetsky").reproduce(tmp_path / "empty", **options, progress=lambda stage, share: None))
