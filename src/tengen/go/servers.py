"""Go servers: which server a record is from, and how servers differ in counting.

Start at `server_of` and `rules_at`. A record names its server in PC (place), AP (application), US (user) or SO
(source); lines of a collection name it at the start of their id, such as ogs:600136.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.go.rules import Rules

_SIGNS = {
    "OGS": re.compile(r"online-go\.com|\bOGS\b", re.IGNORECASE),
    "KGS": re.compile(r"gokgs\.com|\bKGS\b", re.IGNORECASE),
    "IGS": re.compile(r"pandanet|\bIGS\b", re.IGNORECASE),
    "DGS": re.compile(r"dragongoserver|dragon go server|\bDGS\b", re.IGNORECASE),
    "Fox": re.compile(r"foxwq|\bfox go\b", re.IGNORECASE),
    "Tygem": re.compile(r"\btygem", re.IGNORECASE),
    "GoQuest": re.compile(r"\bgo ?quest\b", re.IGNORECASE),
}

_COUNT_ALL_EYES = frozenset({"OGS"})  # under territory scoring: false eyes and eyes in seki


def server_of(texts: Iterable[str]) -> str:
    """Return the first server named in the texts, "" if none is."""
    return next((name for text in texts for name, sign in _SIGNS.items() if sign.search(text)), "")


def rules_at(server: str, rules: Rules) -> Rules:
    """Return the rules as a server applies them."""
    if rules.scoring == "TERRITORY" and server in _COUNT_ALL_EYES:
        return replace(rules, tax="NONE", false_eyes="counted")
    return rules
