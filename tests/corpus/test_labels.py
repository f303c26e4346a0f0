"""Labels and data sets: what is stored comes back as arrays."""

import gzip
import lzma
import struct

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

from tests.corpus.beginnings import beginnings, rows

import tengen
from tengen.corpus.dataset import DataSet
from tengen.corpus.labels import (
    POLICY_BYTES,
    decode_ownership,
    decode_policy,
    encode_ownership,
    encode_policy,
    import_labels,
)
from tengen.corpus.splits import split_of
from tengen.teachers.labelling import LabelledTurns, label_store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return beginnings(tmp_path_factory.mktemp("labels"))


def test_ownership_survives_packing():
    ownership = np.array([[1.0, -1.0, 0.0], [0.37, -0.5, np.nan]])
    packed = np.frombuffer(encode_ownership(ownership), np.int8)
    assert packed.tolist() == [100, -100, 0, 37, -50, -128]
    assert np.allclose(decode_ownership(packed.reshape(2, 3)), ownership, equal_nan=True)


def test_the_likeliest_moves_of_a_policy_survive_packing():
    policy = np.zeros(82)
    policy[[80, 3, 81, 7]] = 0.5, 0.25, 0.15, 0.1
    packed = np.frombuffer(encode_policy(policy), np.uint8)[None]
    assert np.allclose(decode_policy(packed, 81), policy, atol=0.005)
    many = np.arange(82, 0, -1.0) / (82 * 83 / 2)
    back = decode_policy(np.frombuffer(encode_policy(many), np.uint8)[None], 81)[0]
    assert np.flatnonzero(back).tolist() == list(range(8))
    assert back.sum() == pytest.approx(1)
    flat = decode_policy(np.frombuffer(encode_policy(np.full(626, 1 / 626)), np.uint8)[None], 625)[0]
    assert flat[:8].tolist() == [0.125] * 8
    assert np.isnan(decode_policy(np.zeros((2, POLICY_BYTES), np.uint8), 81)).all()


def test_imported_policies_winrates_and_leads_come_with_the_batches(store, tmp_path):
    wanted = [("part:9-20", 4, 1.5, 0.75), ("part:9-20", 9, -2.0, 0.25), ("part:9-31", 30, 0.0, 0.5)]
    meta = "".join(f"{id_}\t{turn}\t9\t{lead}\t{winrate}\t1\n" for id_, turn, lead, winrate in wanted)
    (tmp_path / "taught.meta.tsv.gz").write_bytes(gzip.compress(meta.encode()))
    (tmp_path / "taught.own9.i8.xz").write_bytes(lzma.compress(bytes(3 * 81)))
    policies = [[(81, 255)], [(3, 100), (4, 100), (80, 55)], [(0, 128), (81, 127)]]
    records = [struct.pack("<HB", *move) for moves in policies for move in moves + [(0, 0)] * (8 - len(moves))]
    (tmp_path / "taught.pol9.bin.xz").write_bytes(lzma.compress(b"".join(records)))
    import_labels(store, tmp_path / "taught")
    games = {game.id: (i, game) for i, game in enumerate(store)}
    [batch] = DataSet(store, "taught", size=9, split=None, seed=3)
    assert len(batch) == 3
    for number, (id_, turn, lead, winrate) in enumerate(wanted):
        [row] = np.flatnonzero((batch.games == games[id_][0]) & (batch.turns == turn))
        assert (batch.leads[row], batch.winrates[row]) == (lead, winrate)
        found = {move: share for move, share in enumerate(batch.policies[row].tolist()) if share}
        assert found == {move: pytest.approx(share / 255) for move, share in policies[number]}
        board, position = games[id_][1].board(turn), batch.positions.board(int(row))
        assert (board.stones == position.stones).all()
        assert (board.to_play, board.komi, board.rules) == (position.to_play, position.komi, position.rules)


def test_a_set_without_policies_has_none_in_its_batches(store):
    label_store(store, "playouts:n=5", name="plain", size=9, limit=4, workers=1)
    [batch] = DataSet(store, "plain", size=9, split=None)
    assert np.isnan(batch.policies).all()
    assert np.isnan(batch.winrates).all()


def test_label_files_are_imported_beside_their_games(store, tmp_path):
    wanted = [("part:9-10", 4, 0.25), ("part:9-11", 10, -3.5), ("nobody:1", 2, 0.0)]
    meta = "".join(f"{id_}\t{turn}\t9\t{lead}\t0.5\t1\n" for id_, turn, lead in wanted)
    (tmp_path / "set.meta.tsv.gz").write_bytes(gzip.compress(meta.encode()))
    owners = np.arange(3 * 81, dtype=np.int8).reshape(3, 81) % 100
    (tmp_path / "set.own9.i8.xz").write_bytes(lzma.compress(owners.tobytes()))
    (tmp_path / "set.pol9.bin.xz").write_bytes(lzma.compress(struct.pack("<HB", 7, 200) * 8 * 3))
    done = import_labels(store, tmp_path / "set")
    assert (done.rows, done.without_game) == (2, 1)
    found = rows(store, "set")
    assert found["part:9-11", 10]["lead"] == -3.5
    assert found["part:9-10", 4]["ownership"] == owners[0].tobytes()
    (tmp_path / "set.own9.i8.xz").write_bytes(lzma.compress(owners.tobytes()[:100]))
    with pytest.raises(tengen.TengenError, match="end before row"):
        import_labels(store, tmp_path / "set", name="short")


def test_a_data_set_gives_the_boards_of_the_games(store):
    label_store(store, "playouts:n=5", name="few", turns=LabelledTurns.parse("random:4"), workers=1)
    games = {game.id: game for game in store}
    ids = [game.id for game in store]
    seen = 0
    for batch in DataSet(store, "few", size=13, split=None, batch=7):
        assert batch.boards.shape[1:] == (13, 13)
        assert np.nanmax(abs(batch.targets)) <= 1
        for number, turn, stones, to_play in zip(batch.games, batch.turns, batch.boards, batch.to_play, strict=True):
            board = games[ids[number % 1_000_000]].board(int(turn))
            assert (board.stones == stones).all()
            assert board.to_play == ("black" if to_play == 1 else "white")
            seen += 1
    assert seen == sum(min(4, game.length) for game in store if game.width == 13)


def test_splits_share_no_game_and_miss_none(store):
    label_store(store, "playouts:n=5", name="split", workers=1)
    counts = {
        split: sum(map(len, DataSet(store, "split", size=19, split=split))) for split in ("train", "valid", "test")
    }
    ids = [game.id for game in store if game.width == 19]
    assert counts == {split: sum(split_of(id_) == split for id_ in ids) for split in counts}


def test_the_seed_decides_the_order(store):
    label_store(store, "playouts:n=5", name="order", workers=1)

    def order(**options):
        batches = list(DataSet(store, "order", size=19, split=None, batch=16, **options))
        return np.concatenate([batch.games for batch in batches]).tolist()

    assert order(seed=1) == order(seed=1) != order(seed=2)
    assert order(seed=None) == sorted(order(seed=1))
    data = DataSet(store, "order", size=19, split=None)
    assert [b.games.tolist() for b in data.epoch(1)] != [b.games.tolist() for b in data]


def test_finals_and_others_are_told_apart(store):
    label_store(store, "playouts:n=5", name="ends", workers=1)
    finals = sum(map(len, DataSet(store, "ends", size=9, split=None, finals=True)))
    assert finals == sum(game.width == 9 for game in store)
    assert sum(map(len, DataSet(store, "ends", size=9, split=None, finals=False))) == 0


def test_missing_labels_name_those_there_are(store):
    with pytest.raises(tengen.TengenError, match=r"no labels 'nothing'; it has .*"):
        DataSet(store, "nothing")
    with pytest.raises(tengen.TengenError, match="train, valid, test"):
        DataSet(store, store.labels[0], split="half")
