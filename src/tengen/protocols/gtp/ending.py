"""Commands for the end of a game: the score, the fate of stones, the reasons, and KGS's cleanup."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tengen.errors import TengenError
from tengen.go.colour import Colour
from tengen.go.counting import names_of, result_string
from tengen.go.points import as_point, point_name
from tengen.judge.score import Score
from tengen.models.verdict import Verdict
from tengen.protocols.gtp.table import command

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session


@command("final_score")
def final_score(session: Session) -> str:
    """Score a finished game under the likeliest status of its stones; estimate the score of an unfinished one."""
    counted = session.score
    finished = session.board.is_over or counted.safe
    missing = 0 if finished else round(session.estimate.lead - counted.lead)  # possible scores differ by whole points
    return result_string(counted.lead + missing).replace("Draw", "0")


@command("estimate_score")
def estimate_score(session: Session) -> str:
    """Estimate the score of any position, with standard deviation."""
    found = session.estimate
    winner = "B" if found.lead >= 0 else "W"
    return f"{winner}+{abs(found.lead):.1f} (standard deviation {found.lead_sd:.1f})"


@command("final_status_list")
def final_status_list(session: Session, status: str) -> str:
    """List the stones that are dead, alive or seki, one chain per line; or black_territory, white_territory, dame."""
    found = session.score
    if status in ("alive", "dead", "seki"):
        return "\n".join(" ".join(verdict.points) for verdict in found.verdicts if fate(verdict) == status)
    empty = session.board.stones == 0
    territory = {"black_territory": 1, "white_territory": -1}
    if status in territory:
        return " ".join(names_of((found.owner == territory[status]) & empty))
    if status == "dame":
        return " ".join(names_of((found.owner == 0) & empty))
    raise TengenError("syntax error: status is dead, alive, seki, black_territory, white_territory or dame")


@command("final_status")
def final_status(session: Session, point: str) -> str:
    """Return the status of a point: alive, dead, seki, black_territory, white_territory or dame."""
    board = session.board
    place = as_point(point, board.width, board.height)
    verdict = _verdict_at(session.score, point_name(*place, board.height))
    owner = {1: "black_territory", -1: "white_territory", 0: "dame"}[int(session.score.owner[place])]
    return owner if verdict is None else fate(verdict)


def fate(verdict: Verdict) -> str:
    """Return the status of a chain in the count; unclear chains get the likelier one."""
    return "dead" if verdict.alive < 0.5 else "seki" if verdict.status == "seki" else "alive"


@command("kgs-genmove_cleanup")
def genmove_cleanup(session: Session, colour: Colour) -> str:
    """Generate a move and play it; pass only after all dead enemy stones are captured."""
    return session.genmove(colour, cleanup=True).move


@command("kgs-game_over")
def game_over(session: Session) -> None:
    """The game is over: stop the clocks."""
    session.clocks.set(None)


@command("kgs-chat")
def chat(session: Session, *words: str) -> str:
    """Answer a chat message with the current estimate."""
    return str(session.estimate)


@command("explain")
def explain(session: Session, point: str) -> str:
    """Return the owner of a point with reasons, and the status of a stone."""
    board = session.board
    place = as_point(point, board.width, board.height)
    name = point_name(*place, board.height)
    owned = float(session.estimate.ownership[place])
    lines = [
        f"{name}: {'Black' if owned >= 0 else 'White'}'s with {0.5 + abs(owned) / 2:.0%} ({session.estimate.model})"
    ]
    lines += [f"- {reason}" for reason in session.estimate.explain(name)]
    if (verdict := _verdict_at(session.score, name)) is not None:
        lines += [str(verdict), *(f"- {reason}" for reason in verdict.reasons)]
    return "\n".join(lines)


@command("verdicts")
def verdicts(session: Session) -> str:
    """Return the count and the status of every chain as one line of JSON."""
    found = session.score
    return json.dumps(
        {
            "schema": 1,
            "result": found.result,
            "lead": found.lead,
            "safe": found.safe,
            "dead": found.dead,
            "seki": found.seki,
            "unclear": found.unclear,
            "lines": [{"label": line.label, "black": line.black, "white": line.white} for line in found.lines],
            "verdicts": [verdict.as_dict() for verdict in found.verdicts],
            "warnings": found.warnings,
        }
    )


def _verdict_at(score: Score, name: str) -> Verdict | None:
    return next((verdict for verdict in score.verdicts if name in verdict.points), None)
