"""Fields on the grid: the classes of neighbours, their Ising form, the models and their words."""

from itertools import product

import numpy as np
import pytest

import tengen
from models.learning import positions
from tengen.errors import ModelError
from tengen.territory.coupling import Boltzmann5, CouplingCrf, PatternCrf
from tengen.territory.coupling_classes import (
    BLACK,
    CLASSES,
    EMPTY,
    WHITE,
    boltzmann5,
    ising_form,
    log_potentials_of,
    parameters_of,
)
from tengen.territory.ising import INFERENCES, Solver, grid_edges, grid_graph, infer
from tengen.territory.playouts import PlayoutOwner

COLOURS = {"b": BLACK, "w": WHITE, "e": EMPTY}

BY_HAND = {
    "bb": ["++", "+- -+", "--"],
    "bw": ["++ --", "+-", "-+"],
    "be": ["++", "+-", "-+", "--"],
    "ee": ["++ --", "+- -+"],
}
"""The twelve classes, in their order, as the paper's rules give them."""

WALL = """
    . . X O . .
    . . X O . .
    . . X O . .
    . . X O . .
"""


def test_the_classes_are_those_found_by_hand():
    number = 0
    for pair, classes in BY_HAND.items():
        for spins in classes:
            for first, second in spins.split():
                place = (*(COLOURS[c] for c in pair), "+-".index(first), "+-".index(second))
                assert CLASSES[place] == number
            number += 1
    assert number == 12
    assert set(CLASSES.ravel()) == set(range(12))


def test_swapping_ends_and_reversing_colours_keep_the_class():
    for a, b, s, t in product(range(3), range(3), range(2), range(2)):
        assert CLASSES[a, b, s, t] == CLASSES[b, a, t, s] == CLASSES[2 - a, 2 - b, 1 - s, 1 - t]


def test_a_table_is_its_ising_form_up_to_a_constant():
    potentials = np.random.default_rng(1).normal(size=12)
    coupling, first, second = ising_form(potentials)
    for a, b in product(range(3), repeat=2):
        table = potentials[CLASSES[a, b]]
        made = [[coupling[a, b] * s * t + first[a, b] * s + second[a, b] * t for t in (1, -1)] for s in (1, -1)]
        assert np.ptp(table - made) < 1e-12


def test_eight_numbers_are_all_there_is_to_know():
    random = np.random.default_rng(2)
    numbers = random.normal(size=8)
    assert parameters_of(log_potentials_of(numbers)) == pytest.approx(numbers)
    potentials = random.normal(size=12)
    fixed = log_potentials_of(parameters_of(potentials))
    assert np.allclose(fixed[CLASSES].sum((2, 3)), 0)
    assert all(np.allclose(a, b) for a, b in zip(ising_form(potentials), ising_form(fixed), strict=True))


def test_boltzmann5_is_the_model_of_stern():
    """exp(w s_i s_j + h(c_i) s_i + h(c_j) s_j) for every edge, with h of a stone only."""
    coupling, first, second = ising_form(log_potentials_of(boltzmann5(4.0, 3.0, 2.0, 1.0, 0.5)))
    field = np.array([-0.5, 0.0, 0.5])
    assert first == pytest.approx(np.repeat(field[:, None], 3, 1))
    assert second == pytest.approx(np.repeat(field[None], 3, 0))
    assert coupling == pytest.approx(np.array([[4, 2, 3], [2, 1, 2], [3, 2, 4]]))


@pytest.mark.parametrize(
    "make", [Boltzmann5, CouplingCrf, lambda **given: PatternCrf(unary="territory/naive", **given)]
)
def test_a_wall_gives_each_side_its_corner(make):
    board = tengen.Board.from_text(WALL)
    for inference in INFERENCES:
        ownership = make(inference=inference).ownership(board)
        assert (ownership[:, :3] > 0.1).all()
        assert (ownership[:, 3:] < -0.1).all()


def test_all_inferences_agree_on_a_board():
    board = tengen.Board.from_text(WALL)
    exact = Boltzmann5(inference="exact").marginals(board.stones[None])
    for inference in ("gibbs", "sw"):
        sampled = Boltzmann5(inference=inference, sweeps=20000, seed=1).marginals(board.stones[None])
        assert (np.abs(sampled.means - exact.means) <= 4 * sampled.errors + 1e-3).all()
    assert np.abs(Boltzmann5().ownership(board).ravel() - exact.means[0]).max() < 0.3
    assert Boltzmann5().exactness == Boltzmann5(inference="exact").exactness == "rounding"
    assert Boltzmann5(inference="sw").exactness == "sampled"
    assert Boltzmann5(inference="double-loop").exactness == "rounding"


def test_the_likelihood_of_a_board_is_that_of_all_its_states():
    stones = np.array([[[1, 0, -1], [1, 0, -1], [0, 0, 0]]], np.int8)
    owners = np.array([[[1.0, 0, -1], [-1, 1, 0], [1, 0, -1]]])
    model = Boltzmann5()
    fields, couplings = (part[0] for part in model.ising(stones))
    total = known = 0.0
    for state in product((1.0, -1.0), repeat=9):
        spins = np.array(state)
        edges = grid_edges(3, 3)
        weight = np.exp(fields @ spins + couplings @ (spins[edges[:, 0]] * spins[edges[:, 1]]))
        total += weight
        known += weight * ((owners.ravel() == 0) | (owners.ravel() == spins)).all()
    assert model.log_likelihoods(stones, owners) == pytest.approx([np.log(known / total)], rel=1e-9)
    assert np.exp(model.log_likelihoods(stones, np.zeros((1, 3, 3)))) == pytest.approx([1])


def test_an_empty_board_is_nobodys():
    assert (CouplingCrf().ownership(tengen.Board(9)) == 0).all()


def test_the_unary_model_may_be_an_object_or_a_name():
    board = tengen.Board.from_text(WALL)
    named, given = PatternCrf(unary="territory/playouts"), PatternCrf(unary=PlayoutOwner())
    assert np.array_equal(named.ownership(board), given.ownership(board))
    assert named.exactness == "sampled"
    assert named.n == 500
    certain = PatternCrf(unary="territory/naive", unary_scale=1.0)
    assert np.abs(certain.logits(board.stones[None])).max() == 12


def test_a_fitted_field_keeps_to_its_unary_model(tmp_path):
    unary = tmp_path / "unary.safetensors"
    CouplingCrf().save(unary)
    model = PatternCrf(unary=str(unary), trainer="pw").fit(positions())
    model.save(tmp_path / "field.safetensors")
    board = tengen.Board.from_text(WALL)
    assert np.array_equal(tengen.load(tmp_path / "field.safetensors").ownership(board), model.ownership(board))
    Boltzmann5().save(unary)
    with pytest.raises(ModelError, match=r"fitted on .*but here that is territory/boltzmann5@"):
        tengen.load(tmp_path / "field.safetensors")


def test_a_unary_object_cannot_be_saved_inside_a_file(tmp_path):
    with pytest.raises(ModelError, match="numbers, texts"):
        PatternCrf(unary=PlayoutOwner()).save(tmp_path / "model.safetensors")


@pytest.mark.parametrize("array", [np.zeros(11), np.full(12, np.nan), np.zeros(12, np.float32), np.zeros((12, 1))])
def test_a_file_with_other_arrays_is_refused(array, tmp_path):
    model = CouplingCrf()
    model.log_potentials_ = array
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="12 finite numbers"):
        tengen.load(tmp_path / "model.safetensors")


@pytest.mark.parametrize(
    "given", [{"inference": "magic"}, {"sweeps": 0}, {"tolerance": 0.0}, {"seed": -1}, {"tolerance": float("nan")}]
)
def test_settings_that_make_no_sense_are_refused(given):
    with pytest.raises(ModelError):
        CouplingCrf(**given)


def test_reasons_name_the_neighbours_that_pull():
    reasons = Boltzmann5().explain(tengen.Board.from_text(WALL), "B2")
    pulls = [reason for reason in reasons if reason.kind == "neighbour"]
    assert pulls[0].points == ("C2",)
    assert "Black's stone at C2 pulls B2 towards Black" in pulls[0].sentence
    assert len(pulls) == 4


def test_pulls_add_up_to_the_ownership():
    board = tengen.Board.from_text(WALL)
    model = CouplingCrf()
    fields, couplings = model.ising(board.stones[None])
    said = infer(grid_graph(4, 6), fields, couplings, Solver())
    pulls = [reason for reason in model.explain(board, "A1") if reason.kind == "neighbour"]
    heard = sum(np.arctanh(float(reason.sentence.split("(")[1].rstrip(").")) - 0.0) for reason in pulls)
    assert np.tanh(heard + fields[0, 18]) == pytest.approx(said.means[0, 18], abs=0.02)
