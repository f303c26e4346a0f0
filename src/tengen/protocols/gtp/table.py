"""The table of commands. A command is a function whose annotations determine how its arguments are parsed."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tengen.errors import TengenError
from tengen.go.colour import Colour

F = TypeVar("F", bound=Callable[..., str | None])


@dataclass(frozen=True)
class Command:
    """A command: its function and the parameters after the session."""

    name: str
    function: Callable[..., str | None]
    parameters: tuple[inspect.Parameter, ...]
    listed: bool = True
    """Whether list_commands and known_command include it."""

    @property
    def about(self) -> str:
        """A description in one line."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @property
    def usage(self) -> str:
        """The usage, such as `play colour point`."""
        return " ".join([self.name, *map(_shown, self.parameters)])

    def read(self, words: Sequence[str]) -> list[Any]:
        """Parse words into the arguments of the function."""
        fixed = [p for p in self.parameters if p.kind is not p.VAR_POSITIONAL]
        needed = sum(p.default is p.empty for p in fixed)
        many = len(fixed) < len(self.parameters)
        if len(words) < needed or (len(words) > len(fixed) and not many):
            raise TengenError(f"syntax error: write {self.usage}")
        kinds = [p.annotation for p in fixed] + ["str"] * len(words)
        return [_READERS[kind](word) for kind, word in zip(kinds, words, strict=False)]


COMMANDS: dict[str, Command] = {}


def command(*names: str, listed: bool = True) -> Callable[[F], F]:
    """Register a function under one or several names."""

    def enter(function: F) -> F:
        parameters = tuple(inspect.signature(function).parameters.values())[1:]
        for name in names:
            COMMANDS[name] = Command(name, function, parameters, listed)
        return function

    return enter


def _shown(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"[{parameter.name} …]"
    return parameter.name if parameter.default is parameter.empty else f"[{parameter.name}]"


def whole(word: str) -> int:
    """Parse a whole number."""
    if not (word.removeprefix("-").isdecimal() and word.isascii() and len(word) < 12):
        raise TengenError(f"{word[:40]!r} is not a whole number")
    return int(word)


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def is_number(word: str) -> bool:
    """Whether a word is a finite decimal number; float() would also accept 6_5 and digits of any script."""
    return len(word) < 100 and _NUMBER.fullmatch(word) is not None and math.isfinite(float(word))


def number(word: str) -> float:
    """Parse a number."""
    if not is_number(word):
        raise TengenError(f"{word[:40]!r} is not a number")
    return float(word)


_COLOURS: dict[str, Colour] = {"b": "black", "black": "black", "w": "white", "white": "white"}


def is_colour(word: str) -> bool:
    """Whether a word is a colour in GTP."""
    return word.isascii() and word.lower() in _COLOURS


def colour_argument(word: str) -> Colour:
    """Parse a colour: b, black, w or white."""
    if not is_colour(word):
        raise TengenError(f"{word[:40]!r} is not a colour: write black or white")
    return _COLOURS[word.lower()]


def flag(word: str) -> bool:
    """Parse true or false."""
    meanings = {"true": True, "1": True, "false": False, "0": False}
    if word.lower() not in meanings:
        raise TengenError(f"{word[:40]!r} is neither true nor false")
    return meanings[word.lower()]


_READERS: dict[str, Callable[[str], Any]] = {
    "int": whole,
    "int | None": whole,
    "float": number,
    "float | None": number,
    "Colour": colour_argument,
    "str": str,
    "str | None": str,
}
