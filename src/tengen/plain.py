"""Plain text for other programs and for people.

Characters that an encoding lacks are replaced: "9×9" becomes "9x9" where only ASCII can be written. `notice` writes
lines to standard error without ever failing.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from typing import IO

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


def notice(text: str) -> None:
    """Write a line to standard error; do nothing if it is closed or broken."""
    if sys.stderr is None:  # closed at the start; print() would write to standard output instead
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        discard(sys.stderr)


def discard(stream: IO[str] | None) -> None:
    """Discard all further output of a broken stream, so that flushing it at exit does not fail."""
    if stream is None:
        return
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_REPLACEMENTS)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(PLAIN, _replace)
