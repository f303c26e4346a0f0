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


class SmallNet(Network):
    """A small residual network taught by KataGo's judgement and by played moves."""

    name = "net/small"

    blocks: int = 8
    channels: int = 64
    steps: int = 17_500
    """Number of training steps."""
    plays: float = 0.15
    """Share of the training games whose moves are all shown, without labels."""

    def __post_init__(self) -> None:
        super().__post_init__()
        counts = (self.blocks, self.channels, self.steps)
        if not all(isinstance(count, int) and count >= 1 for count in counts) or not 0 <= self.plays <= 1:
            raise ModelError(f"{self.name}: blocks, channels and steps are at least 1, plays is a share from 0 to 1")

    def pack(self, data: Corpus, folder: Path, *, progress: Progress | None = None) -> dict[str, list[Path]]:
        """Write the training data to a folder, for training on another machine; return the files of each split."""
        from tengen.nets.packs import pack_corpus

        return pack_corpus(data, folder, plays=self.plays, progress=progress)

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

        Weights in the folder that are trained to the end, here or on another machine, are taken as they are.
        """
        weights = work / f"network-{self.blocks}x{self.channels}.npz"
        if not (weights.exists() and read_weights(weights)[0]["finished"]):
            need("torch")
            from tengen.nets.training import train_folder

            if not self.pack(data, work)["train"]:
                raise ModelError(f"{self.name}: there is no labelled position to learn from")
            sizes = {"blocks": self.blocks, "channels": self.channels, "steps": self.steps}
            train_folder([str(work), *(f"--{name}={value}" for name, value in sizes.items())], progress)
        return self.take_weights(weights)

    def take_weights(self, file: Path) -> dict[str, float]:
        """Make the graph from trained weights; return numbers about the training."""
        about, weights = read_weights(file)
        if about["facts"] != list(PLANES):
            raise ModelError(f"{file}: the network was trained on other planes")
        self.blocks, self.channels, self.steps = about["blocks"], about["channels"], about["steps"]
        self.graph_ = np.frombuffer(onnx_graph(weights), np.uint8).copy()
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
    return about, weights
