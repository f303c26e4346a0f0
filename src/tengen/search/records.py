"""The record of a board."""

from __future__ import annotations

from tengen.engines.position import line_of
from tengen.go.board import Board
from tengen.go.record import Game


def record_of(board: Board) -> Game:
    """Return the record of a board: its setup stones, then its moves."""
    line = line_of(board)
    game = Game.new(board.width, board.height, rules=board.rules, komi=board.komi, handicap=board.handicap)
    for colour, key in (("black", "AB"), ("white", "AW")):
        if stones := [stone.point for stone in line.stones if stone.colour == colour]:
            game.root.set_points(key, stones)
    if line.first == "white" and line.stones:
        game.root.set("PL", "W")
    for move in line.moves:
        game.play(*move)
    return game
