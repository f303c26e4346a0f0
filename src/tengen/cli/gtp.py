"""`tengen gtp` and `tengen analysis`: Tengen as an engine for other programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import verb

if TYPE_CHECKING:
    from tengen.search.player import Settings

Playouts = Annotated[int | None, typer.Option(min=1, help="Playouts a move; with seconds, whichever ends first.")]
Seconds = Annotated[float | None, typer.Option(min=0.01, help="Most seconds a move; under a clock 30 unless told.")]
Threads = Annotated[int, typer.Option(min=1, max=64, help="Threads of the search.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the playouts.")]
Kind = Annotated[str, typer.Option(help="strong, or uct: the plain search.")]
Policy = Annotated[str | None, typer.Option(help="Playouts: knowing or uniform; by default those of the kind.")]
DynamicKomi = Annotated[bool, typer.Option("--dynamic-komi", help="Search a lopsided game against a komi that moves.")]
Widening = Annotated[bool, typer.Option("--widening", help="Open moves one by one, the most promising first.")]
ModelName = Annotated[str, typer.Option("--model", "-M", help="The model of ownership behind estimates.")]


def settings_of(playouts: int | None, seconds: float | None, *, usual: float | None = 3.0, **others: Any) -> Settings:
    """Return the settings of a player from options; without any limit it thinks for the usual seconds."""
    from tengen.search.player import Settings

    limit = usual if playouts is None and seconds is None else seconds
    return Settings(playouts, limit, **others)


@verb("gtp")
def gtp_command(
    playouts: Playouts = None,
    seconds: Seconds = None,
    threads: Threads = 1,
    seed: Seed = 0,
    kind: Kind = "strong",
    policy: Policy = None,
    dynamic_komi: DynamicKomi = False,
    widening: Widening = False,
    model: ModelName = "default",
    ponder: Annotated[bool, typer.Option("--ponder", help="Think on while the other side does.")] = False,
    live_gfx: Annotated[bool, typer.Option("--live-gfx", help="Draw on GoGui's board while thinking.")] = False,
) -> None:
    """Play and analyse over GTP, for Sabaki, LizzieYzy, GoGui, q5Go and others."""
    from tengen.protocols.gtp import serve
    from tengen.protocols.lines import standard_input

    settings = settings_of(
        playouts,
        seconds,
        usual=None,  # the session knows whether a clock runs
        threads=threads,
        seed=seed,
        kind=kind,
        policy=policy,
        dynamic_komi=dynamic_komi,
        widening=widening,
    )
    serve(standard_input(), sys.stdout, settings=settings, model=model, ponder=ponder, live_gfx=live_gfx)


@verb("analysis")
def analysis_command(
    visits: Annotated[int, typer.Option(min=1, help="Visits of a question that does not say how many.")] = 500,
    threads: Threads = 1,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Positions that are searched at the same time.")] = 2,
    seed: Seed = 0,
    report: Annotated[
        str, typer.Option(help="Whose chances are said unless a question says so: black, white or side.")
    ] = "black",
) -> None:
    """Answer questions in KataGo's analysis protocol, for KaTrain, analyze-sgf and others."""
    from tengen.errors import TengenError
    from tengen.protocols.analysis import serve
    from tengen.protocols.lines import standard_input
    from tengen.search.player import Settings

    sides = {"black": "BLACK", "white": "WHITE", "side": "SIDETOMOVE"}
    if report.lower() not in sides:
        raise TengenError(f"report is black, white or side, not {report!r}")
    settings = Settings(playouts=visits, threads=threads, seed=seed)
    serve(standard_input(), sys.stdout, settings=settings, perspective=sides[report.lower()], workers=workers)
