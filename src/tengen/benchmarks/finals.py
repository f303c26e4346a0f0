"""Finished positions with known owners, for measuring the judge.

Three kinds of files are read: marked finals (.jsonl, one object per line) with `id`, `board` and `owner` (rows of
X O .), `rules`, `komi`, `handicap`, `captured_by_black`, `captured_by_white`, `result`; games (any format that
tengen.read_all reads) with a label set (tengen.corpus.labels); and games in which the players marked the territory (TB,
TW) or which have at least a result, with which only the count is compared.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.corpus.labels import decode_ownership, read_label_set
from tengen.corpus.splits import SPLITS, split_of
from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.counting import lead_of
from tengen.go.points import mask_of
from tengen.go.record import Game, read_all
from tengen.go.results import read_result
from tengen.go.rules import Rules
from tengen.go.servers import rules_at, server_of

_SIGNS = {"X": 1, "O": -1, ".": 0}


@dataclass(frozen=True)
class Final:
    """A finished position with the owner of each point and the recorded result."""

    id: str
    board: Board
    owner: npt.NDArray[np.float64]
    """From −1 (White) to 1 (Black), NaN if unknown; a chain is dead if the other side owns its points."""
    captures: tuple[int, int]
    recorded: float | None
    """Black's recorded lead, if the record gives a margin."""

    def holds(self, points: tuple[str, ...], colour: str) -> bool | None:
        """Whether a chain's points belong to its own side or are neutral at the end; None if unknown."""
        mean = float(self.owner[mask_of(points, self.board.width, self.board.height)].mean())
        return None if np.isnan(mean) else (mean if colour == "black" else -mean) >= 0


def read_finals(path: Path, labels: Path | None = None, *, agreeing: bool = False) -> Iterator[Final]:
    """Read marked finals, games with labelled final positions, or games with marked territory.

    With `agreeing`, only games whose marks and labels agree on every chain are used.
    """
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        return _marked_finals(path)
    if agreeing and labels is not None:
        said = {final.id: final for final in _labelled_games(path, labels)}
        return (final for final in _games_with_territory(path) if final.id in said and _agree(final, said[final.id]))
    return _games_with_territory(path) if labels is None else _labelled_games(path, labels)


def _agree(one: Final, other: Final) -> bool:
    chains = [(chain.points, chain.colour) for chain in one.board.chains()]
    return all(one.holds(*chain) == other.holds(*chain) for chain in chains)


def held_out(finals: Iterable[Final], split: str) -> Iterator[Final]:
    """Yield the finals of one split, by the ids of their games; "all" for every one."""
    if split not in (*SPLITS, "all"):
        raise TengenError(f"split is one of {', '.join(SPLITS)} or all, not {split!r}")
    return (final for final in finals if split == "all" or split_of(final.id) == split)


def _marked_finals(path: Path) -> Iterator[Final]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            rules = rules_at(server_of([row["id"].partition(":")[0]]), Rules.parse(row["rules"] or "japanese"))
            settings = {"rules": rules, "komi": row["komi"], "handicap": row["handicap"]}
            board = Board.from_text(row["board"], **settings)
            owner = np.array([[_SIGNS[sign] for sign in signs] for signs in row["owner"]], float)
            captures = (row["captured_by_black"], row["captured_by_white"])
            yield Final(row["id"], board, owner, captures, lead_of(read_result(row["result"])[0]))


def _games_with_territory(path: Path) -> Iterator[Final]:
    games = list(read_all(path))
    marked = [game for game in games if game.territory is not None]
    counted = [game for game in games if lead_of(game.result) is not None]
    if not marked and not counted:
        raise TengenError(f"{path} holds games without marked territory or a counted result")
    for game in marked or counted:
        board = game.board()
        owner = board.stones.astype(float) if game.territory is not None else np.full(board.stones.shape, np.nan)
        for sign, names in zip((1, -1), game.territory or ((), ()), strict=True):
            owner[mask_of(names, board.width, board.height)] = sign
        yield Final(str(game.id), board, owner, board.captures, lead_of(game.result))


def _labelled_games(path: Path, labels: Path) -> Iterator[Final]:
    games = {(str(game.id), _length(game)): game for game in read_all(path)}
    owners = {
        key: decode_ownership(np.frombuffer(row["ownership"], np.int8))
        for row in read_label_set(labels)
        if (key := (row["id"], row["turn"])) in games
    }
    for key, game in games.items():
        if key in owners:
            board = game.board()
            owner = owners[key].reshape(game.height, game.width).astype(float)
            yield Final(key[0], board, owner, board.captures, lead_of(game.result))


def _length(game: Game) -> int:
    """Return the number of moves without closing passes, which is the turn of the label of a final position."""
    points = [move.point for move in game.moves]
    while points and points[-1] == "pass":
        points.pop()
    return len(points)
