"""Records in the encodings of the world, with CA right, wrong or missing."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.go.encoding import declared_charset, decode
from tengen.go.record import Game

LONG = {
    "gb18030": "第一届应氏杯世界围棋锦标赛决赛第三局，黑棋在右上角的定式选择有问题，白棋取得优势。",
    "big5": "第三屆應氏盃世界職業圍棋錦標賽，黑棋在右上角的定石選擇有問題，白棋取得優勢。許功蓋",
    "cp932": "第三十期名人戦七番勝負第一局。この手は良くない。白が有利になった。ソ表示能力",
    "euc_jp": "第三十期名人戦七番勝負第一局。この手は良くない。白が有利になった。",
    "cp949": "제10회 삼성화재배 세계바둑마스터스 결승 제3국, 흑이 우상귀에서 실수를 했다.",
    "cp1251": "Чемпионат России по го, финал. Белые сдались после ошибки в углу.",
    "koi8-r": "Чемпионат России по го, финал. Белые сдались после ошибки в углу.",
    "cp1252": "Championnat de Paris, début très équilibré : les noirs jouent à côté, « bravo »",
}
SHORT = {
    "gb18030": ["李昌镐", "古力", "黑中盘胜", "柯洁九段"],
    "big5": ["張栩", "周俊勳 九段", "林海峰"],
    "cp932": ["井山裕太", "黒中押し勝ち", "羽根直樹", "ソ連"],
    "euc_jp": ["井山裕太", "黒中押し勝ち"],
    "cp949": ["이창호", "이세돌 九단", "흑 불계승", "박정환"],
    "cp1251": ["Иванов", "Белые сдались"],
    "koi8-r": ["Иванов", "Белые сдались"],
    "cp1252": ["François Délé", "Köln", "Jérôme Müller"],
}
DECLARED = {
    "gb18030": "GB2312", "big5": "Big5", "cp932": "Shift_JIS", "euc_jp": "EUC-JP",
    "cp949": "EUC-KR", "cp1251": "windows-1251", "koi8-r": "KOI8-R", "cp1252": "ISO-8859-1",
}  # fmt: skip
CASES = [(encoding, text) for encoding in LONG for text in (LONG[encoding], *SHORT[encoding])]


def record(text: str, charset: str | None = None) -> str:
    declared = f"CA[{charset}]" if charset else ""
    return f"(;GM[1]SZ[9]{declared}PB[{text}]C[{text}];B[aa];W[bb])"


def comment(data: bytes) -> str:
    game = Game.from_sgf(data)
    assert len(game) == 2
    assert game.players.black.name == game.root["C"]
    return game.root["C"]


@pytest.mark.parametrize(("encoding", "text"), CASES)
def test_declared(encoding: str, text: str) -> None:
    data = record(text, DECLARED[encoding]).encode(encoding)
    assert comment(data) == text
    assert decode(data).warnings == ()


@pytest.mark.parametrize(("encoding", "text"), CASES)
def test_not_declared(encoding: str, text: str) -> None:
    data = record(text).encode(encoding)
    assert comment(data) == text
    assert decode(data).warnings == (f"no CA says how the text is encoded; read as {decode(data).encoding}",)


@pytest.mark.parametrize(("encoding", "text"), CASES)
def test_wrongly_declared_as_utf8(encoding: str, text: str) -> None:
    data = record(text, "UTF-8").encode(encoding)
    assert comment(data) == text
    assert decode(data).warnings[0].startswith("CA says utf-8, which cannot be; read as ")


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "cp932", "cp949", "cp1251"])
def test_wrongly_declared_as_latin(encoding: str) -> None:
    assert comment(record(LONG[encoding], "ISO-8859-1").encode(encoding)) == LONG[encoding]


@pytest.mark.parametrize("text", [LONG["gb18030"], "井山裕太", "이창호"])
def test_utf8_wins_over_a_wrong_declaration(text: str) -> None:
    data = record(text, "GB2312").encode()
    assert comment(data) == text
    assert decode(data).warnings == ("CA says gb18030, but the text is UTF-8 and was read so",)


def test_two_byte_utf8_does_not_win_over_an_east_asian_declaration() -> None:
    data = record("通一", "GB2312").encode("gb18030")
    data.decode("utf-8")  # these bytes are UTF-8 as well
    assert comment(data) == "通一"


def test_utf8_without_a_declaration_is_silent() -> None:
    decoded = decode(record("Jérôme 李昌镐").encode())
    assert (decoded.encoding, decoded.warnings) == ("utf-8", ())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_utf16_and_utf32_with_a_mark(encoding: str) -> None:
    mark = codecs.BOM_UTF16_BE if encoding == "utf-16-be" else b""
    assert comment(mark + record("李昌镐").encode(encoding)) == "李昌镐"


def test_japanese_in_seven_bits() -> None:
    assert comment(record("井山裕太").encode("iso2022_jp")) == "井山裕太"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (b"CA[gbk]", "gb18030"),
        (b"CA [ big5 ]", "big5"),
        (b"CA[klingon]", None),
        (b"XCA[gbk]", None),
        (b"CA[zlib]", None),
    ],
)
def test_declared_charsets(text: bytes, codec: str | None) -> None:
    assert declared_charset(text) == codec


@given(st.binary(max_size=200))
def test_any_bytes_become_utf8(data: bytes) -> None:
    decoded = decode(data)
    decoded.text.decode("utf-8")
    assert decoded.offset(len(decoded.text)) >= 0


@pytest.mark.parametrize("encoding", LONG)
def test_offsets_point_into_the_original(encoding: str) -> None:
    data = record(LONG[encoding], DECLARED[encoding]).encode(encoding)
    decoded = decode(data)
    assert decoded.offset(decoded.text.rindex(b"W[bb]")) == data.rindex(b"W[bb]")
