"""The numbers that the paper prints. Figures 2 to 4 are plots without numbers."""

from __future__ import annotations

from tengen.views.move_features import Feature

PATTERNS, LEAVES = 83_644, 17_761
"""Of T + P and T + DT in Table 2; LEAVES is the total of eight trees."""
GAMES = 4000
TEST_GAMES = 100
UNIQUE = 85
"""Percent of descents that reach one leaf, about."""

ACCURACY = (20.6, 35.3, 29.8, 35.7)
"""Table 2, MP accuracy in percent: T, T + P, T + DT, T + P + DT."""

WINS = (5.0, 49.0, 30.0, 50.5)
"""Table 2, games won in percent, of 200, 300, 200 and 200; in the same order."""

WEIGHTS: dict[Feature, dict[int, tuple[float, float]]] = {
    "pass": {1: (7.68, 1.00), 2: (408.71, 54.13)},
    "capture": {
        1: (0.40, 1.00),
        2: (37.51, 3.93),
        3: (2.21, 8.71),
        4: (3.04, 11.80),
        5: (14.59, 42.03),
        6: (33.74, 17.12),
    },
    "extension": {1: (5.06, 10.07), 2: (0.63, 1.13)},
    "self-atari": {1: (0.59, 0.44), 2: (0.21, 0.16)},
    "atari": {1: (1.92, 1.84), 2: (0.84, 0.60), 3: (2.03, 2.19)},
    "border": {1: (0.43, 0.84), 2: (1.12, 1.16), 3: (1.51, 1.16), 4: (1.20, 1.13)},
    "last": {2: (9.18, 13.36), 3: (6.44, 7.75), 4: (3.57, 4.37), 5: (3.27, 3.79), 10: (1.53, 1.68)},
    "second-last": {2: (1.41, 1.67), 3: (1.54, 1.77), 4: (1.23, 1.14), 10: (1.08, 1.10)},
    "fate last": {1: (2.98, 2.63), 2: (3.38, 2.96), 3: (3.42, 3.26), 4: (2.13, 1.97), 10: (1.06, 1.02)},
    "fate second-last": {1: (4.33, 3.00), 2: (3.39, 2.51), 3: (2.50, 1.70), 4: (2.08, 1.66), 10: (1.16, 1.08)},
}
"""Table 1: γ of each level with patterns, and with decision trees."""
