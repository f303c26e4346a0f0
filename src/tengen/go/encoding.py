"""Bytes of a record, in whatever encoding, become UTF-8.

Reading guide: ``decode`` takes the decisions in order (byte order marks, plain ASCII, UTF-8, the charset the record
declares, guessing). Guessing decodes the non-ASCII values with each candidate and asks ``_coherence`` how much the
result looks like a language: frequent characters and sensible capitals count for it, rare ones against it. Charsets
whose second bytes can be ``\\`` or ``]`` (GBK, Big5, Shift-JIS) are why this happens before parsing and not after.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

#: Charsets to guess among; between equals the earlier one wins.
CANDIDATES = ("gb18030", "cp932", "big5", "cp949", "euc_jp", "cp1251", "koi8-r", "cp1252")

# What programs declare, and the superset that really reads it.
_SUPERSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "iso8859-1": "cp1252", "ascii": "utf-8",
}  # fmt: skip
_EAST_ASIAN = ("gb18030", "hz", "big5", "big5hkscs", "cp950", "cp932", "euc_jp", "iso2022_jp", "cp949", "johab")
_DECLARED = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w .:-]{1,40}?)\s*\]")
_VALUE = re.compile(rb"\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)  # never steps back, which would cost memory by the byte
_THREE_BYTES = re.compile(rb"[\xe0-\xf4][\x80-\xbf]{2}")
_SAMPLE = 4096  # characters are enough to tell a language

# Characters of names, ranks and results that decide short texts.
_CHINESE = (
    "的黑白胜負负中盘目半段九棋赛李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅"
    "沈曾彭吕苏卢蒋蔡古力常昊柯洁羊聂卫平芈昱廷时越范"
)
_TAIWANESE = (
    "的黑白勝負中盤目半段九棋賽李王張劉陳楊趙黃周吳徐孫胡朱高林何郭馬羅梁宋鄭謝韓唐馮於董蕭程曹袁鄧許傅沈"
    "曾彭呂蘇盧蔣蔡紅嘉國家俊元"
)
_JAPANESE = (
    "黒白勝負中押目半段九戦碁本因坊名人棋聖井山裕太田村小林木藤佐高橋伊渡辺加吉武宮沢原石川光治趙羽根依今"
    "張栩河野大竹英雄敏寿彦明"
)
_KOREAN = (
    "이김박최정조강윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진나지흑승불계단기대"
    "국프로제왕명인전의는을를에세돌창호훈현동원"
)


class Decoded(NamedTuple):
    """A record as UTF-8, the encoding it came in, and what there is to say about that."""

    text: bytes
    encoding: str = "utf-8"
    warnings: tuple[str, ...] = ()
    mark: int = 0  # bytes of a byte order mark that was taken off

    def offset(self, at: int) -> int:
        """The place in the original bytes of an offset into ``text``."""
        return next(self.offsets([at]))

    def offsets(self, places: Iterable[int]) -> Iterator[int]:
        """The same for many rising offsets, each part of the text looked at once."""
        if self.encoding == "utf-8":
            yield from places
            return
        done, original = 0, self.mark
        for at in places:
            part = self.text[min(done, at) : max(done, at)].decode("utf-8", "ignore")
            original += len(part.encode(self.encoding, "replace")) * (1 if at >= done else -1)
            done = at
            yield original


def decode(data: bytes) -> Decoded:
    """Turn the bytes of a record into UTF-8; never raises."""
    if data.isascii():
        return _decode_seven_bit(data) if b"\x1b" in data else Decoded(data)
    marked = _decode_marked(data)
    if marked is not None:
        return marked
    declared = declared_charset(data)
    if _is(data, "utf-8"):
        return _decode_valid_utf8(data, declared)
    if declared and declared != "utf-8" and _is(data, declared) and not _wrong_latin(data, declared):
        return _recode(data, declared)
    encoding = guess(data)
    wrong = f"CA says {declared}, which cannot be; " if declared else "no CA says how the text is encoded; "
    return _recode(data, encoding, f"{wrong}read as {encoding}")


def declared_charset(data: bytes) -> str | None:
    """The Python codec for the first CA property, None when there is none or nobody knows it."""
    match = _DECLARED.search(data)
    if match is None:
        return None
    try:
        name = codecs.lookup(match.group(1).decode("ascii").strip()).name
        "".encode(name)  # not every codec is a charset
    except (LookupError, UnicodeError):
        return None
    return _SUPERSETS.get(name, name)


def guess(data: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8."""
    sample = _sample(data)
    best, best_score = "latin-1", 0.0
    second_opinion = _second_opinion(sample)
    for encoding in CANDIDATES:
        if not _is(data, encoding):
            continue
        score = _coherence(sample.decode(encoding, "ignore"), encoding) + (0.04 if encoding == second_opinion else 0.0)
        if score > best_score + 1e-9:
            best, best_score = encoding, score
    return best


def _decode_marked(data: bytes) -> Decoded | None:
    """UTF-16 and UTF-32 with a byte order mark."""
    marks = ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
             (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip
    for mark, encoding in marks:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            warning = f"read as {encoding}, as its first bytes say"
            return Decoded(text.encode("utf-8", "replace"), encoding, (warning,), len(mark))
    return None


def _decode_seven_bit(data: bytes) -> Decoded:
    """ISO-2022 hides Japanese behind escape sequences in plain ASCII."""
    return _recode(data, "iso2022_jp", "read as iso2022_jp") if _is(data, "iso2022_jp") else Decoded(data)


def _decode_valid_utf8(data: bytes, declared: str | None) -> Decoded:
    if declared in (None, "utf-8"):
        return Decoded(data)
    if not _THREE_BYTES.search(data) and declared in _EAST_ASIAN and _is(data, declared):
        return _recode(data, declared)
    return Decoded(data, warnings=(f"CA says {declared}, but the text is UTF-8 and was read so",))


def _recode(data: bytes, encoding: str, *warnings: str) -> Decoded:
    return Decoded(data.decode(encoding, "replace").encode("utf-8", "replace"), encoding, warnings)


def _is(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, ValueError):
        return False
    return True


def _wrong_latin(data: bytes, declared: str) -> bool:
    """Whether text declared as Western European is not: accents stand alone between letters, not in rows."""
    return declared == "cp1252" and _coherence(_sample(data).decode("cp1252", "ignore"), "cp1252") < 0.3


def _sample(data: bytes) -> bytes:
    """The values that are not plain ASCII, one per line."""
    sample = b""
    for match in _VALUE.finditer(data):
        if not match[1].isascii():
            sample += (b"\n" if sample else b"") + match[1][: 2 * _SAMPLE]
            if len(sample) >= 2 * _SAMPLE:
                break
    return (sample or data)[: 2 * _SAMPLE]


def _second_opinion(sample: bytes) -> str | None:
    """What charset-normalizer says, by the name of the candidate that reads it."""
    from charset_normalizer import from_bytes

    match = from_bytes(sample, cp_isolation=list(CANDIDATES)).best()
    return None if match is None else _SUPERSETS.get(match.encoding, match.encoding)


def _coherence(text: str, encoding: str) -> float:
    """How much a text looks like the language its encoding is for: about 1 when it does, 0 or less when not."""
    text = text[:_SAMPLE]
    worth = _WORTH[encoding]
    scores = [worth(text, i) for i, char in enumerate(text) if char > "\x7f"]
    return sum(scores) / len(scores) if scores else 0.0


@cache
def _common(charset: str, first: int, last: int) -> frozenset[str]:
    """The characters of a national standard's first, frequent part: rows of lead bytes first..last."""
    cells = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(0x40, 0xFF))
    return frozenset(cell.decode(charset, "ignore") for cell in cells) - {""}


def _han(text: str, i: int, common: frozenset[str], frequent: str) -> float:
    char = text[i]
    if char in frequent:
        return 1.3
    if char in common:
        return 1.0
    if "\u3000" <= char <= "\u301f" or "\uff01" <= char <= "\uff5e":  # full-width punctuation
        return 0.5
    return 0.2 if "\u4e00" <= char <= "\u9fff" else -0.5


def _japanese(text: str, i: int, charset: str, first: int, last: int) -> float:
    char = text[i]
    if "\u3041" <= char <= "\u30fe":  # kana
        return 1.4
    return _han(text, i, _common(charset, first, last), _JAPANESE)


def _korean(text: str, i: int) -> float:
    char = text[i]
    if char in _KOREAN:
        return 1.3
    if "\uac00" <= char <= "\ud7a3":
        return 0.95 if char in _common("euc_kr", 0xB0, 0xC8) else -0.3
    return 0.1 if "\u4e00" <= char <= "\u9fff" else -0.5


def _russian(text: str, i: int) -> float:
    char, before, after = text[i], text[i - 1 : i], text[i + 1 : i + 2]
    if not "\u0400" <= char <= "\u04ff" or ((before + after).isascii() and (before + after).isalpha()):
        return -0.7
    if char.islower():
        return 1.0
    return -0.5 if before.islower() else (0.9 if after.islower() else 0.3)


def _western(text: str, i: int) -> float:
    char, before, after = text[i], text[i - 1 : i], text[i + 1 : i + 2]
    if not char.isalpha():
        return 0.2 if char in "«»’‘“”–—°¡¿½…" else -0.5
    alone = before.isascii() and after.isascii()
    if not alone:
        return -0.2
    return 0.9 if char.islower() or not before.isalpha() else 0.3


_WORTH: dict[str, Callable[[str, int], float]] = {
    "gb18030": lambda text, i: _han(text, i, _common("gb2312", 0xB0, 0xD7), _CHINESE),
    "big5": lambda text, i: _han(text, i, _common("big5", 0xA4, 0xC6), _TAIWANESE),
    "cp932": lambda text, i: _japanese(text, i, "cp932", 0x88, 0x97),
    "euc_jp": lambda text, i: _japanese(text, i, "euc_jp", 0xB0, 0xCF),
    "cp949": _korean,
    "cp1251": _russian,
    "koi8-r": _russian,
    "cp1252": _western,
}
