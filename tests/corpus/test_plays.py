"""Played moves: positions of games with the move that came next."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

from tests.go.records_data import data_file

import tengen
from tengen.corpus.importer import import_games
from tengen.corpus.plays import Plays
from tengen.corpus.replay import SHARD_NUMBERS
from tengen.corpus.store import Store
from tengen.go.positions import Positions

ROOT = Path(__file__).resolve().parents[2]
RECORDS = {
    "even": "(;SZ[9]KM[6.5]RU[Japanese];B[ee];W[cc];B[gc];W[cg];B[];W[])",
    "handicap": "(;SZ[9]KM[0.5]HA[2]AB[cc][gg];W[ee];B[cg];W[];B[gc])",
    "free": "(;SZ[9]HA[2];B[cc];B[gg];W[ee];B[dd])",
    "setup": "(;SZ[9]AB[ee]AW[ef]PL[W];W[de];B[dd]AE[ee]AW[fe];W[ee];B[gd])",
    "ko": "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc]PL[B];B[cb];W[bb];B[hh];W[gg])",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plays")
    for name, text in RECORDS.items():
        (folder / f"{name}.sgf").write_text(text)
    import_games(sorted(folder.glob("*.sgf")), folder / "corpus", workers=1)
    store = Store(folder / "corpus")
    assert len(store) == len(RECORDS)
    return store


@pytest.fixture(scope="module")
def example():
    return Store(ROOT / "examples" / "corpus")


def joined(plays):
    """Everything that identifies each drawn position, as a set."""
    return {(g, t) for batch in plays for g, t in zip(batch.games.tolist(), batch.turns.tolist(), strict=True)}


def check(store, plays):
    """Every position is that of the game, and the move leads to the next one; returns how many there were."""
    games = {shard * 1_000_000 + row: game for shard in store.shards for row, game in enumerate(store.games(shard))}
    seen = 0
    for batch in plays:
        where = list(zip(batch.games.tolist(), batch.turns.tolist(), strict=True))
        expected = Positions.of([games[game].board(turn) for game, turn in where])
        for name in ("stones", "to_play", "ko", "last_moves", "captures", "passes", "komi", "handicap", "rules"):
            assert np.array_equal(getattr(batch.positions, name), getattr(expected, name)), name
        after = Positions.of([games[game].board(turn + 1) for game, turn in where])
        assert np.array_equal(after.last_moves[:, 0], batch.moves)
        assert (batch.turns < batch.lengths).all()
        seen += len(batch)
    return seen


def test_every_move_of_every_game_comes_with_the_position_before_it(store):
    plays = Plays(store, size=9, split=None, sample=1)
    assert check(store, plays) == 6 + 4 + 4 + 4 + 4


def test_passes_are_moves(store):
    (batch,) = Plays(store, size=9, split=None, sample=1, even=True)
    assert batch.moves.tolist() == [40, 20, 24, 56, 81, 81]
    assert batch.turns.tolist() == [0, 1, 2, 3, 4, 5]
    assert set(batch.lengths.tolist()) == {6}
    assert batch.positions.passes.tolist() == [0, 0, 0, 0, 0, 1]
    assert batch.positions.komi.tolist() == [6.5] * 6


def test_games_with_handicap_or_setup_stones_are_told_apart(store):
    even, uneven, every = (joined(Plays(store, size=9, split=None, sample=1, even=e)) for e in (True, False, None))
    assert len({game for game, _ in even}) == 1
    assert len({game for game, _ in uneven}) == 4
    assert even | uneven == every


def test_the_ko_is_known(store):
    batch = next(iter(Plays(store, size=9, split=None, sample=1, even=False)))
    assert (batch.positions.ko >= 0).sum() >= 1


def test_the_positions_are_those_of_the_games(example):
    assert check(example, Plays(example, size=9, split="valid", sample=0.2)) > 20
    assert check(example, Plays(example, size=19, split=None, sample=0.01)) > 20


def test_a_share_of_the_positions_is_drawn(example):
    whole = joined(Plays(example, size=9, split=None, sample=1))
    some, more, other = (
        joined(Plays(example, size=9, split=None, sample=s, seed=seed)) for s, seed in ((0.1, 0), (0.2, 0), (0.1, 1))
    )
    assert some < more < whole
    for drawn in (some, other):
        assert abs(len(drawn) / len(whole) - 0.1) < 0.01
    assert abs(len(some & other) / len(whole) - 0.01) < 0.004  # seeds draw independently
    turns = np.array([turn for _, turn in some])
    assert abs(turns.mean() - np.mean([turn for _, turn in whole])) < 1.5


def test_a_share_of_the_games_is_taken_whole(example):
    whole = joined(Plays(example, size=9, sample=1.0))
    some, more = ({game for game, _ in joined(Plays(example, size=9, sample=1.0, games=share))} for share in (0.2, 0.6))
    games = {game for game, _ in whole}
    assert some < more < games
    assert 0.1 < len(some) / len(games) < 0.3
    assert joined(Plays(example, size=9, sample=1.0, games=0.2)) == {each for each in whole if each[0] in some}


def test_the_same_positions_are_drawn_wherever_a_game_is_stored(store, tmp_path):
    names = sorted(RECORDS, reverse=True)
    for n, name in enumerate(names):
        (tmp_path / f"{n}.sgf").write_text(RECORDS[name])
    import_games(sorted(tmp_path.glob("*.sgf")), tmp_path / "corpus", workers=1)

    def drawn(where):
        marks = [game.fingerprint for game in where]
        return {(marks[game], turn) for game, turn in joined(Plays(where, size=9, split=None, sample=0.5))}

    assert drawn(store) == drawn(Store(tmp_path / "corpus"))


def test_splits_share_no_game(example):
    parts = [joined(Plays(example, size=9, split=split, sample=0.2)) for split in ("train", "valid", "test")]
    assert set().union(*parts) == joined(Plays(example, size=9, split=None, sample=0.2))
    games = [{game for game, _ in part} for part in parts]
    assert all(games)
    assert sum(map(len, games)) == len(set().union(*games))


def test_a_limit_takes_the_first_games(example):
    plays = Plays(example, size=9, split="train", sample=1, limit=30)
    games = sorted({game for game, _ in joined(plays)})
    assert games == sorted({game for game, _ in joined(Plays(example, size=9, split="train", sample=1))})[:30]
    assert sum(plays.shards.values()) == 30
    assert not list(Plays(example, size=9, limit=0))


def test_the_total_counts_moves_up_to_the_closing_passes(example):
    lengths = {
        shard * SHARD_NUMBERS + row: length
        for shard in example.shards
        for row, length in enumerate(example.table(shard, ["length"])["length"].to_pylist())
    }
    for options in ({}, {"limit": 7}, {"split": None}, {"even": False}):
        plays = Plays(example, size=9, sample=0.01, **options)
        games = {game for game, _ in joined(replace(plays, sample=1))}
        assert plays.total == sum(lengths[game] for game in games)


def test_a_worker_takes_a_shard(example):
    plays = pickle.loads(pickle.dumps(Plays(example, size=9, sample=0.5, batch=100)))
    alone = [plays.positions(shard) for shard in plays.shards]
    assert sum(map(len, alone)) == sum(map(len, plays))
    moves = np.concatenate([batch.moves for batch in plays])
    assert np.array_equal(moves, np.concatenate([batch.moves for batch in alone]))
    assert max(map(len, plays)) == 100


def test_a_size_without_games_gives_nothing(example):
    assert not list(Plays(example, size=5))
    assert len(Plays(example, size=5).positions(0)) == 0


@pytest.mark.parametrize("options", [{"split": "half"}, {"sample": 0}, {"sample": 1.5}, {"sample": float("nan")},
                                     {"games": 0}, {"batch": 0}, {"limit": -1}])  # fmt: skip
def test_bad_options_are_refused(example, options):
    with pytest.raises(tengen.TengenError, match=next(iter(options))):
        Plays(example, **options)


@pytest.mark.slow
def test_real_games(tmp_path):
    import_games([data_file("games/misc9.tsv.gz"), data_file("games/misc19.tsv.gz")], tmp_path / "corpus", workers=1)
    store = Store(tmp_path / "corpus")
    for size in (9, 19):
        assert check(store, Plays(store, size=size, split=None, sample=0.02)) > 300


def test_whole_games_begin_empty_alternate_and_have_a_result(tmp_path):
    records = {
        "black": "(;SZ[9]KM[6.5]RE[B+3.5];B[ee];W[cc];B[];W[])",
        "white": "(;SZ[9]KM[5.5]RE[W+R];B[gc];W[ee];B[cg])",
        "unknown": "(;SZ[9]RE[?];B[ee];W[cc];B[gc])",
        "twice": "(;SZ[9]RE[B+R];B[ee];B[cc];W[gc])",
        "setup": "(;SZ[9]RE[B+R]AB[ee];B[cc];W[gc])",
    }
    for name, text in records.items():
        (tmp_path / f"{name}.sgf").write_text(text)
    import_games(sorted(tmp_path.glob("*.sgf")), tmp_path / "corpus", workers=1)
    games = Plays(Store(tmp_path / "corpus"), size=9, split=None).whole_games(0)
    found = {
        tuple(games.moves[games.offsets[g] : games.offsets[g + 1]].tolist()): (games.results[g], games.komi[g])
        for g in range(len(games))
    }
    assert found == {(40, 20, 81, 81): (1.0, 6.5), (24, 40, 56): (0.0, 5.5)}
