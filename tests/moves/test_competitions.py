"""Competitions in memory and in folders: written in batches, interrupted, resumed, damaged."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.moves.competitions import Competitions, CompetitionWriter, Table

TABLES = [Table("capture", 5), Table("leaf", 300, columns=2), Table("pattern", 70_000)]
BATCHES = [
    ([2, 1], [1, 0], [[0, 5, 1], [300, 0, 1], [0, 0, 2], [70_000, 1, 0]]),
    ([1], [0], [[3], [0], [0], [0]]),
]


def write(folder, batches=BATCHES):
    with CompetitionWriter(folder, TABLES) as writer:
        for batch in batches[writer.batches :]:
            writer.append(*batch)


def check(folder):
    found = Competitions.open(folder)
    assert found.tables == tuple(TABLES)
    assert (len(found), found.rows) == (3, 4)
    assert found.starts.tolist() == [0, 2, 3, 4]
    assert found.winners.tolist() == [1, 2, 3]
    assert [column.tolist() for column in found.columns] == [
        [0, 5, 1, 3],
        [300, 0, 1, 0],
        [0, 0, 2, 0],
        [70_000, 1, 0, 0],
    ]
    assert [column.dtype.itemsize for column in found.columns] == [1, 2, 2, 4]


def test_batches_come_back(tmp_path):
    write(tmp_path / "new" / "folder")
    check(tmp_path / "new" / "folder")


def test_columns_are_mapped_and_not_read(tmp_path):
    write(tmp_path)
    assert isinstance(Competitions.open(tmp_path).columns[0].base, np.memmap)


def test_an_interrupted_batch_is_written_again(tmp_path):
    write(tmp_path, BATCHES[:1])
    for name in ("moves.bin", "00.bin", "03.bin"):  # a part of the second batch, which the facts do not count
        with (tmp_path / name).open("ab") as file:
            file.write(b"junk!")
    assert len(Competitions.open(tmp_path)) == 2
    write(tmp_path)
    check(tmp_path)
    write(tmp_path)  # nothing is left to do
    check(tmp_path)


def test_a_batch_that_could_not_be_written_is_written_again(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("disk full")

    with CompetitionWriter(tmp_path, TABLES) as writer:
        with monkeypatch.context() as patch:
            patch.setattr("tengen.moves.competitions.write_atomically", full)
            with pytest.raises(OSError, match="disk full"):
                writer.append(*BATCHES[1])
        for batch in BATCHES[writer.batches :]:
            writer.append(*batch)
    check(tmp_path)


def test_an_empty_folder_of_competitions(tmp_path):
    write(tmp_path, [])
    assert len(Competitions.open(tmp_path)) == 0


def test_a_closed_writer_refuses(tmp_path):
    with CompetitionWriter(tmp_path, TABLES) as writer:
        pass
    with pytest.raises(TengenError, match="the writer is closed"):
        writer.append(*BATCHES[0])


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (([2], [2], BATCHES[0][2]), "a winner is one of the moves"),
        (([0], [0], BATCHES[0][2]), "a winner is one of the moves"),
        (([2, 1], [0], BATCHES[0][2]), "one whole number for each position"),
        (([2.5], [0], BATCHES[0][2]), "one whole number for each position"),
        (([2], [0], BATCHES[0][2]), "column 0: 2 whole numbers"),
        (([3], [0], BATCHES[0][2][:3]), "4 columns, not 3"),
        (([3], [0], [[0, 6, 0], *BATCHES[0][2][1:]]), "column 0: levels from 0 to 5"),
        (([3], [0], [[0, -1, 0], *BATCHES[0][2][1:]]), "column 0: levels from 0 to 5"),
        (([3], [0], [[0, 0.5, 0], *BATCHES[0][2][1:]]), "column 0: 3 whole numbers"),
    ],
)
def test_bad_batches_are_refused_and_change_nothing(tmp_path, batch, message):
    with CompetitionWriter(tmp_path, TABLES) as writer:
        with pytest.raises(TengenError, match=message):
            writer.append(*batch)
        for good in BATCHES:
            writer.append(*good)
    check(tmp_path)


def test_folders_that_cannot_be_used(tmp_path):
    with pytest.raises(TengenError, match=r"holds no competitions: competitions.json is missing"):
        Competitions.open(tmp_path)
    (tmp_path / "letter.txt").write_text("hello")
    with pytest.raises(TengenError, match="has other things in it"):
        CompetitionWriter(tmp_path, TABLES)
    write(tmp_path / "a")
    with pytest.raises(TengenError, match="with other tables"):
        CompetitionWriter(tmp_path / "a", TABLES[:2])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 2}', '{"format": 1, "tables": [1]}'])
def test_damaged_facts(tmp_path, text):
    write(tmp_path)
    (tmp_path / "competitions.json").write_text(text)
    with pytest.raises(TengenError, match="delete the folder and write it again"):
        Competitions.open(tmp_path)


@pytest.mark.parametrize("name", ["moves.bin", "winners.bin", "00.bin", "03.bin"])
def test_files_that_lost_their_end(tmp_path, name):
    write(tmp_path)
    file = tmp_path / name
    file.write_bytes(file.read_bytes()[:-1])
    for use in (Competitions.open, lambda folder: CompetitionWriter(folder, TABLES)):
        with pytest.raises(TengenError, match=f"{name} is damaged, .* bytes are left"):
            use(tmp_path)
    file.unlink()
    with pytest.raises(TengenError, match=f"{name} is damaged, 0 of"):
        Competitions.open(tmp_path)


def test_damaged_contents(tmp_path):
    write(tmp_path)
    good = (tmp_path / "00.bin").read_bytes()
    (tmp_path / "00.bin").write_bytes(b"\xff" * len(good))
    with pytest.raises(TengenError, match="is damaged: column 0 holds level 255, its table ends at 5"):
        Competitions.open(tmp_path)
    (tmp_path / "00.bin").write_bytes(good)
    facts = json.loads((tmp_path / "competitions.json").read_text())
    (tmp_path / "competitions.json").write_text(json.dumps(facts | {"rows": 3}))
    with pytest.raises(TengenError, match="is damaged"):
        Competitions.open(tmp_path)


def test_weights_by_table_and_flat():
    competitions = Competitions([Table("a", 2), Table("b", 1)], [0, 1], [0], [np.zeros(1, np.uint8)] * 2)
    parts = competitions.by_table(np.array([0.0, 1, 2, 3]))
    assert [part.tolist() for part in parts] == [[0, 1, 2], [0, 3]]
    assert competitions.flat(parts).tolist() == [0, 1, 2, 3]
    with pytest.raises(TengenError, match="one array for each table"):
        competitions.flat(parts[:1])
