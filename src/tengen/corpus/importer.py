"""`tengen corpus import`: reads records into shards.

Start at `import_games`. Workers read pieces of about a thousand games, apply the filters and write one Parquet file per
piece, named by its content. Then a single ordered pass drops duplicates and writes the shards, which `store.json` adds
all at once. A stopped import therefore repeats only unfinished pieces and always ends with the same store.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from tengen._core import Position
from tengen.corpus.fingerprint import fingerprint
from tengen.corpus.sources import Piece, pieces
from tengen.corpus.store import SHARD_GAMES, Store, game_schema, read_table, write_table
from tengen.corpus.workers import map_shards
from tengen.errors import RecordError, TengenError
from tengen.extras import need
from tengen.go.counting import lead_of
from tengen.go.events import MOVE, kind_of, point_of
from tengen.go.header import OUTSIDE
from tengen.go.mending import notes_in_words
from tengen.go.record import Game, read_all

_MAX_SIDE = 25
_NAMED = 20  # maximum number of unreadable or malformed records listed by name
_OUTSIDE = "point outside the board"


@dataclass(frozen=True)
class Filters:
    """Which games to keep."""

    sizes: tuple[int, ...] = ()
    """Sides of square boards; empty for all."""
    handicap: bool = True
    min_moves: int = 1
    max_moves: int = 10_000
    counted: bool = False
    """Keep only games that ended with a margin."""
    min_rank: str | None = None
    """Minimum rank of the weaker player, such as 5k or 1d; games without ranks are then left out."""

    def __post_init__(self) -> None:
        if self.min_rank is not None and rank_value(self.min_rank) is None:
            raise TengenError(f"{self.min_rank!r} is not a rank: write 5k, 1d or 3p")

    def objection(self, game: Game) -> str | None:
        """Return the reason to leave a game out, or None."""
        square = game.width == game.height
        if max(game.width, game.height) > _MAX_SIDE or min(game.width, game.height) < 2:
            return "board too large or too small"
        if self.sizes and not (square and game.width in self.sizes):
            return "another size"
        if not self.handicap and game.handicap >= 2:
            return "handicap"
        if not self.min_moves <= len(game) <= self.max_moves:
            return "length"
        if self.counted and lead_of(game.result) is None:
            return "not counted"
        if self.min_rank is not None and not _strong_enough(game.ranks, self.min_rank):
            return "rank"
        return None


@dataclass(frozen=True)
class Imported:
    """The result of an import."""

    games: int
    added: int
    rejected: dict[str, int]
    """Number of games left out since the store was made, by reason."""
    failed: tuple[str, ...]
    """Pieces that ended in an unexpected error."""
    unreadable: int = 0
    """Number of files and games that could not be read in this import."""
    problems: tuple[str, ...] = ()
    """Location and reason of the first of these and of games with points outside the board."""
    outside: int = 0
    """Number of games left out in this import because of points outside the board."""


def rank_value(rank: str) -> int | None:
    """Return a number that grows with strength: 30k is 1, 1k 30, 1d 31, 9d 39, 1p 41; None if it is not a rank."""
    text = rank.strip().lower().rstrip("?*")
    if len(text) < 2 or not text[:-1].isdigit():
        return None
    number = int(text[:-1])
    if text[-1] == "k":
        return 31 - min(number, 30)
    return {"d": 30, "p": 40}.get(text[-1], -number) + number or None


def _strong_enough(ranks: str, weakest: str) -> bool:
    """Whether both ranks of a game, such as 3d/5k, are known and at least the weakest."""
    values = [rank_value(rank) for rank in ranks.split("/")]
    least = rank_value(weakest)
    return len(values) == 2 and least is not None and all(value is not None and value >= least for value in values)


def import_games(
    files: Iterable[Path],
    to: Path,
    *,
    filters: Filters | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_piece: Callable[[int], None] | None = None,
) -> Imported:
    """Read game records into a new or existing store; `on_piece` is called with the number of games read so far.

    Unreadable records are counted and listed in the result. If nothing can be read, TengenError is raised.
    """
    need("pyarrow")
    filters = filters or Filters()
    fresh = not to.exists()
    work = to / ".import"
    work.mkdir(parents=True, exist_ok=True)
    broken: list[str] = []
    jobs = (_Job(piece, filters, str(work.resolve())) for piece in pieces(files, broken.append))
    parts: list[Path] = []
    failed: list[str] = []
    read = 0
    try:
        for outcome in map_shards(_read_piece, jobs, workers=workers, scheduler=scheduler):
            if outcome.result is None:
                failed.append(f"{outcome.shard.piece.records[0][0]}: {outcome.error}")
                continue
            path, games = outcome.result
            parts.append(Path(path))
            read += games
            if on_piece is not None:
                on_piece(read)
        if broken and not parts and not failed:
            raise TengenError(broken[0] + (f" (and {len(broken) - 1} more files)" if len(broken) > 1 else ""))
        imported = _merge(Store.create(to), parts, tuple(failed), broken)
    except TengenError:
        shutil.rmtree(to if fresh else work, ignore_errors=True)
        raise
    shutil.rmtree(work, ignore_errors=True)
    return imported


@dataclass(frozen=True)
class _Job:
    piece: Piece
    filters: Filters
    work: str


def _read_piece(job: _Job) -> tuple[str, int]:
    """Read a piece unless its file exists; return the file and the number of games read."""
    settings = blake2b(json.dumps(asdict(job.filters), sort_keys=True).encode(), digest_size=4).hexdigest()
    path = Path(job.work) / f"{job.piece.number:06d}-{job.piece.digest}-{settings}.parquet"
    if not path.exists():
        rows, rejected, problems = _read_records(job.piece.records, job.filters)
        pa = need("pyarrow")
        facts = {"rejected": json.dumps(rejected), "problems": json.dumps(problems[:_NAMED])}
        table = pa.Table.from_pylist(rows, schema=game_schema().with_metadata(facts))
        write_table(path, table)
    metadata = need("pyarrow.parquet").read_schema(path).metadata
    kept = need("pyarrow.parquet").read_metadata(path).num_rows
    return str(path), kept + sum(json.loads(metadata[b"rejected"]).values())


def _read_records(
    records: Iterable[tuple[str, bytes]], filters: Filters
) -> tuple[list[dict[str, Any]], Counter[str], list[str]]:
    """Return the rows of the games kept, the number of games left out by reason, and the problems to list."""
    rows: list[dict[str, Any]] = []
    rejected: Counter[str] = Counter()
    problems: list[str] = []
    for name, data in records:
        try:
            games = read_all(data)
        except RecordError as error:
            problems.append(_problem(name, error))
            continue
        problems += [_problem(name, error) for error in games.errors]
        for game in games:
            row = _row(game, name, filters)
            if isinstance(row, RecordError):
                problems.append(_problem(name, row))
            elif isinstance(row, str):
                rejected[row] += 1
                if row == _OUTSIDE:
                    problems.append(_problem(name, RecordError(_first_outside(game), game=game.index)))
            else:
                rows.append(row)
    rejected["unreadable"] += len(problems) - rejected[_OUTSIDE]
    return rows, +rejected, problems


def _first_outside(game: Game) -> str:
    more = f" and {game.points_outside - 1:,} more" if game.points_outside > 1 else ""
    return f"left out: {notes_in_words(game, OUTSIDE)[0]}{more}"


def _problem(name: str, error: RecordError) -> str:
    """Return where and why a record could not be read; a name such as games.tsv:1001 ends in its first line number."""
    file, _, first = name.rpartition(":")
    if not first.isdecimal() or error.game is None:
        return str(RecordError(error.problem, file=name, game=error.game, offset=error.offset))
    return str(RecordError(error.problem, file=file, game=int(first) + error.game - 1))


def _row(game: Game, name: str, filters: Filters) -> dict[str, Any] | str | RecordError:
    """Return the columns of a game, or the reason it is left out."""
    try:
        objection = filters.objection(game)
        if objection is not None:
            return objection
        return _OUTSIDE if game.points_outside else _columns(game, name) or "illegal move"
    except TengenError as problem:
        return RecordError(str(problem), game=game.index)


def _columns(game: Game, name: str) -> dict[str, Any] | None:
    events, rules = game.events, game.rules
    if Position(game.width, game.height, 0, rules.suicide).replay(events, len(game) + 1):
        return None
    mark = fingerprint(game.width, game.height, events)
    points = game.width * game.height
    moves = kind_of(events) == MOVE
    played = np.flatnonzero(moves & (point_of(events) < points))
    length = int(np.count_nonzero(moves[: played[-1] + 1])) if len(played) else 0
    return {
        "id": game.id or f"sgf:{mark.hex()[:20]}",
        "width": game.width,
        "height": game.height,
        "rules": str(rules),
        "komi": game.komi,
        "handicap": game.handicap,
        "result": game.result,
        "lead": lead_of(game.result),
        "length": length,
        "ranks": game.ranks,
        "source": game.source or name,
        "events": events.astype("<u2").tobytes(),
        "black_territory": _territory(game, 0),
        "white_territory": _territory(game, 1),
        "fingerprint": mark,
    }


def _territory(game: Game, side: int) -> bytes | None:
    from tengen.go.sgf import point_index

    if game.territory is None:
        return None
    indices = [point_index(point, game.width, game.height) for point in game.territory[side]]
    return np.array(sorted(indices), "<u2").tobytes()


def _merge(store: Store, parts: list[Path], failed: tuple[str, ...], broken: list[str]) -> Imported:
    """Drop duplicates, in order, and write the rest as new shards."""
    pa = need("pyarrow")
    seen: set[bytes] = set()
    ids: set[str] = set()
    for shard in store.shards:
        table = store.table(shard, ["id", "fingerprint"])
        seen.update(table["fingerprint"].to_pylist())
        ids.update(table["id"].to_pylist())
    before = len(store)
    rejected = Counter(store.rejected)
    before_this = rejected.copy()
    rejected["unreadable"] += len(broken)
    problems = list(broken)
    shard_games = list(store.shard_games)
    for table in _shard_tables(_new_games(parts, seen, ids, rejected, problems), pa):
        write_table(store.games_path(len(shard_games)), table)
        shard_games.append(table.num_rows)
    store.commit(shard_games, dict(sorted(rejected.items())))
    unreadable, outside = (rejected[reason] - before_this[reason] for reason in ("unreadable", _OUTSIDE))
    named = tuple(problems[:_NAMED])
    return Imported(len(store), len(store) - before, store.rejected, failed, unreadable, named, outside)


def _new_games(
    parts: list[Path], seen: set[bytes], ids: set[str], rejected: Counter[str], problems: list[str]
) -> Iterator[Any]:
    for part in parts:
        table = read_table(part)
        rejected.update(json.loads(table.schema.metadata[b"rejected"]))
        problems += json.loads(table.schema.metadata[b"problems"])
        keep = []
        for mark, id_ in zip(table["fingerprint"].to_pylist(), table["id"].to_pylist(), strict=True):
            copy = mark in seen
            taken = id_ in ids
            rejected["duplicate"] += copy
            rejected["id taken by another game"] += taken and not copy
            keep.append(not copy and not taken)
            seen.add(mark)
            ids.add(id_)
        yield table.filter(need("pyarrow").array(keep, need("pyarrow").bool_())).replace_schema_metadata(None)
    for reason in [reason for reason, count in rejected.items() if not count]:
        del rejected[reason]


def _shard_tables(tables: Iterator[Any], pa: Any) -> Iterator[Any]:
    waiting: list[Any] = []
    for table in tables:
        waiting.append(table)
        while sum(part.num_rows for part in waiting) >= SHARD_GAMES:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, SHARD_GAMES).combine_chunks()
            waiting = [whole.slice(SHARD_GAMES)]
    rest = pa.concat_tables(waiting).combine_chunks() if waiting else None
    if rest is not None and rest.num_rows:
        yield rest
