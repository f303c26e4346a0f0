"""A small network with random weights, for everything that does not depend on what it knows."""

import numpy as np
import pytest

from tengen import Board
from tengen.go.positions import Positions
from tengen.nets.fast import FastNet
from tengen.nets.graph import onnx_graph
from tengen.nets.inputs import NUMBERS, PLANES, inputs_of, planes_of
from tengen.nets.quantise import quantised
from tengen.nets.small import SmallNet

WHOLE = 64
HEADS = 32


def tiny_weights(channels=4, blocks=2, seed=0):
    """Random weights by the names of tengen.nets.training."""
    random = np.random.default_rng(seed)
    shapes = {
        "stem": (channels, len(PLANES), 3, 3),
        "facts": (channels, len(NUMBERS)),
        **{f"blocks.{i}.{part}": (channels, channels, 3, 3) for i in range(blocks) for part in ("first", "second")},
        **{f"blocks.{i}.whole": (channels, 3 * channels) for i in range(1, blocks, 2)},
        "owner": (1, channels, 1, 1),
        "move": (HEADS, channels, 1, 1),
        "move_whole": (HEADS, 3 * channels),
        "moves": (2, HEADS, 1, 1),
        "whole": (WHOLE, 3 * channels + len(NUMBERS)),
        "result": (4, WHOLE),
        "passing": (2, WHOLE),
    }
    found = {}
    for name, shape in shapes.items():
        found[f"{name}.weight"] = random.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape).astype(np.float32)
        found[f"{name}.bias"] = random.normal(0, 0.1, shape[0]).astype(np.float32)
    return found


def tiny_net(seed=0, **settings):
    """A network that answers at random."""
    pytest.importorskip("onnx", reason="onnx is not installed (pip install 'tengen[net]')")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model = SmallNet(channels=4, blocks=2, **settings)
    model.graph_ = np.frombuffer(onnx_graph(tiny_weights(seed=seed)), np.uint8).copy()
    return model


def tiny_fast(**settings):
    """The same network in whole numbers of 8 bits."""
    model = FastNet(**settings)
    boards = [Board(9), Board.from_text([". X . O .", "X X O O ."] * 3, to_play="black")]
    inputs = [inputs_of(Positions.of([board])) for board in boards]
    samples = [(planes_of(facts), numbers) for facts, numbers in inputs]
    model.graph_ = np.frombuffer(quantised(tiny_net().graph_.tobytes(), samples), np.uint8).copy()
    return model
