"""The papers that Tengen joins, each run again: its experiments, and its published numbers beside ours.

Start at `find`. A paper is a module of this package with one function,

    reproduce(corpus, *, labels, games, quick, work, pictures, progress) -> Iterator[Row | Finding]

which yields every number as soon as it is known (tengen.papers.report); `work` is a folder it may leave what is done
in, so that a stopped run goes on, and `pictures` one to draw into. It is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from tengen.errors import TengenError
from tengen.papers.report import Finding, Row

Progress = Callable[[str, float | None], None]
"""Hears what is being done, and what share of it is done where that is known."""


class Reproduce(Protocol):
    """What the module of a paper has to offer."""

    def __call__(
        self,
        corpus: Path,
        *,
        labels: str | None,
        games: int | None,
        quick: bool,
        work: Path | None,
        pictures: Path | None,
        progress: Progress,
    ) -> Iterator[Row | Finding]:
        """Yield the paper's numbers beside ours, then what became of its findings."""


@dataclass(frozen=True)
class Paper:
    """A paper by the name of its first author."""

    name: str
    title: str

    @property
    def reproduce(self) -> Reproduce:
        """Its experiments."""
        return cast(Reproduce, import_module(f"tengen.papers.{self.name}").reproduce)


PAPERS = (
    Paper("kamenetsky", "Kamenetsky, Schraudolph, Günter, Vishwanathan: Modelling Go Positions with Planar CRFs"),
    Paper("sanner", "Sanner, Graepel, Herbrich, Minka: Learning CRFs with Hierarchical Features (2007)"),
)


def find(name: str) -> Paper:
    """Return a paper by name; an unknown one is an error that lists the known."""
    for paper in PAPERS:
        if paper.name == name:
            return paper
    raise TengenError(f"there is no paper {name!r}: known are {', '.join(paper.name for paper in PAPERS)}")


def quick_corpus() -> Path:
    """Return the small corpus of the repository that this package, or the current folder, is in."""
    homes = [Path(__file__).resolve().parents[3], Path.cwd()]
    for home in homes:
        if (home / "examples" / "corpus" / "store.json").exists():
            return home / "examples" / "corpus"
    raise TengenError("examples/corpus is not here: run this in Tengen's repository, or name a corpus with --corpus")
