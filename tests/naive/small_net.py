"""The network of net/small layer by layer, for one position."""

import numpy as np

from .network import convolve


def outputs(weights, planes, numbers):
    """Ownership logits, two rows of policy logits and the four numbers, from planes [plane, row, column]."""
    scaled = np.array(numbers) * [1 / 20, 1, 1]
    here = layer(weights, "stem", planes.transpose(1, 2, 0)) + linear(weights, "facts", scaled)
    block = 0
    while f"blocks.{block}.first.weight" in weights:
        inner = layer(weights, f"blocks.{block}.first", relu(here))
        if f"blocks.{block}.whole.weight" in weights:
            inner = inner + linear(weights, f"blocks.{block}.whole", pool(relu(inner)))
        here = here + layer(weights, f"blocks.{block}.second", relu(inner))
        block += 1
    here = relu(here)
    pooled = pool(here)
    moves = relu(layer(weights, "move", here) + linear(weights, "move_whole", pooled))
    moves = layer(weights, "moves", moves).reshape(-1, 2).T
    whole = relu(linear(weights, "whole", np.concatenate([pooled, scaled])))
    policy = np.concatenate([moves, linear(weights, "passing", whole)[:, None]], 1)
    return layer(weights, "owner", here)[..., 0], policy, linear(weights, "result", whole)


def relu(values):
    return np.maximum(values, 0)


def pool(values):
    """The mean over the board, the same scaled by the board's size, and the maximum."""
    mean = values.mean((0, 1))
    size = np.sqrt(values.shape[0] * values.shape[1])
    return np.concatenate([mean, mean * (size - 14) / 10, values.max((0, 1))])


def linear(weights, name, values):
    return weights[f"{name}.weight"] @ values + weights[f"{name}.bias"]


def layer(weights, name, values):
    """A convolution with kernels of 3×3 points or of one, on values [row, column, channel]."""
    kernel = weights[f"{name}.weight"].transpose(2, 3, 1, 0)
    made = convolve(values, kernel) if len(kernel) == 3 else values @ kernel[0, 0]
    return made + weights[f"{name}.bias"]
