"""`tengen convert`: values are mended and reported in every format, folders become folders, inputs stay."""

import gzip
import json

import pytest
from tests.cli.program import call

import tengen
from tengen.go.lines import game_line

BROKEN = "(;SZ[9]KM[6,5]RU[Japanese]RE[黑中盘胜];B[ee];W[zz];B[cc])"
MENDED = "(;CA[UTF-8]SZ[9]KM[6.5]RU[Japanese]RE[B+R];B[ee];;B[cc])"
FINE = "(;CA[UTF-8]SZ[13:9]KM[6.50]RE[W+Resign];B[aa])"
CHANGES = [
    "KM[6,5] was changed to KM[6.5]",
    "RE[黑中盘胜] was changed to RE[B+R]",
    "W[zz] after move 1: a move outside the board was removed (byte 51)",
]


@pytest.fixture
def folder(tmp_path):
    """A folder with a good, a broken and an unreadable record."""
    top = tmp_path / "games"
    (top / "club").mkdir(parents=True)
    (top / "a.sgf").write_text(BROKEN, encoding="utf-8")
    (top / "club" / "B.SGF").write_text(FINE + "\n" + BROKEN, encoding="utf-8")
    (top / "club" / "c.sgf").write_text("no record")
    return top


def contents(folder):
    return {str(file.relative_to(folder)): file.read_text("utf-8") for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("format", ["sgf", "tsv", "json"])
def test_what_was_mended_is_reported_in_every_format(tmp_path, format):
    (tmp_path / "a.sgf").write_text(BROKEN, encoding="utf-8")
    done = call("convert", tmp_path / "a.sgf", "-f", format)
    if format == "json":
        assert json.loads(done.stdout)["mended"] == CHANGES
        assert "KM[6,5] was read as 6.5" in json.loads(done.stdout)["warnings"]
        assert done.stderr == ""
    else:
        assert done.stderr == f"tengen convert: {tmp_path / 'a.sgf'}, game 1: mended: {'; '.join(CHANGES)}\n"
        assert done.stdout == MENDED + "\n" if format == "sgf" else "\t6.5\tJapanese\tB+R\t" in done.stdout


def test_illegal_moves_are_reported_and_kept(tmp_path):
    (tmp_path / "a.sgf").write_text("(;CA[UTF-8]SZ[9]KM[6.5]RU[Japanese];B[ee];W[ee])")
    done = call("convert", tmp_path / "a.sgf")
    assert done.stdout == (tmp_path / "a.sgf").read_text() + "\n"
    sentence = "move 2 is illegal and was played all the same: White may not play E5: there is a stone already"
    assert done.stderr == f"tengen convert: {tmp_path / 'a.sgf'}, game 1: {sentence}\n"


def test_what_cannot_be_mended_is_reported(tmp_path):
    values = ["KM[some]", "RU[ours]", "HA[two]", "RE[a fine game]"]
    (tmp_path / "a.sgf").write_text(f"(;CA[UTF-8]SZ[9]{''.join(values)};B[ee];W[cc])")
    (tmp_path / "b.sgf").write_text("(;CA[UTF-8]SZ[9]HA[0]RE[?];B[ee];W[cc])")  # nothing to understand
    done = call("convert", tmp_path / "a.sgf", tmp_path / "b.sgf")
    assert all(value in done.stdout for value in values)
    assert done.stderr.splitlines() == [
        f"tengen convert: {tmp_path / 'a.sgf'}, game 1: {value} was not understood and stays as it is"
        for value in values
    ]


@pytest.mark.parametrize("written", ["new/", "new", "there"])
def test_a_folder_becomes_a_folder(tmp_path, folder, written):
    before = contents(folder)
    (tmp_path / "there").mkdir()
    done = call("convert", folder, "-o", f"{tmp_path}/{written}", code=1)
    assert contents(tmp_path / written) == {"a.sgf": MENDED + "\n", "club/B.SGF": FINE + "\n" + MENDED + "\n"}
    assert contents(folder) == before
    reports = done.stderr.splitlines()
    assert [line.partition(": ")[2].split(",")[0] for line in reports[:-1]] == [
        f"{folder / 'a.sgf'}",
        f"{folder / 'club/B.SGF'}",
        f"{folder / 'club/c.sgf'}: holds no game",
    ]
    assert reports[-1] == "tengen convert: 2 games were mended"


def test_other_formats_get_their_suffix_and_what_was_written_is_not_read_again(tmp_path, folder):
    (folder / "more.tsv.gz").write_bytes(gzip.compress(game_line(tengen.Game.from_sgf(FINE)).encode()))
    (folder / "club" / "c.sgf").unlink()
    for _ in range(2):
        call("convert", folder, "-f", "tsv", "-o", folder / "lines")
        assert sorted(contents(folder / "lines")) == ["a.tsv", "club/B.tsv", "more.tsv"]
    call("convert", folder / "more.tsv.gz", "-o", f"{tmp_path}/sgf/")
    assert contents(tmp_path / "sgf") == {"more.sgf": FINE.replace("RE", "RU[]RE").replace("RU[]", "") + "\n"}


def test_inputs_are_never_overwritten(tmp_path, folder):
    before = contents(folder)
    (tmp_path / "link.sgf").symlink_to(folder / "a.sgf")
    (folder / "club" / "a.sgf").write_text(FINE)
    (folder / "a.tsv").write_text(game_line(tengen.Game.from_sgf(FINE)))
    for arguments, words in [
        ([folder / "a.sgf", "-o", folder / "a.sgf"], "a.sgf is read from"),
        ([folder / "a.sgf", "-o", tmp_path / "link.sgf"], "link.sgf is read from"),
        ([folder / "a.sgf", "-o", folder], "a.sgf is read from"),
        ([folder, "-o", folder], "games is read from"),
        ([folder / "a.sgf", folder / "club" / "a.sgf", "-o", f"{tmp_path}/x/"], "would both be written to"),
        ([folder, "-o", f"{tmp_path}/x/"], "would both be written to"),
        (["-", "-o", f"{tmp_path}/x/"], "standard input"),
    ]:
        done = call("convert", *arguments, code=2)
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()
    assert {name: text for name, text in contents(folder).items() if name in before} == before


def test_long_and_mixed_collections_stay_one_file(tmp_path):
    sizes = [9, 13, 19, "13:9", 52]
    games = [f"(;CA[UTF-8]SZ[{sizes[n % 5]}]GN[{n}];B[aa];W[bb])" for n in range(3000)]
    (tmp_path / "all.sgf").write_text("\n".join(games))
    call("convert", tmp_path / "all.sgf", "-o", f"{tmp_path}/out/")
    assert contents(tmp_path / "out") == {"all.sgf": "\n".join(games) + "\n"}


@pytest.mark.parametrize("output", ["out.sgf", "out/"])
def test_a_missing_path_is_reported_and_the_rest_converted(tmp_path, output):
    (tmp_path / "a.sgf").write_text(FINE, encoding="utf-8")
    done = call("convert", tmp_path / "missing.sgf", tmp_path / "a.sgf", "-o", f"{tmp_path}/{output}", code=1)
    assert "missing.sgf: no such file or folder" in done.stderr
    written = tmp_path / (output + "a.sgf" if output.endswith("/") else output)
    assert written.read_text("utf-8").strip() == FINE
