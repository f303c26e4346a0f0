"""Editing and writing: nothing is lost, and what was not touched stays as it was."""

from __future__ import annotations

import pickle
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgf_texts import AWKWARD
from sgf_trees import node_tree

from tengen.errors import RecordError, TengenError
from tengen.go.record import Game, read, read_all, write_all
from tengen.go.sgf import escape, unescape

TREE = "(;FF[4]GM[1]\n SZ[9]XX[private]PB[Ōta];B[aa]C[a \\] b]\n(;W[bb]KGSDE[cc][dd])\n( ;W[cc];B[dd]) )"


def test_an_untouched_record_keeps_its_bytes() -> None:
    assert Game.from_sgf(TREE).sgf() == TREE.replace("FF[4]", "FF[4]CA[UTF-8]")
    written = TREE.replace("GM[1]", "GM[1]CA[utf-8]")
    assert Game.from_sgf(written).sgf() == written


def test_another_charset_becomes_utf8() -> None:
    data = "(;SZ[9]\nCA[gb2312]\nPB[古力];B[aa])".encode("gb18030")
    assert Game.from_sgf(data).sgf() == "(;SZ[9]\nCA[UTF-8]\nPB[古力];B[aa])"


def test_an_edited_node_is_written_and_the_others_stay() -> None:
    game = Game.from_sgf(TREE)
    game.root.children[0].set("C", "good ] move \\")
    expected = TREE.replace("a \\] b", "good \\] move \\\\").replace("FF[4]", "FF[4]CA[UTF-8]")
    assert game.sgf() == expected


def test_facts_follow_edits() -> None:
    game = Game.from_sgf("(;SZ[9]KM[6.5]RE[B+R];B[aa])")
    assert (game.komi, game.result) == (6.5, "B+R")
    game.root.set("KM", "7.5")
    game.root.set("RE", "W+2")
    assert (game.komi, game.result) == (7.5, "W+2")
    game.root.remove("RE")
    assert game.result == ""


def test_variations_can_be_added_and_cut() -> None:
    game = Game.from_sgf("(;SZ[9];B[aa];W[bb])")
    first = game.root.children[0]
    first.add_child().set_points("W", ["C7"])
    assert game.sgf() == "(;CA[UTF-8]SZ[9];B[aa](;W[bb])(;W[cc]))"
    first.children[0].delete()
    assert game.sgf() == "(;CA[UTF-8]SZ[9];B[aa];W[cc])"
    assert game.moves[1] == ("white", "C7")
    with pytest.raises(TengenError, match="root"):
        game.root.delete()


def test_a_new_record_is_played_into() -> None:
    game = Game.new(9, rules="chinese", komi=7, black="Me", white="You")
    for colour, point in [("black", "E5"), ("white", "pass"), ("b", (0, 0))]:
        game.play(colour, point)
    assert game.sgf() == ("(;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[9]RU[chinese]KM[7]PB[Me]PW[You];B[ee];W[];B[aa])")
    assert [move.point for move in game.moves] == ["E5", "pass", "A9"]
    assert game.warnings == []


def test_a_point_off_the_board_cannot_be_played() -> None:
    for point in ("K1", "I5", "A10", (9, 0)):
        with pytest.raises(TengenError, match=r"(no point of a 9x9|off the 9×9) board"):
            Game.new(9).play("black", point)


def test_markup() -> None:
    game = Game.from_sgf("(;SZ[9];B[aa])")
    game.mark_territory(["A1", "B1"], [(0, 8)])
    end = game.main_line()[-1]
    end.set_points("MA", ["C3"])
    end.label("D4", "a]:b")
    assert game.sgf() == "(;CA[UTF-8]SZ[9];B[aa]TB[ai][bi]TW[ia]MA[cg]LB[df:a\\]\\:b])"
    assert game.territory == (["A1", "B1"], ["J9"])
    end.set_points("MA", [])
    assert "MA" not in end


def test_points_of_lists_and_labels() -> None:
    root = Game.from_sgf("(;SZ[9]TB[aa:bb][tt]LB[cc:dd]LN[aa:bb]MA[cb:ba]B[])").root
    assert root.points("TB") == ["A9", "B9", "A8", "B8"]
    assert root.points("LB") == ["C7"]
    assert root.points("LN") == ["A9", "B8"]
    assert root.points("MA") == ["B9", "C9", "B8", "C8"]
    assert root.points("B") == ["pass"]


def test_nodes_are_read_like_a_dictionary() -> None:
    root = Game.from_sgf("(;C[two\\\n lines\r\nhere\tnow]GN[one\nline]ZZ[1][2])").root
    assert list(root) == ["C", "GN", "ZZ"]
    assert (root["C"], root["GN"]) == ("two lines\nhere now", "one line")
    assert (root.get("XX"), root.get("XX", "?")) == (None, "?")
    assert root.values("ZZ") == ["1", "2"]
    assert root.parent is None
    with pytest.raises(KeyError):
        root["XX"]
    with pytest.raises(TengenError, match="no SGF property"):
        root.set("x y", "1")


def test_writing_a_file_keeps_its_permissions_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("old")
    path.chmod(0o640)
    Game.from_sgf(TREE).write(path)
    assert read(path).players.black.name == "Ōta"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["game.sgf"]


def test_writing_a_collection(tmp_path: Path) -> None:
    games = [Game.new(9, black="a"), Game.new(13, 9, black="b")]
    write_all(tmp_path / "two.sgf", games)
    assert [(game.players.black.name, game.size) for game in read_all(tmp_path / "two.sgf")] == [("a", 9), ("b", 13)]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("KM[6,5]", "KM[6.5]", ["KM[6,5] was changed to KM[6.5]"]),
        ("KM[375]", "KM[7.5]", ["KM[375] was changed to KM[7.5]"]),
        ("KM[2.75]", "KM[5.5]RU[chinese]", ["KM[2.75] was changed to KM[5.5]", "RU[chinese] was added"]),
        ("KM[6.5 points]", "KM[6.5]", ["KM[6.5 points] was changed to KM[6.5]"]),
        ("KO[6.5]", "KO[6.5]KM[6.5]", ["KM[6.5] was added"]),
        ("RE[黑中盘胜]", "RE[B+R]", ["RE[黑中盘胜] was changed to RE[B+R]"]),
        ("RE[白胜3/4子]", "RE[W+1.5]", ["RE[白胜3/4子] was changed to RE[W+1.5]"]),
        ("RE[b+3,5]", "RE[B+3.5]", ["RE[b+3,5] was changed to RE[B+3.5]"]),
        ("HA[2 stones]AB[aa][cc]", "HA[2]AB[aa][cc]", ["HA[2 stones] was changed to HA[2]"]),
        ("AB[zz][aa:zz]AW[zz]", "AB[aa:ii]", [
            "AB[zz]: points outside the board were removed from a setup (byte 10)",
            "AB[aa:zz]: points outside the board were removed from a setup (byte 14)",
            "AW[zz]: points outside the board were removed from a setup (byte 23)",
        ]),
        ("KM[6.50]RE[W+Resign]HA[0]", "KM[6.50]RE[W+Resign]HA[0]", []),
        ("KM[six]RE[who knows]HA[two]", "KM[six]RE[who knows]HA[two]", []),
        ("", "", []),
    ],
)  # fmt: skip
def test_mending_writes_values_as_they_were_read(before: str, after: str, changes: list[str]) -> None:
    game = Game.from_sgf(f"(;SZ[9]{before};B[ee];W[cc])")
    facts = (game.komi, game.rules, game.handicap, game.result, game.setup, game.moves)
    assert game.mend() == changes
    assert game.sgf() == f"(;CA[UTF-8]SZ[9]{after};B[ee];W[cc])"
    again = Game.from_sgf(game.sgf())
    for mended in (game, again):
        assert (mended.komi, mended.rules, mended.handicap, mended.result, mended.setup, mended.moves) == facts
    assert again.mend() == game.mend() == []
    assert (game.points_outside, pickle.loads(pickle.dumps(game)).warnings) == (0, game.warnings)
    assert set(changes) <= set(game.warnings), "what was mended is not forgotten"


def test_mending_keeps_everything_else_of_a_node() -> None:
    game = Game.from_sgf("(;SZ[9]KM[6.5]\n;B[ee]\n;W[zz]C[why?](;B[cc])(;B[zz]))")
    assert game.mend() == ["W[zz] after move 1: a move outside the board was removed (byte 25)"]
    assert game.sgf() == "(;CA[UTF-8]SZ[9]KM[6.5]\n;B[ee]\n;C[why?](;B[cc])(;B[zz]))"


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_records_survive_writing(text: str) -> None:
    try:
        games = read_all(text.encode())
    except RecordError:
        return
    for game in games:
        again = Game.from_sgf(game.sgf())
        assert node_tree(again.root) == node_tree(game.root)
        assert again.moves == game.moves


identifiers = st.text(string.ascii_uppercase, min_size=1, max_size=9).filter(
    lambda name: name not in ("CA", "GM", "SZ", "B", "W", "AB", "AW", "AE", "PL", "FF", "AP")
)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(st.lists(st.tuples(st.integers(0, 30), st.dictionaries(identifiers, st.lists(texts, min_size=1, max_size=3)))))
@settings(deadline=None)
def test_random_trees_survive_writing(plan: list[tuple[int, dict[str, list[str]]]]) -> None:
    game = Game.new(9)
    nodes = [game.root]
    for parent, properties in plan:
        node = nodes[parent % len(nodes)].add_child()
        for name, values in properties.items():
            node.set(name, *values)
        nodes.append(node)
    again = Game.from_sgf(game.sgf())
    assert node_tree(again.root) == node_tree(game.root)
    assert again.sgf() == game.sgf()


@given(texts)
def test_escaping_is_undone(text: str) -> None:
    plain = text.replace("\r", "").replace("\t", " ").replace("\v", " ").replace("\f", " ")
    assert unescape(escape(plain)) == plain
    assert unescape(escape(plain, composed=True)) == plain
