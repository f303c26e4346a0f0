"""Largman & Pham run again: games, players, matches, the classification of winners, and the whole on a few games."""

from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")
pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install 'tengen[train]')")

from tengen.corpus.store import Store, write_table
from tengen.papers import largman as paper
from tengen.papers.kept import kept
from tengen.papers.largman import players as pl
from tengen.papers.largman.data import SIZE, chosen_games, joined, shuffled
from tengen.papers.largman.filters import learned_filters
from tengen.papers.largman.findings import match_finding
from tengen.papers.largman.players import CRBM, INVARIANT, OURS, PAPER, TEMPLATES, Outcome, Players
from tengen.papers.largman.winners import Accuracy, classified
from tengen.papers.report import Finding, Row
from tengen.values.linear_td import TemplateValue

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
TINY = paper.Scale(
    games=20,
    pairs=1,
    others=1,
    boards=40,
    epochs=1,
    match_games=2,
    self_play=(3,),
    checkpoints=(2, 4),
    checkpoint_games=4,
    sizes=(20,),
    tested=60,
    repetitions=1,
)


@pytest.fixture(scope="module")
def games():
    return chosen_games(Store(CORPUS), tested=100)


@pytest.fixture
def no_gnugo(monkeypatch):
    monkeypatch.setattr(pl, "find_program", lambda name: None)


def silent(stage, share=None):
    pass


def test_filters_never_see_the_games_that_are_classified(games):
    (pool,) = games.pools.values()
    assert len(pool) == 100
    everything = games.whole({name for ids in games.collections.values() for name in ids})
    assert len(games.for_filters) + len(games.whole(pool)) == len(everything)
    assert len(games.for_values) == len(games.gnugo) > len(everything)  # all of GNU Go's games, drawn ones too
    assert not pool & {name for ids in games.collections.values() for name in ids if name not in pool}


def test_gnugo_teaches_values_and_the_others_filters(tmp_path):
    store = Store(copytree(CORPUS, tmp_path / "store"))
    for shard in store.shards:
        table = store.table(shard)
        names = [name if i % 2 else f"people:{name}" for i, name in enumerate(table["id"].to_pylist())]
        write_table(store.games_path(shard), table.set_column(table.schema.get_field_index("id"), "id", [names]))
    games = chosen_games(store, tested=60)
    (people,) = games.collections.values()
    assert list(games.pools) == ["people"]
    assert not games.gnugo & set(people)
    assert len(games.for_values) == len(games.gnugo) > 100
    assert len(games.for_filters) == len(people) - 60 > 50


def test_boards_are_the_middle_and_the_end(games):
    (name,) = games.pools
    middle, end, both = games.boards(name, 0.5), games.boards(name, 1), games.boards(name, 0.5, 1)
    assert len(middle) == len(end) == len(both) // 2 == 100
    assert middle.positions.stones.shape == (100, SIZE, SIZE)
    assert np.array_equal(both.positions.stones[100:], end.positions.stones)
    more = (end.positions.stones != 0).sum((1, 2)) > (middle.positions.stones != 0).sum((1, 2))
    assert more.mean() > 0.95
    assert 0.2 < end.won.mean() < 0.8


def test_boards_of_a_game_are_counted_together():
    arrays = {
        "right": np.array([[1.0, 2, 0, 4]]),
        "tested": np.array([2.0, 2, 3, 4]),
        "means": np.zeros((1, 2)),
        "kernels": np.zeros((1, 4)),
    }
    found = Accuracy.of((20,), arrays, np.array([7, 3, 7, 3]))
    assert found.right.tolist() == [[6.0, 1.0]]
    assert found.tested.tolist() == [6.0, 5.0]


def test_shuffled_games_keep_moves_and_results(games):
    some = shuffled(games.for_filters, 1, 5)
    assert len(some) == 5
    whole = {
        games.for_filters.moves[start:end].tobytes(): result
        for start, end, result in zip(
            games.for_filters.offsets[:-1], games.for_filters.offsets[1:], games.for_filters.results, strict=True
        )
    }
    for start, end, result in zip(some.offsets[:-1], some.offsets[1:], some.results, strict=True):
        assert whole[some.moves[start:end].tobytes()] == result
    both = joined([some, some])
    assert len(both) == 10
    assert np.array_equal(both.moves[both.offsets[5] :], some.moves)


# Players


@pytest.fixture
def players(games, tmp_path):
    filters = {
        kind: [learned_filters(games.for_filters, kind, 0, 40, 1, tmp_path, silent)]
        for kind in ("multinomial", "invariant")
    }
    return Players(games.for_values, 20, filters, tmp_path, silent)


def test_a_stopped_run_goes_on_with_the_same_players(players, games, tmp_path, no_gnugo):
    first = players.match(CRBM, TEMPLATES, OURS, 1, 6, self_play=4)
    again = Players(games.for_values, 20, players.filters, tmp_path, silent)
    again._offline = None  # nothing is learned again
    assert again.match(CRBM, TEMPLATES, OURS, 1, 6, self_play=4) == first
    assert sum(first.decided) + first.undecided == 6
    assert players.player(INVARIANT, PAPER, 0).invariant


def test_a_match_does_not_depend_on_the_games_before(players, no_gnugo):
    one = players.player(TEMPLATES, PAPER, 0)
    before = pl.against_random(one, PAPER, 10)
    one.self_play(7, learn=False)
    assert pl.against_random(one, PAPER, 10) == before


def test_progress_is_measured_against_the_start(players):
    curve = players.progress(CRBM, OURS, 0, (2, 4), 6)
    assert len(curve) == 2
    assert all(sum(each.decided) == 6 for each in curve)  # with all games counted, none is undecided


def test_epsilon_falls_evenly():
    assert pl._falling(0, 0.5) == {"epsilon": 0.3, "last_epsilon": pytest.approx(0.16)}


def test_gnugo_counts_dead_stones():
    from tengen.engines.process import find_program

    if find_program("gnugo") is None:
        pytest.skip("GNU Go is not installed")
    model = TemplateValue(size=SIZE)
    played = model.self_play(2, learn=False, komi=5.5, max_moves=0)
    players = Players(None, None, {}, None, silent)
    found = players._counted(played, "two games")
    assert found["gnugo"]
    assert found["leads"].shape == (2,)
    assert ((found["leads"] + 5.5) % 1 == 0).all()


@pytest.mark.parametrize(
    ("won", "held"),
    [((90, 85, 92), True), ((10, 15, 8), False), ((90, 85, 45), None), ((51, 52, 53), None), ((90, 60, 55), None)],
    ids=str,
)
def test_pairs_that_differ_decide_nothing(won, held):
    assert match_finding("it wins", Outcome(won, (100, 100, 100), 0, "by area")).held is held


def test_the_interval_of_a_match_includes_the_pair():
    alike, apart = (Outcome(won, (100, 100, 100), 0, "by area").share for won in ((60, 61, 59), (90, 60, 30)))
    assert alike.value == apart.value == 60
    assert alike.high - alike.low < 12
    assert apart.high - apart.low > 80


def test_the_interval_of_a_match_covers_the_mean_of_all_pairs():
    random = np.random.default_rng(0)
    covered = []
    for _ in range(400):
        chances = 1 / (1 + np.exp(random.normal(0, 0.6, 4)))
        share = Outcome(tuple(random.binomial(200, chances).tolist()), (200,) * 4, 0, "by area").share
        covered.append(share.low < 50 < share.high)
    assert np.mean(covered) > 0.9


def test_a_match_without_a_winner_has_no_share():
    assert tuple(Outcome((0, 0), (5, 0), 5, "by area").share)[:1] == (0.0,)


# Winners


def test_a_machine_finds_winners_that_a_feature_tells():
    random = np.random.default_rng(0)
    won = random.random(120) < 0.5
    telling = np.where(won, 1.0, -1.0)[:, None] + random.normal(0, 0.3, (120, 3))
    noise = random.normal(0, 1, (120, 3))
    good, bad = (Accuracy.of((20,), classified([each], won, (20,), 1)) for each in (telling, noise))
    assert good.share(0).value > 0.95
    assert bad.share(0).value < 0.7
    assert good.against(bad, 0).low > 0
    assert good.tested.sum() == 100
    assert "1 repetitions" in good.note(0)


def test_repetitions_take_features_in_turn():
    won = np.arange(120) % 2 == 0
    telling, useless = np.where(won, 1.0, -1.0)[:, None], np.repeat(np.arange(60.0), 2)[:, None]
    found = Accuracy.of((20,), classified([telling, useless], won, (20,), 4))
    assert (found.means[0, ::2] > 0.95).all()
    assert (found.means[0, 1::2] < 0.7).all()


def test_equal_winners_are_taken_for_all():
    won = np.ones(40, bool)
    won[-1] = False
    found = Accuracy.of((20,), classified([np.zeros((40, 2))], won, (20,), 1))
    assert found.share(0).value > 0.9


def test_arrays_are_kept(tmp_path):
    calls = []

    def make():
        calls.append(1)
        return {"a": np.arange(3)}

    for _ in range(2):
        assert np.array_equal(kept(tmp_path, "numbers", make)["a"], [0, 1, 2])
    assert len(calls) == 1


# The whole


@pytest.mark.slow
def test_the_report_has_every_part(tmp_path, no_gnugo):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")
    lines = list(paper.report(Store(CORPUS), TINY, tmp_path / "work", tmp_path / "pictures", silent))
    tables = {line.table for line in lines if isinstance(line, Row)}
    for words in ("Games", "Filters", "Figures 2 and 3", "CRBM against 2×2", "self-play", "frozen copy", "Winner"):
        assert any(words in table for table in tables), words
    assert sum(isinstance(line, Finding) for line in lines) == 17
    drawn = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert {"filters-multinomial.svg", "filters-real-valued.svg", "filters-invariant.svg", "progress.png"} <= drawn
    assert any(name.startswith("winners-") for name in drawn)
