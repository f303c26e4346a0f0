"""The judge's network point by point."""

import numpy as np


def logits(weights, blocks, shown, flipped, regions):
    """What ChainJudge.logits says, [row, column], from the planes of both views."""
    odds = [view(weights, blocks, planes, regions) for planes in (shown, flipped)]
    each = (odds[0] - odds[1]) * weights["scale_"][0]
    return np.array([[each[regions == region].mean() for region in row] for row in regions])


def view(weights, blocks, shown, regions):
    """What one view says of each point."""
    here = convolve(shown.transpose(1, 2, 0), weights["in_"]) + weights["in_bias_"]
    for block in range(blocks):
        active = np.maximum(here, 0)
        pooled = np.zeros_like(active)
        for region in range(regions.max() + 1):
            inside = active[regions == region]
            pooled[regions == region] = (
                inside.mean(0) @ weights["mean_"][block] + inside.max(0) @ weights["most_"][block]
            )
        inner = convolve(active, weights["near_"][block]) + pooled + weights["bias_"][block]
        here = here + np.maximum(inner, 0) @ weights["back_"][block]
    return np.maximum(here, 0) @ weights["out_"]


def convolve(values, kernel):
    """A 3×3 convolution; off the board there is nothing."""
    height, width, _ = values.shape
    result = np.zeros((height, width, kernel.shape[-1]))
    for row in range(height):
        for column in range(width):
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if 0 <= row + dy < height and 0 <= column + dx < width:
                        result[row, column] += values[row + dy, column + dx] @ kernel[dy + 1, dx + 1]
    return result
