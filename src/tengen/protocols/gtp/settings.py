"""Commands that change how the search thinks, by KataGo's names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tengen.errors import TengenError
from tengen.protocols.gtp.table import command, number, whole

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session


@command("kata-get-param")
def get_param(session: Session, name: str) -> str:
    """Say a setting of the search: maxVisits, maxTime or numSearchThreads."""
    return str(params(session).get(_known(name)) or "unlimited")


@command("kata-set-param")
def set_param(session: Session, name: str, value: str) -> None:
    """Change a setting of the search: maxVisits, maxTime or numSearchThreads."""
    change_param(session, name, value)


def change_param(session: Session, name: str, value: str) -> None:
    """Change a setting of the search by KataGo's name for it."""
    if _known(name) == "maxTime":
        session.change_settings(seconds=max(number(value), 0.01))
    elif name == "maxVisits":
        session.change_settings(playouts=max(whole(value), 1))
    else:
        session.change_settings(threads=min(max(whole(value), 1), 64))


@command("kata-list-params")
def list_params(session: Session) -> str:
    """Name the settings that can be changed."""
    return " ".join(params(session))


@command("kata-get-params")
def get_params(session: Session) -> str:
    """Say all settings that can be changed, as JSON."""
    return json.dumps(params(session))


def params(session: Session) -> dict[str, float | int | None]:
    """Return the settings that can be changed, by KataGo's names for them."""
    settings = session.settings
    return {"maxVisits": settings.playouts, "maxTime": settings.seconds, "numSearchThreads": settings.threads}


def _known(name: str) -> str:
    if name not in ("maxVisits", "maxTime", "numSearchThreads"):
        raise TengenError(f"unknown setting {name[:40]!r}: known are maxVisits, maxTime, numSearchThreads")
    return name
