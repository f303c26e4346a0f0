"""How well it plays, in a few games: the strong search beats the plain one, and holds its own against GNU Go."""

from __future__ import annotations

import pytest

import tengen
from tengen.engines.gtp import GtpEngine, gnugo
from tengen.engines.process import find_program
from tengen.go.board import Board
from tengen.go.colour import Colour
from tengen.search.player import Player, Settings


def winner(black: Player, white: Player) -> Colour:
    """Play a game to its end; both players hold the same board."""
    players: dict[Colour, Player] = {"black": black, "white": white}
    while not black.board.is_over:
        colour = black.board.to_play
        move = players[colour].choose().move
        if move == "resign":
            return "white" if colour == "black" else "black"
        for player in players.values():
            player.play(move)
    return "black" if tengen.score(black.board).lead > 0 else "white"


@pytest.mark.slow
def test_the_strong_search_beats_the_plain_one_at_equal_playouts() -> None:
    wins = 0
    for game in range(10):
        board = Board(9)
        strong = Player(board, Settings(playouts=400, seed=game))
        plain = Player(board, Settings(playouts=400, seed=game, kind="uct"))
        wins += winner(strong, plain) == "black" if game % 2 else winner(plain, strong) == "white"
    assert wins >= 8


@pytest.mark.slow
@pytest.mark.skipif(find_program("gnugo") is None, reason="GNU Go is not installed")
def test_gnu_go_is_beaten_and_agrees_on_the_count() -> None:
    """Nine games of ten are won on the whole; both programs have given seeds, so the games are always the same."""
    wins = 0
    with gnugo(level=10, extra=("--seed", "1")) as engine:
        for game in range(4):
            ours: Colour = "black" if game % 2 else "white"
            wins += beats_gnugo(engine, ours, game)
    assert wins >= 2


def beats_gnugo(engine: GtpEngine, ours: Colour, seed: int) -> bool:
    player = Player(Board(9), Settings(playouts=10_000, seed=seed))
    engine.set_position(player.board)
    while not player.board.is_over:
        mover = player.board.to_play
        move = player.choose().move if mover == ours else engine.genmove(mover)
        if move == "resign":
            return mover != ours
        if mover == ours:
            engine.play(mover, move)
        player.play(move)
    lead, count = engine.final_score(), tengen.score(player.board).lead
    assert lead is not None
    assert (lead > 0) == (count > 0)
    return (lead > 0) == (ours == "black")
