"""`tengen bench`: speed, measured against reference programs in the same run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.games import checked_format
from tengen.errors import TengenError

BENCHES = ("playouts", "tactics", "search", "records", "territory", "graphs", "moves", "values", "corpus")
FORMATS = ("text", "json")


@verb("bench")
def bench_command(
    names: Annotated[
        list[str] | None, typer.Argument(help=f"Which: {', '.join(BENCHES)} (default: all).", show_default=False)
    ] = None,
    games: Annotated[
        Path | None,
        typer.Option(help="Records for the benches records, tactics, moves and territory (default: generated games)."),
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="The corpus of the corpus bench, such as examples/corpus.", show_default=False)
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Measure speed as ratios to reference programs that run at the same time."""
    checked_format(format, FORMATS)
    for name in names or [name for name in BENCHES if name != "corpus" or corpus is not None]:
        if name not in BENCHES:
            raise TengenError(f"there is no bench {name!r}: choose {', '.join(BENCHES)}")
        for row in _rows(name, games, corpus):
            print(json.dumps(row) if format == "json" else _line(row), flush=True)


def _rows(name: str, games: Path | None, corpus: Path | None) -> Iterator[dict[str, Any]]:
    if name == "playouts":
        from tengen.benchmarks.playouts import bench_playouts

        return bench_playouts()
    if name == "tactics":
        from tengen.benchmarks.tactics import bench_tactics

        return bench_tactics(games)
    if name == "search":
        from tengen.benchmarks.search import bench_search

        return bench_search()
    if name == "territory":
        from tengen.benchmarks.coupling import bench_coupling
        from tengen.benchmarks.fate import bench_fate
        from tengen.benchmarks.territory import bench_territory

        return chain(bench_territory(), bench_coupling(), bench_fate(games))
    if name == "graphs":
        from tengen.benchmarks.graphs import bench_graphs

        return bench_graphs()
    if name == "moves":
        from tengen.benchmarks.moves import bench_moves

        return bench_moves(games)
    if name == "values":
        from tengen.benchmarks.values import bench_values

        return bench_values()
    if name == "corpus":
        from tengen.benchmarks.corpus import bench_corpus

        if corpus is None:
            raise TengenError("the corpus bench needs a corpus: --corpus DIR")
        return bench_corpus(corpus)
    from tengen.benchmarks.records import bench_records

    return bench_records(games)


def _line(row: dict[str, Any]) -> str:
    speed = f"{row['per_second']:>12,.0f}/s" if "per_second" in row else f"{row['ms']:>11.3f} ms"
    width = f" ({row['ratio_low']:.2f}–{row['ratio_high']:.2f})" if "ratio_low" in row else ""
    extra = (
        f", {row['moves_per_second'] / 1e6:.1f} M moves/s, mean length {row['mean_length']:.0f}"
        if "mean_length" in row
        else ""
    )
    where = f"{row['bench']} {row['case']}, size {row['size']}, {row['threads']} thread{'s' * (row['threads'] > 1)}"
    if "peak_mb" in row:
        error = "" if row["error"] is None else f", median error of ln γ {row['error']:.3f}"
        return f"{where:<44}{speed}; {row['peak_mb']:.0f} MB{error}"
    note = f" ({row['note']})" if "note" in row else ""
    return f"{where:<44}{speed}{extra}; {row['ratio']:.2f}{width} × {row['reference']}{note}"
