"""Warnings about the repairs made in a game, and writing those repairs into its record.

Reading guide: the native reader notes its repairs (``header.MENDED``); ``notes_in_words`` turns the notes into
warnings and ``illegal_moves_in_words`` describes moves that break the rules. ``mend_values`` and
``drop_points_outside`` edit the record, so that other programs read it the same way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Container
from typing import TYPE_CHECKING

from tengen._core import Mend
from tengen.errors import IllegalMove, TengenError
from tengen.go import header
from tengen.go.results import brief
from tengen.go.sgf import clipped

if TYPE_CHECKING:
    from tengen.go.record import Game

NAMED = 5
"""Illegal moves and points outside the board that are named one by one; the others are counted."""
_DROPPED = {
    Mend.setup_outside: "points outside the board were removed from a setup",
    Mend.bad_move: "a move outside the board was removed",
}
_Note = tuple[int, int, int, int]


def illegal_moves_in_words(game: Game) -> list[str]:
    """Return a warning for each of the first illegal moves, and one for the rest."""
    try:
        numbers = game.illegal_moves()
    except TengenError:  # a board on which nothing can be played: too large or too small
        return []
    words = []
    for number in numbers[:NAMED]:
        move = game.moves[number - 1]
        try:
            game.board(number - 1).play(move.point, move.colour)
        except IllegalMove as problem:
            words.append(f"move {number} is illegal and was played all the same: {problem}")
    return [*words, *_more("illegal moves", len(numbers))]


def notes_in_words(game: Game, kinds: Container[int] = header.MENDED) -> list[str]:
    """What the native reader mended; of points outside the board the first few are named."""
    counts: Counter[int] = Counter()
    words = []
    for note in _notes(game):
        counts[note[0]] += note[0] in kinds
        if note[0] in kinds and counts[note[0]] <= NAMED:
            words.append(_words(game, note))
    words += _more("points outside the board in setups", counts[Mend.setup_outside])
    return words + _more("moves outside the board", counts[Mend.bad_move])


def _notes(game: Game) -> list[_Note]:
    notes = game._tree.records.notes(game._tree.game)
    return [note for note in notes if note[0] not in header.OUTSIDE] if game._clean else notes


def _words(game: Game, note: _Note) -> str:
    kind, at, colour, moves = note
    byte = game._decoded.offset(at) if game._decoded else at
    where = ""
    if kind in header.OUTSIDE:
        value = brief(game._tree.records.text[at : at + 100].decode("utf-8", "replace").partition("]")[0])
        name = ("AE", "AB", "AW")[colour] if kind == Mend.setup_outside else ("", "B", "W")[colour]
        where = f"{name}[{value}]: " if kind == Mend.setup_outside else f"{name}[{value}] after move {moves}: "
    return f"{where}{header.MENDED[kind]} (byte {byte})"


def _more(what: str, count: int) -> list[str]:
    """Return a warning with the number of cases beyond the first ones, if there are more."""
    return [f"{count - NAMED:,} more {what}, {count:,} in all"] if count > NAMED else []


def mend_values(game: Game) -> list[str]:
    """Write the values of the root in standard SGF; return what changed."""
    proper = game._proper_values
    written = {name: game._first_values(name)[0] for name in proper}
    for name, value in proper.items():
        game.root.set(name, value)
    return [
        f"{name}[{value}] was added"
        if written[name] is None
        else f"{name}[{brief(written[name])}] was changed to {name}[{value}]"
        for name, value in proper.items()
    ]


def not_understood(game: Game) -> list[str]:
    """Return a message for each value of the root that could not be understood and is left unchanged."""
    komi, rules, handicap, result = (raw or "" for raw in game._first_values("KM", "RU", "HA", "RE"))
    stones = header.number(handicap)
    lost = {
        "KM": komi if not game._komi.recorded else "",
        "RU": rules if header.read_rules(rules, komi)[1] else "",
        "HA": handicap if stones is None or not 0 <= stones <= 361 else "",
        "RE": result if game.result == "?" and result.strip() != "?" else "",
    }
    return [f"{name}[{brief(raw)}] was not understood and stays as it is" for name, raw in lost.items() if raw.strip()]


def places_outside(game: Game) -> list[int]:
    """Where in the text the moves and setup values of the main line stand that are not on the board."""
    return [at for kind, at, *_ in _notes(game) if kind in header.OUTSIDE]


def drop_points_outside(game: Game) -> list[str]:
    """Remove moves and setup points outside the board from the main line; return what changed."""
    places = places_outside(game)
    if not places:
        return []
    words = notes_in_words(game, header.OUTSIDE)
    for kind, sentence in _DROPPED.items():
        words = [word.replace(header.MENDED[kind], sentence) for word in words]
    records = game._tree.records
    nodes = records.main_line(game._tree.game)
    begins = [records.span(node)[0] for node in nodes]
    for node in {nodes[bisect_right(begins, place) - 1] for place in places}:
        properties = game._tree.edit(node)
        for name in {"B", "W", "AB", "AW", "AE"} & properties.keys():
            values = (clipped(raw, name, game.width, game.height) for raw in properties[name])
            properties[name] = [raw for raw in values if raw is not None]
            if not properties[name]:
                del properties[name]
    game._clean = True
    return words
