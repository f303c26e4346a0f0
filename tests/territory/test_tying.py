"""Which edges share their parameters: by colours, liberties and phases."""

from itertools import product

import numpy as np
import pytest

import tengen
from models.learning import positions
from tengen.errors import ModelError
from tengen.territory.coupling import CouplingCrf, PatternCrf
from tengen.territory.coupling_classes import FIRST_FIELDS, KINDS, SECOND_FIELDS, boltzmann5
from tengen.territory.coupling_examples import Examples
from tengen.territory.coupling_pieces import edge_pieces, pseudolikelihood, vertex_pieces
from tengen.territory.coupling_training import likelihood_loss, risk_loss
from tengen.territory.ising import Solver
from tengen.territory.tying import PLAIN, tying

BOTH = tying(4, 3)


def random_examples(tied, seed=0, count=3, shape=(4, 5)):
    random = np.random.default_rng(seed)
    stones = random.choice(np.array([-1, 0, 1], np.int8), (count, *shape), p=[0.25, 0.5, 0.25])
    points = (count, shape[0] * shape[1])
    targets, weights = random.uniform(-1, 1, points), (random.random(points) >= 0.2).astype(float)
    return Examples(stones, targets, weights, random.normal(0, 1.5, points), tying=tied)


def test_colours_alone_are_the_classes_of_the_paper():
    assert (PLAIN.kinds == KINDS).all()
    assert (PLAIN.first == FIRST_FIELDS).all()
    assert (PLAIN.second == SECOND_FIELDS).all()
    assert (PLAIN.spread(boltzmann5()) == boltzmann5()).all()


def test_parameters_are_counted_by_hand():
    # By liberties: 4 of one chain, 10 of two enemies, 4 of a chain beside an empty point, 1 of two empty points.
    assert (tying(4).couplings, tying(4).fields) == (19, 4 + 16 + 4 + 4)
    assert (tying(1, 3).couplings, tying(1, 3).fields) == (1 + 1 + 3 + 3, 1 + 1 + 3 + 3)


def test_states_are_colours_with_liberties_and_phases():
    board = tengen.Board.from_text(["X X . O", ". . . O", "X . . .", ". . . ."])
    states = BOTH.states(board.stones[None])[0]
    white, empty, black = 0, 4, 7
    assert states.tolist() == [
        [black + 2, black + 2, empty + 1, white + 1],  # three liberties each; five of sixteen points have stones
        [empty + 1, empty + 1, empty + 1, white + 1],
        [black + 2, empty + 1, empty + 1, empty + 1],
        [empty + 1] * 4,
    ]
    reverse = BOTH.states(-board.stones[None])[0]
    assert reverse.tolist() == [[BOTH.reversed(state) for state in row] for row in states.tolist()]


@pytest.mark.parametrize("tied", [PLAIN, tying(4), BOTH], ids=str)
def test_swapping_ends_and_reversing_colours_change_nothing(tied):
    theta = np.random.default_rng(1).normal(0, 1, tied.couplings + tied.fields)
    coupling, near, far = tied.tables(theta)
    for a, b in product(range(tied.size), repeat=2):
        x, y = tied.reversed(a), tied.reversed(b)
        assert coupling[a, b] == coupling[b, a] == coupling[x, y]
        assert near[a, b] == far[b, a] == -near[x, y]


@pytest.mark.parametrize("tied", [tying(4), BOTH], ids=str)
def test_gradients_are_slopes_and_tables_are_what_was_learned(tied):
    part = random_examples(tied)
    theta = np.append(np.random.default_rng(2).normal(0, 0.3, tied.couplings + tied.fields), 0.4)
    losses = [
        lambda at: likelihood_loss(at, [part], Solver("exact")),
        lambda at: risk_loss(at, [part], Solver("exact")),
        lambda at: pseudolikelihood(part, at)[:2],
        lambda at: edge_pieces(part).loss(at)[:2],
        lambda at: vertex_pieces(part).loss(at)[:2],
    ]
    chosen = np.random.default_rng(3).choice(len(theta), 12, replace=False)
    for loss in losses:
        for k in chosen:
            step = 1e-5 * (np.arange(len(theta)) == k)
            slope = (loss(theta + step)[0] - loss(theta - step)[0]) / 2e-5
            assert loss(theta)[1][k] == pytest.approx(slope, abs=1e-6, rel=1e-5)
    model = CouplingCrf(liberties=tied.liberties, phases=tied.phases)
    model.parameters_ = theta[:-1]
    fields, couplings = model.ising(part.stones)
    expected = part.ising(np.append(theta[:-1], 0.0))
    assert fields == pytest.approx(expected[0])
    assert couplings == pytest.approx(expected[1])


def test_before_it_has_learned_it_is_the_field_of_colours():
    boards = positions()[0].boards
    plain, tied = CouplingCrf(), CouplingCrf(liberties=4, phases=3)
    assert tied.ownership_many(boards) == pytest.approx(plain.ownership_many(boards))


def test_a_tied_field_learns_and_is_kept(tmp_path):
    pytest.importorskip("scipy", reason="scipy is not installed (pip install 'tengen[train]')")
    data = [positions()[0]]
    model = PatternCrf(unary="territory/influence", liberties=4, phases=3, trainer="pl", l2=0.01).fit(data)
    model.save(tmp_path / "tied.safetensors")
    again = tengen.load(tmp_path / "tied.safetensors")
    assert np.array_equal(again.ownership_many(data[0].boards), model.ownership_many(data[0].boards))
    model.parameters_ = model.parameters_[:-1]
    model.save(tmp_path / "short.safetensors")
    with pytest.raises(ModelError, match="finite numbers"):
        tengen.load(tmp_path / "short.safetensors")


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ModelError, match="at least one"):
        CouplingCrf(liberties=0)
    with pytest.raises(ModelError, match="piecewise"):
        CouplingCrf(liberties=2, trainer="pw").fit([positions()[0]])
