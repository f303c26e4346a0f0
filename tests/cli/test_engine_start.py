"""How other programs start the engines and leave them: KataGo's command line, names, seeds, readers that go away."""

import json
import signal
import subprocess
import sys

import pytest

from cli.program import call, invoke
from tengen import __version__ as tengen_version
from tengen.cli.katago import translate
from tengen.protocols import analysis, gtp, lines

GTP_READY = b"GTP ready, beginning main protocol loop\n"
ANALYSIS_READY = b"Started, ready to begin handling requests\n"
LONG = {"boardXSize": 9, "boardYSize": 9, "rules": "chinese", "moves": [], "maxVisits": 1 << 30}


def command(*words):
    return [sys.executable, "-m", "tengen", *words]


def tengen(*words, lines=()):
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(command(*words), input=text.encode(), capture_output=True, timeout=120, check=False)


# KataGo's command line.

OURS = {"--visits": True, "--workers": True, "--ponder": False, "--quit-without-waiting": False, "--model": True,
        "-M": True, "-h": False, "--help": False}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "kept", "ignored"),
    [
        ("-config a.cfg -model b.bin.gz", "", ["-config a.cfg", "-model b.bin.gz"]),
        ("-analysis-threads 3 -quit-without-waiting", "--workers 3 --quit-without-waiting", []),
        ("-quit-without-waiting --visits 9", "--quit-without-waiting --visits 9", []),
        ("-override-config maxVisits=50,numAnalysisThreads=4", "--visits 50 --workers 4", []),
        ("-override-config maxTime=5,ponderingEnabled=true", "--ponder", ["-override-config maxTime=5"]),
        ("-override-config ponderingEnabled=false", "", []),
        ("-human-model x -h", "-h", ["-human-model x"]),
        ("-new-flag -other -3 --visits 5", "--visits 5", ["-new-flag", "-other -3"]),
        ("-M territory/bma -Mterritory/bma", "-M territory/bma -Mterritory/bma", []),
        ("--model -config -model y", "--model -config", ["-model y"]),
        ("--config x --visits=7", "--config x --visits=7", []),
        ("-config", "", ["-config"]),
        ("-config=a.cfg -model=b=c --visits 3", "--visits 3", ["-config a.cfg", "-model b=c"]),
        ("-override-config=maxVisits=5, -analysis-threads=2", "--visits 5 --workers 2", []),
        ("-override-config", "", ["-override-config"]),
        ("-help", "--help", []),
        ("-- -config x", "-- -config x", []),
    ],
)
def test_options_of_katago_become_ours_or_are_reported(given, kept, ignored):
    assert translate(given.split(), OURS) == (kept.split(), ignored)


def test_gtp_takes_katagos_options_and_name():
    katago = "-config gtp.cfg -model net.bin.gz -override-config maxVisits=7,homeDataDir=. -human-model h.bin.gz"
    ours = "--name KataGo --engine-version 1.15.3 -M territory/naive"
    asked = ["name", "version", "kata-get-param maxVisits"]
    done = tengen("gtp", *katago.split(), *ours.split(), lines=asked)
    assert done.stdout == b"= KataGo\n\n= 1.15.3\n\n= 7\n\n"
    report, ready = done.stderr.splitlines(keepends=True)
    assert report.startswith(b"tengen gtp: ignored options of KataGo: -config gtp.cfg, -model net.bin.gz, ")
    assert ready == GTP_READY
    assert done.returncode == 0


def test_analysis_takes_the_options_ogatak_gives():
    words = "-config a.cfg -model net.bin.gz -quit-without-waiting --engine-version 1.15.3".split()
    done = tengen("analysis", *words, lines=['{"id": "v", "action": "query_version"}', json.dumps({"id": "q", **LONG})])
    assert json.loads(done.stdout)["version"] == "1.15.3"  # the open question is not waited for
    assert done.stderr.splitlines(keepends=True)[1:] == [ANALYSIS_READY]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["gtp", "--config", "x"], "--config"),
        (["analysis", "x.cfg"], "x.cfg"),
        (["gtp", "--model", "territory/none"], "there is no model 'territory/none'"),
        (["gtp", "--guide", "territory/none"], "there is no model 'territory/none'"),
        (["analysis", "--guide", "territory/none"], "there is no model 'territory/none'"),
        (["gtp", "--guide", "territory/largest"], "territory/largest has not been fitted"),
        (["gtp", "--guide", "territory/bma", "--guide-as", "both"], "a guide is used as priors or values"),
        (["gtp", "--keep", "3"], "guide_as, guide_plies and keep need a guide"),
        (["gtp", "--name", "Kata\nGo"], "--name"),
        (
            ["gtp", "-override-config", "maxVisits=abc"],
            "maxVisits=abc: maxVisits must be a whole number of at least 1",
        ),
        (["gtp", "-override-config", "maxPlayouts=0"], "maxPlayouts=0: maxPlayouts must be a whole number"),
        (["gtp", "-override-config", "ponderingEnabled=yes"], "ponderingEnabled must be true or false"),
        (["gtp", "-override-config", "maxTime=-1"], "maxTime must be a number of at least 0"),
        (["gtp", "-override-config", "numSearchThreads"], "numSearchThreads must be a whole number from 1 to 64"),
        (["analysis", "-override-config", "reportAnalysisWinratesAs=me"], "must be BLACK, WHITE or SIDETOMOVE"),
        (["analysis", "-analysis-threads", "many"], "-analysis-threads must be a whole number from 1 to 64"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_the_start(words, problem):
    done = invoke(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert problem in done.stderr
    assert "ready" not in done.stderr
    assert not {"-override-config", "--guide", "--keep"} & {*words} or done.stderr.count("\n") == 1


GUIDED = """
import numpy as np
from tengen.__main__ import main
from tengen.models.base import MoveModel
from tengen.models.registry import register

@register
class Corner(MoveModel):
    name = "moves/corner"

    def probabilities(self, board):
        return np.eye(board.width * board.height + 1)[0]

main()
"""


def guided(verb, *words, lines):
    command = [sys.executable, "-c", GUIDED, verb, "--guide", "moves/corner", "--keep", "1", *words]
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=True).stdout


def test_gtp_is_guided_by_a_model_of_a_name():
    asked = ["boardsize 5", "kata-raw-nn 0", "kata-search_analyze b 100000"]
    *_, raw, searched = guided("gtp", "--playouts", "50", lines=asked).strip().split("\n\n")
    assert raw.split("policy\n")[1].startswith(" 1.000000  0.000000")
    assert "policyPass 0.000000" in raw
    assert {move.split()[0] for move in searched.split("info move ")[1:]} <= {"A5", "pass"}


def test_analysis_is_guided_by_a_model_of_a_name():
    (answer,) = guided("analysis", lines=[json.dumps({"id": "q", **LONG, "maxVisits": 50})]).splitlines()
    assert {info["move"] for info in json.loads(answer)["moveInfos"]} <= {"A9", "pass"}


@pytest.mark.parametrize("verb", ["gtp", "analysis"])
def test_help_and_version_with_one_dash(verb):
    assert call(verb, "-version").stdout == f"tengen {tengen_version}\n"
    assert "Usage: tengen" in call(verb, "-help").stdout


@pytest.fixture
def served(monkeypatch):
    """The options with which an engine is served, without serving one."""
    given = {}
    for module in (gtp, analysis):
        monkeypatch.setattr(module, "serve", lambda source, sink, **options: given.update(options))
    monkeypatch.setattr(lines, "standard_input", lambda: None)

    def options_of(*words):
        call(*words)
        return given

    return options_of


def test_huge_limits_are_none(served):
    given = served("gtp", "-override-config", "maxTime=1e20,maxVisits=1000000000000000000,maxPlayouts=10000000000")
    assert (given["visits"], given["settings"].playouts, given["settings"].seconds) == (None, None, None)
    given = served("gtp", "--playouts", str(10**18), "--seconds", "1e20")
    assert (given["settings"].playouts, given["settings"].seconds) == (None, None)
    given = served("analysis", "-override-config", f"maxVisits={10**18},maxTime=1e20")
    assert (given["settings"].playouts, given["settings"].seconds) == (None, None)


def test_visits_and_playouts_are_two_limits(served):
    given = served("gtp", "-override-config", "maxVisits=70,maxPlayouts=50")
    assert (given["visits"], given["settings"].playouts) == (70, 50)
    for settings, most in (("maxVisits=70,maxPlayouts=50", 50), ("maxPlayouts=900", 900), ("maxTime=5", 500)):
        assert served("analysis", "-override-config", settings)["settings"].playouts == most


# Seeds.


@pytest.mark.parametrize(("words", "seed"), [([], None), (["--seed", "5"], 5)])
def test_the_seed_is_random_unless_it_is_given(served, words, seed):
    assert served("gtp", "--model", "territory/naive", *words)["settings"].seed == seed


# The end.


def start(*words):
    return subprocess.Popen(command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def say(process, *lines):
    process.stdin.write("".join(f"{line}\n" for line in lines).encode())
    process.stdin.flush()


def closed(process):
    """Close what is left of the pipes and return what the process said on standard error."""
    process.stdin.close()
    process.stdout.close()
    with process.stderr:
        return process.stderr.read()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be watched there")
@pytest.mark.parametrize("input_ends", [False, True])
def test_an_analysis_ends_when_its_reader_is_gone(input_ends):
    process = start("analysis", "--workers", "2")
    say(
        process, json.dumps({"id": "a", **LONG}), json.dumps({"id": "b", **LONG}), '{"id":"v","action":"query_version"}'
    )
    assert b"query_version" in process.stdout.readline()  # both searches are under way, with nothing to say
    if input_ends:
        process.stdin.close()
    process.stdout.close()
    assert process.wait(60) == 141
    assert closed(process) == ANALYSIS_READY


@pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be watched there")
def test_a_move_is_not_thought_out_when_the_reader_is_gone():
    process = start("gtp", "--playouts", str(1 << 30))
    say(process, "name", "genmove b")
    assert process.stdout.readline() == b"= Tengen\n"
    process.stdout.close()
    assert process.wait(60) == 141
    assert closed(process) == GTP_READY


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize(
    ("words", "line", "answer"),
    [
        (["analysis"], json.dumps({"id": "q", **LONG, "reportDuringSearchEvery": 0.05}), b'{"id":"q"'),
        (["gtp"], "kata-analyze b 5", b"="),
    ],
)
def test_ctrl_c_ends_a_search_with_one_line(words, line, answer):
    process = start(*words)
    say(process, line)
    assert process.stdout.readline().startswith(answer)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert closed(process).splitlines()[1:] == [f"tengen {words[0]}: stopped".encode()]


@pytest.mark.skipif(sys.platform == "win32", reason="closes file descriptors")
@pytest.mark.parametrize("closed", [0, 1])
def test_closed_streams_are_reported_in_one_line(closed):
    words = ["sh", "-c", f"exec {sys.executable} -m tengen gtp -M territory/naive {closed}>&-"]
    done = subprocess.run(words, input=b"", capture_output=True, check=False, timeout=120)
    assert done.returncode == 2
    assert done.stderr == b"tengen gtp: standard %s: is closed\n" % (b"output" if closed else b"input")


BAD_NEWS = """
import sys
from tengen.__main__ import main
from tengen.protocols.gtp.table import command
from tengen.protocols import analysis

@command("fail")
def fail(session):
    raise RuntimeError("on purpose")

def fail_too(*arguments):
    raise RuntimeError("on purpose")

analysis.read_query = fail_too
main()
"""


def bad_news(verb):
    """The command line of an engine that writes a traceback to standard error, and of `gtp` a warning as well."""
    options = ["-M", "territory/naive", "--live-gfx", "--seconds", "0.3"] if verb == "gtp" else []
    return [sys.executable, "-c", BAD_NEWS, verb, *options]


LINES = {
    "gtp": ["boardsize 5", "play b C3", "kata-raw-nn 0", "fail", "kata-genmove_analyze w 1", "name"],
    "analysis": ['{"id":"q"}', '{"id":"v","action":"query_version"}'],
}


@pytest.mark.skipif(sys.platform == "win32", reason="closes file descriptors")
@pytest.mark.parametrize("verb", ["gtp", "analysis"])
def test_an_engine_lives_on_when_the_reader_of_stderr_is_gone(verb):
    with subprocess.Popen(bad_news(verb), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stderr.readline()
        run.stderr.close()
        answers, _ = run.communicate("".join(f"{line}\n" for line in LINES[verb]).encode(), timeout=120)
    assert answers.splitlines()[-2 if verb == "gtp" else -1].startswith((b"= Tengen", b'{"id":"v"'))
    assert b"internal error: RuntimeError: on purpose" in answers
    assert run.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="closes file descriptors")
@pytest.mark.parametrize("verb", ["gtp", "analysis"])
def test_nothing_for_stderr_lands_in_the_answers_when_it_is_closed(verb):
    text = "".join(f"{line}\n" for line in LINES[verb]).encode()
    words = ["sh", "-c", 'exec "$@" 2>&-', "sh", *bad_news(verb)]
    done = subprocess.run(words, input=text, stdout=subprocess.PIPE, check=False, timeout=120)
    assert done.returncode == 0
    assert b"ready" not in done.stdout
    assert b"Traceback" not in done.stdout
    assert b"made for finished boards" not in done.stdout
    assert b"gogui-gfx" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="closes file descriptors")
def test_other_verbs_do_without_stderr(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.sgf").write_text("(;SZ[5]RE[B+R];B[cc])")
    (tmp_path / "c.sgf").write_text("no record")
    words = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command("score", "--format", "csv", "--workers", "1", str(tmp_path))]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=False, timeout=120)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 4
    assert b"tengen score:" not in done.stdout
