"""The evaluators that are compared, learned from labels on every draw of the training games.

Start at `learned`. Low's network has three layers and one round, and one type for all empty nodes; he runs the same
weights with three rounds as a recurrent network. The others go beyond him: learned through three rounds, with labels
for the side of influence, and with factored weights. His random field has damped propagation and a table for each pair
of labels; ours backs off to coarser labels. Rates, passes and first weights are not in the paper; they are those of
territory/fate-net and territory/fate-mrf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.models.registry import find
from tengen.papers.low.data import Games
from tengen.papers.low.published import GAMES
from tengen.territory.fate_mrf import FateMrf
from tengen.territory.fate_net import FateNet

NETWORK = "network: 3 layers, 1 round"
SMALL = f"the same from the last ten positions of {GAMES} games"
RECURRENT = "the same network run for 3 rounds"
CONVERGED = "the same network run until it converges"
FOUR = "4 layers, 1 round"
THROUGH = "3 layers, learned through 3 rounds"
SIDES = "3 layers, 3 rounds, sides of influence (ours)"
MESSAGES = "factored weights: message network (ours)"
FIELD = "random field: damped propagation"
OUR_FIELD = "random field with coarser labels as back-off (ours)"
NAMES = (NETWORK, SMALL, RECURRENT, CONVERGED, FOUR, THROUGH, SIDES, MESSAGES, FIELD, OUR_FIELD)

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Configuration:
    """A model of the registry and its settings."""

    name: str
    model: str
    settings: dict[str, Any]

    def new(self) -> Any:
        """Return the model before it learns."""
        return find(self.model).model_class()(**self.settings)

    @property
    def slug(self) -> str:
        """The name as part of a file name."""
        return "-".join("".join(sign if sign.isalnum() else " " for sign in self.name).split())


def configurations(seed: int) -> Iterator[Configuration]:
    """Yield what is learned from a draw."""
    low: dict[str, Any] = {"layers": 3, "rounds": 1, "sides": False, "min_visits": 0, "seed": seed}
    yield Configuration(NETWORK, FateNet.name, low)
    yield Configuration(SMALL, FateNet.name, low)
    yield Configuration(FOUR, FateNet.name, {**low, "layers": 4})
    yield Configuration(THROUGH, FateNet.name, {**low, "rounds": 3})
    yield Configuration(SIDES, FateNet.name, {**low, "rounds": 3, "sides": True})
    yield Configuration(MESSAGES, "territory/fate-messages", {"seed": seed})
    field: dict[str, Any] = {"inference": "bp", "step": 0.5, "back_off": False, "sides": False, "min_visits": 0}
    yield Configuration(FIELD, FateMrf.name, field)
    yield Configuration(OUR_FIELD, FateMrf.name, {"min_visits": 0})


def configuration_of(name: str, seed: int = 0) -> Configuration:
    """Return the configuration with a name."""
    return next(each for each in configurations(seed) if each.name == name)


def learned(games: Games, draw: int, limit: int | None, folder: Path | None, tell: Tell) -> dict[str, Any]:
    """Return the models of a draw by name, read from the folder or learned; a stopped run resumes inside a model."""
    found = {}
    for configuration in configurations(draw):
        tell(f"draw {draw + 1}: {configuration.name}")
        data = games.last_ten(draw, GAMES) if configuration.name == SMALL else games.training(draw, limit)
        home = None if folder is None else folder / f"draw-{draw}"
        found[configuration.name] = model_of(configuration, data, home)
        if configuration.name == NETWORK:
            found[RECURRENT] = run_for(found[NETWORK], 3)
            found[CONVERGED] = run_for(found[NETWORK], 100, tolerance=0.001)
    return found


def run_for(model: FateNet, rounds: int, tolerance: float = 0.0) -> FateNet:
    """Return a network with the same weights that feeds its output back."""
    same: dict[str, Any] = {"layers": model.layers, "sides": model.sides, "min_visits": 0, "seed": model.seed}
    return FateNet(rounds=rounds, tolerance=tolerance, **same).take(model.network())


def model_of(configuration: Configuration, data: Any, folder: Path | None) -> Any:
    """Return a model from the folder, or one that learns from data."""
    if folder is None:
        return configuration.new().fit(data)
    path = folder / f"{configuration.slug}.safetensors"
    if path.exists():
        return find(configuration.model).model_class().load(path)
    model = configuration.new()
    model.fit_corpus(data, work=folder / configuration.slug)
    model.save(path)
    return model
