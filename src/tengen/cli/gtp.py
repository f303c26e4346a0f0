"""`tengen gtp` and `tengen analysis`: Tengen as an engine for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import show_version, verb
from tengen.cli.katago import KataGoCommand
from tengen.errors import TengenError
from tengen.plain import notice
from tengen.protocols.limits import limit, smallest

if TYPE_CHECKING:
    from tengen.search.player import Settings

Playouts = Annotated[int | None, typer.Option(min=1, help="Playouts per move; with seconds, the first limit holds.")]
Seconds = Annotated[float | None, typer.Option(min=0.01, help="Maximum seconds per move; default under a clock: 30.")]
Threads = Annotated[int, typer.Option(min=1, max=64, help="Threads of the search.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of the playouts; random by default.", show_default=False)]
Kind = Annotated[
    str,
    typer.Option(
        help="Search: net (by a network), strong (by playouts), uct (plain UCT), or auto: net where it can be used; "
        "1-ply or 2-ply: the guide's best move, no tree."
    ),
]
Policy = Annotated[str | None, typer.Option(help="Playouts: uniform, knowing, learned or balanced.")]
DynamicKomi = Annotated[
    str | None, typer.Option(help="Adjust komi for the side that is ahead: off, ahead, or both (also behind).")
]
Widening = Annotated[
    float | None, typer.Option(min=0, help="Consider moves one by one, best first: the second after N visits.")
]
Compat = Annotated[str | None, typer.Option(help="Widen and bias the tree as another program does: oakfoam.")]
Moves = Annotated[
    str | None, typer.Option("--moves", help="Model of moves for the priors: model, file, or none (default: the best).")
]
PriorWeight = Annotated[float | None, typer.Option(min=0, help="Virtual wins of a move the model of moves is sure of.")]
GuideModel = Annotated[str | None, typer.Option("--guide", help="Evaluator that guides the search: model or file.")]
Guided = Annotated[int, typer.Option(min=1, max=1000, help="Use the guide on positions up to N - 1 moves deep.")]
GuideAs = Annotated[str | None, typer.Option(help="Use the guide for priors or values (default: all it gives).")]
GuidePlies = Annotated[int, typer.Option(min=0, max=1, help="Priors of the guide: values after N replies to a move.")]
Keep = Annotated[
    float | None,
    typer.Option(min=0, max=1000, help="Search only the guide's N best moves and the pass; below 1: a share of them."),
]
Mix = Annotated[float, typer.Option(min=0, max=1, help="net: weight of a playout in the value of a position.")]
Epsilon = Annotated[float, typer.Option(min=0, max=1, help="1-ply and 2-ply: probability of a random move.")]
Temperature = Annotated[float, typer.Option(min=0, help="1-ply and 2-ply: moves are drawn by exp(lead / temperature).")]
EngineVersion = Annotated[
    str | None, typer.Option(help="Version to report, for programs that expect one of KataGo's.", show_default=False)
]
ModelName = Annotated[str, typer.Option("--model", "-M", help="The model of ownership for estimates.")]

GTP_READY = "GTP ready, beginning main protocol loop"
ANALYSIS_READY = "Started, ready to begin handling requests"
"""Lines on standard error that programs for KataGo wait for before they send anything."""


Visits = Annotated[
    int | None, typer.Option(min=1, help="Visits per move, as KataGo's maxVisits; the smaller limit applies.")
]
Version = Annotated[
    bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
]


def settings_of(playouts: int | None, seconds: float | None, *, usual: float | None = 3.0, **others: Any) -> Settings:
    """Return the settings of a player from options; without any limit a search takes the usual seconds."""
    from dataclasses import replace

    from tengen.search.player import Settings

    moves = others.pop("moves", None)
    if moves not in (None, "default"):
        others["moves"] = None if moves == "none" else moves
    settings = Settings(limit(playouts), _time_limit(seconds), **others)
    return replace(settings, seconds=usual) if settings.unlimited else settings


def _time_limit(seconds: float | None) -> float | None:
    """Return the seconds of an option, None for no limit; raise an error unless it is a finite number."""
    from tengen.numbers import checked_number
    from tengen.protocols.limits import limit

    return None if seconds is None else limit(checked_number(seconds, "--seconds", 0))


@verb("gtp", command=KataGoCommand)
def gtp_command(
    playouts: Playouts = None,
    visits: Visits = None,
    seconds: Seconds = None,
    threads: Threads = 1,
    seed: Seed = None,
    kind: Kind = "auto",
    policy: Policy = None,
    dynamic_komi: DynamicKomi = None,
    widening: Widening = None,
    compat: Compat = None,
    moves: Moves = None,
    prior_weight: PriorWeight = None,
    guide: GuideModel = None,
    guided: Guided = 1,
    guide_as: GuideAs = None,
    guide_plies: GuidePlies = 0,
    keep: Keep = None,
    mix: Mix = 0.0,
    epsilon: Epsilon = 0.0,
    temperature: Temperature = 0.0,
    model: ModelName = "default",
    ponder: Annotated[bool, typer.Option("--ponder", help="Think during the opponent's turn.")] = False,
    live_gfx: Annotated[bool, typer.Option("--live-gfx", help="Draw on GoGui's board while thinking.")] = False,
    name: Annotated[str, typer.Option(help="Name to report, such as KataGo for programs that require it.")] = "Tengen",
    engine_version: EngineVersion = None,
    version: Version = False,
) -> None:
    """Play and analyse over GTP, for Sabaki, LizzieYzy, GoGui, q5Go and others; takes KataGo's options."""
    from tengen.models.registry import shared
    from tengen.protocols.gtp import serve
    from tengen.protocols.lines import standard_input, standard_output

    settings = settings_of(
        playouts,
        seconds,
        usual=None,  # the session applies the default if no clock is set
        threads=threads,
        seed=seed,
        kind=kind,
        policy=policy,
        dynamic_komi=dynamic_komi,
        widening=widening,
        compat=compat,
        moves=moves,
        prior_weight=prior_weight,
        guide=guide,
        guided=guided,
        guide_as=guide_as,
        guide_plies=guide_plies,
        keep=keep,
        mix=mix,
        epsilon=epsilon,
        temperature=temperature,
    )
    if model != "default":
        shared(model)  # report an unknown model now, not at the first estimate
    options = {
        "settings": settings,
        "visits": limit(visits),
        "model": model,
        "ponder": ponder,
        "live_gfx": live_gfx,
        "name": _one_line("--name", name),
        "version": _version(engine_version),
    }
    source, sink = standard_input(), standard_output()
    notice(GTP_READY)
    serve(source, sink, **options)


@verb("analysis", command=KataGoCommand)
def analysis_command(
    visits: Annotated[int | None, typer.Option(min=1, help="Default number of visits.", show_default="500")] = None,
    playouts: Annotated[
        int | None, typer.Option(min=1, help="As KataGo's maxPlayouts; the smaller limit applies.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Maximum seconds per position.", show_default=False)
    ] = None,
    threads: Threads = 1,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of positions searched at the same time.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the playouts.")] = 0,
    kind: Kind = "auto",
    moves: Moves = None,
    guide: GuideModel = None,
    guided: Guided = 1,
    guide_as: GuideAs = None,
    guide_plies: GuidePlies = 0,
    keep: Keep = None,
    report: Annotated[str, typer.Option(help="Default side for winrates and leads: black, white or side.")] = "black",
    quit_without_waiting: Annotated[
        bool, typer.Option("--quit-without-waiting", help="Leave open queries unanswered when the input ends.")
    ] = False,
    engine_version: EngineVersion = None,
    version: Version = False,
) -> None:
    """Answer queries in KataGo's analysis protocol, for KaTrain, analyze-sgf and others; takes KataGo's options."""
    from tengen.protocols.analysis import VISITS, serve
    from tengen.protocols.lines import standard_input, standard_output

    sides = {"black": "BLACK", "white": "WHITE", "side": "SIDETOMOVE", "sidetomove": "SIDETOMOVE"}
    if report.lower() not in sides:
        raise TengenError(f"report is black, white or side, not {report!r}")
    most = VISITS if visits is None and playouts is None else smallest([limit(visits), limit(playouts)])
    options = {
        "settings": settings_of(
            most,
            seconds,
            usual=None,
            threads=threads,
            seed=seed,
            kind=kind,
            moves=moves,
            guide=guide,
            guided=guided,
            guide_as=guide_as,
            guide_plies=guide_plies,
            keep=keep,
        ),
        "perspective": sides[report.lower()],
        "workers": workers,
        "version": _version(engine_version),
    }
    source, sink = standard_input(), standard_output()
    notice(ANALYSIS_READY)
    serve(source, sink, wait=not quit_without_waiting, **options)


def _version(given: str | None) -> str:
    from tengen import __version__

    return __version__ if given is None else _one_line("--engine-version", given)


def _one_line(option: str, text: str) -> str:
    """Return the value of an option that is used in answers; it must be one line."""
    if not text.strip() or not text.isprintable():
        raise TengenError(f"{option} is a line of text, not {text!r}")
    return text.strip()
