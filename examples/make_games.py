"""Make games of GNU Go against itself after random openings, such as those of examples/corpus.

    python examples/make_games.py games.tsv --small 300 --large 36
    tengen corpus import games.tsv --to examples/corpus
    tengen corpus label examples/corpus --teacher gnugo
    tengen corpus label examples/corpus --teacher playouts --name vote

    python examples/make_games.py games.tsv --small 1100 --large 0 --level 10   # gnugo9-level10.tsv.gz

Every game has its own seed, so the same numbers give the same games; of equal games only the first is kept, and `tengen
corpus import` leaves out mirror images. A game takes a few seconds on 9×9 and most of a minute on 19×19. Finished games
are kept in OUTPUT.part until all are there, so that a stopped run can be resumed with the same command.
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


Shard = tuple[int, int, int | None]
"""The size and number of a game, and GNU Go's level; None draws one of LEVELS."""


def make_game(shard: Shard) -> str:
    """Play one game; return it as a line."""
    size, number, level = shard
    chance = random.Random(f"tengen {size} {number}")
    drawn = chance.choice(LEVELS[size])
    level = drawn if level is None else level
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
    return game_line(game, id=name_of(shard), source=f"GNU Go 3.8 against itself, level {level}")


def name_of(shard: Shard) -> str:
    """Return the id of a game."""
    size, number, level = shard
    return f"gnugo{size}:{number}" if level is None else f"gnugo{size}-level{level}:{number}"


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
    parser.add_argument("--level", type=int, default=None, help="GNU Go's level (default: drawn for each game)")
    parser.add_argument("--workers", type=int, default=None)
    wanted = parser.parse_args()
    counts = {9: wanted.small, 19: wanted.large}
    shards = [(size, number, wanted.level) for size, count in counts.items() for number in range(count)]
    part = wanted.output.with_name(wanted.output.name + ".part")
    done = _read_part(part)
    with part.open("a", encoding="utf-8") as file:
        missing = [shard for shard in shards if name_of(shard) not in done]
        for outcome in map_shards(make_game, missing, workers=wanted.workers):
            if outcome.result is None:
                sys.exit(f"{outcome.shard}: {outcome.error}")
            done[name_of(outcome.shard)] = outcome.result
            print(outcome.result, file=file, flush=True)
            print(f"{len(done)} of {len(shards)}", end="\r", file=sys.stderr)
    lines = _different([done[name_of(shard)] for shard in shards])
    wanted.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    part.unlink()
    print(f"{len(lines)} different games of {len(shards)}", file=sys.stderr)


def _read_part(path: Path) -> dict[str, str]:
    """Return the games of a stopped run by id; a line that was cut off is removed."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    path.write_text(whole, encoding="utf-8")
    return {line.partition("\t")[0]: line for line in whole.splitlines()}


def _different(lines: list[str]) -> list[str]:
    """Return the games without those whose size and moves are those of a game before."""
    first: dict[tuple[str, str], str] = {}
    for line in lines:
        columns = line.split("\t")
        first.setdefault((columns[1], columns[6]), line)
    return list(first.values())


if __name__ == "__main__":
    main()
