"""Commands about the rules: KataGo's names and JSON, and KGS's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tengen.errors import TengenError
from tengen.go.rules import KEYS, Rules
from tengen.protocols.gtp.table import command, number, whole

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session


def _set(session: Session, rules: Rules) -> None:
    if rules != session.board.rules:
        session.set_board(session.board.with_rules(rules))


@command("kata-get-rules")
def get_rules(session: Session) -> str:
    """Say the rules in force as JSON."""
    return session.board.rules.json()


@command("kata-set-rules")
def set_rules(session: Session, *rules: str) -> None:
    """Take rules by name or as JSON; keys that we do not know are left aside."""
    _set(session, Rules.parse(" ".join(rules)))


@command("kata-set-rule")
def set_rule(session: Session, key: str, value: str) -> None:
    """Change one of the rules: ko, scoring, tax, suicide, hasButton, whiteHandicapBonus, friendlyPassOk."""
    if key not in KEYS:
        raise TengenError(f"unknown rule {key[:40]!r}: known are {', '.join(KEYS)}")
    flags = {"true": True, "false": False}
    _set(session, Rules.parse({**session.board.rules.as_dict(), key: flags.get(value.lower(), value)}))


@command("kgs-rules")
def kgs_rules(session: Session, *name: str) -> None:
    """Take the rules of a KGS game: japanese, chinese, aga or new_zealand."""
    rules = Rules.parse(" ".join(name))
    _set(session, Rules.parse("chinese-kgs") if rules.name == "chinese" else rules)


@command("komi")
def komi(session: Session, points: float) -> None:
    """Set what White is given."""
    if points != session.board.komi:
        session.set_board(session.board.with_rules(komi=points))


@command("get_komi")
def get_komi(session: Session) -> str:
    """Say what White is given."""
    return f"{session.board.komi:g}"


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
def listparams(session: Session) -> str:
    """Name the settings that can be changed."""
    return " ".join(params(session))


@command("kata-get-params")
def getparams(session: Session) -> str:
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
