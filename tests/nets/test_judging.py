"""The default judge: the small network first, with the network of chains where it is not sure or cannot be used."""

import numpy as np
import pytest

import tengen
from tengen.errors import FallbackWarning
from tengen.judge.chains import Chains
from tengen.models.registry import Entry
from tengen.models.state import identity
from tengen.nets import judging
from tengen.nets.chains import ChainJudge
from tengen.nets.judging import NetJudge


class Opinion:
    """A network of one opinion about every stone: alive, with this ownership."""

    name = "toy/opinion"
    sizes = tuple(range(5, 26))

    def __init__(self, owns):
        self.owns, self.asked = owns, []

    def ownership_many(self, positions):
        self.asked.append(positions)
        return self.owns * positions.stones


def judge_with(monkeypatch, network):
    monkeypatch.setattr(judging, "_network", lambda: network)
    return NetJudge()


def final():
    return tengen.read("examples/finished-9x9.sgf").board()


def test_a_sure_network_judges_without_playouts(monkeypatch):
    board, network = final(), Opinion(0.92)
    sight, owners = judge_with(monkeypatch, network).seen(board)
    assert not sight.played.any()
    assert np.allclose(owners, 0.92 * board.stones)
    (asked,) = network.asked
    assert (asked.passes == 0).all()
    assert board.is_over  # the closing passes were taken back on a copy


def test_an_unsure_network_is_added_to_the_network_of_chains(monkeypatch):
    board = final()
    sight, owners = judge_with(monkeypatch, Opinion(0.5)).seen(board)
    assert sight.played.any()
    chains = Chains.of(board.stones)
    odds = np.log(3) * chains.signs + chains.means(tengen.load("judge/chains").logits(sight).astype(float))
    assert np.allclose(chains.means(owners), np.tanh(0.75 * odds / 2), atol=1e-5)


def test_stones_alone_are_asked_without_a_turn(monkeypatch):
    network = Opinion(1.0)
    judge_with(monkeypatch, network).seen(tengen.Board.from_stones(final().stones))
    assert network.asked[0].to_play.tolist() == [0]


@pytest.mark.parametrize("network", [None, Opinion(1.0)])
def test_without_the_network_the_chains_are_judged_as_before(monkeypatch, network):
    board = tengen.Board.from_text(". X . X\nX X X X\nO O O O\n. O . O")
    judge = judge_with(monkeypatch, network)
    assert np.array_equal(judge.ownership(board), tengen.load("judge/chains").ownership(board))
    assert network is None or not network.asked


def test_a_missing_network_is_reported(monkeypatch):
    judging._network.cache_clear()
    monkeypatch.setattr(Entry, "missing", property(lambda entry: "onnxruntime is not installed"))
    with pytest.warns(FallbackWarning, match="judge/chains judges alone: onnxruntime is not installed"):
        assert judging._network() is None
    judging._network.cache_clear()


def test_the_identity_covers_both_networks(monkeypatch):
    one, other = (identity(judge_with(monkeypatch, network)) for network in (Opinion(1.0), None))
    assert one.startswith("judge/net@")
    assert one != other
    assert ChainJudge.name in bytes(NetJudge().parts_).decode()
