"""Speed of reading records, compared with sgfmill on the same bytes in the same run.

``read`` parses size, komi, result and every move of the main line; ``read+replay`` also replays the game to the final
board. The two programs alternate and the median times are compared, so other load slows both alike.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tengen.extras import need
from tengen.go.record import Game, read_all

GAMES = 200  # of each size
ROUNDS = 5

Reader = Callable[[bytes], object]


def bench_records(games: Path | None = None, seconds: float = 10.0) -> Iterator[dict[str, Any]]:
    """Measure reading and replaying of a record or a folder of them; by default random games."""
    cases = (("read", _read, _sgfmill_reader(replay=False)), ("read+replay", _replay, _sgfmill_reader(replay=True)))
    by_size = _by_size(sample_records([] if games is None else [games]))
    share = seconds / max(1, len(cases) * len(by_size))
    for case, ours, theirs in cases:
        for size, records in sorted(by_size.items()):
            yield _row(case, size, records, ours, theirs, share)


def sample_records(paths: Iterable[str | Path] = ()) -> list[bytes]:
    """Return the bytes of the games to read, one game each."""
    files = [file for path in paths for file in _files(Path(path))]
    if not files:
        return [random_record(size, seed) for size in (9, 19) for seed in range(GAMES)]
    return [game.sgf().encode() for file in files for game in read_all(file)[:GAMES]]


def random_record(size: int, seed: int) -> bytes:
    """Return a game of random legal moves of typical length."""
    chance = random.Random(seed)
    game = Game.new(size, rules="chinese", komi=7.5, black="Black", white="White")
    board = game.board()
    for _ in range(round(size * size * chance.uniform(0.5, 0.8))):
        colour, point = board.to_play, chance.choice([p for p in board.legal_moves() if p != "pass"] or ["pass"])
        board.play(point)
        game.play(colour, point)
    game.root.set("RE", "B+3.5")
    return game.sgf().encode()


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.sgf")) if path.is_dir() else [path]


def _by_size(records: Iterable[bytes]) -> dict[int, list[bytes]]:
    """Group records by size, square boards only: sgfmill reads no others."""
    by_size: dict[int, list[bytes]] = {}
    for record in records:
        game = Game.from_sgf(record)
        if game.width == game.height and game.size <= 25:
            by_size.setdefault(game.size, []).append(record)
    return {size: some[:GAMES] for size, some in by_size.items()}


def _row(
    case: str, size: int, records: Sequence[bytes], ours: Reader, theirs: Reader, seconds: float
) -> dict[str, Any]:
    mine, other = _race(ours, theirs, records, seconds)
    return {
        "bench": "records", "case": case, "size": size, "threads": 1,
        "per_second": round(mine, 1), "reference": "sgfmill", "ratio": round(mine / other, 2),
    }  # fmt: skip


def _race(ours: Reader, theirs: Reader, records: Sequence[bytes], seconds: float) -> tuple[float, float]:
    """Return the games per second of both, which alternate in turns of similar duration."""
    turn = seconds / (2 * ROUNDS)
    rates: tuple[list[float], list[float]] = ([], [])
    _rate(ours, records, turn / 4)
    for _ in range(ROUNDS):
        for reader, found in zip((ours, theirs), rates, strict=True):
            found.append(_rate(reader, records, turn))
    return statistics.median(rates[0]), statistics.median(rates[1])


def _rate(reader: Reader, records: Sequence[bytes], seconds: float) -> float:
    done = 0
    start = now = time.perf_counter()
    while now - start < seconds or done == 0:
        for record in records[done % len(records) :][:20]:
            reader(record)
            done += 1
        now = time.perf_counter()
    return done / (now - start)


def _read(record: bytes) -> object:
    game = Game.from_sgf(record)
    return game.size, game.komi, game.result, game.moves


def _replay(record: bytes) -> object:
    game = Game.from_sgf(record)
    return game.size, game.komi, game.result, game.board()


def _sgfmill_reader(*, replay: bool) -> Reader:
    boards, sgf = need("sgfmill.boards"), need("sgfmill.sgf")

    def read_moves(record: bytes) -> object:
        game = sgf.Sgf_game.from_bytes(record)
        moves = [node.get_move() for node in game.get_main_sequence()]
        return game.get_size(), game.get_komi(), game.get_root().has_property("RE"), moves

    def read_and_replay(record: bytes) -> object:
        game = sgf.Sgf_game.from_bytes(record)
        board = boards.Board(game.get_size())
        for node in game.get_main_sequence():
            if node.has_setup_stones():
                board.apply_setup(*node.get_setup_stones())
            colour, point = node.get_move()
            if point is not None:
                board.play(*point, colour)
        return game.get_komi(), board

    return read_and_replay if replay else read_moves
