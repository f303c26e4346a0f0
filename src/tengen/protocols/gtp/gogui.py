"""GoGui's commands: models of territory and verdicts as pictures on the board, and interrupts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tengen.go.counting import names_of
from tengen.judge.score import Score
from tengen.models.estimate import estimate, evaluator_of
from tengen.models.evaluator import Answer, ask
from tengen.models.registry import listing
from tengen.numbers import rounded
from tengen.protocols.gtp.ending import fate
from tengen.protocols.gtp.settings import change_param, params
from tengen.protocols.gtp.table import command, flag
from tengen.protocols.said import visit_shares

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session

_LOOK = 1000  # playouts for the picture of moves
_SHOWN = ("maxVisits", "maxPlayouts", "maxTime", "numSearchThreads")
_COLOURS = {"alive": "#008000", "dead": "#ff0000", "seki": "#ffa500"}


def _pictures(given: Answer) -> dict[str, str]:
    """Return the available models that give an answer by a name without slashes, at which GoGui splits lines."""
    found = (name for name, entry in listing().items() if given in entry.gives and entry.available)
    return {name.replace("/", "."): name for name in found}


def _model_named(word: str) -> str:
    return next((name for name in listing() if word == name.replace("/", ".")), word)


@command("gogui-analyze_commands")
def analyze_commands(session: Session) -> str:
    """List the analyze commands for GoGui's menu."""
    owners = [f"dboard/Ownership: {name}/tengen-ownership {name}" for name in _pictures("ownership")]
    moves = [f"dboard/Moves: {name}/tengen-policy {name}" for name in _pictures("policy")]
    others = [
        "gfx/Final status/tengen-status",
        "dboard/Search: ownership/tengen-search_ownership",
        "dboard/Search: moves/tengen-search_moves",
        "hstring/Explain point/explain %p",
        "string/Final score/final_score",
        "string/Estimated score/estimate_score",
        "plist/Dead stones/final_status_list dead",
        "plist/Stones in seki/final_status_list seki",
        "param/Settings/gogui-param",
    ]
    return "\n".join([*owners, *moves, *others])


@command("tengen-ownership")
def ownership(session: Session, model: str = "default") -> str:
    """Show the ownership of a model (territory.bma is territory/bma): rows of numbers, Black positive."""
    return _dboard(estimate(session.board, model=_model_named(model)).ownership)


@command("tengen-policy")
def policy(session: Session, model: str = "default") -> str:
    """Show the probability of each move according to a model (moves.forest is moves/forest)."""
    board = session.board
    found = ask(evaluator_of(_model_named(model), board, "policy"), [board], "policy").policy
    assert found is not None
    return _dboard(found[0, :-1].reshape(board.height, board.width))


@command("tengen-search_ownership")
def search_ownership(session: Session) -> str:
    """Show the ownership at the end of the search's playouts."""
    return _dboard(session.look(_LOOK).ownership)


@command("tengen-search_moves")
def search_moves(session: Session) -> str:
    """Show the share of visits of each move."""
    board = session.board
    return _dboard(visit_shares(session.look(_LOOK), board)[:-1].reshape(board.height, board.width))


@command("tengen-status")
def status(session: Session) -> str:
    """Show the status of every stone in colours, and both territories."""
    found, empty = session.score, session.board.stones == 0
    parts = {f"COLOR {colour}": _stones(found, kind) for kind, colour in _COLOURS.items()}
    parts |= {label: names_of((found.owner == sign) & empty) for label, sign in (("BLACK", 1), ("WHITE", -1))}
    return "\n".join([*(f"{label} {' '.join(names)}" for label, names in parts.items() if names), f"TEXT {found}"])


def _stones(found: Score, kind: str) -> tuple[str, ...]:
    return tuple(name for verdict in found.verdicts if fate(verdict) == kind for name in verdict.points)


@command("gogui-param")
def param(session: Session, name: str | None = None, *value: str) -> str | None:
    """Show the settings for GoGui's dialog, or change one."""
    if name is None:
        switches = {"ponderingEnabled": session.ponder, "live_gfx": session.live_gfx}
        shown = {key: value for key, value in params(session).items() if key in _SHOWN} | {"model": session.model}
        lines = [f"[string] {key} {value}" for key, value in shown.items()]
        return "\n".join([*lines, *(f"[bool] {key} {int(value)}" for key, value in switches.items())])
    if name == "model":
        model = _model_named(" ".join(value))
        estimate(session.board, model=model)  # raises an error that lists the models
        session.model = model
        session.set_board(session.board)
    elif name == "live_gfx":
        session.live_gfx = flag(" ".join(value))
    else:
        change_param(session, name, " ".join(value))
    return None


@command("gogui-interrupt")
def interrupt(session: Session) -> None:
    """Tell GoGui that a comment "# interrupt" ends the current command."""


@command("gogui-title")
def title(session: Session) -> str:
    """Return the title of GoGui's window."""
    return "Tengen"


def _dboard(values: npt.NDArray[np.float64]) -> str:
    return "\n" + "\n".join(" ".join(f"{value:.3f}" for value in row) for row in rounded(values, 3))
