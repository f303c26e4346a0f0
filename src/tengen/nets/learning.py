"""Training of the judge's network with torch (the extra "net"), on a GPU if there is one.

Start at `learn`. Batches of all board sizes alternate, rotated and mirrored at random. The loss is the sum of a loss
over chains, each counted once, and a loss over points, so small dead chains weigh as much as large ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.extras import need
from tengen.go.board import Board
from tengen.models.protocol import Data, Progress
from tengen.nets.chains import forward, shapes
from tengen.nets.sight import PLANES, SIDE, SIGNED, Sight, look, planes

if TYPE_CHECKING:
    from tengen.nets.chains import ChainJudge

BATCH = 128
DECAY = 1e-4
SURE = 0.3
"""Labels with a smaller absolute ownership are ignored."""


@dataclass(frozen=True, eq=False)
class ChainExamples:
    """Features of finished boards of one size, with the owner of each point."""

    sight: Sight
    owners: npt.NDArray[np.int8]
    """1 Black, −1 White, 0 not known [board, row, column]."""


def examples_of(data: Data) -> list[ChainExamples]:
    """Compute the features of every board of the data."""
    found: dict[tuple[int, ...], list[tuple[Sight, Any]]] = {}
    for batch in data:
        for stones, target in zip(batch.boards, batch.targets, strict=True):
            known = np.where(np.abs(np.nan_to_num(target)) >= SURE, np.sign(np.nan_to_num(target)), 0)
            found.setdefault(stones.shape, []).append((look(Board.from_stones(stones)), known.astype(np.int8)))
    if not found:
        raise TengenError("there is no labelled position to learn from")
    return [
        ChainExamples(Sight.stacked([s for s, _ in some]), np.stack([t for _, t in some])) for some in found.values()
    ]


def learn(model: ChainJudge, examples: list[ChainExamples], progress: Progress | None = None) -> dict[str, Any]:
    """Return the arrays of a network fitted to examples."""
    torch: Any = need("torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(model.seed)
    random = np.random.default_rng(model.seed)
    weights = _start(torch, model, device)
    ready = [_Boards(torch, part, device) for part in examples]
    steps = model.epochs * sum(-(-len(part) // BATCH) for part in ready)
    optimiser = torch.optim.AdamW(weights.values(), lr=model.rate, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, model.rate, total_steps=steps, pct_start=0.1)
    done = 0
    for _ in range(model.epochs):
        for boards, rows in _batches(ready, random):
            optimiser.zero_grad()
            loss = boards.loss(weights, rows, int(random.integers(8)))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if progress is not None:
                progress(done / steps)
    return {name: value.detach().float().cpu().numpy() for name, value in weights.items()}


def _start(torch: Any, model: ChainJudge, device: str) -> dict[str, Any]:
    made = {}
    for name, shape in shapes(model.channels, model.blocks).items():
        inputs = {"in_": 9 * PLANES, "near_": 9 * model.channels, "out_": model.channels}.get(name, model.channels)
        value = torch.randn(shape) * (2 / inputs) ** 0.5
        if name in ("in_bias_", "bias_", "back_"):
            value = value * (0.1 if name == "back_" else 0.0)
        made[name] = torch.ones(1) if name == "scale_" else value
    return {name: value.to(device).requires_grad_(name != "scale_") for name, value in made.items()}


def _batches(ready: list[_Boards], random: np.random.Generator) -> list[tuple[_Boards, Any]]:
    found = []
    for boards in ready:
        order = random.permutation(len(boards))
        found += [(boards, order[i : i + BATCH]) for i in range(0, len(order), BATCH)]
    return [found[i] for i in random.permutation(len(found))]


class _Boards:
    def __init__(self, torch: Any, examples: ChainExamples, device: str) -> None:
        self.torch = torch
        self.planes = torch.tensor(planes(examples.sight).swapaxes(0, 1), dtype=torch.float16, device=device)
        self.regions = torch.tensor(np.asarray(examples.sight.regions), dtype=torch.int64, device=device)
        self.stones = torch.tensor(np.asarray(examples.sight.stones), dtype=torch.float32, device=device)
        self.owners = torch.tensor(examples.owners, dtype=torch.float32, device=device)

    def __len__(self) -> int:
        return len(self.owners)

    def loss(self, weights: dict[str, Any], rows: Any, turn: int) -> Any:
        """Return the loss of some boards, rotated or mirrored."""
        chosen = [self._turned(tensor[rows], turn) for tensor in (self.planes, self.regions, self.stones, self.owners)]
        shown, regions, stones, owners = chosen
        logits, pool = twin_logits(self.torch, weights, shown.float(), regions)
        logistic = self.torch.nn.functional.softplus
        points = logistic(-owners * logits) * (owners != 0)
        known = pool.sum((owners * stones)[..., None])
        chains = logistic(-known.sign() * pool.means((logits * stones)[..., None])) * (known != 0)
        return points.sum() / (owners != 0).sum() + chains.sum() / (known != 0).sum()

    def _turned(self, tensor: Any, turn: int) -> Any:
        turned = self.torch.rot90(tensor, turn % 4, (-2, -1))
        return turned.flip(-1) if turn >= 4 else turned


def twin_logits(torch: Any, weights: dict[str, Any], shown: Any, regions: Any) -> tuple[Any, _Torch]:
    """Return the network's output for boards [board, plane, row, column], and the operations it ran on."""
    black, white, every, signed = torch.split(shown, [SIDE, SIDE, 1, SIGNED], dim=1)
    views = torch.cat([shown, torch.cat([white, black, every, -signed], 1)]).permute(0, 2, 3, 1)
    on = _Torch(torch, regions)
    return forward(on, weights, views), on


class _Torch:
    """The operations of the network in torch, for both views of several boards (see tengen.nets.chains)."""

    def __init__(self, torch: Any, regions: Any) -> None:
        self.torch, self.shape = torch, regions.shape
        most = int(regions.max()) + 1
        offsets = torch.arange(2 * len(regions), device=regions.device) * most
        self.ids = torch.cat([regions, regions]) + offsets[:, None, None]
        self.regions = most
        self.sizes = self.sum(torch.ones_like(self.ids, dtype=torch.float32)[..., None]).clamp(min=1)

    def relu(self, values: Any) -> Any:
        return self.torch.relu(values)

    def convolve(self, values: Any, kernel: Any) -> Any:
        channels_first = values.permute(0, 3, 1, 2), kernel.permute(3, 2, 0, 1)
        return self.torch.nn.functional.conv2d(*channels_first, padding=1).permute(0, 2, 3, 1)

    def means(self, values: Any) -> Any:
        return self.sum(values) / self.sizes[: len(values)]

    def maxima(self, values: Any) -> Any:
        flat, ids = self._flat(values)
        return self._by_region(
            values, lambda zeros: zeros.scatter_reduce(0, ids[:, None].expand_as(flat), flat, "amax")
        )

    def spread(self, values: Any) -> Any:
        ids = self.ids[: len(values)]
        return values.reshape(-1, values.shape[-1])[ids.reshape(-1)].reshape(*ids.shape, -1)

    def sum(self, values: Any) -> Any:
        """Return the sum over each region [view, region, channel]."""
        flat, ids = self._flat(values)
        return self._by_region(values, lambda zeros: zeros.index_add(0, ids, flat))

    def _flat(self, values: Any) -> tuple[Any, Any]:
        return values.reshape(-1, values.shape[-1]), self.ids[: len(values)].reshape(-1)

    def _by_region(self, values: Any, fill: Callable[[Any], Any]) -> Any:
        zeros = values.new_zeros((len(values) * self.regions, values.shape[-1]))
        return fill(zeros).reshape(len(values), self.regions, -1)
