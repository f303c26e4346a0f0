"""Plain replacements for characters that an encoding lacks: "9×9" becomes "9x9" where only ASCII can be written."""

from __future__ import annotations

import codecs

PLAIN = "tengen.plain"
"""Name of the error handler for text streams: `stream.reconfigure(errors=PLAIN)`.

Characters in the table below are replaced; all others become backslash escapes, so encoding never fails.
"""

_REPLACEMENTS = str.maketrans(
    {
        "×": "x",
        "·": ".",
        "±": "+/-",
        "½": "1/2",
        "²": "^2",
        "−": "-",
        "–": "-",
        "—": "-",
        "…": "...",
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "•": "*",
        "→": "->",
        "∞": "inf",
        "≤": "<=",
        "≥": ">=",
        "≈": "~",
        "─": "-",
        "│": "|",
        "●": "X",
        "○": "O",
    }
)


def ascii_text(text: str) -> str:
    """Return the text in ASCII."""
    return text if text.isascii() else text.encode("ascii", PLAIN).decode("ascii")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_REPLACEMENTS)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(PLAIN, _replace)
