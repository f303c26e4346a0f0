"""Our reader against sgfmill, an independent one, on generated and on real games."""

from __future__ import annotations

import random

import pytest
from records_data import data_file

from tengen.go.record import Game, read_all

sgf = pytest.importorskip("sgfmill.sgf", reason="sgfmill is not installed")
boards = pytest.importorskip("sgfmill.boards")


def compare(data: bytes) -> None:
    """Head, tree, main line and final position agree."""
    ours, theirs = Game.from_sgf(data), sgf.Sgf_game.from_bytes(data)
    assert ours.size == theirs.get_size()
    assert ours.players.black.name == (theirs.get_player_name("b") or "")
    if theirs.get_root().has_property("KM"):
        assert ours.komi == theirs.get_komi()
    moves = [node.get_move() for node in theirs.get_main_sequence()]
    assert [(m.colour[0], m.point) for m in ours.moves] == [(c, name(p)) for c, p in moves if c]
    compare_trees(ours, theirs)
    compare_boards(ours, theirs)


def name(point: tuple[int, int] | None) -> str:
    return "pass" if point is None else f"{'ABCDEFGHJKLMNOPQRSTUVWXYZ'[point[1]]}{point[0] + 1}"


def compare_trees(ours: Game, theirs: sgf.Sgf_game) -> None:
    waiting = [(ours.root, theirs.get_root())]
    while waiting:
        mine, other = waiting.pop()
        assert sorted(mine) == sorted(other.properties())
        for identifier in mine:
            assert mine.values(identifier) == [raw.decode() for raw in other.get_raw_list(identifier)]
        if "C" in mine:
            assert mine["C"] == other.get("C")
        assert len(mine.children) == len(other)
        waiting += zip(mine.children, list(other), strict=True)


def compare_boards(ours: Game, theirs: sgf.Sgf_game) -> None:
    board = boards.Board(theirs.get_size())
    for node in theirs.get_main_sequence():
        if node.has_setup_stones():
            board.apply_setup(*node.get_setup_stones())
        colour, point = node.get_move()
        if point is not None and board.get(*point) is None:
            board.play(*point, colour)
    stones = [
        [{None: 0, "b": 1, "w": -1}[board.get(row, col)] for col in range(board.side)] for row in range(board.side)
    ]
    assert ours.board().stones.tolist() == stones[::-1]


def random_game(chance: random.Random) -> bytes:
    """A tree with setup, comments, variations and moves on any point."""
    size = chance.choice([9, 13, 19])
    game = sgf.Sgf_game(size=size, encoding="UTF-8")
    root = game.get_root()
    root.set("KM", chance.choice([0.5, 5.5, 6.5, 7.5]))
    root.set("PB", chance.choice(["A] b\\", "Łukasz", "Honinbo"]))
    taken = {(chance.randrange(size), chance.randrange(size)) for _ in range(chance.randrange(5))}
    if taken:
        root.set_setup_stones(taken, [])
    points = [(r, c) for r in range(size) for c in range(size) if (r, c) not in taken]
    chance.shuffle(points)
    for number, point in enumerate(points[: chance.randrange(len(points))]):
        node = game.extend_main_sequence()
        node.set_move("bw"[number % 2], None if chance.random() < 0.02 else point)
        if chance.random() < 0.1:
            node.set("C", chance.choice(["why \\ not ]?", "two\nlines", "a: b"]))
        if chance.random() < 0.05:
            node.parent.new_child().set_move("w", points[-1])
    return bytes(game.serialise())


def test_generated_games() -> None:
    chance = random.Random(7)
    for _ in range(60):
        compare(random_game(chance))


@pytest.mark.parametrize("file", ["misc9", "misc13", "misc19", "pro9-train"])
def test_real_games(file: str) -> None:
    for game in read_all(data_file(f"games/{file}.tsv.gz"))[:60]:
        compare(game.sgf().encode())


@pytest.mark.slow
@pytest.mark.parametrize("file", ["kgs19-counted-train", "ogs9-counted-train", "tygem-valid", "kgs19-territory-train"])
def test_many_real_games(file: str) -> None:
    for game in read_all(data_file(f"games/{file}.tsv.gz"))[:3000]:
        compare(game.sgf().encode())
