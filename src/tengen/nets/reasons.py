"""Reasons in Go words for what the small network says, which itself has none.

Start at `owner_reasons` for the owner of a point, `move_reasons` for moves. They have two sources. Facts about chains
and moves are read from the board: liberties, eyes, ladders, unconditional life, shapes. What matters to the network is
found by asking again, all questions in one batch: a chain matters to a point if the point would have another owner
without it; a move saves or kills the stones whose owner after it differs from the owner after a pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen.go.board import Board, Chain
from tengen.go.points import Point, PointLike, as_point, point_name
from tengen.go.positions import Positions
from tengen.models.evaluator import Evaluator, ask
from tengen.models.protocol import FloatArray
from tengen.models.verdict import Reason, ownership_reason, settled_reason
from tengen.views.graphs import group_graph
from tengen.views.move_features import PHRASES, Feature, move_features
from tengen.views.shape_names import shape_name
from tengen.views.tactics import read_ladder

NEAR = 8
"""The number of chains, the nearest ones, without which a point is looked at again."""
NAMED = 3
"""The number of chains that are named."""
MATTERS = 0.2
"""A chain is named if the ownership of the point changes by this without it."""
DECIDED = 0.6
"""A move saves or kills stones if they change owner by it, compared with a pass, and their ownership by this."""
_TACTICS: tuple[Feature, ...] = ("pass", "capture", "extension", "self-atari", "atari")


def owner_reasons(evaluator: Evaluator, board: Board, point: PointLike) -> list[Reason]:
    """Return the owner of a point, facts about its chain, and the chains nearby that decide about it."""
    place = as_point(point, board.width, board.height)
    name = point_name(*place, board.height)
    chains = _nearest(board, place)
    owners = ask(evaluator, _without_each(board, chains), "ownership").ownership
    assert owners is not None
    before, *after = owners[:, place[0], place[1]].tolist()
    changes = sorted(zip(after[1:], chains, strict=True), key=lambda each: -abs(each[0] - after[0]))
    matter = [each for each in changes[:NAMED] if abs(each[0] - after[0]) >= MATTERS]
    return [
        ownership_reason(before, name),
        *_chain_reasons(board, place),
        *(_without_reason(chain, name, after[0], share) for share, chain in matter),
    ]


def move_reasons(evaluator: Evaluator, board: Board, moves: Sequence[str]) -> list[list[Reason]]:
    """Return for each move its shape, what it captures, saves and threatens, and who leads after it."""
    moves = [board.move_name(board.index(move)) for move in moves]
    after = [board.copy() for _ in (*moves, "pass")]
    for here, move in zip(after, (*moves, "pass"), strict=True):
        here.play(move)
    said = ask(evaluator, after, "ownership", "lead")
    assert said.ownership is not None
    assert said.lead is not None
    features, chains = move_features(board), board.chains()
    found = []
    for move, here, owner, lead in zip(moves, after, said.ownership, said.lead.tolist(), strict=False):
        points = () if move == "pass" else (move,)
        if points and here.stones[as_point(move, board.width, board.height)] == 0:
            found.append([Reason("suicide", points, "suicide"), _lead_reason(points, lead)])
            continue
        shape = [shape_name(board, move)] if points else []
        tactics = {feature: PHRASES[feature][level] for feature, level in features.at(move).items()}
        found.append(
            [
                *(Reason("shape", points, name) for name in shape if name),
                *(Reason(feature, points, tactics[feature]) for feature in _TACTICS if feature in tactics),
                *_decided(board, chains, owner, said.ownership[-1]),
                _lead_reason(points, lead),
            ]
        )
    return found


def _nearest(board: Board, place: Point) -> list[Chain]:
    """Return the chains nearest to a point, without its own."""

    def distance(chain: Chain) -> int:
        points = (as_point(point, board.width, board.height) for point in chain.points)
        return min(abs(row - place[0]) + abs(column - place[1]) for row, column in points)

    far = {chain.points: distance(chain) for chain in board.chains()}
    others = [chain for chain in board.chains() if far[chain.points]]
    return sorted(others, key=lambda chain: far[chain.points])[:NEAR]


def _without_each(board: Board, chains: Sequence[Chain]) -> Positions:
    """Return the position; the same without its past; and that without each of the chains."""
    rows = Positions.of([board])
    stones = np.repeat(rows.stones, len(chains) + 2, axis=0)
    for row, chain in enumerate(chains, 2):
        stones[row][_places(board, chain)] = 0
    many = rows.take(np.zeros(len(stones), np.intp))
    ko, last_moves = many.ko.copy(), many.last_moves.copy()
    ko[1:], last_moves[1:] = -1, -1
    return replace(many, stones=stones, ko=ko, last_moves=last_moves, _boards=None)


def _places(board: Board, chain: Chain) -> tuple[npt.NDArray[np.intp], ...]:
    points = np.array([as_point(point, board.width, board.height) for point in chain.points], np.intp)
    return points[:, 0], points[:, 1]


def _chain_reasons(board: Board, place: Point) -> list[Reason]:
    """Return what can be read from the board about the chain at a point: eyes, liberties, ladders, safety."""
    chain, safe = board.chain(place), board.safe_area()
    owner = int(safe.alive[place] + safe.territory[place])
    points = (point_name(*place, board.height),) if chain is None else chain.points
    settled = [settled_reason(owner, points)] if owner else []
    if chain is None:
        return settled
    graph = group_graph(board)
    eyes = _counted(int(graph.eyes[graph.node_of[place]]), "small eye")
    single = f"It is a single {chain.colour} stone"
    stones = single if len(points) == 1 else f"It is in a {chain.colour} chain of {len(points)} stones"
    sentence = f"{stones} with {_counted(len(chain.liberties), 'liberty', 'liberties')}; its group has {eyes}."
    return [Reason("chain", points, sentence), *settled, *_ladder_reasons(board, chain)]


def _ladder_reasons(board: Board, chain: Chain) -> list[Reason]:
    ladder = read_ladder(board, chain.points[0]) if len(chain.liberties) <= 2 else None
    if ladder is None or ladder.attack != "captured":
        return []
    if ladder.defence == "captured":
        return [Reason("ladder", chain.points, "It is caught in a ladder even if it moves first.")]
    danger = "is in atari" if ladder.in_atari else f"can be caught in a ladder that begins with {ladder.capture}"
    escape = f", and can escape by {ladder.escape}" if ladder.escape else ""
    return [Reason("ladder", chain.points, f"It {danger}{escape}.")]


def _without_reason(chain: Chain, name: str, before: float, share: float) -> Reason:
    count = len(chain.points)
    stones = f"{chain.colour} stone" if count == 1 else f"{count} {chain.colour} stones"
    surely = ("more surely " if abs(share) > abs(before) else "less surely ") if share * before > 0 else ""
    whose = f"{surely}{'Black' if share > 0 else 'White'}'s ({abs(share):.2f})"
    return Reason("without", chain.points, f"Without the {stones} at {chain.points[0]}, {name} would be {whose}.")


def _lead_reason(points: tuple[str, ...], lead: float) -> Reason:
    even = abs(lead) < 0.05
    words = "the game is even" if even else f"{'Black' if lead > 0 else 'White'} leads by {abs(lead):.1f}"
    return Reason("lead", points, f"{words} after it")


def _decided(board: Board, chains: Sequence[Chain], moved: FloatArray, passed: FloatArray) -> list[Reason]:
    """Return the stones that a move saves or kills, given the owners after it and after a pass; large chains first."""
    mover = 1 if board.to_play == "black" else -1
    reasons = []
    for chain in sorted(chains, key=lambda each: -len(each.points)):
        after, before = (mover * float(owner[_places(board, chain)].mean()) for owner in (moved, passed))
        if after > 0 > before and after - before >= DECIDED:
            verb = "saves" if chain.colour == board.to_play else "kills"
            stones = _counted(len(chain.points), "stone")
            reasons.append(Reason(verb, chain.points, f"{verb} {stones} at {chain.points[0]}"))
    return reasons[:NAMED]


def _counted(count: int, word: str, many: str | None = None) -> str:
    return f"{count or 'no'} {word if count == 1 else many or word + 's'}"
