"""The program: its commands and their common handling of errors and output."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from tengen.errors import ConvergenceWarning, FallbackWarning, TengenError, printable
from tengen.plain import PLAIN, discard, notice

app = typer.Typer(
    name="tengen",
    help="Analyses Go positions: the owner of every point, the dead stones, the score, the next move, and the reasons.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


VERBS = (
    "score",
    "estimate",
    "moves",
    "review",
    "show",
    "convert",
    "gtp",
    "match",
    "play",
    "serve",
    "models",
    "fit",
    "train",
    "evaluate",
    "reproduce",
    "bench",
    "corpus",
)
"""The modules of this folder that define commands, in the order of --help."""


def program(words: Sequence[str] = ()) -> typer.Typer:
    """Return the program with all its commands, or only with the one that the command line begins with.

    Importing the module of a command registers it; the modules of the others would take a tenth of a second.
    """
    degrade_streams()
    warnings.formatwarning = _warning
    for name in words[:1] if words and words[0] in VERBS else VERBS:
        import_module(f"tengen.cli.{name}")
    return app


def show_version(wanted: bool) -> None:
    """Print the version and exit, if asked to."""
    if wanted:
        from tengen import __version__

        print(f"tengen {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version and exit.")] = False,
) -> None:
    show_version(version)


def degrade_streams() -> None:
    """Make the standard streams replace characters that their encoding lacks, instead of failing."""
    for stream, errors in ((sys.stdin, "backslashreplace"), (sys.stdout, PLAIN), (sys.stderr, PLAIN)):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Write a warning of ours as one line, without the place in the source."""
    if issubclass(category, (ConvergenceWarning, FallbackWarning)):
        return f"tengen: warning: {message}\n"
    return _PYTHON_WARNING(message, category, filename, lineno, line)


_PYTHON_WARNING = warnings.formatwarning


def stderr_is_terminal() -> bool:
    """Return whether standard error is a terminal; it may be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


def verb(
    name: str, group: typer.Typer | None = None, *, command: type[TyperCommand] = TyperCommand
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a command of the program or of a group; its errors become one line and exit code 2."""
    title = name if group is None else f"{group.info.name} {name}"

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*args: Any, **options: Any) -> None:
            try:
                function(*args, **options)
            except BrokenPipeError:  # the reader closed the pipe
                discard(sys.stdout)
                raise typer.Exit(141) from None
            except (TengenError, OSError) as problem:
                notice(f"tengen {title}: {printable(_sentence(problem))}")
                raise typer.Exit(2) from None
            except KeyboardInterrupt as stop:
                notice(f"tengen {title}: stopped{f': {printable(str(stop))}' if stop.args else ''}")
                raise typer.Exit(130) from None

        (app if group is None else group).command(name, cls=command)(run)
        return run

    return register


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"{problem.filename}: {problem.strerror}"
    return str(problem)
