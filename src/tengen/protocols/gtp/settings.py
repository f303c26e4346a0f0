"""Commands that change the settings of the search, by KataGo's names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tengen.errors import TengenError
from tengen.protocols.gtp.table import command, flag, number, whole
from tengen.protocols.limits import limit
from tengen.protocols.said import MODEL
from tengen.search.player import MANY, RESIGN_BELOW

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session

Value = float | int | bool

FOREVER = 1e20
"""KataGo's value for no time limit."""

FIXED: dict[str, Value] = {
    "analysisWideRootNoise": 0.0,
    "playoutDoublingAdvantage": 0.0,
    "dynamicPlayoutDoublingAdvantageCapPerOppLead": 0.0,
    "rootPolicyTemperature": 1.0,
    "chosenMoveTemperature": 0.0,
    "chosenMoveTemperatureEarly": 0.0,
    "rootNoiseEnabled": False,
    "antiMirror": False,
    "ignorePreRootHistory": False,
}
"""Settings of KataGo that have no use here, with their fixed values. Setting them is accepted without effect."""


@command("kata-get-param")
def get_param(session: Session, name: str) -> str:
    """Return a setting of the search."""
    return json.dumps(params(session)[_known(session, name)])


@command("kata-set-param")
def set_param(session: Session, name: str, value: str) -> None:
    """Change a setting of the search; some of KataGo's settings are accepted without effect."""
    change_param(session, name, value)


def change_param(session: Session, name: str, value: str) -> None:
    """Change a setting of the search by KataGo's name."""
    if _known(session, name) in FIXED:
        (flag if isinstance(FIXED[name], bool) else number)(value)
    elif name == "maxTime":
        seconds = _limit(value)
        session.change_settings(seconds=None if seconds is None else max(seconds, 0.01))
    elif name == "numSearchThreads":
        session.change_settings(threads=min(max(whole(value), 1), 64))
    elif name == "ponderingEnabled":
        session.ponder = flag(value)
    elif name == "allowResignation":
        session.change_settings(resign_below=RESIGN_BELOW if flag(value) else 0.0)
    else:
        playouts = _limit(value)
        session.change_limits(**{name: None if playouts is None else max(int(playouts), 1)})


@command("kata-set-params")
def set_params(session: Session, *settings: str) -> None:
    """Change several settings given as a JSON object; if one is refused, none is changed."""
    before = session.settings, session.limits, session.ponder
    try:
        for name, value in _read_object(" ".join(settings)).items():
            change_param(session, name, value if isinstance(value, str) else json.dumps(value))
    except TengenError:
        session.change_settings_to(before[0])
        session.limits, session.ponder = before[1:]
        raise


def _read_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TengenError(f"cannot read the settings as JSON: {error}") from None
    if not isinstance(found, dict):
        raise TengenError('settings are a JSON object such as {"maxVisits": 500}')
    return found


@command("kata-get-models")
def get_models(session: Session) -> str:
    """Describe the engine as a JSON list with KataGo's fields for models."""
    return json.dumps([MODEL])


@command("level")
def level(session: Session, level: int) -> None:
    """Set the strength by GNU Go's levels, 0 to 10 (larger ones count as 10): a move takes 10 × 2^level playouts."""
    session.change_limits(maxVisits=None, maxPlayouts=10 * 2 ** min(max(level, 0), 10))


@command("kata-list-params")
def list_params(session: Session) -> str:
    """List the settings that can be changed."""
    return " ".join(params(session))


@command("kata-get-params")
def get_params(session: Session) -> str:
    """Return all settings that can be changed, as JSON."""
    return json.dumps(params(session))


def params(session: Session) -> dict[str, Value]:
    """Return the settings by KataGo's names."""
    settings = session.settings
    return {
        **{name: MANY if most is None else most for name, most in session.limits.items()},
        "maxTime": FOREVER if settings.seconds is None else settings.seconds,
        "numSearchThreads": settings.threads,
        "ponderingEnabled": session.ponder,
        "allowResignation": settings.resign_below > 0,
        **FIXED,
    }


def _known(session: Session, name: str) -> str:
    if name not in (known := params(session)):
        raise TengenError(f"unknown setting {name[:40]!r}: known are {', '.join(known)}")
    return name


def _limit(word: str) -> float | None:
    """Parse a limit; a huge number such as 1e20 means none and gives None."""
    if (value := number(word)) < 0:
        raise TengenError(f"{word[:40]!r} is negative")
    return limit(value)
