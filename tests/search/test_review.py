"""Reviews: leads and winrates after every move, and the swings that noise does not explain."""

import copy
import pickle
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import tengen
from tengen.errors import TengenError
from tengen.go.positions import as_positions
from tengen.models.base import OwnershipModel
from tengen.models.evaluator import Evaluations
from tengen.models.registry import CLASSICAL
from tengen.search.review import ReviewedMove, Reviewer, Swing, largest, review
from tengen.search.review_classical import ByPlayouts, position_noise, swings_of
from tengen.search.review_course import Count, Limits, Look, Value, smooth
from tengen.search.review_net import ERROR, WEIGHTS, ByNetwork
from tengen.search.review_sgf import MARK
from tengen.search.review_text import nice, signed

GAME = "examples/finished-9x9.sgf"


@pytest.fixture(scope="module")
def game():
    return tengen.read(GAME)


@pytest.fixture(scope="module")
def searched(game):
    return game.review(playouts=20)


@pytest.fixture(scope="module")
def reviewed(searched):
    """A review with two swings, whatever the search makes of the game."""
    lost = Swing(11, "black", "C3", "black", 9.5, 4.0, "D4")
    gained = Swing(30, "white", "F5", "black", 7.0, 3.5)
    return replace(searched, swings=(lost, gained))


@pytest.fixture(params=["default", CLASSICAL])
def model(request):
    """The two ways to review a game."""
    return request.param


def by(method, playouts=0):
    """A method without a model, to be asked about the course of a game only."""
    limits = Limits(playouts)
    return ByNetwork("", None, limits, None) if method is ByNetwork else ByPlayouts("", None, limits)


def noisy(lead, seed=0, sd=1.0, bias=4.0):
    """A lead with noise and the bias towards the side that moved last that static models have."""
    dice = np.random.default_rng(seed)
    return np.array(lead, float) + dice.normal(0, sd, len(lead)) + bias * (-1.0) ** np.arange(len(lead))


def listed(raw, lead_sd=1.0):
    """The swings of a made-up course of the lead."""
    steps, chance = swings_of(raw)
    noises = np.hypot(chance, lead_sd).tolist()
    moves = [ReviewedMove(n, "black" if n % 2 else "white", "D4", 0.0, 0.5, 5.0, steps[n]) for n in range(1, len(raw))]
    return largest(tuple(moves), noises, 1.5, 4)


# The course of a game.


def test_every_move_is_reviewed(game, model):
    found = game.review(model=model, playouts=5)
    assert [(move.colour, move.point) for move in found.moves] == game.moves
    assert [move.move for move in found.moves] == list(range(1, len(game) + 1))
    assert all(0 <= move.winrate <= 1 and move.lead_sd >= 0 for move in found.moves)


@pytest.mark.parametrize("playouts", [0, 20])
def test_the_last_lead_of_a_counted_game_is_the_count(game, model, playouts):
    *_, before, first_pass, last = game.review(model=model, playouts=playouts).moves
    for move in (before, first_pass, last):
        assert (move.lead, move.lead_sd) == (tengen.score(game).lead, 0) == (-8, 0)
        assert move.winrate == pytest.approx(0)
    assert game.review(model=model, playouts=0, komi=-2.0).moves[-1].winrate == pytest.approx(1)
    assert game.review(model=model, playouts=0, komi=-1.0).moves[-1].winrate == 0.5


def test_a_record_with_a_margin_needs_no_passes(game):
    text = game.sgf().replace(";W[];B[]", "")
    assert tengen.Game.from_sgf(text).review(playouts=0).moves[-1].lead == -8
    assert tengen.Game.from_sgf(text.replace("RE[W+8", "RE[W+R")).review(playouts=0).moves[-1].lead_sd > 0


@pytest.mark.parametrize("method", [ByNetwork, ByPlayouts])
def test_the_count_corrects_the_moves_before_it_less_and_less(method):
    looks = [Look(Value(0.0, 0.5), 10.0)] * 40
    plain, corrected = (by(method).course(looks, 0.0, count) for count in (None, Count(37, 6.0)))
    assert corrected.leads[37:] == [6.0] * 3
    assert [round(corrected.leads[37 - moves], 2) for moves in (8, 16)] == [2.21, 0.81]
    assert corrected.winrates[37:] == pytest.approx([1.0] * 3)
    assert plain.winrates[30] == 0.5 < corrected.winrates[21] < corrected.winrates[29] < 1
    assert all(0 <= now <= usual for now, usual in zip(corrected.errors, plain.errors, strict=True))
    assert corrected.errors[0] == pytest.approx(plain.errors[0], rel=0.001)
    assert corrected.swings == plain.swings


def test_an_open_end_is_not_counted():
    moves = tengen.Game.from_sgf("(;SZ[9]KM[7];B[ee];W[];B[])").review(playouts=0).moves
    assert moves[-1].lead_sd > 0


def test_the_answer_repeats_and_does_not_depend_on_workers(game, model):
    once = review(game, model=model, playouts=20)
    assert review(game, model=model, playouts=20, workers=3) == once


def test_playouts_depend_on_the_seed(game):
    one, other = (review(game, model=CLASSICAL, playouts=20, seed=seed) for seed in (0, 1))
    assert one != other


def test_swings_are_sentences(reviewed):
    assert list(map(str, reviewed.swings)) == [
        "move 11, Black C3, loses 9.5 ± 4.0 points; better D4",
        "move 30, White F5, gains: Black loses 7.0 ± 3.5 points",
    ]


def test_a_review_can_be_pickled(reviewed):
    assert pickle.loads(pickle.dumps(reviewed)) == reviewed


def test_komi_and_rules_can_be_replaced(game, model):
    usual, more = (game.review(model=model, playouts=0, komi=komi) for komi in (None, game.komi + 10))
    exactly = 1e-6 if model == CLASSICAL else 3  # a network plays for the win, so komi changes what it expects
    assert more.moves[20].lead == pytest.approx(usual.moves[20].lead - 10, abs=exactly)
    assert more.moves[20].swing == pytest.approx(usual.moves[20].swing, abs=exactly)
    assert "japanese" in game.review(playouts=0, rules="japanese").about


def test_closing_passes_change_nothing(game):
    last_move = game.moves[-1]
    assert last_move.point == "pass"
    leads = [move.lead for move in game.review(playouts=0).moves[-2:]]
    assert leads[0] == pytest.approx(leads[1], abs=2)


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ({}, "net/small, swings checked with 32 playouts"),
        ({"playouts": 0}, "net/small alone"),
        ({"model": CLASSICAL}, "territory/pattern-crf and 100 playouts per position"),
        ({"model": CLASSICAL, "seconds": 0.5}, "territory/pattern-crf and 0.5 seconds per position"),
        ({"model": CLASSICAL, "playouts": 0}, "territory/pattern-crf alone"),
    ],
)
def test_the_method_is_described(options, method):
    assert Reviewer(**options).method(tengen.Board(9)).title == method


def test_the_model_alone_needs_no_search(game, model):
    assert all(swing.better is None for swing in game.review(model=model, playouts=0).swings)


@pytest.mark.filterwarnings("ignore::tengen.errors.FallbackWarning")
def test_boards_that_are_too_small_for_the_network_are_reviewed_by_playouts():
    found = tengen.Game.from_sgf("(;SZ[3];B[bb];W[aa])").review(playouts=5)
    assert found.method == "territory/pattern-crf and 5 playouts per position"


def test_a_record_without_moves_has_an_empty_review():
    found = tengen.Game.from_sgf("(;SZ[9]AB[ee])").review(playouts=5)
    assert (found.moves, found.swings) == ((), ())
    assert found.text().split("move |")[1].split("\n")[0] == "0"
    assert ET.fromstring(found.svg()).tag.endswith("svg")


def test_illegal_moves_and_rectangular_boards_are_reviewed():
    found = tengen.Game.from_sgf("(;SZ[5:7];B[aa];W[aa];B[bb];W[];B[cc])").review(playouts=5)
    assert len(found.moves) == 5


def test_bad_arguments_are_refused(game):
    for options in ({"playouts": -1}, {"seconds": -1}, {"model": "no/such"}, {"workers": 0}, {"komi": float("nan")}):
        with pytest.raises(TengenError):
            game.review(**options)
    with pytest.raises(TengenError, match="only a Game can be reviewed, not Board"):
        review(game.board())


def test_progress_ends_with_all_positions(game):
    seen = []
    game.review(playouts=0, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][0] == seen[-1][1]


# Reviews by a network.


def test_leads_and_winrates_are_averages_of_what_the_network_says(game):
    found, said = game.review(playouts=0), [tengen.estimate(game.board(number)) for number in range(16)]
    at = found.moves[9]  # the position after ten moves
    for value, name in ((at.lead, "lead"), (at.lead_sd / ERROR, "lead_sd")):
        near = [getattr(said[number], name) for number in range(8, 13)]
        assert value == pytest.approx(np.average(near, weights=WEIGHTS), rel=0.01)
    assert at.winrate == pytest.approx(np.average([each.winrate for each in said[8:13]], weights=WEIGHTS), abs=0.01)
    assert at.swing == pytest.approx(said[10].lead - said[9].lead)


def test_a_network_in_a_file_searches_by_itself(game):
    network = tengen.load("net/small")
    assert Reviewer(model=network).method(game.board(0)).guide is network
    assert Reviewer().method(game.board(0)).guide == "net/fast"


class Vital(OwnershipModel):
    """An evaluator to which E5 is worth twenty points, to the one who has it or can play there."""

    name = "net/vital"
    gives = frozenset({"policy", "winrate", "lead"})

    def evaluate(self, positions):
        positions = as_positions(positions)
        there = positions.stones[:, 4, 4].astype(float)
        lead = 20 * np.where(there == 0, positions.to_play, there)
        policy = positions.legal * 1.0
        policy[:, 4 * 9 + 4] *= 200
        policy /= policy.sum(1, keepdims=True)
        return Evaluations(policy=policy, winrate=(lead > 0) * 0.8 + 0.1, lead=lead)


class Fickle(Vital):
    """An evaluator that sees Black ahead until there are some number of stones, and then White."""

    name = "net/fickle"
    stones: int = 5

    def evaluate(self, positions):
        lead = np.where((as_positions(positions).stones != 0).sum((1, 2)) < self.stones, 20.0, -20.0)
        return replace(super().evaluate(positions), winrate=(lead > 0) * 0.8 + 0.1, lead=lead)


MISSED = "(;SZ[9]KM[7];B[cc];W[gg];B[cg];W[gc];B[cb])"


def test_a_missed_point_is_a_swing_with_a_better_move():
    found = tengen.Game.from_sgf(MISSED).review(model=Vital(), playouts=20)
    assert [move.swing for move in found.moves] == [-40.0, 40.0, -40.0, 40.0, -40.0]
    assert sorted((swing.move, swing.loser, swing.better) for swing in found.swings) == [
        (move, "black" if move % 2 else "white", "E5") for move in range(1, 6)
    ]


def test_a_swing_that_a_search_by_the_network_does_not_see_is_not_listed():
    game = tengen.Game.from_sgf(MISSED)
    assert [swing.move for swing in game.review(model=Fickle(), playouts=0).swings] == [5]
    assert game.review(model=Fickle(), playouts=20).swings == ()


def test_a_gain_of_the_side_that_moved_is_not_listed():
    found = tengen.Game.from_sgf(MISSED).review(model=Fickle(stones=4), playouts=0)
    assert [move.swing for move in found.moves] == [0.0, 0.0, 0.0, -40.0, 0.0]
    assert found.swings == ()


def test_a_swing_below_its_noise_is_not_listed():
    looks = [Look(Value(lead, 0.5), spread) for lead, spread in ((0.0, 3.0), (5.0, 3.0), (6.0, 0.3), (8.0, 0.3))]
    found = by(ByNetwork).course(looks, 0.0)
    assert found.swings == [0.0, 5.0, 1.0, 2.0]
    moves = tuple(ReviewedMove(n, "black", "D4", 0.0, 0.5, 1.0, swing) for n, swing in enumerate(found.swings))[1:]
    assert [swing.move for swing in largest(moves, found.noises, 1.0, 1)] == [1, 3]
    assert largest(moves, found.noises, 2.0, 1) == []


# Reviews by playouts: smoothing, swings and noise.


def test_smoothing_keeps_a_line_and_removes_the_bias_of_the_last_mover():
    for weights in (WEIGHTS, (1, 2, 3, 2, 1)):
        assert smooth(np.full(9, 3.0), weights) == pytest.approx(np.full(9, 3.0))
        assert smooth(np.arange(9.0), weights)[2:-2] == pytest.approx(np.arange(2.0, 7.0))
    assert np.abs(smooth((-1.0) ** np.arange(40), (1, 2, 3, 2, 1))[2:-2]).max() < 0.12
    assert smooth(np.array([1.0, 5.0]), WEIGHTS) == pytest.approx([9 / 5, 21 / 5])


def test_the_search_decides_the_winrate_where_the_lead_is_even():
    komi = 7.0 * 1.15
    looks = [Look(Value(7.0 - komi, 0.5), 10.0, 1, Value(7.0 - komi, 0.9))] * 3
    assert by(ByPlayouts, 100).course(looks, komi).winrates[1] == pytest.approx(0.9, abs=0.05)


def test_noise_alone_is_no_swing():
    assert not any(listed(noisy([0] * 120, seed), lead_sd=3.0) for seed in range(20))


def test_a_step_is_found_where_it_is_with_its_size():
    for seed in range(10):
        swing = listed(noisy([0] * 60 + [-12] * 60, seed))[0]
        assert abs(swing.move - 60) <= 1
        assert swing.points == pytest.approx(12, abs=2.5)
        assert swing.loser == "black"
        assert 1.0 < swing.noise < 1.7


def test_the_noise_of_positions_is_measured_beside_steps_and_bias():
    for sd in (0.5, 2.0):
        noise = np.median(position_noise(noisy([0] * 100 + [30] * 100, 1, sd)))
        assert noise == pytest.approx(sd, rel=0.35)


def test_a_noisier_game_lists_less():
    lead = [0] * 40 + [-6] * 40
    assert listed(noisy(lead, 2, 0.5))
    assert len(listed(noisy(lead, 2, 6.0), lead_sd=6.0)) == 0


@pytest.mark.parametrize("length", range(1, 8))
def test_short_games_have_swings_of_nothing(length):
    steps, noises = swings_of(np.zeros(length))
    assert len(steps) == len(noises) == length
    assert not any(steps)


def test_two_swings_are_not_the_same_moves():
    swings = listed(noisy([0] * 40 + [-15] * 30 + [10] * 40, 3))
    moves = sorted(swing.move for swing in swings)
    assert all(b - a >= 4 for a, b in pairwise(moves))
    assert [swing.points for swing in swings] == sorted((swing.points for swing in swings), reverse=True)


class Doubtful(OwnershipModel):
    """A model that calls an early stone dead for a while, which no search confirms."""

    name = "territory/doubtful"

    def ownership(self, board):
        return np.full((board.height, board.width), -0.9 if board.move_number >= 20 else 0.9)


def test_a_swing_that_a_deeper_search_does_not_see_is_not_listed(game):
    alone = review(game, model=Doubtful(), playouts=0)
    assert [swing.move for swing in alone.swings][:1] == [20]
    searched = review(game, model=Doubtful(), playouts=10)
    assert 20 not in [swing.move for swing in searched.swings]


# Text, SVG, JSON and SGF.


def test_the_text_has_a_graph_the_swings_and_every_move(reviewed):
    text = reviewed.text()
    assert text.startswith(f"{GAME}: GNU Go 3.8 – GNU Go 3.8\n9×9, chinese, komi 7, 45 moves, W+8\n")
    assert "evaluated by net/small, swings checked with 20 playouts\n" in text
    assert text.count("*") >= 40
    assert all(str(swing) in text for swing in reviewed.swings)
    *rows, legend, more = text.split("Black's lead   Black wins   swing\n")[1].splitlines()
    assert len(rows) == len(reviewed.moves)
    assert legend == "swing: the lead after a move minus that before it, without averaging;"
    assert "not the difference" in more
    assert rows[0].split()[:3] == ["1", "B", "F6"]


def test_a_long_slide_without_a_swing_is_named(searched):
    leads = [5.0] * 10 + [5.0 - step for step in range(20)] + [-14.0] * 15
    moves = [replace(move, lead=lead, lead_sd=3.0) for move, lead in zip(searched.moves, leads, strict=True)]
    slid = replace(searched, start_lead=5.0, moves=tuple(moves), swings=())
    assert "\n  between moves 11 and 30 Black's lead fell from +5.0 to -14.0\n" in slid.text()
    listed = replace(slid, swings=(Swing(20, "white", "F5", "black", 19.0, 3.5),))
    assert "Black's lead fell" in listed.text()
    noisy = replace(slid, moves=tuple(replace(move, lead_sd=10.0) for move in moves))
    assert "Black's lead fell" not in noisy.text()


def test_the_graph_needs_only_ascii(reviewed):
    graph = reviewed.text().split("\n\n")[1]
    assert graph.isascii()
    assert max(map(len, graph.splitlines())) <= 80


def test_numbers_are_written_plainly():
    assert [signed(value) for value in (1.26, -0.04, 0.0, -3)] == ["+1.3", "0.0", "0.0", "-3.0"]
    assert [nice(value) for value in (1, 5.1, 20, 21, 99, 101)] == [5, 10, 20, 50, 100, 200]


def test_the_picture_names_the_game_its_axes_and_its_swings(reviewed):
    root = ET.fromstring(reviewed.svg())
    words = [element.text for element in root.iter() if element.text and element.text.strip()]
    for label in (reviewed.title, "Black's lead in points", "Black's winrate", "move", "50 %", "B+10", "W+10"):
        assert label in words
    assert [word for word in words if word[:2] == "1."] == [f"1. {reviewed.swings[0]}"]
    sizes = [float(element.get("font-size")) for element in root.iter() if element.get("font-size")]
    assert min(sizes) >= 12


def test_titles_are_escaped_in_the_picture():
    game = tengen.Game.from_sgf("(;SZ[5]PB[<b>&co]PW[x];B[cc];W[bb])")
    assert ET.fromstring(game.review(playouts=0).svg()) is not None


def test_json_has_every_move_and_swing(reviewed):
    known = reviewed.json()
    assert list(known["moves"][0]) == ["move", "colour", "point", "lead", "winrate", "lead_sd", "swing"]
    assert list(known["swings"][0]) == ["move", "colour", "point", "loser", "points", "noise", "better"]
    assert len(known["moves"]) == 45


def test_comments_stand_beside_those_that_were_there_and_are_replaced(reviewed):
    game = tengen.read(GAME)
    node = game.main_line()[3]
    node.set("C", "a [fine] move\nwith two lines")
    node.set("V", "99")
    before = game.sgf()
    once = reviewed.annotated(game)
    assert game.sgf() == before
    lines = once.main_line()[3]["C"].split("\n")
    assert lines[:2] == ["a [fine] move", "with two lines"]
    assert re.match(f"{MARK}(Black|White) leads by ", lines[2])
    assert once.main_line()[3]["V"] == "99"  # another program's
    assert once.main_line()[4]["V"] == signed(reviewed.moves[3].lead).removeprefix("+")
    assert once.moves == game.moves
    assert reviewed.annotated(once).sgf() == once.sgf()
    other = tengen.read(GAME).review(model=CLASSICAL, playouts=0).annotated(once)
    assert sum(line.startswith(MARK) for line in other.main_line()[5]["C"].split("\n")) == 1
    assert other.main_line()[4]["V"] != once.main_line()[4]["V"]


def test_swings_are_in_the_comments(reviewed):
    nodes = reviewed.annotated(tengen.read(GAME)).main_line()
    for swing in reviewed.swings:
        assert f"{MARK}{swing}" in nodes[swing.move]["C"]


def test_the_root_comment_names_illegal_moves_and_points_outside():
    game = tengen.Game.from_sgf("(;SZ[5]KM[6]RU[chinese]C[mine];B[aa];W[aa];B[zz];W[bb])")
    found = game.review(playouts=0)
    assert len(found.warnings) == 2
    lines = found.annotated(game).root["C"].split("\n")
    assert lines[0] == "mine"
    assert lines[2:] == [f"{MARK}note: {warning}" for warning in found.warnings]


def test_a_reviewer_is_picklable():
    reviewer = Reviewer(playouts=5)
    assert pickle.loads(pickle.dumps(reviewer)) == reviewer == copy.copy(reviewer)
