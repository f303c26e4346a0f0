"""The registry of models by name. Built-in models are listed here and imported on first use.

Start at `load`. A name stands for a class, with its shipped weights if there are any. A name never falls back to
another model, except "default" (`default_name`).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from tengen.engines.process import find_program
from tengen.errors import FallbackWarning, ModelError, not_fitted
from tengen.models.evaluator import ANSWERS, Answer
from tengen.models.files import read_card

DEFAULT = "net/small"
"""The model named "default" in this release, for estimates and for suggestions of moves."""
CLASSICAL = "territory/pattern-crf"
"""The model of ownership that replaces it where it cannot be used."""
CLASSICAL_MOVES = "moves/factors"
"""The same for moves; also the priors of the search, which need a policy in the core."""

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Entry:
    """A registered model."""

    name: str
    gives: tuple[Answer, ...]
    about: str
    home: str | type = field(repr=False)
    """The class, or its location: "package.module:Class"."""
    weights: str | None = None
    """The file of the shipped weights in tengen/weights."""
    fitted: bool = True
    """Whether it can be used without fitting: its weights ship, or there is nothing to learn."""
    program: str | None = None
    """Another program that must be installed."""
    library: str | None = None
    """A Python library that must be installed, besides those of all models."""

    @property
    def missing(self) -> str | None:
        """What it needs and this machine does not have, in words; None if nothing is missing."""
        if self.program is not None and find_program(self.program) is None:
            return f"{self.program} is not installed"
        if self.library is not None and not _importable(self.library):
            return f"{self.library} is not installed, or cannot be loaded"
        if self.weights is not None and not (file := _weights_folder() / self.weights).is_file():
            return f"{file} does not exist"
        return None

    @property
    def available(self) -> bool:
        """Whether it can be used here: it ships fitted, and nothing it needs is missing."""
        return self.fitted and self.missing is None

    def model_class(self) -> Any:
        """Return the class, importing it if necessary."""
        if not isinstance(self.home, str):
            return self.home
        module, _, name = self.home.partition(":")
        return getattr(import_module(module), name)

    def make(self) -> Any:
        """Return a model with its shipped weights, or with default hyper-parameters."""
        cls = self.model_class()
        return cls() if self.weights is None else cls.load(_weights_folder() / self.weights)

    def __str__(self) -> str:
        return self.about


def _territory(name: str, about: str, home: str, **facts: Any) -> Entry:
    return Entry(f"territory/{name}", facts.pop("gives", ("ownership",)), about, f"tengen.territory.{home}", **facts)


def _moves(name: str, about: str, home: str, **facts: Any) -> Entry:
    return Entry(f"moves/{name}", ("policy",), about, f"tengen.moves.policy:{home}", **facts)


def _values(name: str, about: str, home: str, **facts: Any) -> Entry:
    return Entry(f"values/{name}", ("winrate",), about, f"tengen.values.linear_td:{home}", **facts)


_PLAYED = ("ownership", "winrate", "lead")
_BUILT_IN = (
    Entry(
        "judge/chains",
        ("ownership",),
        "which chains of a finished board live; used by tengen.score, beside net/small",
        "tengen.nets.chains:ChainJudge",
        weights="judge.safetensors",
    ),
    _moves(
        "combined",
        "tactical features, the largest known pattern and decision trees",
        "CombinedMoves",
        weights="moves-combined.safetensors",
    ),
    _moves(
        "factors",
        "patterns of all sizes, with factors for pairs of features",
        "FactorMoves",
        weights="moves-factors.safetensors",
    ),
    _moves(
        "forest",
        "tactical features and decision trees over the stone graph",
        "ForestMoves",
        weights="moves-forest.safetensors",
    ),
    _moves(
        "patterns",
        "tactical features and the largest known pattern",
        "PatternMoves",
        weights="moves-patterns.safetensors",
    ),
    _moves(
        "tactical",
        "what a move captures, saves and threatens, and where it is",
        "TacticalMoves",
        weights="moves-tactical.safetensors",
    ),
    Entry(
        "net/fast",
        ANSWERS,
        "net/small in whole numbers of 8 bits, for the search",
        "tengen.nets.fast:FastNet",
        weights="fast.safetensors",
        library="onnxruntime",
    ),
    Entry(
        "net/small",
        ANSWERS,
        "a small residual network taught by KataGo's judgement and by played moves",
        "tengen.nets.small:SmallNet",
        weights="small.safetensors",
        library="onnxruntime",
    ),
    _territory(
        "block",
        "coupled chains and empty regions on the block graph, exact",
        "block:BlockCrf",
        weights="block.safetensors",
    ),
    _territory("bma", "the average over trees of nested patterns", "bma:BmaTree", weights="bma.safetensors"),
    _territory("boltzmann5", "coupled neighbouring points, five parameters of Stern et al.", "coupling:Boltzmann5"),
    _territory("coupling", "coupled neighbouring points, twelve tied potentials", "coupling:CouplingCrf"),
    _territory(
        "fate-messages",
        "messages between chains and regions of influence, a small network",
        "fate_messages:FateMessages",
        weights="fate-messages.safetensors",
    ),
    _territory(
        "fate-mrf",
        "Low's random field on the augmented common fate graph",
        "fate_mrf:FateMrf",
        weights="fate-mrf.safetensors",
    ),
    _territory(
        "fate-net",
        "a network shaped like the augmented common fate graph",
        "fate_net:FateNet",
        weights="fate-net.safetensors",
    ),
    _territory("gnugo", "GNU Go's territory estimate; it must be installed", "gnugo:GnuGo", program="gnugo"),
    _territory("influence", "Bouzy's influence: five dilations, twenty-one erosions", "influence:Influence"),
    _territory(
        "knowing",
        "the mean owner after 500 playouts with atari and shape knowledge",
        "playouts:KnowingPlayoutOwner",
        gives=_PLAYED,
    ),
    _territory("largest", "the largest known pattern at each point", "patterns:Largest", fitted=False),
    _territory("logistic", "a weight for every nested pattern", "logistic:Logistic", fitted=False),
    _territory("naive", "an empty region belongs to the only colour that touches it", "naive:Naive"),
    _territory(
        "pattern-crf",
        "coupled neighbouring points with pattern evidence at each point",
        "coupling:PatternCrf",
        weights="pattern-crf.safetensors",
    ),
    _territory("playouts", "the mean owner after 500 random playouts", "playouts:PlayoutOwner", gives=_PLAYED),
    _territory("shrunk", "nested patterns, each shrunk towards the smaller one", "patterns:Shrunk", fitted=False),
    _territory("smallest", "a small pattern at each point", "patterns:Smallest", fitted=False),
    _values("crbm", "hidden units of a convolutional restricted Boltzmann machine", "CrbmValue", fitted=False),
    _values("crbm-invariant", "the same, of filters in all eight orientations", "InvariantCrbmValue", fitted=False),
    _values("templates", "a weight for every pattern in every small window", "TemplateValue", fitted=False),
)
_ENTRIES = {entry.name: entry for entry in _BUILT_IN}


def register(cls: Class, *, about: str | None = None) -> Class:
    """Add a model: a class with `name` and `gives`, constructed without arguments. Can be used as a decorator."""
    name, gives = getattr(cls, "name", None), getattr(cls, "gives", None)
    if not name or not gives or not set(gives) <= set(ANSWERS):
        raise ModelError(f"a registered model needs a name and must give some of {', '.join(ANSWERS)}")
    if name in _ENTRIES or name == "default":
        raise ModelError(f"there is a model {name!r} already")
    order: tuple[Answer, ...] = tuple(answer for answer in ANSWERS if answer in gives)
    _ENTRIES[name] = Entry(name, order, about or _first_line(cls), cls)
    return cls


def unregister(name: str) -> None:
    """Remove a registered model."""
    find(name)
    del _ENTRIES[name]


def listing() -> dict[str, Entry]:
    """Return the entry of every model by name."""
    return dict(sorted(_ENTRIES.items()))


def find(name: str) -> Entry:
    """Return the entry of a name; for an unknown name raise a ModelError that lists the known ones."""
    entry = _ENTRIES.get(default_name() if name == "default" else name)
    if entry is None:
        raise ModelError(f"there is no model {name!r}: known are {', '.join(sorted(_ENTRIES))}")
    return entry


def default_name(needed: Answer = "ownership", *sides: int) -> str:
    """Return the model that "default" stands for, if an answer is needed for a board with these sides.

    A classical model replaces the network where that cannot be used.
    """
    name = CLASSICAL_MOVES if needed == "policy" else CLASSICAL
    return DEFAULT if usable(DEFAULT, name, *sides) else name


def usable(name: str, instead: str, *sides: int) -> bool:
    """Return whether a network can be used on a board with these sides.

    It cannot where a library or its file is missing and on boards of sizes for which it was not made; the first time, a
    warning says what is used instead.
    """
    network = _ENTRIES.get(name)
    why = "it is not registered" if network is None else network.missing
    if network is not None and why is None and sides and not {*sides} <= {*(sizes := network.model_class().sizes)}:
        why = f"it is for boards of {min(sizes)} to {max(sizes)} points a side"
    if why is not None:
        _warn_once(f"{instead} is used instead of {name}: {why}")
    return why is None


@lru_cache(maxsize=32)
def _warn_once(text: str) -> None:
    warnings.warn(text, FallbackWarning, stacklevel=2)


def load(name_or_path: str | PathLike[str]) -> Any:
    """Return a model by name, or read it from a file."""
    if not isinstance(name_or_path, str | PathLike):
        raise ModelError(f"a model is given by name or file, not {name_or_path!r}")
    given = fspath(name_or_path)
    is_file = not isinstance(name_or_path, str) or given.endswith(".safetensors")
    if is_file or (given not in _ENTRIES and Path(given).is_file()):
        return find(read_card(given).name).model_class().load(given)
    return find(given).make()


def shared(name_or_path: str | PathLike[str]) -> Any:
    """Return a fitted model. The same name gives the same object, which must not be changed."""
    if name_or_path != "default" and name_or_path not in _ENTRIES:
        return load(name_or_path)
    entry = find(str(name_or_path))
    if not entry.fitted:
        raise not_fitted(entry.name)
    return _made(entry)


@lru_cache(maxsize=32)
def _made(entry: Entry) -> Any:
    return entry.make()


@lru_cache(maxsize=8)
def _importable(library: str) -> bool:
    try:
        import_module(library)
    except ImportError:
        return False
    return True


def _weights_folder() -> Path:
    return Path(__file__).resolve().parent.parent / "weights"


def _first_line(cls: type) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0].rstrip(".")
