"""The command line: `tengen …` and `python -m tengen …` are the same program."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from types import FrameType

PATIENCE = 5.0
"""Seconds after the first Ctrl-C during which further ones are ignored, because the program is already ending."""


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["--version"], ["-V"]):  # quick: nothing else is loaded
        from tengen import __version__

        print(f"tengen {__version__}")
        return
    stop_once()
    try:
        from tengen.cli.app import program

        program(sys.argv[1:])(prog_name="tengen")
    except KeyboardInterrupt:
        sys.exit(130)


def stop_once() -> None:
    """Let only the first Ctrl-C raise KeyboardInterrupt, so that a second one does not interrupt the clean-up.

    If the program is still running after PATIENCE seconds, the next Ctrl-C ends it at once.
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
