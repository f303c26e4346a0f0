"""`net/small`: the network as it is trained, in single precision.

Start at `SmallNet.fit_corpus`; answers are computed by tengen.nets.network.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from tengen.errors import ModelError
from tengen.extras import need
from tengen.models.protocol import Progress
from tengen.nets.graph import Weights, onnx_graph
from tengen.nets.inputs import PLANES
from tengen.nets.network import Network

if TYPE_CHECKING:
    from tengen.corpus.dataset import DataSet, DataSets

    Corpus = DataSet | DataSets

SYMMETRY_BOUND = 0.06
"""With `symmetries=1`: how far the ownership of a point may be from its mean over the symmetries, on average."""
USUAL_STEPS = 54_000
ABOUT = {"blocks": int, "channels": int, "steps": int, "positions": int, "finished": bool, "facts": list}
"""What the weights of a training say about themselves."""


class SmallNet(Network):
    """A small residual network taught by KataGo's judgement and by played moves."""

    name = "net/small"

    blocks: int = 8
    channels: int = 64
    steps: int | None = None
    """Number of training steps; None for those of the weights in the work folder, or else USUAL_STEPS."""
    plays: float = 0.15
    """Share of the training games whose moves are all shown, without labels."""

    def __post_init__(self) -> None:
        super().__post_init__()
        counts = (self.blocks, self.channels, 1 if self.steps is None else self.steps)
        share = isinstance(self.plays, float | int) and 0 <= self.plays <= 1
        if not all(isinstance(count, int) and count >= 1 for count in counts) or not share:
            raise ModelError(f"{self.name}: blocks, channels and steps are at least 1, plays is a share from 0 to 1")

    def pack(self, data: Corpus, folder: Path, *, progress: Progress | None = None) -> dict[str, list[Path]]:
        """Write the training data to a folder, for training on another machine; return the files of each split."""
        from tengen.nets.packs import pack_corpus

        files = pack_corpus(data, folder, plays=self.plays, progress=progress)
        if not files["train"]:
            raise ModelError(f"{self.name}: there is no labelled position to learn from")
        return files

    def fit_corpus(
        self,
        data: Corpus,
        *,
        work: Path,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, float]:
        """Pack the training data into the work folder, train there, and take over the weights.

        Weights in the folder that are trained to the end, here or on another machine, are taken as they are, unless
        they have fewer steps than asked for.
        """
        weights = work / f"network-{self.blocks}x{self.channels}.npz"
        about = read_weights(weights)[0] if weights.exists() else None
        if about is not None and self.steps is not None and about["steps"] > self.steps:
            raise ModelError(f"{weights} has {about['steps']:,} steps, more than {self.steps:,}: choose another folder")
        more = about is not None and about["steps"] < (self.steps or 0)
        if more and not (work / f"checkpoint-{self.blocks}x{self.channels}.pt").exists():
            raise ModelError(f"{weights} cannot be trained further: its checkpoint is not in the folder")
        if about is None or not about["finished"] or more:
            need("torch")
            from tengen.nets.training import train_folder

            self.pack(data, work)
            sizes = {"blocks": self.blocks, "channels": self.channels, "steps": self.steps or USUAL_STEPS}
            try:
                train_folder([str(work), *(f"--{name}={value}" for name, value in sizes.items())], progress)
            except ValueError as problem:
                raise ModelError(f"{self.name}: {problem}") from None
        return self.take_weights(weights)

    def take_weights(self, file: Path) -> dict[str, float]:
        """Make the graph from trained weights; return numbers about the training."""
        about, weights = read_weights(file)
        if about["facts"] != list(PLANES):
            raise ModelError(f"{file}: the network was trained on other planes")
        self.blocks, self.channels, self.steps = about["blocks"], about["channels"], about["steps"]
        try:
            self.graph_ = np.frombuffer(onnx_graph(weights), np.uint8).copy()
        except KeyError as missing:
            raise ModelError(f"{file}: the layer {missing} is missing") from None
        self._running = None
        numbers = {"parameters": sum(each.size for each in weights.values()), "trained_positions": about["positions"]}
        return {name: float(value) for name, value in numbers.items()}


def read_weights(file: Path) -> tuple[dict[str, Any], Weights]:
    """Return what training says about a network, and its weights."""
    try:
        with np.load(file) as found:
            weights = {name: found[name] for name in found.files}
        about = json.loads(str(weights.pop("about")))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as problem:
        raise ModelError(f"{file}: not the weights of a trained network ({problem})") from None
    known = about if isinstance(about, dict) else {}
    wrong = [name for name, kind in ABOUT.items() if not isinstance(known.get(name), kind)]
    if wrong:
        raise ModelError(f"{file}: not the weights of a trained network (it does not say {', '.join(wrong)})")
    return known, weights
