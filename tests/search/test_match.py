"""Matches between players."""

import json
import math
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tengen
from cli.program import call, run
from engines.processes import GTP, PLAYER, gone, needs_gnugo
from tengen.errors import EngineError, RecordError, TengenError
from tengen.measure.sprt import Sprt
from tengen.search.match import Contestant, Match, Played, Standing
from tengen.search.records import record_of

FAST = Contestant("tengen:playouts=20")
PLAIN = Contestant("tengen:playouts=20,kind=uct")
SIMPLE, OTHER = (Contestant(f"gtp:{' '.join(PLAYER)}{name}") for name in ("", " other"))
"""Players that start at once, for tests that are about the match."""


@pytest.mark.parametrize("text", ["", "pachi", "gtp:", "tengen:fast", "gnugo:=3", "tengen:playouts="])
def test_what_is_no_player_is_refused(text):
    with pytest.raises(TengenError):
        Contestant(text)


def test_options_become_words_of_the_command():
    argv = Contestant("tengen:playouts=7,kind=uct").engine(tengen.Rules(), 3).argv
    assert argv[1:] == ["-P", "-m", "tengen", "gtp", "--kind=uct", "--seed=3", "--playouts=7"]
    assert "--kind=strong" in Contestant("tengen:seconds=1").engine(tengen.Rules(), 0).argv  # by playouts
    assert Contestant("gtp:pachi -t =100").engine(tengen.Rules(), 0).argv == ["pachi", "-t", "=100"]


def test_players_do_not_import_files_of_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queue.py").write_text("raise ImportError('the wrong module')")
    with FAST.engine(tengen.Rules(), 0) as engine:
        assert "genmove" in engine.known_commands


def test_pairs_share_an_opening_and_swap_colours():
    match = Match(FAST, PLAIN, 8, opening_moves=3)
    boards = [match.opening(number) for number in range(8)]
    assert all(boards[number].moves == boards[number + 1].moves for number in range(0, 8, 2))
    assert len({tuple(board.moves) for board in boards}) == 4
    assert all(board.move_number == 3 for board in boards)
    assert [match.colour(number) for number in range(4)] == ["black", "white"] * 2


def test_openings_come_from_records():
    record = tengen.read("examples/finished-9x9.sgf")
    match = Match(FAST, PLAIN, 2, opening_moves=4, openings=(record,))
    assert match.opening(1).moves == record.moves[:4]


def test_small_boards_have_openings():
    assert Match(FAST, PLAIN, 2, size=3, opening_moves=1).opening(0).move_number == 1


def test_openings_may_be_in_the_centre(tmp_path):
    match = Match(SIMPLE, OTHER, 200, opening_moves=1, central=True)
    first = [match.opening(number).moves[0].point for number in range(0, 200, 2)]
    assert set(first) == {f"{column}{row}" for column in "DEF" for row in "456"}
    assert max(map(first.count, first)) < 25
    for size in (2, 3, 4):
        assert Match(FAST, PLAIN, 2, size=size, central=True).opening(0).move_number == 2
    assert match.described()["central"]
    (tmp_path / "match.json").write_text(json.dumps(match.described()))
    with pytest.raises(TengenError, match="another match: its central is True"):
        Match(SIMPLE, OTHER, 200, opening_moves=1).play(tmp_path)
    with pytest.raises(TengenError, match="not both"):
        Match(FAST, PLAIN, 2, central=True, openings=(tengen.read("examples/finished-9x9.sgf"),))


def test_games_are_seen_from_the_first_players_side():
    assert Played(0, "black", "B+R", 50).score == 1
    assert Played(1, "white", "B+0.5", 50).score == 0
    assert Played(1, "white", "Draw", 50).score == 0.5
    assert all(math.isnan(Played(1, "white", result, 50).score) for result in ("Void", "?"))
    standing = Standing.of([Played(0, "black", "B+R", 9), Played(1, "white", "W+1", 9), Played(2, "black", "Draw", 9)])
    assert (standing.wins, standing.losses, standing.draws, standing.games) == (2, 0, 1, 3)
    assert standing.tally == "2 of 3 games"
    assert Standing(2, 1, 0, void=3).tally == "2 of 3 games, 3 more without a result"
    assert standing.score.value == pytest.approx(5 / 6)


def test_a_match_is_played_kept_and_resumed(tmp_path):
    match = Match(SIMPLE, OTHER, 2, size=5)
    seen = []
    standing = match.play(tmp_path, report=lambda game, _: seen.append(game))
    assert standing.games == len(seen) == 2
    records = [tengen.read(path) for path in sorted(tmp_path.glob("game-*.sgf"))]
    assert [record.players.black.name for record in records] == [SIMPLE.text, OTHER.text]
    assert all(record.result for record in records)
    assert all(record.moves[:2] == records[0].moves[:2] for record in records)
    (tmp_path / "game-0000.sgf").unlink()
    seen.clear()
    assert match.play(tmp_path, report=lambda game, _: seen.append(game)).games == 2
    assert [game.number for game in seen] == [0]
    assert Match(SIMPLE, OTHER, 1, size=5).play(tmp_path).games == 1  # the folder has one more
    with pytest.raises(TengenError, match="another match"):
        Match(OTHER, SIMPLE, 2, size=5).play(tmp_path)


def finished(number, result):
    record = record_of(tengen.Board(5))
    record.root.set("RO", str(number))
    record.root.set("RE", result)
    return record


def test_a_match_without_missing_games_starts_no_program(tmp_path):
    missing = Contestant("gtp:no-such-program")
    for number, result in enumerate(("B+R", "B+2.5")):
        finished(number, result).write(tmp_path / f"game-{number:04}.sgf")
    standing = Match(SIMPLE, missing, 2, size=5).play(tmp_path)
    assert (standing.wins, standing.losses) == (1, 1)
    with pytest.raises(EngineError):
        Match(SIMPLE, missing, 3, size=5).play(tmp_path)


def test_the_records_of_a_match_may_be_in_one_file(tmp_path):
    match = Match(SIMPLE, OTHER, 3, size=5)
    for number, result in ((0, "B+R"), (2, "W+1")):
        finished(number, result).write(tmp_path / f"game-{number:04}.sgf")
    parts = sorted(tmp_path.glob("game-*.sgf"))
    (tmp_path / "games.sgf").write_text("".join(path.read_text(encoding="utf-8") for path in parts), encoding="utf-8")
    parts[0].unlink()  # the other one is in both places
    seen = []
    match.play(tmp_path, report=lambda game, _: seen.append(game.number))
    assert seen == [1]
    assert [(game.number, game.score) for game in match.known(tmp_path)][::2] == [(0, 1.0), (2, 0.0)]


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[1]SZ[5]RE[B+R])",
        "(;GM[1]SZ[5]RE[B+R]RO[final])",
        f"(;GM[1]SZ[5]RE[B+R]RO[{'1' * 5000}])",
        "(;GM[1]SZ[5]RO[0])",
        "(;GM[1]SZ[9]RE[B+R]RO[0])",
        "(;GM[1]SZ[5]RO[0]RE[B+R])(;B[ba",
    ],
)
def test_joined_records_that_are_not_of_a_match_are_refused(tmp_path, text):
    (tmp_path / "games.sgf").write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match=r"games\.sgf"):
        Match(SIMPLE, OTHER, 2, size=5).play(tmp_path)


def test_records_that_contradict_each_other_are_refused_and_kept(tmp_path):
    match = Match(SIMPLE, OTHER, 2, size=5)
    finished(0, "B+R").write(tmp_path / "games.sgf")
    finished(0, "W+R").write(tmp_path / "game-0000.sgf")
    with pytest.raises(RecordError, match="two different records of game 0"):
        match.play(tmp_path)
    (tmp_path / "game-0000.sgf").rename(tmp_path / "game-0001.sgf")
    with pytest.raises(RecordError, match="this is game 0"):
        match.play(tmp_path)
    assert tengen.read(tmp_path / "game-0001.sgf").result == "W+R"


def test_a_decided_match_starts_no_program(tmp_path):
    for number in range(8):
        finished(number, "BW"[number % 2] + "+R").write(tmp_path / f"game-{number:04}.sgf")
    test = Sprt(0, 400)
    assert Match(SIMPLE, Contestant("gtp:no-such-program"), 20, size=5).play(tmp_path, sprt=test).wins == 8


def test_the_same_seeds_play_the_same_game():
    match = Match(FAST, SIMPLE, 2, size=5)
    assert match.play_game(1).moves == match.play_game(1).moves


def test_players_are_guided_by_models_of_a_name():
    guided = Contestant("tengen:playouts=20,guide=territory/bma,guide-as=priors,keep=1")
    assert guided.words()[2:] == ["--guide=territory/bma", "--guide-as=priors", "--keep=1"]
    game = Match(guided, SIMPLE, 2, size=5).play_game(0)
    assert game.result
    assert game.moves != Match(FAST, SIMPLE, 2, size=5).play_game(0).moves


def test_players_of_one_and_two_plies_play():
    players = [Contestant(f"tengen:kind={kind},guide=territory/naive") for kind in ("1-ply", "2-ply")]
    match = Match(*players, 2, size=5, opening_moves=1, central=True)
    game = match.play_game(0)
    assert game.result
    assert game.moves == match.play_game(0).moves


def test_a_sequential_test_stops_early(tmp_path):
    match = Match(SIMPLE, SIMPLE, 40, size=5)
    match.play(tmp_path / "none", sprt=Sprt(0, 2000, 0.45, 0.45))
    assert len(list((tmp_path / "none").glob("game-*.sgf"))) < 40


def test_a_program_that_cannot_start_ends_the_match(tmp_path):
    with pytest.raises(EngineError):
        Match(SIMPLE, Contestant("gtp:no-such-program"), 2).play(tmp_path)
    with pytest.raises(EngineError):
        Match(SIMPLE, Contestant("tengen:nonsense=1"), 2).play(tmp_path / "options")


def test_a_program_that_plays_nonsense_loses():
    match = Match(SIMPLE, Contestant(f"gtp:{' '.join(GTP)}"), 2, size=5, opening_moves=0)
    record = match.play_game(1)  # the other is Black and plays z99
    assert record.result == "W+F"
    assert "could not go on" in record.root["C"]


@pytest.mark.parametrize(
    ("second", "referee", "result", "why"),
    [
        ("crash=genmove", "", "Void", "white stopped answering"),
        ("crash=play", "", "Void", "white stopped answering"),
        ("refuse=play", "", "Void", "white did not take a legal move"),
        ("", "crash=final_score", "?", "the referee could not count"),
        ("", "refuse=final_score", "?", "the referee could not count"),
        ("", "refuse=play", "?", "the referee could not count"),
    ],
)
def test_a_game_that_cannot_be_finished_or_counted_has_no_result(tmp_path, second, referee, result, why):
    second, referee = Contestant(f"{OTHER.text} {second}"), Contestant(f"{SIMPLE.text} referee {referee}")
    match = Match(SIMPLE, second, 1, size=5, opening_moves=0, referee=referee)
    standing = match.play(tmp_path)
    assert (standing.games, standing.wins, standing.losses, standing.draws, standing.void) == (0, 0, 0, 0, 1)
    record = tengen.read(tmp_path / "game-0000.sgf")
    assert record.result == result
    assert why in record.root["C"]
    # It is not played again.
    assert match.play(tmp_path, report=lambda game, _: pytest.fail(f"game {game.number} was played")).void == 1


@pytest.mark.parametrize(
    ("trouble", "problem"),
    [("crash=komi", "cannot play"), ("refuse=komi", "cannot play"), ("crash=play", "cannot start game 1")],
)
def test_a_program_that_cannot_start_a_game_ends_the_match(tmp_path, trouble, problem):
    match = Match(SIMPLE, Contestant(f"{OTHER.text} {trouble}"), 2, size=5, opening_moves=1)
    with pytest.raises(EngineError, match=f"^player .*other {trouble}' {problem}: python"):
        match.play(tmp_path, at_once=1)
    assert not list(tmp_path.glob("*.sgf"))


def test_a_referee_must_know_the_board(tmp_path):
    referee = Contestant(f"{SIMPLE.text} referee refuse=boardsize")
    with pytest.raises(EngineError, match=r"^referee .* cannot count: python\S* refused 'boardsize 5': no"):
        Match(SIMPLE, OTHER, 1, size=5, referee=referee).play(tmp_path)


def test_a_referee_must_know_how_to_count(tmp_path):
    match = Match(SIMPLE, OTHER, 1, size=5, referee=Contestant(f"gtp:{' '.join(GTP)} clear_board play genmove"))
    with pytest.raises(EngineError, match="cannot count: it does not know final_score"):
        match.play(tmp_path)


def test_the_command_tells_games_without_a_result_apart(tmp_path):
    for number, result in enumerate(("B+R", "Void", "?")):
        finished(number, result).write(tmp_path / f"game-{number:04}.sgf")
    arguments = ("match", SIMPLE.text, OTHER.text, "-n", 3, "--size", 5, "--folder", tmp_path)
    assert "1 games: 1 won, 0 lost, 0 drawn" in (text := call(*arguments).stdout)
    assert "games without a result, not counted: 2 (their records give the reason)" in text
    summary = json.loads(call(*arguments, "-f", "json").stdout)
    assert (summary["games"], summary["void"], summary["score"][0]) == (1, 2, 1.0)


def test_a_crash_is_reported_without_a_score(tmp_path):
    crashing = f"{OTHER.text} crash=genmove"
    done = call("match", SIMPLE.text, crashing, "-n", 1, "--size", 5, "-f", "json")
    game, summary = map(json.loads, done.stdout.splitlines())
    assert (game["result"], game["score"]) == ("Void", None)
    assert (summary["games"], summary["void"], summary["score"][0]) == (0, 1, None)
    done = call("match", SIMPLE.text, crashing, "-n", 1, "--size", 5)
    assert "has no result as black, Void" in done.stderr
    assert done.stdout.splitlines()[1:] == [
        "0 games: 0 won, 0 lost, 0 drawn",
        "games without a result, not counted: 1 (use --folder to keep their records, which give the reason)",
    ]


@needs_gnugo
def test_gnugo_plays_and_counts():
    match = Match(PLAIN, Contestant("gnugo:level=0"), 2, size=5, referee=Contestant("gnugo"))
    assert match.play_game(0).result[:2] in ("B+", "W+", "Dr")


def test_the_command_says_the_score():
    done = call("match", FAST.text, SIMPLE.text, "-n", 2, "--size", 5, "-f", "json")
    *games, summary = map(json.loads, done.stdout.splitlines())
    assert sorted(game["game"] for game in games) == [0, 1]
    assert summary["wins"] + summary["losses"] + summary["draws"] == 2
    assert len(summary["elo"]) == len(summary["score"]) == 3


def test_a_match_that_is_interrupted_leaves_whole_games_and_no_programs(tmp_path):
    players = ["tengen:playouts=2000", SIMPLE.text]
    argv = [sys.executable, "-m", "tengen", "match", *players, "-n", "50", "--folder", str(tmp_path)]
    process = subprocess.Popen(argv, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not ((tmp_path / "match.json").exists() and (children := _children(process.pid))):  # the games have begun
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert all(gone(pid) for pid in children)
    results = {tengen.read(path).result for path in tmp_path.glob("game-*.sgf")}
    assert not [result for result in results if result == "Void" or result.endswith("F")]


def _children(pid):
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    if not tasks.exists():
        pytest.skip("this system does not list the children of a process")
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def bad_match(*arguments):
    """Run a match that cannot be played; return what it wrote to stderr."""
    done = call("match", *arguments, "-n", 2, "--size", 5, code=2)
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        ("foo", "'foo' is not a player"),
        ("tengen:playouts=x", "player 'tengen:playouts=x' cannot play: Invalid value for '--playouts'"),
        ("tengen:speed=3", "player 'tengen:speed=3' cannot play: No such option: --speed"),
        ("tengen:kind=odd", "player 'tengen:kind=odd' cannot play: "),
        ("tengen:kind=1-ply", "player 'tengen:kind=1-ply' cannot play: "),
        ("tengen:guide=odd", "player 'tengen:guide=odd' cannot play: "),
        ("gnugo:level=x", "a level is a whole number, not 'x'"),
        ("gtp:/no/such/program", "player 'gtp:/no/such/program' cannot play: /no/such/program was not found"),
        ("gtp:/bin/true", "player 'gtp:/bin/true' cannot play: true ended while answering 'list_commands'"),
    ],
)
def test_a_bad_player_is_named_in_one_line(tmp_path, player, reason):
    for players in ([player, SIMPLE.text], [SIMPLE.text, player]):
        said = bad_match(*players, "--folder", tmp_path / "games")
        assert said.startswith(f"tengen match: {reason}")
        assert said.count("\n") == 1
        assert said.rstrip("\n").isprintable()
        assert "─" not in said
        assert not (tmp_path / "games").exists()  # the match can be played with the right player


def test_a_match_that_fails_ends_in_silence():
    said = run("match", "gtp:/no/such/program", SIMPLE.text, code=2).stderr
    assert said.count("\n") == 1


def test_a_program_that_is_no_engine_is_refused(tmp_path):
    deaf = tmp_path / "deaf.py"
    deaf.write_text("import sys\nfor line in sys.stdin: print('=' + line.split()[0], 'play\\n', flush=True)\n")
    said = bad_match(f"gtp:{sys.executable} {deaf}", SIMPLE.text)
    assert "cannot play: it does not know clear_board" in said
    assert said.count("\n") == 1


def test_a_program_that_does_not_speak_gtp_is_refused_at_once():
    said = bad_match("gtp:cat", SIMPLE.text)
    assert said == (
        "tengen match: player 'gtp:cat' cannot play: cat does not speak GTP: "
        "it answered 'list_commands' with '1 list_commands'\n"
    )


def test_a_program_that_does_not_answer_is_given_up():
    said = bad_match("gtp:sleep 1000", SIMPLE.text, "--patience", 1)
    assert "cannot play: sleep did not answer in time" in said
    assert Match(FAST, PLAIN, 2).patience == 20


def test_no_thread_outlives_a_match_that_fails(tmp_path):
    match = Match(SIMPLE, OTHER, 2, size=5)
    before = set(threading.enumerate())

    def stop(game, standing):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        match.play(tmp_path, report=stop)
    assert not [thread for thread in set(threading.enumerate()) - before if "_play_into" in thread.name]


def test_other_weights_in_the_same_file_are_another_player(tmp_path):
    path = tmp_path / "guide.safetensors"
    path.write_bytes(b"first")
    match = Match(Contestant(f"tengen:kind=1-ply,guide={path}"), Contestant("gnugo:level=1"), 2)
    before = match.described()
    assert before["first"] == "tengen:kind=1-ply,guide=guide.safetensors"
    assert before["first files"].keys() == {"guide"}
    path.write_bytes(b"second")
    assert match.described()["first files"] != before["first files"]
    plain = Match(Contestant("tengen:playouts=10"), Contestant("gnugo"), 2).described()
    assert not [key for key in plain if "files" in key]


def test_the_same_weights_in_another_folder_are_the_same_player(tmp_path):
    paths = [tmp_path / folder / "guide.safetensors" for folder in ("here", "there")]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes(b"weights")
    players = [Contestant(f"tengen:kind=1-ply,guide={path}") for path in paths]
    first, second = (Match(player, SIMPLE, 2, referee=player).described() for player in players)
    assert first == second
    assert first["referee files"] == first["first files"]
    assert players[0].text != players[1].text
