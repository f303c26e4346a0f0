"""KataGo's command-line options, accepted by the commands that can replace KataGo: `tengen gtp` and `tengen analysis`.

KataGo writes its options with one dash: `-config FILE -model FILE -override-config maxVisits=50`. Start at
`translate`: options with an equivalent are translated, the others are reported in one line on standard error.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from tengen.errors import TengenError, printable
from tengen.plain import notice

_KATAGO_OPTION = re.compile(r"(-[A-Za-z][A-Za-z0-9_-]+)(?:=(.*))?", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9.][0-9.e+-]*")

FLAGS = {"-quit-without-waiting": "--quit-without-waiting", "-help": "--help", "-version": "--version"}
"""KataGo's options without a value, and our equivalents."""


def _count(value: str) -> str:
    if not (value.isascii() and value.isdecimal() and int(value[:4000]) >= 1):
        raise TengenError("must be a whole number of at least 1")
    return value


def _threads(value: str) -> str:
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and 1 <= int(value) <= 64):
        raise TengenError("must be a whole number from 1 to 64")
    return value


def _seconds(value: str) -> str:
    try:
        seconds = float(value) if value.isascii() and "_" not in value else math.nan
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise TengenError("must be a number of at least 0")
    return str(max(seconds, 0.01))


def _switch(value: str) -> str:
    if value.lower() not in ("true", "false"):
        raise TengenError("must be true or false")
    return value.lower()


def _side(value: str) -> str:
    if value.upper() not in ("BLACK", "WHITE", "SIDETOMOVE"):
        raise TengenError("must be BLACK, WHITE or SIDETOMOVE")
    return value


Reader = Callable[[str], str]

OPTIONS: dict[str, tuple[str, Reader]] = {"-analysis-threads": ("--workers", _threads)}
"""KataGo's options with a value, our equivalents, and the functions that read the value."""

SETTINGS: dict[str, tuple[str, Reader]] = {
    "maxVisits": ("--visits", _count),
    "maxPlayouts": ("--playouts", _count),
    "maxTime": ("--seconds", _seconds),
    "numSearchThreads": ("--threads", _threads),
    "numSearchThreadsPerAnalysisThread": ("--threads", _threads),
    "numAnalysisThreads": ("--workers", _threads),
    "reportAnalysisWinratesAs": ("--report", _side),
    "ponderingEnabled": ("--ponder", _switch),
}
"""Settings of KataGo's `-override-config`, our equivalent options, and the functions that read the value."""


def translate(words: Iterable[str], takes_value: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """Return the command line in our options, and KataGo's options without an equivalent.

    `takes_value` maps each option of the command to whether a value follows it. A bad value raises an error that
    names KataGo's option.
    """
    rest, ours, ignored = deque(words), list[str](), list[str]()
    attached = tuple(name for name, value in takes_value.items() if value and len(name) == 2)  # such as -MNAME
    while rest:
        word = rest.popleft()
        if word == "--":
            return [*ours, word, *rest], ignored
        match = _KATAGO_OPTION.fullmatch(word)
        if word in takes_value or word.startswith(attached) or match is None:
            ours.append(word)
            if takes_value.get(word) and rest:
                ours.append(rest.popleft())
        elif word in FLAGS:
            _translate(word, word, (FLAGS[word], str), None, takes_value, ours, ignored)
        else:
            option, value = match[1], match[2]
            if value is None and rest and (rest[0][:1] != "-" or _NUMBER.fullmatch(rest[0])):
                value = rest.popleft()
            if option == "-override-config" and value:
                for setting in filter(None, map(str.strip, value.split(","))):
                    name, _, assigned = (part.strip() for part in setting.partition("="))
                    theirs = f"{option} {setting}"
                    _translate(theirs, name, SETTINGS.get(name), assigned, takes_value, ours, ignored)
            else:
                theirs = option if value is None else f"{option} {value}"
                _translate(theirs, option, OPTIONS.get(option), value or "", takes_value, ours, ignored)
    return ours, ignored


def _translate(
    theirs: str,
    name: str,
    known: tuple[str, Reader] | None,
    value: str | None,
    takes_value: Mapping[str, bool],
    ours: list[str],
    ignored: list[str],
) -> None:
    """Translate one option or setting into `ours`, or add it to `ignored`; the value of a flag is None."""
    if known is None or known[0] not in takes_value:
        ignored.append(theirs)
        return
    option, read = known
    if value is None:
        ours.append(option)
        return
    try:
        value = read(value)
    except TengenError as error:
        raise TengenError(f"{theirs}: {name} {error}") from None
    if takes_value[option]:
        ours += [option, value]
    elif value == "true":
        ours.append(option)


class KataGoCommand(TyperCommand):
    """A command that accepts KataGo's options besides its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; ignored options are reported if there is no other error."""
        parameters = self.get_params(ctx)
        takes_value = {
            name: not (getattr(parameter, "is_flag", False) or getattr(parameter, "count", False))
            for parameter in parameters
            for name in (*parameter.opts, *parameter.secondary_opts)
            if name.startswith("-")
        }
        try:
            ours, ignored = translate(args, takes_value)
        except TengenError as error:
            notice(f"tengen {self.name}: {printable(str(error))}")
            raise typer.Exit(2) from None
        left: list[str] = super().parse_args(ctx, ours)
        if ignored:
            notice(f"tengen {self.name}: ignored options of KataGo: {printable(', '.join(ignored))}")
        return left
