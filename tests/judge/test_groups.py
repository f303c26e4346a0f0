"""Weak points, against taking off every point in turn."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tengen.go.counting import connected
from tengen.judge.ground import Ground
from tengen.judge.groups import Groups, joined

boards = arrays(np.int8, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.sampled_from([0, 0, 1, 1, -1]))


def groups_apart(ground, colour, without):
    """How many parts hold stones of a colour, if its stones and its spaces are connected and one point is taken off."""
    width = ground.living.shape[1]
    stones = {p for p, value in enumerate(ground.values) if value == colour}
    space = {p for region in ground.spaces(colour) for p in region if p != without}
    mask = np.isin(np.arange(len(ground.values)), [*stones, *space]).reshape(-1, width)
    parts = [{row * width + column for row, column in part} for part in connected(mask)]
    return sum(not part.isdisjoint(stones) for part in parts)


@settings(max_examples=300, deadline=None)
@given(boards)
def test_weak_points_are_those_without_which_groups_fall_apart(stones):
    ground = Ground(stones, np.zeros(stones.shape, bool))
    for colour in (1, -1):
        found = Groups(ground, colour, ground.rooms(colour), joined(ground.chains_of[colour], []))
        together = groups_apart(ground, colour, None)
        points = [p for region in ground.spaces(colour) for p in region]
        assert found.weak == {p for p in points if groups_apart(ground, colour, p) > together}
