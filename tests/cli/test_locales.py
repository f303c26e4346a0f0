"""Other locales: protocols write ASCII, files are UTF-8, and what a terminal cannot show is replaced."""

import os
import subprocess
import sys

import pytest

from cli.test_manners import GAME, on_a_terminal
from tengen.plain import ascii_text

ASCII = {"PYTHONIOENCODING": "ascii"}
LATIN = {"PYTHONIOENCODING": "latin-1"}
BARE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
UTF = {"PYTHONIOENCODING": "utf-8"}
WIDE = {"PYTHONIOENCODING": "utf-16"}
LOCALES = {"ascii": ASCII, "latin-1": LATIN, "C": BARE, "utf-8": UTF, "utf-16": WIDE}


def slowly(*locales):
    return [pytest.param(locale, marks=pytest.mark.slow) for locale in locales]


SEVERAL = """
import sys
from tengen.__main__ import main

game, missing, out = sys.argv[1:]
verbs = [["score", game], ["show", game], ["estimate", game, "-M", "territory/naive"], ["convert", game], ["models"],
         ["score", game, "-o", out], ["show", missing], ["match", "--help"], ["estimate", game, "-M", "none\\xd7"],
         ["play", "--size", "5", "--playouts", "5"]]
for words in verbs:
    sys.argv[1:] = words
    code = 0
    try:
        main()
    except SystemExit as left:
        code = left.code
    print(words[0], "left:", code or 0, file=sys.stderr)
"""


def python(*words, text="", **environment):
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    return subprocess.run(
        [sys.executable, *words], input=text.encode(), capture_output=True, env=variables | environment, check=False
    )


@pytest.mark.parametrize("locale", ["ascii", "C", "utf-16", *slowly("latin-1", "utf-8")])
def test_gtp_answers_in_ascii(locale):
    asked = "boardsize 9\nplay b i5\nkomi 棋\nhelp boardsize\nhelp kata-analyze\nplay b Z9\nname\n"
    done = python("-m", "tengen", "gtp", "-M", "territory/naive", text=asked, **LOCALES[locale])
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"columns skip the letter I (... G H J K ...)" in done.stdout
    assert b"? Z9 is off the 9x9 board" in done.stdout
    assert done.stdout.endswith(b"\n\n= Tengen\n\n")


@pytest.mark.parametrize("locale", ["latin-1", "utf-16"])
def test_json_answers_in_ascii(locale):
    done = python("-m", "tengen", "analysis", text='{"id":"棋×","action":"clear_cache"}\n', **LOCALES[locale])
    assert done.stdout == b'{"id":"\\u68cb\\u00d7","action":"clear_cache"}\n'


@pytest.mark.parametrize("locale", ["ascii", "C", *slowly("latin-1")])
def test_no_verb_fails_for_lack_of_a_character(tmp_path, locale):
    game, missing, out = (tmp_path / name for name in ("李–×.sgf", "none×.sgf", "out×.txt"))
    game.write_text("(;SZ[9]KM[6.5]RU[Japanese]PB[李世乭]PW[Ångström];B[ee];W[ec])", encoding="utf-8")
    done = python("-c", SEVERAL, game, missing, out, text="C9\né\nquit\n", **LOCALES[locale])
    assert b"Traceback" not in done.stderr
    codes = [line.split()[2] for line in done.stderr.splitlines() if b" left: " in line]
    assert b"".join(codes) == b"0000002020"
    assert "李世乭" in out.read_text(encoding="utf-8")


def test_a_terminal_gets_what_it_can_show():
    assert "●" in on_a_terminal("show", GAME, **UTF)
    assert on_a_terminal("show", GAME, **ASCII).isascii()


def test_characters_have_plain_replacements():
    assert ascii_text("9×9 – “½ ± 2…”") == '9x9 - "1/2 +/- 2..."'
    assert ascii_text("棋é\ud800") == "\\u68cb\\xe9\\ud800"
