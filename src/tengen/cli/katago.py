"""KataGo's command line, accepted by the verbs that take KataGo's place: `tengen gtp` and `tengen analysis`.

KataGo writes its options with one dash: `-config FILE -model FILE -override-config maxVisits=50`. Start at `translate`:
those that mean something here become options of ours, the others are reported in one line on standard error.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from typer.core import TyperCommand

from tengen.errors import printable
from tengen.plain import notice

_KATAGO_OPTION = re.compile(r"-[A-Za-z][A-Za-z0-9_-]+")
_NUMBER = re.compile(r"-?[0-9.][0-9.e+-]*")

OPTIONS = {"-analysis-threads": "--workers"}
"""Options of KataGo with a value, and ours for the same."""

FLAGS = {"-quit-without-waiting": "--quit-without-waiting"}
"""Options of KataGo without a value."""

SETTINGS = {
    "maxVisits": ("--visits", "--playouts"),
    "maxPlayouts": ("--visits", "--playouts"),
    "maxTime": ("--seconds",),
    "numSearchThreads": ("--threads",),
    "numSearchThreadsPerAnalysisThread": ("--threads",),
    "numAnalysisThreads": ("--workers",),
    "reportAnalysisWinratesAs": ("--report",),
    "ponderingEnabled": ("--ponder",),
}
"""Settings of KataGo's `-override-config`, and options of ours for the same: the first that a verb has is used."""


def translate(words: Iterable[str], takes_value: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """Return the command line in our options, and the options of KataGo that have no meaning here.

    `takes_value` holds the options of the verb, each with whether a value follows it.
    """
    rest, ours, ignored = deque(words), list[str](), list[str]()
    attached = tuple(name for name, value in takes_value.items() if value and len(name) == 2)  # such as -MNAME
    while rest:
        word = rest.popleft()
        if word == "--":
            return [*ours, word, *rest], ignored
        if word in takes_value or word.startswith(attached) or not _KATAGO_OPTION.fullmatch(word):
            ours.append(word)
            if takes_value.get(word) and rest:
                ours.append(rest.popleft())
        elif word in FLAGS:
            _keep_or_ignore([FLAGS[word]], [word], takes_value, ours, ignored)
        else:
            value = [rest.popleft()] if rest and (rest[0][:1] != "-" or _NUMBER.fullmatch(rest[0])) else []
            if word == "-override-config":
                for setting in ",".join(value).split(","):
                    _override(setting.strip(), takes_value, ours, ignored)
            else:
                _keep_or_ignore([OPTIONS.get(word, ""), *value], [word, *value], takes_value, ours, ignored)
    return ours, ignored


def _override(setting: str, takes_value: Mapping[str, bool], ours: list[str], ignored: list[str]) -> None:
    """Translate one setting, such as maxVisits=50."""
    name, _, value = (part.strip() for part in setting.partition("="))
    option = next((option for option in SETTINGS.get(name, ()) if option in takes_value), "")
    if option and not takes_value[option]:
        ours += [option] if value.lower() == "true" else []
    else:
        _keep_or_ignore([option, value], ["-override-config", setting], takes_value, ours, ignored)


def _keep_or_ignore(
    ours: list[str], theirs: list[str], takes_value: Mapping[str, bool], kept: list[str], ignored: list[str]
) -> None:
    if ours[0] in takes_value:
        kept += ours
    else:
        ignored.append(" ".join(theirs))


class KataGoCommand(TyperCommand):
    """A verb that accepts KataGo's command line besides its own options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; what is ignored is reported once nothing else is wrong with it."""
        parameters = self.get_params(ctx)
        takes_value = {
            name: not (getattr(parameter, "is_flag", False) or getattr(parameter, "count", False))
            for parameter in parameters
            for name in (*parameter.opts, *parameter.secondary_opts)
            if name.startswith("-")
        }
        ours, ignored = translate(args, takes_value)
        left: list[str] = super().parse_args(ctx, ours)
        if ignored:
            notice(f"tengen {self.name}: ignored options of KataGo: {printable(', '.join(ignored))}")
        return left
