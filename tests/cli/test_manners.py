"""The manners of the command line: nothing half-written, one line for what goes wrong, exit codes as promised."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time

import pytest

from cli.program import ROOT, invoke
from tengen.go.record import Game

GAME = ROOT / "examples" / "finished-9x9.sgf"
GOOD = "(;SZ[9]KM[6.5]RU[Japanese];B[ee];W[ec])"


def process(*arguments):
    command = [sys.executable, "-m", "tengen", *map(os.fspath, arguments)]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False)


def tengen(*arguments, input=b""):
    """The same within this process, which saves starting one."""
    done = invoke(*arguments, stdin=input)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes)


def said(done):
    return done.stderr.decode("utf-8", "replace").splitlines()


def test_a_command_starts_without_the_modules_of_the_others():
    code = "import sys; from tengen.cli.app import program; program(['score', 'show']); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert [name for name in loaded if name in ("numpy", "tengen.cli.score", "tengen.cli.show")] == ["tengen.cli.score"]


@pytest.mark.parametrize(
    ("verb", "format"), [("show", "json"), ("convert", "tsv"), ("show", "text"), ("score", "json")]
)
def test_a_game_that_cannot_be_answered_does_not_stop_the_others(tmp_path, verb, format):
    (tmp_path / "1.sgf").write_text("(;SZ[52]KM[0];B[aa];AW[bb])")
    (tmp_path / "2.sgf").write_text(GOOD)
    done = tengen(verb, tmp_path, "-f", format)
    assert done.returncode == 1
    assert len(said(done)) == (2 if verb == "score" else 1)  # the score of several games ends with a summary
    assert "1.sgf, game 1: " in said(done)[0]
    assert b"2.sgf" in done.stdout
    if format == "json":
        bad, good = map(json.loads, done.stdout.splitlines())
        assert set(bad) == {"schema", "file", "game", "error"}
        assert good["size"] == 9


@pytest.mark.parametrize("verb", ["score", "show", "estimate"])
def test_two_pictures_are_refused_before_one_is_written(tmp_path, verb):
    (tmp_path / "two.sgf").write_text(GOOD * 2)
    done = tengen(verb, tmp_path / "two.sgf", "-f", "svg")
    assert done.returncode == 2
    assert done.stdout == b""
    assert "a picture shows one game" in said(done)[0]


@pytest.mark.parametrize(
    "arguments", [["--komi", "nan"], ["--komi", "1e9"], ["--captures", "1,-2"], ["--captures", "x"], ["--move", "-1"]]
)
def test_an_option_that_makes_no_sense_is_no_fault_of_the_file(arguments):
    assert tengen("score", GAME, *arguments).returncode == 2


def test_an_empty_path_is_not_the_current_folder():
    done = tengen("score", "")
    assert (done.returncode, len(said(done))) == (2, 1)


def test_text_from_a_record_commands_no_terminal(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[9]KM[6.5]RU[\x1b[2J]PB[\x1b\\]0;mine\x07]PW[w\x9b1m];B[ee])")
    (tmp_path / "b.sgf").write_text("(;SZ[9];B[\x1b\x1b])")
    for verb in ("score", "show", "estimate"):
        done = tengen(verb, tmp_path)
        assert b"\x1b" not in done.stdout + done.stderr
        assert "\x9b" not in done.stdout.decode()
        assert said(done) == []
    assert r"note: B[\x1b\x1b] after move 0" in tengen("score", tmp_path).stdout.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_a_file_whose_name_is_no_text_keeps_its_name_in_json(tmp_path):
    path = tmp_path / os.fsdecode(b"\xffgame.sgf")
    path.write_text(GOOD)
    for verb in ("score", "show", "convert", "estimate"):
        done = (process if verb == "score" else tengen)(verb, path, "-f", "json")
        assert done.returncode == 0
        assert json.loads(done.stdout)["file"] == str(path)
    assert tengen("score", path, "-o", tmp_path / "out.txt").returncode == 0


def test_whoever_reads_may_stop_reading(tmp_path):
    (tmp_path / "many.sgf").write_text(GOOD * 3000)
    command = [sys.executable, "-m", "tengen", "convert", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_a_full_disk_is_said_in_one_line():
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "tengen", "score", str(GAME)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, len(said(done))) == (2, 1)


@pytest.mark.skipif(os.name != "posix", reason="closes file descriptors")
@pytest.mark.parametrize(("closed", "code"), [(0, 1), (1, 2)])
def test_closed_standard_files_are_said_in_one_line(closed, code):
    command = f"exec {sys.executable} -m tengen score - {closed}>&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, input=GOOD.encode(), check=False)
    assert (done.returncode, len(said(done))) == (code, 1)


def test_output_is_whole_or_not_there(tmp_path):
    out = tmp_path / "out.svg"
    out.write_text("old")
    out.chmod(0o640)
    (tmp_path / "two.sgf").write_text(GOOD * 2)
    assert tengen("score", tmp_path / "two.sgf", "-f", "svg", "-o", out).returncode == 2
    assert out.read_text() == "old"
    assert tengen("score", GAME, "-f", "svg", "-o", out).returncode == 0
    assert out.read_text().startswith("<svg")
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.svg", "two.sgf"]


def test_output_goes_through_links_and_into_devices(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert tengen("show", GAME, "-o", tmp_path / "link.txt").returncode == 0
    assert "move 45" in (tmp_path / "real.txt").read_text()
    assert (tmp_path / "link.txt").is_symlink()
    assert b"move 45" in process("show", GAME, "-o", "/dev/stdout").stdout


def test_a_missing_folder_for_the_output_is_named_as_it_was_given(tmp_path):
    done = tengen("show", GAME, "-o", tmp_path / "none" / "x.txt")
    assert done.returncode == 2
    assert said(done) == [f"tengen show: {tmp_path / 'none' / 'x.txt'}: No such file or directory"]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_a_long_run_with_one_line(tmp_path):
    (tmp_path / "many.sgf").write_text(GAME.read_text() * 20_000)
    out = tmp_path / "out.csv"
    command = [sys.executable, "-m", "tengen", "score", str(tmp_path), "-f", "csv", "-o", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while not any(file.name.startswith(".out.csv") for file in tmp_path.iterdir()):
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait() == 130
    # Games that were counted by then are kept, if there are any.
    assert re.fullmatch(rb"tengen score: stopped(: [\d,]+ games? (is|are) in \S+out\.csv\.part)?\n", said)
    kept = {"out.csv.part"} if b".part" in said else set()
    assert {file.name for file in tmp_path.iterdir()} == {"many.sgf"} | kept


def on_a_terminal(*arguments, **environment):
    """Run on a terminal, with standard output and standard error both there; return what a person sees."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "tengen", *map(os.fspath, arguments)]
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(command, stdout=slave, stderr=slave, env=variables | {"TERM": "xterm"} | environment) as done:
        os.close(slave)
        seen = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            seen += piece
        os.close(master)
    assert done.returncode == 0
    return seen.decode()


def test_a_terminal_gets_colours_unless_it_minds():
    assert "\x1b[" in on_a_terminal("show", GAME)
    assert "\x1b[" not in on_a_terminal("show", GAME, NO_COLOR="1")


def test_the_progress_bar_does_not_run_into_the_answers(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.sgf").write_text(GOOD)
    out = tmp_path / "out.tsv"
    assert "100%" not in on_a_terminal("convert", tmp_path, "-f", "tsv")
    assert "convert" in on_a_terminal("convert", tmp_path, "-f", "tsv", "-o", out)
    assert out.read_text().count("\n") == 3


def test_marks_stand_at_the_move_that_was_scored():
    moves = len(Game.from_sgf(GAME.read_bytes())) - 2  # before both players passed
    done = tengen("score", GAME, "--move", str(moves), "-f", "sgf").stdout
    *before, scored, black, white = Game.from_sgf(done).main_line()
    assert {"TB", "TW", "MA"} <= set(scored)
    assert not any({"TB", "TW", "MA"} & set(node) for node in (*before, black, white))
    text = "(;SZ[9]KM[6.5]RU[Japanese];B[ee];W[ec];B[gg]C[mine])"
    assert "C[not finished" in tengen("score", "-", "--move", "2", "-f", "sgf", input=text.encode()).stdout.decode()
    done = tengen("score", "-", "-f", "sgf", input=text.encode()).stdout.decode()
    assert "C[mine\nnot finished: " in done.split(";")[4]


def test_a_missing_result_is_filled_in_only_when_the_count_is_safe():
    finished = GAME.read_text().replace("RE[W+8.0]", "")
    assert "RE[W+8]" in tengen("score", "-", "-f", "sgf", input=finished.encode()).stdout.decode()
    open_game = finished.partition(";B[ie]")[0] + ")"
    assert "RE[" not in tengen("score", "-", "-f", "sgf", input=open_game.encode()).stdout.decode()
