"""The planar field: its parts against brute force, its gradients against differences, and what it learns."""

from itertools import product

import numpy as np
import pytest

import tengen
from tengen._core import IsingGraph
from tengen.benchmarks.planar import best_spins, board_faces
from tengen.errors import ModelError
from tengen.go.board import Board
from tengen.territory.block import BlockCrf
from tengen.territory.block_features import OWN_FEATURES, describe, parameter_counts
from tengen.territory.block_training import (
    Example,
    largest_margin,
    likelihood_loss,
    margin_loss,
    sides_of,
)
from tengen.views.graphs import NEUTRAL, STONE, SURROUND
from tests.cli.program import call
from tests.core.test_graph import random_stones
from tests.models.learning import Positions
from tests.naive.inference import enumerate_states

# Black owns the left, White the right, and the white stone at B3 is dead.
FINISHED = Board.from_text("""
    . . . X O . .
    . . X X O O .
    . O . X O . .
    X . . X O . O
    . X X X O O .
""")
OWNERS = np.where(np.arange(7) < 4, 1.0, -1.0) * np.ones((5, 1))


def example(stones, random=None, **options):
    """A described board with sides from OWNERS, or random ones of which some are unknown."""
    described = describe(stones, **options)
    if random is None:
        return Example(described, sides_of(described, OWNERS))
    sides = random.choice(np.array([1, -1, 0], np.int8), len(described.block))
    return Example(described, np.where(described.block.kinds == NEUTRAL, 0, sides).astype(np.int8))


def random_theta(random, one):
    return random.normal(0, 0.2, one.described.edge_features.shape[1] + one.described.node_features.shape[1])


def test_nodes_belong_to_the_side_that_owns_them():
    one = example(FINISHED.stones)
    graph, sides = one.described.block, one.sides
    assert sides[graph.node_of[2, 1]] == 1  # the dead white stone
    assert (sides[graph.kinds == NEUTRAL] == 0).all()
    unknown = sides_of(one.described, np.full_like(OWNERS, np.nan))
    assert not unknown.any()


@pytest.mark.parametrize(
    "options",
    [{}, {"neighbours": False, "rich": False}, {"gauge": "face"}, {"gauge": "majority"}, {"strict": True}],
)
def test_there_is_a_parameter_for_every_feature(options):
    described = describe(FINISHED.stones, **options)
    given = {"gauge": "field", "neighbours": True, "rich": True, **options}
    given.pop("strict", None)
    assert (described.edge_features.shape[1], described.node_features.shape[1]) == parameter_counts(**given)
    assert not described.node_features[described.block.kinds == NEUTRAL].any()


def test_an_edge_is_described_by_its_nodes_its_contacts_and_its_neighbours():
    described = describe(Board.from_text("X . O\n" * 3).stones, neighbours=True)
    block = described.block
    assert block.kinds.tolist() == [STONE, NEUTRAL, STONE]
    own, around = described.edge_features[:, :OWN_FEATURES], described.edge_features[:, OWN_FEATURES:]
    chain = [*np.log1p([0, 2, 1, 0, 0]).tolist(), 1]
    for edge in range(2):
        assert own[edge, :6].tolist() == chain  # the chain
        assert own[edge, 12:18].tolist() == chain  # the neutral column has the same shape
        assert around[edge, :6].tolist() == chain  # the other chain, beyond the neutral column
        assert not around[edge, 6:18].any()
    np.testing.assert_allclose(own[0, 18:], around[1, 18:])  # the contacts of each are the other's neighbours'


def test_strict_features_are_the_papers_counts():
    """Its Figure 1d: a vector of four for a region, of three for an edge in each direction, and sums of neighbours."""
    described = describe(
        Board.from_text("""
        X X X .
        X . X O
        X X X .
    """).stones,
        strict=True,
    )
    block, features = described.block, described.edge_features
    chain, eye, white = (int(block.node_of[place]) for place in ((0, 0), (1, 1), (1, 3)))

    def edge(one, other):
        return int(np.flatnonzero((np.sort(block.edges, 1) == sorted((one, other))).all(1))[0])

    own, around = features[:, :OWN_FEATURES], features[:, OWN_FEATURES:]
    ring, surround = own[edge(chain, eye), :6], own[edge(chain, eye), 6 * SURROUND : 6 * SURROUND + 6]
    assert ring.tolist() == [0, 0, 8, 0, 0, 0]
    assert surround.tolist() == [0] * 6  # one point without neighbours inside: the paper has no entry for it
    contacts = own[:, 18:].reshape(len(own), -1, 5)
    assert contacts[edge(chain, eye), STONE * 3 + SURROUND].tolist() == [4, 0, 0, 0, 0]
    assert contacts[edge(chain, eye), SURROUND * 3 + STONE].tolist() == [0, 0, 0, 0, 0]  # four across have no entry
    assert contacts[edge(chain, white), STONE * 3 + STONE].tolist() == [2, 0, 0, 0, 0]  # one each way
    others = [e for e in range(len(block.edges)) if chain in block.edges[e] and e != edge(chain, eye)]
    assert around[edge(chain, eye), 18:].tolist() == own[others, 18:].sum(0).tolist()


def test_the_features_of_edges_do_not_know_colours_and_fields_change_sides_with_them():
    stones = random_stones(np.random.default_rng(0), 7, 8)
    one, other = describe(stones), describe(-stones)
    np.testing.assert_array_equal(one.edge_features, other.edge_features)
    np.testing.assert_array_equal(one.node_features, -other.node_features)


def small_boards(random, count, most=12):
    while count:
        stones = random_stones(random, *random.integers(2, 5, 2))
        if len(describe(stones).block) <= most:
            count -= 1
            yield stones


def test_the_likelihood_is_that_of_all_states_with_unknown_nodes_summed_out():
    random = np.random.default_rng(1)
    for stones in small_boards(random, 20):
        one = example(stones, random)
        if not one.sides.any():
            continue
        theta = random_theta(random, one)
        fields, couplings = one.ising(theta)
        weight = {True: 0.0, False: 0.0}
        for state in product((1, -1), repeat=len(one.sides)):
            s = np.array(state)
            agrees = bool(((one.sides == 0) | (one.sides == s)).all())
            energy = fields @ s + couplings @ (s[one.edges[:, 0]] * s[one.edges[:, 1]])
            weight[agrees] += np.exp(energy)
        expected = -np.log(weight[True] / (weight[True] + weight[False])) / np.count_nonzero(one.sides)
        assert likelihood_loss(theta, [one])[0] == pytest.approx(expected)


@pytest.mark.parametrize("loss", [likelihood_loss, margin_loss])
@pytest.mark.parametrize("options", [{}, {"gauge": "face", "neighbours": False}, {"division": "points"}])
def test_gradients_are_those_of_differences(loss, options):
    random = np.random.default_rng(2)
    examples = [example(random_stones(random, 4, 5), random, **options) for _ in range(3)]
    theta = random_theta(random, examples[0])
    direction = random.normal(0, 1, len(theta))
    step = 1e-6
    ahead, behind = (loss(theta + sign * step * direction, examples)[0] for sign in (1, -1))
    assert loss(theta, examples)[1] @ direction == pytest.approx((ahead - behind) / (2 * step), rel=1e-4, abs=1e-7)


def test_a_group_has_the_energy_of_its_blocks():
    random = np.random.default_rng(3)
    for _ in range(20):
        described = describe(random_stones(random, *random.integers(2, 9, 2)))
        block, group = described.block, described.group
        fields, couplings = random.normal(size=len(block)), random.normal(size=len(block.edges))
        group_fields, group_couplings = described.grouped(fields, couplings)
        of_groups = random.choice([1, -1], len(group))
        of_blocks = of_groups[described.group_of]
        inside = couplings[described.group_of[block.edges[:, 0]] == described.group_of[block.edges[:, 1]]].sum()
        energies = [
            h @ s + j @ (s[edges[:, 0]] * s[edges[:, 1]])
            for h, j, s, edges in (
                (fields, couplings, of_blocks, block.edges),
                (group_fields, group_couplings, of_groups, group.edges),
            )
        ]
        assert energies[0] - inside == pytest.approx(energies[1])


def test_marginals_and_the_likeliest_state_are_those_of_all_states():
    for stones in small_boards(np.random.default_rng(4), 15):
        answer = BlockCrf(graph="block").answer(stones)
        told = enumerate_states(len(answer.graph), answer.graph.edges, answer.fields, answer.couplings)
        np.testing.assert_allclose(answer.means, told.means, atol=1e-9)
        reached = energy_of(answer, answer.spins)
        assert reached == pytest.approx(told.best_energy, abs=1e-9)
        if (np.abs(told.means) > 0.5).all():  # one state stands out
            assert np.array_equal(answer.spins, told.best)


def energy_of(answer, spins):
    first, second = spins[answer.graph.edges].T.astype(float)
    return answer.fields @ spins + answer.couplings @ (first * second)


@pytest.mark.parametrize("graph", ["block", "group"])
def test_without_fields_the_likeliest_state_is_turned_so_that_more_stones_live(graph):
    random = np.random.default_rng(8)
    found = 0
    for stones in small_boards(random, 15):
        model = BlockCrf(gauge="majority", graph=graph, says="map")
        model.coupling_weights_ = random.normal(0, 0.3, len(model.coupling_weights_))
        answer = model.answer(stones)
        told = enumerate_states(len(answer.graph), answer.graph.edges, np.zeros(len(answer.graph)), answer.couplings)
        alive = int((told.best[answer.graph.node_of] * stones).sum())
        close = (energies(answer) > told.best_energy - 1e-6).sum()
        if alive == 0 or close > 2:  # more than a state and its reversal are best
            continue
        found += 1
        assert np.array_equal(answer.spins, told.best * np.sign(alive))
        assert np.array_equal(model._ownership(stones), answer.spins[answer.graph.node_of])
    assert found >= 5


def energies(answer):
    """The energy of every state of a field without fields."""
    count = len(answer.graph)
    states = 1.0 - 2.0 * (np.arange(2**count)[:, None] >> np.arange(count) & 1)
    first, second = answer.graph.edges.T
    return (states[:, first] * states[:, second]) @ answer.couplings


def test_the_gauge_of_one_face_is_a_frame_round_the_board_that_matching_knows():
    pytest.importorskip("pymatching")
    random = np.random.default_rng(5)
    for _ in range(30):
        stones = random_stones(random, *random.integers(2, 10, 2))
        model = BlockCrf(gauge="face", graph="block")
        model.coupling_weights_ = random.normal(0, 0.3, len(model.coupling_weights_))
        answer = model.answer(stones)
        graph, frame = answer.graph, len(answer.graph)
        biased = np.flatnonzero(np.isin(np.arange(frame), np.concatenate([graph.node_of[i] for i in (0, -1)])))
        biased = np.union1d(biased, np.concatenate([graph.node_of[:, i] for i in (0, -1)])).astype(np.int32)
        edges = np.concatenate([graph.edges, np.stack([biased, np.full_like(biased, frame)], 1)])
        order = np.lexsort((edges[:, 1], edges[:, 0]))
        couplings = np.concatenate([answer.couplings, answer.fields[biased]])[order]
        spins = best_spins(board_faces(np.pad(graph.node_of, 1, constant_values=frame), edges[order]), couplings)
        assert not np.delete(answer.fields, biased).any()
        energy = (couplings * spins[edges[order][:, 0]] * spins[edges[order][:, 1]]).sum()
        best = IsingGraph(frame, graph.edges).best_state(answer.fields[None], answer.couplings[None])[1][0]
        assert energy == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("gauge", ["field", "face", "majority"])
@pytest.mark.parametrize("trainer", ["ml", "margin"])
def test_it_learns_that_a_lonely_stone_in_a_territory_is_dead(gauge, trainer):
    boards = np.stack([FINISHED.stones, -FINISHED.stones, FINISHED.stones[::-1]])
    targets = np.stack([OWNERS, -OWNERS, OWNERS])
    model = BlockCrf(gauge=gauge, trainer=trainer, l2=1e-3)
    model.fit([Positions(boards, targets, np.ones(3))])
    neutral = model.describe(FINISHED.stones).block
    counted = neutral.kinds[neutral.node_of] != NEUTRAL
    for says in ("marginals", "map"):
        model.says = says
        owners = model.ownership(FINISHED)
        np.testing.assert_array_equal(np.sign(owners[counted]), OWNERS[counted])


def test_points_without_weight_do_not_teach():
    weights = np.ones((1, 5, 7))
    weights[0, :, 4:] = 0
    wrong = np.where(weights[0] > 0, OWNERS, -OWNERS)
    taught = [BlockCrf().fit([Positions(FINISHED.stones[None], wrong[None], w)]) for w in (weights, np.ones((1, 5, 7)))]
    assert not np.allclose(taught[0].coupling_weights_, taught[1].coupling_weights_)
    assert (taught[0].ownership(FINISHED)[:, :4] > 0).sum() >= 18


def test_a_larger_margin_costs_less_than_none():
    one = example(FINISHED.stones)
    start = np.zeros(sum(parameter_counts("field", True, True)))
    found = largest_margin([one], start, 1e-4)
    assert margin_loss(found, [one])[0] < margin_loss(start, [one])[0] / 10


def test_the_reasons_name_the_group_and_its_neighbours():
    reasons = tengen.load("territory/block").explain(FINISHED, "B3")
    assert [reason.kind for reason in reasons][:2] == ["ownership", "group"]
    assert "White's group around B3 has 1 point, 4 liberties and no small eyes" in str(reasons[1])
    assert any(reason.kind == "neighbour" for reason in reasons)


@pytest.mark.parametrize(
    "wrong", [{"gauge": "sign"}, {"division": "halves"}, {"graph": "fate"}, {"says": "odds"}, {"trainer": "luck"}]
)
def test_unknown_settings_are_refused(wrong):
    with pytest.raises(ModelError, match="is one of"):
        BlockCrf(**wrong)


def test_a_file_with_other_weights_is_refused(tmp_path):
    model = BlockCrf()
    model.coupling_weights_ = np.zeros(3)
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="finite numbers"):
        BlockCrf.load(tmp_path / "model.safetensors")


def test_surrounds_of_one_colour_meet_where_empty_regions_are_divided_further():
    described = describe(FINISHED.stones, division="liberties")
    kinds, colours = described.block.kinds[described.block.edges], described.block.colours[described.block.edges]
    assert ((kinds == SURROUND).all(1) & (colours[:, 0] == colours[:, 1])).any()


def test_it_is_fitted_to_the_last_positions_of_a_corpus(tmp_path):
    pytest.importorskip("pyarrow")
    file = tmp_path / "block.safetensors"
    options = ["--corpus", "examples/corpus", "--labels", "gnugo", "--size", 9, "--limit", 20, "--finals"]
    call("fit", "territory/block", *options, "--set", "gauge=face", "-o", file)
    model = tengen.load(file)
    assert (model.gauge, model.field_weights_.shape) == ("face", (1,))
    assert model.field_weights_[0] > 0  # along the edge, too, stones rather live
