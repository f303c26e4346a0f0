"""Results of games as people and servers write them, in English, Chinese, Japanese and Korean.

Reading guide: ``read_result`` finds the named colour, ``_ending`` whether that colour won or lost and how,
``_margin`` the points. Chinese results count in stones (子): 3/4 of a stone is 1.5 points.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_QUOTED = 60  # characters of a value quoted in a warning
_LONGEST = 200  # characters of a value that are read
_MOST_POINTS = 52 * 52 * 2  # a larger margin is not a result

_NAMED = (
    ("B", re.compile(r"(?:b|black|黑|黒|흑)(?=[^a-z]|w(?:in|on)|$)", re.IGNORECASE)),
    ("W", re.compile(r"(?:w|white|白|백)(?=[^a-z]|w(?:in|on)|$)", re.IGNORECASE)),
)
_ANYWHERE = (("B", re.compile("[黑黒흑]")), ("W", re.compile("[白백]")))
_WAYS = (
    ("R", re.compile(r"\br\b|\bres|中押|中盘|中盤|불계|投|认输|認輸", re.IGNORECASE)),
    ("T", re.compile(r"\bt\b|\btime|超时|超時|時間|时间|시간", re.IGNORECASE)),
    ("F", re.compile(r"\bf\b|\bforf|反則|反则|犯规|弃权|棄權|不战|不戦|반칙|기권|부전", re.IGNORECASE)),
)
_WINS = re.compile(r"w(?:in|on)|[胜勝승贏赢]", re.IGNORECASE)
_LOSES = re.compile(
    r"\blos[et]|\bresign(?:s|ed)\b|\bforfeit(?:s|ed)\b|\btimed out\b|\bran out\b|[负負败敗패输輸]|投了|投子",
    re.IGNORECASE,
)
_DRAWS = ("0", "draw", "jigo", "tie", "b+0", "w+0", "和棋", "和局", "平局", "持碁", "ジゴ", "무승부")
_VOID = ("void", "none", "无胜负", "無勝負")

_VULGAR = {ord("½"): " 1/2", ord("¼"): " 1/4", ord("¾"): " 3/4"}
_DIGITS = {char: value for value, chars in enumerate(("零〇", "一", "二两兩両", *"三四五六七八九")) for char in chars}
_NUMERAL = rf"[十{''.join(_DIGITS)}]+"
_NUMBER = rf"(?:\d++(?:[.,]\d+)?+|{_NUMERAL})"
_AMOUNT = re.compile(
    rf"""(?:(?:(?P<whole>{_NUMBER})(?:\s*又\s*|\s+))?  # 1又3/4, 3 1/2, 一又四分之三
            (?:(?P<top>\d+)\s*/\s*(?P<bottom>\d+)|(?P<parts>{_NUMERAL})分之(?P<share>{_NUMERAL}))
          |(?P<number>{_NUMBER}))?                     # 3.5, 三
         \s*(?P<unit>[目子집])?\s*(?P<half>[半반])?\s*(?P<after>[目子집])?""",
    re.VERBOSE,
)


class _Ending(NamedTuple):
    colour: str
    way: str | None
    decided: bool
    """Whether a word for winning or losing was found."""


def brief(raw: str | None) -> str:
    """Return a raw value shortened for a warning."""
    text = raw or ""
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def read_result(raw: str | None) -> tuple[str, str | None]:
    """Return a result such as B+3.5, W+R, Draw, Void, ? or "", and a warning if the text had to be interpreted."""
    return _read_text((raw or "").strip()[:_LONGEST])


@lru_cache(maxsize=4096)
def _read_text(written: str) -> tuple[str, str | None]:
    text = written if written.isascii() else unicodedata.normalize("NFKC", written.translate(_VULGAR))
    if text in ("", "?"):
        return text, None
    if text.lower() in _DRAWS:
        return "Draw", None
    if text.lower() in _VOID:
        return "Void", None
    colour, rest = _named_colour(text)
    result = _outcome(colour, rest, plain=text[1:2] == "+") if colour else None
    if result is None:
        return "?", f"result {brief(written)!r} is not known"
    return result, None if _says(result, text) else f"result {brief(written)!r} was read as {result}"


def _says(result: str, text: str) -> bool:
    """Return whether a text is this result in standard form, ignoring case and the form of numbers."""
    if text[1:2] != "+":
        return result.endswith("+")
    same = text[:1].upper() == result[:1]
    rest = text[2:].strip().replace(",", ".")
    if result[2:].isalpha() or not rest:
        return same
    return same and re.fullmatch(r"\d+(\.\d*)?", rest) is not None and float(rest) == float(result[2:] or 0)


def _named_colour(text: str) -> tuple[str | None, str]:
    """Return the colour at the start of a result, or the only colour in it, and the text after it."""
    for colour, pattern in _NAMED:
        if match := pattern.match(text):
            return colour, text[match.end() :].strip()
    found = [(colour, match) for colour, pattern in _ANYWHERE if (match := pattern.search(text))]
    if len(found) != 1:
        return None, ""
    ((colour, match),) = found
    return colour, text[match.end() :].strip()


def _outcome(colour: str, rest: str, *, plain: bool) -> str | None:
    """Return the result in SGF's form; None if the text is not a result."""
    rest = rest.removeprefix("+").strip()
    ending = _ending(colour, rest, plain=plain)
    if ending.way is not None:
        return f"{ending.colour}+{ending.way}"
    margin = _margin(rest)
    if margin is not None:
        return f"{ending.colour}+{margin:g}" if margin <= _MOST_POINTS else None
    problem = rest.startswith("先")  # 黑先 is the title of a problem: Black to play
    return f"{ending.colour}+" if rest == "" or (ending.decided and not problem) else None


def _ending(colour: str, rest: str, *, plain: bool) -> _Ending:
    wins, loses = (not plain and pattern.search(rest) is not None for pattern in (_WINS, _LOSES))
    winner = ("W" if colour == "B" else "B") if loses and not wins else colour
    for letter, pattern in _WAYS:
        if pattern.match(rest) if plain else pattern.search(rest):
            return _Ending(winner, letter, True)
    return _Ending(winner, None, wins or loses)


def _margin(text: str) -> float | None:
    """Return the first margin in a text, in points; amounts in stones and quarters (always stones) are doubled."""
    for match in _AMOUNT.finditer(text):
        found = match.groupdict()
        amount = _value(found["whole"]) + _value(found["number"]) + (0.5 if found["half"] else 0.0)
        if found["bottom"] or found["parts"]:
            parts = _value(found["bottom"] or found["parts"])
            if not parts:
                continue
            amount += _value(found["top"] or found["share"]) / parts
        elif not (found["number"] or found["half"]) or text[match.end() :].startswith(("手", "수")):
            continue
        stones = "子" in (found["unit"], found["after"]) or amount * 4 % 2 == 1
        return 2 * amount if stones else amount
    return None


def _value(written: str | None) -> float:
    """Return the value of digits or Chinese numerals, 0 for an empty text."""
    if not written:
        return 0.0
    if written[0].isdecimal():
        return float(written.replace(",", "."))
    tens, ten, ones = written.rpartition("十")
    units = _DIGITS.get(ones[-1:], 0)
    return float(units + (10 * _DIGITS.get(tens[-1:], 1) if ten else 0))
