"""Leads and winrates calibrated: what is fitted is found again, and what must hold for any table."""

import math

import numpy as np
import pytest

import tengen
from tengen.errors import ModelError
from tengen.go.positions import Positions
from tengen.models.base import OwnershipModel
from tengen.models.calibration import KNOTS, Calibration, LabelledLeads, fit_calibration
from tengen.models.evaluator import Evaluations
from tengen.models.leads import completed


def made(slope=0.5, tempo=3.0, extra=2.0, kappa=4.0, side=9.0):
    """The same slope, tempo, extra and κ at every knot but the first, which belongs to settled boards."""
    table = np.tile([side, slope, tempo, extra, math.log(kappa)], (1, len(KNOTS), 1)).astype(float)
    table[0, 0, 1:4] = 1, 0, 0
    return table


def random_positions(n, size=9, seed=0):
    random = np.random.default_rng(seed)
    stones = random.choice(np.array([-1, 0, 1], np.int8), (n, size, size), p=[0.2, 0.6, 0.2])
    turns = random.choice([-1, 1], n)
    bias, doubt = random.normal(0, 0.4, (n, 1, 1)), random.uniform(0, 2, (n, 1, 1))
    ownership = np.tanh(random.normal(bias, 1, stones.shape) * doubt)
    return Positions.of_stones(stones, turns), Evaluations(ownership=ownership)


class Half(OwnershipModel):
    """Every point is half Black's."""

    name = "test/half"

    def ownership(self, board):
        return np.full(board.stones.shape, 0.5)


def test_a_table_that_was_applied_is_found_again():
    positions, said = random_positions(4000)
    truth = Calibration(made()).apply(said, positions)
    found = fit_calibration([LabelledLeads(positions, said, truth.lead, truth.winrate)])
    again = Calibration(found).apply(said, positions)
    assert np.abs(again.lead - truth.lead).mean() < 0.05 * np.abs(truth.lead).mean()
    assert np.abs(again.winrate - truth.winrate).mean() < 0.005
    assert found[0, 0, 1:4].tolist() == [1, 0, 0]


def test_a_settled_board_keeps_its_count_whoever_moves():
    board = tengen.Board.from_text(["X.X", "XXX", ".XX"], komi=3.5)
    said = Evaluations(ownership=np.ones((1, 3, 3)))
    plain = completed(said, Positions.of([board]))
    assert Calibration(made()).apply(said, Positions.of([board])).lead.tolist() == plain.lead.tolist() == [5.5]


def test_the_player_to_move_is_better_off_and_colours_are_equal():
    model = Half()
    model.calibration_ = made(tempo=3.0)
    black, white = (tengen.Board.from_text(["...", "...", "..."], komi=0, to_play=turn) for turn in ("black", "white"))
    first, second = (tengen.estimate(board, model=model) for board in (black, white))
    assert first.lead - second.lead == pytest.approx(2 * 3.0 * np.interp(0.75, KNOTS, [0, 1, 1, 1, 1, 1]))
    assert first.winrate > second.winrate
    positions, said = random_positions(20)
    mirrored = Positions.of_stones(-positions.stones, -positions.to_play)
    free = [Positions(**{**vars(each), "komi": np.zeros(20)}) for each in (positions, mirrored)]
    one, other = (
        Calibration(made()).apply(Evaluations(ownership=sign * said.ownership), each)
        for sign, each in zip((1, -1), free, strict=True)
    )
    assert one.lead == pytest.approx(-other.lead)
    assert one.winrate == pytest.approx(1 - other.winrate)


def test_further_moves_are_worth_something_unless_prisoners_are_not_known():
    rows = [["XX.", "O..", "..."], ["XX.", "...", "..."]]
    even, ahead = (Positions.of([tengen.Board.from_text(each, komi=0)]) for each in rows)
    taken = Positions(**{**vars(ahead), "captures": np.array([[1, 0]])})  # a white stone that Black has taken
    unknown = Positions(**{**vars(ahead), "captures": np.array([[0, 30]])})
    said = Evaluations(ownership=np.zeros((1, 3, 3)))
    leads = [Calibration(made(tempo=0.0)).apply(said, each).lead[0] for each in (even, ahead, taken, unknown)]
    assert leads == [2.0, 4.0, 2.0, 0.0]


def test_after_two_passes_nobody_is_to_move():
    positions, said = random_positions(5)
    over = Positions(**{**vars(positions), "passes": np.full(5, 2, np.int8)})
    with_turn, without = (Calibration(made(tempo=t)).apply(said, over).lead for t in (3.0, 0.0))
    assert with_turn.tolist() == without.tolist()


def test_leads_and_winrates_of_a_model_are_its_own():
    positions, said = random_positions(5)
    given = Evaluations(said.ownership, winrate=np.full(5, 0.3), lead=np.arange(5.0), lead_sd=np.full(5, 7.0))
    found = Calibration(made(slope=1.0, tempo=0.0, extra=0.0)).apply(given, positions)
    assert found.lead == pytest.approx(given.lead)
    assert (found.winrate.tolist(), found.lead_sd.tolist()) == ([0.3] * 5, [7.0] * 5)


def test_sizes_between_two_are_in_between():
    table = np.concatenate([made(slope=0.4, side=9.0), made(slope=0.8, side=19.0)])
    areas = []
    for size in (5, 9, 14, 19, 25):
        stones = np.zeros((1, size, size), np.int8)
        positions = Positions.of_stones(stones)
        said = Evaluations(ownership=np.full(stones.shape, 0.1))
        areas.append(float(Calibration(table).apply(said, positions).lead[0] + positions.komi[0]) / (0.1 * size**2))
    assert areas == pytest.approx([0.4, 0.4, 0.6, 0.8, 0.8])


def test_knots_without_positions_follow_their_neighbours():
    positions, said = random_positions(500)
    sure = Evaluations(ownership=np.where(said.ownership > 0, 0.7, -0.7))  # the openness is 0.51 everywhere
    truth = 0.5 * completed(sure, positions).lead
    found = fit_calibration([LabelledLeads(positions, sure, truth, np.full(500, np.nan))])
    assert found[0, 4:, 1] == pytest.approx(found[0, 3, 1])
    assert np.interp(0.51, KNOTS, found[0, :, 1]) == pytest.approx(0.5, abs=0.02)
    assert found[0, :, 4] == pytest.approx(math.log(2))
    assert fit_calibration([LabelledLeads(positions, sure, np.full(500, np.nan), np.full(500, 0.5))]) is None


def test_a_calibration_is_kept_in_the_file_and_checked(tmp_path):
    model = tengen.load("territory/influence")
    plain = model.identity
    model.calibration_ = made()
    model.save(tmp_path / "model.safetensors")
    again = tengen.load(tmp_path / "model.safetensors")
    board = tengen.read("examples/finished-9x9.sgf").board(30)
    assert tengen.estimate(board, model=again).lead == tengen.estimate(board, model=model).lead
    assert again.identity == model.identity != plain
    model.calibration_ = made()[:, :3]
    model.save(tmp_path / "broken.safetensors")
    with pytest.raises(ModelError, match=r"broken.safetensors: a calibration is an array"):
        tengen.load(tmp_path / "broken.safetensors")
