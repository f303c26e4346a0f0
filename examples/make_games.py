"""Make the games of examples/corpus: GNU Go against itself, at several levels, after random openings.

    python examples/make_games.py games.tsv --small 300 --large 36
    tengen corpus import games.tsv --to examples/corpus
    tengen corpus label examples/corpus --teacher gnugo
    tengen corpus label examples/corpus --teacher playouts --name vote

Every game has its own seed, so the same numbers give the same games. A game takes a few seconds on 9×9 and most
of a minute on 19×19.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from tengen.corpus.workers import map_shards
from tengen.engines.gtp import GtpEngine, gnugo
from tengen.go.board import Board
from tengen.go.counting import result_string
from tengen.go.lines import game_line
from tengen.go.points import point_name
from tengen.go.record import Game

LEVELS = {9: (1, 4, 8, 10), 13: (1, 4, 8), 19: (1, 3, 6)}
KOMI = {9: 7.0, 13: 6.5, 19: 6.5}
RULES = {9: "chinese", 13: "japanese", 19: "japanese"}


def make_game(shard: tuple[int, int]) -> str:
    """Play one game; return it as a line."""
    size, number = shard
    chance = random.Random(f"tengen {size} {number}")
    level = chance.choice(LEVELS[size])
    board = Board(size, rules=RULES[size], komi=KOMI[size])
    for _ in range(chance.randrange(0, 7)):
        board.play(_opening_move(board, chance))
    with gnugo(level=level, rules=RULES[size], extra=("--seed", str(number + 1))) as engine:
        engine.set_position(board)
        _play_out(engine, board)
        engine.set_position(board)
        lead = engine.final_score()
    game = Game.new(size, rules=RULES[size], komi=KOMI[size], black="GNU Go 3.8", white="GNU Go 3.8")
    for move in board.moves:
        game.play(move.colour, move.point)
    game.root.set("RE", "?" if lead is None else result_string(lead))
    return game_line(game, id=f"gnugo{size}:{number}", source=f"GNU Go 3.8 against itself, level {level}")


def _opening_move(board: Board, chance: random.Random) -> str:
    """Return a random legal point that is not on the first two lines."""
    inside = range(2, board.width - 2)
    names = [point_name(row, column, board.height) for row in inside for column in inside]
    return chance.choice([name for name in names if board.is_legal(name)])


def _play_out(engine: GtpEngine, board: Board) -> None:
    while not board.is_over and board.move_number < 2 * board.width * board.height:
        move = engine.genmove(board.to_play)
        if move == "resign":
            return
        board.play(move)


def main() -> None:
    """Make the games and write them one per line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("output", type=Path)
    parser.add_argument("--small", type=int, default=300, help="games on 9×9")
    parser.add_argument("--large", type=int, default=36, help="games on 19×19")
    parser.add_argument("--workers", type=int, default=None)
    wanted = parser.parse_args()
    shards = [(9, number) for number in range(wanted.small)] + [(19, number) for number in range(wanted.large)]
    lines: list[str] = []
    for outcome in map_shards(make_game, shards, workers=wanted.workers):
        if outcome.result is None:
            sys.exit(f"{outcome.shard}: {outcome.error}")
        lines.append(outcome.result)
        print(f"{len(lines)} of {len(shards)}", end="\r", file=sys.stderr)
    wanted.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
