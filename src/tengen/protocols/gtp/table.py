"""The table of commands. A command is a function whose annotations say how its arguments are read."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tengen.errors import TengenError
from tengen.go.colour import as_colour

F = TypeVar("F", bound=Callable[..., str | None])


@dataclass(frozen=True)
class Command:
    """A command: what it does, and the parameters it reads after the session."""

    name: str
    function: Callable[..., str | None]
    parameters: tuple[inspect.Parameter, ...]

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @property
    def usage(self) -> str:
        """How it is written, such as `play colour point`."""
        return " ".join([self.name, *map(_shown, self.parameters)])

    def read(self, words: Sequence[str]) -> list[Any]:
        """Turn words into the arguments of the function."""
        fixed = [p for p in self.parameters if p.kind is not p.VAR_POSITIONAL]
        needed = sum(p.default is p.empty for p in fixed)
        many = len(fixed) < len(self.parameters)
        if len(words) < needed or (len(words) > len(fixed) and not many):
            raise TengenError(f"syntax error: write {self.usage}")
        kinds = [p.annotation for p in fixed] + ["str"] * len(words)
        return [_READERS[kind](word) for kind, word in zip(kinds, words, strict=False)]


COMMANDS: dict[str, Command] = {}
"""Every command by name."""


def command(*names: str) -> Callable[[F], F]:
    """Enter a function into the table under one or several names."""

    def enter(function: F) -> F:
        parameters = tuple(inspect.signature(function).parameters.values())[1:]
        for name in names:
            COMMANDS[name] = Command(name, function, parameters)
        return function

    return enter


def _shown(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"[{parameter.name} …]"
    return parameter.name if parameter.default is parameter.empty else f"[{parameter.name}]"


def whole(word: str) -> int:
    """Read a whole number."""
    if not (word.removeprefix("-").isdecimal() and word.isascii() and len(word) < 12):
        raise TengenError(f"{word[:40]!r} is not a whole number")
    return int(word)


def number(word: str) -> float:
    """Read a number."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise TengenError(f"{word[:40]!r} is not a number")
    return value


def flag(word: str) -> bool:
    """Read true or false, as clients write it."""
    meanings = {"true": True, "1": True, "false": False, "0": False}
    if word.lower() not in meanings:
        raise TengenError(f"{word[:40]!r} is neither true nor false")
    return meanings[word.lower()]


_READERS: dict[str, Callable[[str], Any]] = {
    "int": whole,
    "int | None": whole,
    "float": number,
    "float | None": number,
    "Colour": as_colour,
    "str": str,
    "str | None": str,
}
