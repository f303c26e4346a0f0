"""The one family of errors that Tengen raises on purpose, and its two warnings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def printable(text: str) -> str:
    """Write control characters as escapes, so that text from a record stays on its line and commands no terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class TengenError(Exception):
    """Anything Tengen refuses to do, said in one sentence."""


class IllegalMove(TengenError, ValueError):
    """A move the rules forbid; the message says why."""


class RecordError(TengenError, ValueError):
    """A game record that cannot be read; the message names file, game and byte offset."""

    def __init__(self, problem: str, *, file: str | None = None, game: int | None = None, offset: int | None = None):
        self.problem = problem
        self.file = file
        self.game = game
        self.offset = offset
        super().__init__(problem)

    def alone(self) -> RecordError:
        """Return the error without the traceback, which keeps everything alive that was there when it was raised."""
        self.__context__ = None
        return self.with_traceback(None)

    def __str__(self) -> str:
        where = [str(self.file)] if self.file is not None else []
        where += [f"game {self.game}"] if self.game is not None else []
        where += [f"byte {self.offset}"] if self.offset is not None else []
        return f"{', '.join(where)}: {self.problem}" if where else self.problem


class ModelError(TengenError, ValueError):
    """A model file that is not what it should be; the message says what it is."""


def not_fitted(name: str) -> ModelError:
    """Return the error for a model that is asked before it has learned."""
    return ModelError(f"{name} has not been fitted: tengen fit {name} makes a file to load")


@contextmanager
def refused_by_core(what: str) -> Iterator[None]:
    """Raise a ModelError that names the model, or what else was given, where the core refuses an argument."""
    try:
        yield
    except (TypeError, ValueError) as problem:
        if isinstance(problem, TengenError):
            raise
        raise ModelError(f"{what}: {problem}") from None


class EngineError(TengenError, RuntimeError):
    """Another program that did not answer as agreed."""


class ConvergenceWarning(UserWarning):
    """An iteration that stopped before it converged; the result is the last step."""


class FallbackWarning(UserWarning):
    """The default model cannot be used and another one takes its place."""


class MissingExtra(TengenError, ImportError):
    """An optional dependency that is not installed; the message names the extra that brings it."""
