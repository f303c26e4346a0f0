"""Commands about the rules: KataGo's names and JSON, and KGS's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.errors import TengenError
from tengen.go.rules import KEYS, Rules
from tengen.protocols.gtp.table import command

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session


def _set(session: Session, rules: Rules) -> None:
    if rules != session.board.rules:
        session.set_board(session.board.with_rules(rules))


@command("kata-get-rules")
def get_rules(session: Session) -> str:
    """Return the current rules as JSON."""
    return session.board.rules.json()


@command("kata-set-rules")
def set_rules(session: Session, *rules: str) -> None:
    """Set the rules by name or as JSON; unknown keys are ignored."""
    _set(session, Rules.parse(" ".join(rules)))


@command("kata-set-rule")
def set_rule(session: Session, key: str, value: str) -> None:
    """Change one rule: ko, scoring, tax, suicide, hasButton, whiteHandicapBonus or friendlyPassOk."""
    if key not in KEYS:
        raise TengenError(f"unknown rule {key[:40]!r}: known are {', '.join(KEYS)}")
    flags = {"true": True, "false": False}
    _set(session, Rules.parse({**session.board.rules.as_dict(), key: flags.get(value.lower(), value)}))


@command("kgs-rules")
def kgs_rules(session: Session, *name: str) -> None:
    """Set the rules of a KGS game: japanese, chinese, aga or new_zealand."""
    rules = Rules.parse(" ".join(name))
    _set(session, Rules.parse("chinese-kgs") if rules.name == "chinese" else rules)


@command("komi")
def komi(session: Session, points: float) -> None:
    """Set komi."""
    if points != session.board.komi:
        session.set_board(session.board.with_rules(komi=points))


@command("get_komi")
def get_komi(session: Session) -> str:
    """Return komi."""
    return f"{session.board.komi:g}"
