"""Papers whose experiments are reproduced, with their published numbers beside ours.

Start at `find`. A paper is a module of this package with one function,

    reproduce(corpus, *, labels, games, quick, work, pictures, progress) -> Iterator[Row | Finding]

which yields every number as soon as it is known (tengen.papers.report). `work` is a folder for intermediate results,
so that a stopped run can resume, and `pictures` a folder for drawings. The module is imported on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from tengen.errors import TengenError
from tengen.papers.report import Finding, Row

StageProgress = Callable[[str, float | None], None]
"""A callback with the current stage and, if known, the share of it that is done."""


class Reproduce(Protocol):
    """The interface of a paper's module."""

    def __call__(
        self,
        corpus: Path,
        *,
        labels: str | None,
        games: int | None,
        quick: bool,
        work: Path | None,
        pictures: Path | None,
        progress: StageProgress,
    ) -> Iterator[Row | Finding]:
        """Yield the paper's numbers beside ours, then its findings."""


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
    Paper("largman", "Largman, Pham: Convolutional Restricted Boltzmann Machine Features for TD Learning in Go"),
    Paper("low", "Low: Learning an Evaluation Function for Go (2008)"),
    Paper("sanner", "Sanner, Graepel, Herbrich, Minka: Learning CRFs with Hierarchical Features (2007)"),
    Paper("vanniekerk", "van Niekerk, Kroon: Decision Trees for Computer Go Features (2013)"),
)


def find(name: str) -> Paper:
    """Return a paper by name; the error for an unknown name lists the known ones."""
    for paper in PAPERS:
        if paper.name == name:
            return paper
    raise TengenError(f"there is no paper {name!r}: known are {', '.join(paper.name for paper in PAPERS)}")


def quick_corpus() -> Path:
    """Return examples/corpus of the repository that contains this package or the current folder."""
    homes = [Path(__file__).resolve().parents[3], Path.cwd()]
    for home in homes:
        if (home / "examples" / "corpus" / "store.json").exists():
            return home / "examples" / "corpus"
    raise TengenError("examples/corpus is not here: run this in Tengen's repository, or name a corpus with --corpus")
