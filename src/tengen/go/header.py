"""Interpret the root properties of a record: komi, handicap, rules and result.

Reading guide: each ``read_*`` function takes raw values and returns their meaning, with one warning for each
repair. Servers differ: Fox writes komi as KM[375] (3.75 stones, that is 7.5 points) or KM[0] in even games, some
programs put it into KO, and some let Black play the handicap stones as moves. Each ``proper_*`` function returns the
standard SGF value that should replace a nonstandard one, or None if the value can stay. Results are read in
results.py.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tengen._core import Mend
from tengen.errors import TengenError
from tengen.go.results import brief, read_result

if TYPE_CHECKING:
    from tengen.go.rules import Rules

#: What the native reader mends; the byte offset follows.
MENDED: dict[int, str] = {
    Mend.leading_junk: "text before the first game was skipped",
    Mend.trailing_junk: "text after the game was skipped",
    Mend.missing_semicolon: "a node began without its ;",
    Mend.missing_close: "the game ended without its )",
    Mend.lower_case: "properties in lower case were read as capitals",
    Mend.repeated_property: "a property stood twice in one node and its values were joined",
    Mend.stray_text: "stray text between properties was skipped",
    Mend.empty_variation: "an empty variation was left out",
    Mend.extra_root: "a second root was read as a variation",
    Mend.bad_size: "SZ is no board size from 1 to 52; 19x19 was assumed",
    Mend.setup_outside: "points outside the board were ignored in a setup",
    Mend.several_moves: "several moves in one node were all played, in order",
    Mend.bad_player: "PL names neither player and was ignored",
    Mend.bad_move: "a move outside the board was ignored",
}
OUTSIDE = (Mend.setup_outside, Mend.bad_move)
"""The kinds of mending that name a value, and may occur many times in a game."""

_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)")
_PROPER_REAL = re.compile(r"[-+]?\d+(\.\d+)?")
_PROPER_RESULT = re.compile(r"0|Draw|Void|\?|[BW]\+(R(esign)?|T(ime)?|F(orfeit)?|\d+(\.\d+)?)?")
_REMEMBERED = 1000  # characters of a value beyond which it is not kept in a cache
_CHINESE_KOMI = (7.5, 7.0, 3.75, 2.75)  # komi of area counting, in points or in stones
_STONES = {3.75: 7.5, 2.75: 5.5, 3.25: 6.5, 1.75: 3.5}  # Chinese records count komi in stones: half the points


class Opening(NamedTuple):
    """How a game starts: stones set up before the first move, and Black's consecutive first moves."""

    black: int
    white: int
    black_moves: int
    white_first: bool


class Komi(NamedTuple):
    """Komi in points, warnings, and whether the komi was recorded or assumed."""

    points: float
    warnings: list[str]
    recorded: bool


def number(raw: str | None) -> float | None:
    """Return the number at the start of a text, with a decimal point or comma; None if there is none."""
    match = _NUMBER.match(raw.strip()) if raw else None
    return float(match.group().replace(",", ".")) if match else None


def plain_komi(raw: str | None) -> float | None:
    """Return an ordinary komi such as 6.5; None if ``read_komi`` has to interpret the value."""
    try:
        komi = float(raw or "")
    except ValueError:
        return None
    return komi if komi != 0 and -100 < komi < 100 and komi * 2 % 1 == 0 else None


def read_komi(raw: str | None, *, ko: str | None = None, handicap: int = 0, fox: bool = False, rules: Rules) -> Komi:
    """Return the komi, or the usual one if none is recorded."""
    komi, warnings = _written_komi(raw, ko)
    if komi is not None and not -1000 < komi < 1000:
        komi, warnings = None, [f"KM[{brief(raw)}] is not a komi"]
    if komi is None:
        usual = 0.5 if handicap >= 2 else rules.default_komi
        return Komi(usual, [*(warnings or ["no komi is recorded"]), f"komi {usual:g} was assumed"], False)
    if fox and komi == 0 and handicap == 0:
        usual = 7.5 if rules.scoring == "AREA" else 6.5
        return Komi(usual, [f"Fox writes KM[0] in even games too; komi {usual:g} was assumed"], True)
    if 100 < komi < 1000 and komi % 25 == 0:
        komi /= 100
        warnings.append(f"KM[{raw}] counts hundredths; komi is {_STONES.get(komi, komi):g}")
    elif komi in _STONES:
        warnings.append(f"KM[{raw}] counts stones; komi is {_STONES[komi]:g} points")
    return Komi(_STONES.get(komi, komi), warnings, True)


def proper_komi(raw: str | None, komi: Komi) -> str | None:
    """Return a new value for KM if the record's is not standard SGF or not in points."""
    written = (raw or "").strip()
    fine = _PROPER_REAL.fullmatch(written) is not None and float(written) == komi.points
    return None if fine or not komi.recorded else f"{komi.points:g}"


def _written_komi(raw: str | None, ko: str | None) -> tuple[float | None, list[str]]:
    komi = number(raw)
    if komi is not None and raw is not None:
        return komi, [f"KM[{brief(raw)}] was read as {komi:g}"] if "," in raw else []
    if raw is not None and raw.strip():
        return None, [f"KM[{brief(raw)}] is not a number"]
    komi = number(ko)
    return komi, [] if komi is None else [f"komi {komi:g} was taken from KO"]


def read_rules(raw: str | None, komi: str | None) -> tuple[Rules, list[str]]:
    """Return the rules; if they are unknown or missing, those that the komi suggests."""
    remembered = len(raw or "") + len(komi or "") <= _REMEMBERED
    rules, warning = _known_rules(raw, komi) if remembered else _known_rules.__wrapped__(raw, komi)
    return rules, [warning] if warning else []


@lru_cache(maxsize=4096)
def _known_rules(raw: str | None, komi: str | None) -> tuple[Rules, str | None]:
    from tengen.go.rules import Rules

    if raw is not None and raw.strip():
        try:
            return Rules.parse(raw.strip()), None
        except TengenError:
            missing = f"rules {brief(raw.strip())!r} are not known"
    else:
        missing = "no rules are recorded"
    value = number(komi)
    points = value / 100 if value is not None and value > 100 else value
    name = "chinese" if points in _CHINESE_KOMI else "japanese"
    return Rules.parse(name), f"{missing}; {name} rules were assumed"


def implied_rules(raw: str | None, komi: str | None, points: str | None) -> str | None:
    """Return a new value for RU if the rules were inferred from a komi (2.75 stones) that is now written in points."""
    if points is None or (raw or "").strip():
        return None
    rules = read_rules(raw, komi)[0]
    return None if read_rules(raw, points)[0] == rules else str(rules)


def read_handicap(raw: str | None, opening: Opening) -> tuple[int, list[str]]:
    """Return the number of handicap stones; 0 for an even game."""
    said = number(raw)
    warnings = (
        [f"HA[{brief(raw)}] is not a number of stones"]
        if raw and raw.strip() and (said is None or not 0 <= said <= 361)
        else []
    )
    stones = int(said) if said is not None and 0 <= said <= 361 else 0
    if stones >= 2:
        return stones, warnings + _placement(stones, opening)
    if opening.black >= 2 and opening.white == 0 and opening.white_first:
        return opening.black, [*warnings, f"Black's {opening.black} stones before White's first move are the handicap"]
    if opening.black + opening.white == 0 and 2 <= opening.black_moves <= 25:
        return opening.black_moves, [*warnings, f"Black's first {opening.black_moves} moves are the handicap"]
    return stones, warnings


def proper_handicap(raw: str | None) -> str | None:
    """Return a new value for HA if the record's contains a number of stones but is not standard SGF."""
    written = (raw or "").strip()
    stones = number(written)
    if stones is None or not 0 <= stones <= 361 or written.isdecimal():
        return None
    return f"{int(stones)}"


def proper_result(raw: str | None) -> str | None:
    """Return a new value for RE if the record's is understood but not standard SGF."""
    written = (raw or "").strip()
    result, warning = read_result(raw)
    if result in ("", "?") or (warning is None and _PROPER_RESULT.fullmatch(written)):
        return None
    return result


def _placement(stones: int, opening: Opening) -> list[str]:
    """Return warnings about a recorded handicap that does not match the stones on the board."""
    if opening.black == stones:
        return []
    if opening.black:
        return [f"HA[{stones}] but {opening.black} black stones are set up"]
    if opening.black_moves >= 2:
        return [f"HA[{stones}] without AB: Black's first {opening.black_moves} moves are the handicap"]
    return [f"HA[{stones}] but no handicap stones are placed"]
