"""The command line: `tengen …` and `python -m tengen …` are the same program."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from types import FrameType

PATIENCE = 5.0
"""Seconds after Ctrl-C in which further ones are ignored, because the program is ending already."""


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["--version"], ["-V"]):  # quick: nothing else is loaded
        from tengen import __version__

        print(f"tengen {__version__}")
        return
    stop_once()
    try:
        from tengen.cli.app import program

        program()(prog_name="tengen")
    except KeyboardInterrupt:
        sys.exit(130)


def stop_once() -> None:
    """Let only the first Ctrl-C raise KeyboardInterrupt: another one would break into the ending of the program.

    If the program has still not ended after PATIENCE seconds, the next one ends it at once.
    """

    def ask(number: int, frame: FrameType | None) -> None:
        asked = time.monotonic()

        def insist(number: int, frame: FrameType | None) -> None:
            if time.monotonic() - asked > PATIENCE:
                os._exit(130)

        signal.signal(signal.SIGINT, insist)
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # Python drops its own handlers before it is gone
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, ask)


if __name__ == "__main__":
    main()
