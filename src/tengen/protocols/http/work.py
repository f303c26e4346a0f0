"""The answers of the service, computed from requests by the public functions of the package.

Verdicts on recent boards are cached, because a user who marks one chain after the other asks for the same board again:
the first count takes as long as the judge, the next ones a few milliseconds. An answer does not depend on the cache.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.record import Game
from tengen.go.rules import Rules
from tengen.go.text import rows_of
from tengen.judge.difference import explanations
from tengen.judge.score import Score, score
from tengen.models.estimate import estimate
from tengen.models.suggestion import suggest
from tengen.protocols.answers import Answer, estimate_answer, moves_answer, record_answer, score_answer
from tengen.protocols.http.lanes import Stop
from tengen.protocols.http.limits import MOST_MOVES, MOST_PLAYOUTS, MOST_SECONDS
from tengen.protocols.http.messages import (
    EstimateRequest,
    GameRequest,
    MovesRequest,
    PlayRequest,
    RecordRequest,
    ScoreRequest,
)
from tengen.search.clock import Clock
from tengen.search.player import Player, Settings
from tengen.search.records import record_of
from tengen.search.review import Reviewer

JUDGED = 64
"""Number of boards whose verdicts are cached."""
USUAL_SECONDS = 1.0
SEARCH_MEMORY = 128
"""Maximum size of the engine's tree in megabytes."""


def score_work(request: ScoreRequest, stop: Stop) -> Answer:
    """Count a position."""
    judged = _judged(json.dumps(request.model_dump(exclude={"marks"})))
    counted = judged.score.marked(request.marks) if request.marks else judged.score
    differs = counted.agrees is False
    found = explanations(counted, judged.recorded, server=judged.server) if differs else ()
    warnings, sentences = (*judged.warnings, *counted.warnings), [each.sentence for each in found]
    return {
        **_shown(judged.score.basis.board),
        **score_answer(counted, judged.recorded, warnings, sentences),
        "explanations": [{"sentence": each.sentence, "marks": dict(each.marks)} for each in found],
    }


class _Judged:
    """A score by the judge's verdicts, and what an answer takes from the record."""

    def __init__(self, request: ScoreRequest) -> None:
        game, board = request.read()
        counted = score(board, captures=request.captures)
        self.recorded = "" if game is None else game.result
        self.warnings = () if game is None else tuple(game.warnings)
        self.server = "" if game is None else game.server
        last = game is not None and board.move_number == len(game)
        self.score: Score = replace(counted, recorded=self.recorded) if last else counted


@lru_cache(maxsize=JUDGED)
def _judged(request: str) -> _Judged:
    return _Judged(ScoreRequest.model_validate(json.loads(request)))


def estimate_work(request: EstimateRequest, stop: Stop) -> Answer:
    """Estimate a position."""
    game, board = request.read()
    return {**_shown(board), **estimate_answer(board, estimate(board), _warnings(game), request.explain)}


def moves_work(request: MovesRequest, stop: Stop) -> Answer:
    """Suggest moves."""
    game, board = request.read()
    return {**_shown(board), **moves_answer(board, suggest(board, top=request.top), _warnings(game))}


def record_work(request: RecordRequest, stop: Stop) -> Answer:
    """Read a record."""
    game = request.game()
    if len(game) > MOST_MOVES:
        raise TengenError(f"a record has at most {MOST_MOVES:,} moves here, not {len(game):,}")
    board = game.board()
    return {**record_answer(game), "board": rows_of(board.stones), "date": game.date, "event": game.event}


def game_work(request: GameRequest, stop: Stop) -> Answer:
    """Review a game."""
    game = request.game()
    if game is None:
        game = record_of(request.read()[1])
    positions = len(game) + 1
    if positions > MOST_MOVES or positions * request.playouts > MOST_PLAYOUTS:
        raise TengenError(
            f"a review has at most {MOST_MOVES:,} positions and {MOST_PLAYOUTS:,} playouts, "
            f"not {positions:,} × {request.playouts:,}: ask for fewer playouts"
        )
    rules = None if request.rules is None else Rules.parse(request.rules)
    reviewer = Reviewer(request.playouts, rules=rules, komi=request.komi)

    def go_on(done: int, total: int) -> None:
        if stop():
            raise TengenError("the review was stopped")

    review = reviewer.review(game, go_on)
    return {"size": game.size, "width": game.width, "height": game.height, **review.json()}


def play_work(request: PlayRequest, stop: Stop) -> Answer:
    """Choose a move for the engine."""
    game, board = request.read()
    seconds = (
        MOST_SECONDS if request.seconds is None and (request.playouts or request.clock) else request.seconds or 1.0
    )
    settings = Settings(playouts=request.playouts, seconds=seconds, kind="auto", memory=SEARCH_MEMORY)
    clock = None if request.clock is None else Clock(**request.clock.model_dump())
    player = Player(board, settings)
    player.hopeless = request.hopeless or 0
    decision = player.choose(clock=clock, may_resign=request.hopeless is not None, stop=stop)
    found = decision.analysis
    return {
        **_shown(board),
        "to_play": board.to_play,
        "move": decision.move,
        "winrate": round(found.winrate, 4),
        "lead": round(found.lead, 2),
        "lead_sd": round(found.lead_sd, 2),
        "visits": found.visits,
        "line": list(found.candidates[0].line),
        "hopeless": player.hopeless,
        "warnings": _warnings(game),
    }


def _shown(board: Board) -> Answer:
    captures = {"black": board.captures.black, "white": board.captures.white}
    return {"board": rows_of(board.stones), "captures": captures}


def _warnings(game: Game | None) -> list[str]:
    return [] if game is None else list(game.warnings)
