"""Reports of inference that did not converge: a Python warning, which `estimate` also collects for its answer.

Recording Python warnings is not thread-safe; a context variable is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from warnings import warn

from tengen.errors import ConvergenceWarning

_COLLECTED: ContextVar[list[str] | None] = ContextVar("_COLLECTED", default=None)


@contextmanager
def collected_reports() -> Iterator[list[str]]:
    """Return a list to which `report` adds its messages inside the with-block, in this thread."""
    messages: list[str] = []
    token = _COLLECTED.set(messages)
    try:
        yield messages
    finally:
        _COLLECTED.reset(token)


def report(message: str) -> None:
    """Give a `ConvergenceWarning` at the caller's caller, and add it to the collected reports."""
    messages = _COLLECTED.get()
    if messages is not None:
        messages.append(message)
    warn(message, ConvergenceWarning, stacklevel=3)
