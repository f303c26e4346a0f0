"""The command line: `tengen …` and `python -m tengen …` are the same program."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["--version"], ["-V"]):  # quick: nothing else is loaded
        from tengen import __version__

        print(f"tengen {__version__}")
        return
    try:
        from tengen.cli.app import program

        program()(prog_name="tengen")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
