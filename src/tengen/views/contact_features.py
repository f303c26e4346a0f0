"""Contact features of moves in Go words: the chains a move touches, where exactly it is, how full the board is.

The levels are made by the core (core/include/tengen/contact_features.hpp); `contact_phrase` says them in words. They
add to the tactical features what a model with factors for pairs of features can use.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import Literal, TypeAlias, get_args

ContactFeature: TypeAlias = Literal[
    "liberties", "enemy chain", "own chain", "chains", "offset last", "offset second-last", "lines", "stones"
]
"""A feature: liberties of the move's own chain, the weakest enemy and own chain it touches, how many chains of each it
touches, offsets to the last two moves, the lines it is on, and how full the board is."""

CONTACT_FEATURES: tuple[ContactFeature, ...] = get_args(ContactFeature)
"""The features in the order of the arrays."""

CONTACT_LEVELS: Mapping[ContactFeature, int] = dict(zip(CONTACT_FEATURES, (6, 16, 16, 24, 36, 36, 55, 12), strict=True))
"""The highest level of each feature."""

_NUMBERS = "no one two three four five six seven eight nine ten".split()
_ORDER = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_STONES = ("one stone", "two stones", "three or four stones", "five or more stones")
_LIBERTIES = ("one liberty", "two liberties", "three liberties", "four or more liberties")
_BRIEF_LIBERTIES = ("in atari", "with two liberties", "with three liberties", "with many liberties")
_PAIRS = sorted(combinations_with_replacement(range(10), 2), key=lambda pair: (pair[1], pair[0]))
"""Less and more, as levels number them."""


def contact_phrase(feature: str, level: int, *, brief: bool = False) -> str:
    """Return a level in Go words; the number of stones, which all moves share, has none.

    `brief` leaves out how many stones a chain has, and four or more liberties are many.
    """
    if feature == "liberties":
        count = "six or more liberties" if level == 6 else f"{_NUMBERS[level]} libert{'y' if level == 1 else 'ies'}"
        return f"its chain then has {count}"
    if feature in ("enemy chain", "own chain"):
        liberties, stones = divmod(level - 1, 4)
        if brief:
            return f"touches an {feature} {_BRIEF_LIBERTIES[liberties]}"
        return f"touches an {feature} of {_STONES[stones]} with {_LIBERTIES[liberties]}"
    if feature == "chains":
        own, enemy = divmod(level, 5)
        return "touches " + " and ".join(filter(None, [_chains(own, "own"), _chains(enemy, "enemy")]))
    if feature == "stones":
        return ""
    less, more = _PAIRS[level - 1]
    if feature == "lines":
        same = f"on the {_ORDER[less]} line of two sides"
        return same if less == more else f"on the {_ORDER[less]} and {_ORDER[more]} line"
    return f"{more} by {less} points from the {feature.removeprefix('offset ')} move"


def _chains(count: int, whose: str) -> str:
    return f"{_NUMBERS[count]} {whose} chain{'' if count == 1 else 's'}" if count else ""
