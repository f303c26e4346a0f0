"""The rules of the game with KataGo's names and values, and presets for the common rulesets.

Start at `Rules.parse`, which reads a preset's name, KataGo's JSON, a dict, or the compact form in KataGo's game
records (koSIMPLEscoreAREAtaxNONEsui0whbN). `false_eyes` is an addition, because servers differ in it; KataGo's JSON
has no key for it, so `json` and `as_dict` omit it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from tengen.errors import TengenError

KEYS = {
    "friendlyPassOk": "friendly_pass",
    "hasButton": "button",
    "ko": "ko",
    "scoring": "scoring",
    "suicide": "suicide",
    "tax": "tax",
    "whiteHandicapBonus": "handicap_bonus",
}
"""KataGo's JSON keys, each with the attribute of `Rules` that holds it."""

FalseEyes = Literal["counted", "uncounted"]
_OURS = {"falseEyes": "false_eyes"}

_ALLOWED: dict[str, tuple[object, ...]] = {
    "friendlyPassOk": (True, False),
    "hasButton": (True, False),
    "ko": ("SIMPLE", "POSITIONAL", "SITUATIONAL"),
    "scoring": ("AREA", "TERRITORY"),
    "suicide": (True, False),
    "tax": ("NONE", "SEKI", "ALL"),
    "whiteHandicapBonus": ("0", "N", "N-1"),
    "falseEyes": ("counted", "uncounted"),
}

_COMPACT = re.compile(
    r"ko(?P<ko>[A-Z]+)score(?P<scoring>[A-Z]+)tax(?P<tax>[A-Z]+)sui(?P<suicide>[01])"
    r"(?:button(?P<hasButton>[01]))?(?:whb(?P<whiteHandicapBonus>N-1|N|0))?(?:fpok(?P<friendlyPassOk>[01]))?"
    r"(?:komi.*)?"
)


def _check(key: str, value: object) -> None:
    allowed = _ALLOWED[key]
    if not any(value is known or (isinstance(value, str) and value == known) for known in allowed):
        names = ", ".join(json.dumps(known) for known in allowed)
        raise TengenError(f"rules: {key} must be one of {names}, not {value!r}")


@dataclass(frozen=True)
class Rules:
    """The rules of a game; the defaults are Tromp–Taylor's."""

    ko: Literal["SIMPLE", "POSITIONAL", "SITUATIONAL"] = "POSITIONAL"
    """Illegal repetitions: retaking a ko at once, any position, or any position with the same player to move."""
    scoring: Literal["AREA", "TERRITORY"] = "AREA"
    """Area counts living stones and territory; territory scoring counts territory and prisoners."""
    tax: Literal["NONE", "SEKI", "ALL"] = "NONE"
    """Eyes that do not count: none, those of groups in seki, or two points of every group."""
    suicide: bool = True
    """Whether suicide of several stones is legal."""
    button: bool = False
    """Whether the first player to pass gets half a point."""
    handicap_bonus: Literal["0", "N", "N-1"] = "0"
    """Points that White gets for N handicap stones."""
    friendly_pass: bool = False
    """Whether players may pass before capturing dead stones, because they agree on them."""
    false_eyes: FalseEyes = "uncounted"
    """Whether territory scoring counts false eyes; area scoring always does."""

    def __post_init__(self) -> None:
        for key, attribute in (KEYS | _OURS).items():
            _check(key, getattr(self, attribute))

    @classmethod
    def parse(cls, value: Rules | str | Mapping[str, Any]) -> Rules:
        """Read rules from a preset's name, KataGo's JSON or compact text, or a dict with the JSON's keys."""
        if isinstance(value, Rules):
            return value
        if isinstance(value, Mapping):
            return _from_dict(value)
        if not isinstance(value, str):
            raise TengenError(f"rules must be a name, JSON or a dict, not {value!r}")
        text = value.strip()
        if text.startswith("{"):
            return _from_json(text)
        return _from_compact(text) or _from_name(text)

    @property
    def name(self) -> str | None:
        """The name of the preset with these rules, None if there is none; of equal presets the first."""
        return next((name for name, rules in PRESETS.items() if rules == self), None)

    @property
    def default_komi(self) -> float:
        """The usual komi of an even game under these rules."""
        usual = 6.5 if self.scoring == "TERRITORY" else 7.0 if self.button else 7.5
        return KOMI.get(self.name or "", usual)

    def bonus(self, handicap: int) -> int:
        """Return White's bonus for a number of handicap stones; a single stone is only the first move."""
        if handicap < 2 or self.handicap_bonus == "0":
            return 0
        return handicap if self.handicap_bonus == "N" else handicap - 1

    def as_dict(self) -> dict[str, str | bool]:
        """Return the rules as a dict with KataGo's keys."""
        return {key: getattr(self, attribute) for key, attribute in KEYS.items()}

    def json(self) -> str:
        """Return the rules as KataGo's JSON."""
        return json.dumps(self.as_dict(), separators=(",", ":"))

    def __str__(self) -> str:
        if self.name or self.false_eyes == "uncounted":
            return self.name or self.json()
        return json.dumps({**self.as_dict(), "falseEyes": self.false_eyes}, separators=(",", ":"))


_JAPANESE = Rules("SIMPLE", "TERRITORY", "SEKI", suicide=False)
_CHINESE = Rules("SIMPLE", suicide=False, handicap_bonus="N", friendly_pass=True)
_CHINESE_SUPERKO = Rules("POSITIONAL", suicide=False, handicap_bonus="N", friendly_pass=True)
_AGA = Rules("SITUATIONAL", suicide=False, handicap_bonus="N-1", friendly_pass=True)

PRESETS: dict[str, Rules] = {
    "japanese": _JAPANESE,
    "korean": _JAPANESE,
    "japanese-ogs": replace(_JAPANESE, tax="NONE", false_eyes="counted"),
    "chinese": _CHINESE,
    "chinese-ogs": _CHINESE_SUPERKO,
    "chinese-kgs": _CHINESE_SUPERKO,
    "aga": _AGA,
    "bga": _AGA,
    "french": _AGA,
    "aga-button": Rules("SITUATIONAL", suicide=False, button=True, handicap_bonus="N-1", friendly_pass=True),
    "new-zealand": Rules("SITUATIONAL", friendly_pass=True),
    "tromp-taylor": Rules(),
    "ing": Rules("POSITIONAL", friendly_pass=True),
    "stone": Rules("SIMPLE", tax="ALL", suicide=False, friendly_pass=True),
    "ancient-territory": Rules("SIMPLE", "TERRITORY", "ALL", suicide=False),
}
"""Rules by name; of equal presets the first gives the `name`."""

KOMI = {
    "japanese": 6.5,
    "chinese": 7.5,
    "chinese-ogs": 7.5,
    "aga": 7.5,
    "aga-button": 7.0,
    "new-zealand": 7.0,
    "tromp-taylor": 7.5,
    "ing": 8.0,
    "stone": 7.5,
    "ancient-territory": 6.5,
}
"""The usual komi of an even game under each preset."""

_ALIASES = {
    "jp": "japanese", "japan": "japanese", "kr": "korean", "korea": "korean", "cn": "chinese", "china": "chinese",
    "american": "aga", "british": "bga", "ffg": "french", "france": "french", "nz": "new-zealand",
    "tt": "tromp-taylor", "goe": "ing", "inggoe": "ing", "stonescoring": "stone", "ancientarea": "stone",
}  # fmt: skip


def _squeeze(name: str) -> str:
    """Return a name in lower case without spaces, hyphens and the word "rules"."""
    letters = "".join(filter(str.isalnum, name.casefold()))
    return re.sub(r"^rules?(?=.)|(?<=.)rules?$", "", letters)


_BY_NAME = {_squeeze(name): rules for name, rules in PRESETS.items()}
_BY_NAME |= {alias: PRESETS[name] for alias, name in _ALIASES.items()}


def _from_name(text: str) -> Rules:
    rules = _BY_NAME.get(_squeeze(text))
    if rules is None:
        raise TengenError(f"unknown rules {text!r}: known are {', '.join(PRESETS)}")
    return rules


def _from_json(text: str) -> Rules:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TengenError(f"rules are not valid JSON: {error}") from None
    return _from_dict(values)


def _from_compact(text: str) -> Rules | None:
    """Read the form koSIMPLEscoreAREAtaxNONEsui0whbN; return None if the text has another form."""
    match = _COMPACT.fullmatch(text)
    if match is None:
        return None
    values = {key: text for key, text in match.groupdict().items() if text is not None}
    flags = {key: values[key] == "1" for key in ("suicide", "hasButton", "friendlyPassOk") if key in values}
    return _from_dict(values | flags)


def _from_dict(values: Mapping[str, Any]) -> Rules:
    """Read KataGo's keys; as in KataGo, defaults are Tromp–Taylor's, and the tax depends on the scoring."""
    found = {key: _tidy(values[key]) for key in KEYS if key in values}
    if "score" in values:
        found.setdefault("scoring", _tidy(values["score"]))
    if "falseEyes" in values:
        found["falseEyes"] = values["falseEyes"]
    for key, value in found.items():
        _check(key, value)
    if found.get("scoring") == "TERRITORY":
        found.setdefault("tax", "SEKI")
    return Rules(**{(KEYS | _OURS)[key]: value for key, value in found.items()})


def _tidy(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value
