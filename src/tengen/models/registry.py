"""The models by name. Built-in models are listed here and imported when they are asked for.

Start at `load`. A name stands for a class, or for a class with the weights that ship with it; a model asked for by
name is that model or an error, never another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from tengen.errors import ModelError
from tengen.models.files import read_card

DEFAULT = "territory/pattern-crf"
"""What "default" means in this release."""

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Entry:
    """A model the registry knows."""

    name: str
    about: str
    """What it is, in one line."""
    home: str | type
    """The class, or where it is: "package.module:Class"."""
    weights: str | None = None
    """The file of the weights that ship, in tengen/weights."""

    def model_class(self) -> Any:
        """Return the class, imported if need be."""
        if not isinstance(self.home, str):
            return self.home
        module, _, name = self.home.partition(":")
        return getattr(import_module(module), name)

    def make(self) -> Any:
        """Return a model: with the weights that ship, or as its defaults have it."""
        cls = self.model_class()
        return cls() if self.weights is None else cls.load(_weights_folder() / self.weights)


_BUILT_IN = (
    Entry(
        "judge/chains",
        "which chains of a finished board live: what tengen.score asks",
        "tengen.nets.chains:ChainJudge",
        weights="judge.safetensors",
    ),
    Entry(
        "territory/bma",
        "the average over trees of nested patterns",
        "tengen.territory.bma:BmaTree",
        weights="bma.safetensors",
    ),
    Entry("territory/largest", "the largest known pattern at each point", "tengen.territory.patterns:Largest"),
    Entry("territory/logistic", "a weight for every nested pattern", "tengen.territory.logistic:Logistic"),
    Entry("territory/shrunk", "nested patterns, each drawn to the smaller one", "tengen.territory.patterns:Shrunk"),
    Entry("territory/smallest", "a small pattern at each point", "tengen.territory.patterns:Smallest"),
    Entry("territory/naive", "an empty region is whose stones it touches", "tengen.territory.naive:Naive"),
    Entry(
        "territory/influence",
        "Bouzy's influence: five dilations, twenty-one erosions",
        "tengen.territory.influence:Influence",
    ),
    Entry("territory/gnugo", "GNU Go's idea of territory; it must be installed", "tengen.territory.gnugo:GnuGo"),
    Entry(
        "territory/boltzmann5",
        "neighbours pull each other, with the five numbers of Stern et al.",
        "tengen.territory.coupling:Boltzmann5",
    ),
    Entry(
        "territory/coupling",
        "neighbours pull each other, with twelve tied potentials",
        "tengen.territory.coupling:CouplingCrf",
    ),
    Entry(
        "territory/pattern-crf",
        "neighbours pull each other, and patterns speak for each point",
        "tengen.territory.coupling:PatternCrf",
        weights="pattern-crf.safetensors",
    ),
    Entry(
        "territory/knowing",
        "the mean owner after 500 games that know ataris and shapes",
        "tengen.territory.playouts:KnowingPlayoutOwner",
    ),
    Entry(
        "territory/block",
        "chains and empty regions pull each other, exactly, on the block graph",
        "tengen.territory.block:BlockCrf",
    ),
    Entry("territory/playouts", "the mean owner after 500 random games", "tengen.territory.playouts:PlayoutOwner"),
)
_ENTRIES = {entry.name: entry for entry in _BUILT_IN}


def register(
    cls: Class | None = None, *, name: str | None = None, about: str | None = None, home: str | None = None
) -> Class | None:
    """Add a model: a class that has a `name`, or a name and its home "package.module:Class". Also a decorator."""
    place: str | type | None = cls if cls is not None else home
    name = name or getattr(cls, "name", None)
    if place is None or not name:
        raise ModelError("a model is registered with a class that has a name, or with a name and its home")
    if name in _ENTRIES or name == "default":
        raise ModelError(f"there is a model {name!r} already")
    _ENTRIES[name] = Entry(name, about or _first_line(cls), place)
    return cls


def unregister(name: str) -> None:
    """Forget a model that was registered."""
    find(name)
    del _ENTRIES[name]


def listing() -> dict[str, str]:
    """Return every model by name with one line of what it is."""
    return {name: entry.about for name, entry in sorted(_ENTRIES.items())}


def find(name: str) -> Entry:
    """Return the entry of a name; an unknown one is an error that lists the known."""
    entry = _ENTRIES.get(DEFAULT if name == "default" else name)
    if entry is None:
        raise ModelError(f"there is no model {name!r}: known are {', '.join(sorted(_ENTRIES))}")
    return entry


def load(name_or_path: str | PathLike[str]) -> Any:
    """Return a model by its name, or from its file."""
    if not isinstance(name_or_path, str | PathLike):
        raise ModelError(f"a model is asked for by its name or file, not {name_or_path!r}")
    given = fspath(name_or_path)
    is_file = not isinstance(name_or_path, str) or given.endswith(".safetensors")
    if is_file or (given not in _ENTRIES and Path(given).is_file()):
        return find(read_card(given).name).model_class().load(given)
    return find(given).make()


def shared(name_or_path: str | PathLike[str]) -> Any:
    """Return the same, but one object for all who ask for a name: not to be changed."""
    known = name_or_path == "default" or name_or_path in _ENTRIES
    return _made(find(str(name_or_path))) if known else load(name_or_path)


@lru_cache(maxsize=32)
def _made(entry: Entry) -> Any:
    return entry.make()


def _weights_folder() -> Path:
    return Path(__file__).resolve().parent.parent / "weights"


def _first_line(cls: type | None) -> str:
    return ((cls.__doc__ if cls else None) or "").strip().partition("\n")[0].rstrip(".")
