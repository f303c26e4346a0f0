"""How the judge's network learns, by torch (the extra "net"), on a graphics card where there is one.

Start at `learn`. Boards of every size take turns, turned and mirrored anew each time. The loss is that of chains, each
counted once, and that of points: a small dead chain weighs as much as a large one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.extras import need
from tengen.judge.sight import PLANES, SIDE, Sight, planes
from tengen.models.protocol import Data, Progress

if TYPE_CHECKING:
    from tengen.judge.network import ChainJudge

BATCH = 128
DECAY = 1e-4
SURE = 0.3
"""A label nearer to nobody's than this says nothing."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Finished boards of one size, looked at, with whose each point was."""

    sight: Sight
    owners: npt.NDArray[np.int8]
    """1 Black, −1 White, 0 not known [board, row, column]."""


def collect(data: Data) -> list[Examples]:
    """Look at every board of the data."""
    from tengen.go.board import Board
    from tengen.judge.sight import look

    found: dict[tuple[int, ...], list[tuple[Sight, Any]]] = {}
    for batch in data:
        for stones, target in zip(batch.boards, batch.targets, strict=True):
            known = np.where(np.abs(np.nan_to_num(target)) >= SURE, np.sign(np.nan_to_num(target)), 0)
            found.setdefault(stones.shape, []).append((look(Board.from_stones(stones)), known.astype(np.int8)))
    if not found:
        raise TengenError("there is no labelled position to learn from")
    return [Examples(Sight.stacked([s for s, _ in some]), np.stack([t for _, t in some])) for some in found.values()]


def learn(model: ChainJudge, examples: list[Examples], progress: Progress | None = None) -> dict[str, Any]:
    """Return the arrays of a network that was fitted to examples."""
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
    from tengen.judge.network import shapes

    made = {}
    for name, shape in shapes(model.channels, model.blocks).items():
        inputs = {"in_": 9 * PLANES, "near_": 9 * model.channels, "out_": model.channels}.get(name, model.channels)
        value = torch.randn(shape) * (2 / inputs) ** 0.5
        if name in ("in_bias_", "bias_", "back_"):
            value = value * (0.1 if name == "back_" else 0.0)
        made[name] = torch.ones(1) if name == "scale_" else value
    return {name: value.to(device).requires_grad_(name != "scale_") for name, value in made.items()}


def _batches(ready: list[_Boards], random: np.random.Generator) -> list[tuple[_Boards, Any]]:
    """Return batches of all sizes in a random order."""
    found = []
    for boards in ready:
        order = random.permutation(len(boards))
        found += [(boards, order[i : i + BATCH]) for i in range(0, len(order), BATCH)]
    return [found[i] for i in random.permutation(len(found))]


class _Boards:
    """Examples of one size as tensors."""

    def __init__(self, torch: Any, examples: Examples, device: str) -> None:
        self.torch = torch
        self.planes = torch.tensor(planes(examples.sight).swapaxes(0, 1), dtype=torch.float16, device=device)
        self.regions = torch.tensor(np.asarray(examples.sight.regions), dtype=torch.int64, device=device)
        self.stones = torch.tensor(np.asarray(examples.sight.stones), dtype=torch.float32, device=device)
        self.owners = torch.tensor(examples.owners, dtype=torch.float32, device=device)

    def __len__(self) -> int:
        return len(self.owners)

    def loss(self, weights: dict[str, Any], rows: Any, turn: int) -> Any:
        """Return the loss of some boards, turned or mirrored."""
        chosen = [self._turned(tensor[rows], turn) for tensor in (self.planes, self.regions, self.stones, self.owners)]
        shown, regions, stones, owners = chosen
        logits, pool = self.logits(weights, shown.float(), regions)
        logistic = self.torch.nn.functional.softplus
        points = logistic(-owners * logits) * (owners != 0)
        known = pool.sum((owners * stones).reshape(-1))
        chains = logistic(-known.sign() * pool.chain_logits(logits, stones)) * (known != 0)
        return points.sum() / (owners != 0).sum() + chains.sum() / (known != 0).sum()

    def logits(self, weights: dict[str, Any], shown: Any, regions: Any) -> tuple[Any, _TorchPool]:
        """Return the logarithms of odds of boards [board, plane, row, column], as ChainJudge.logits does."""
        torch, count = self.torch, len(shown)
        black, white, every, signed = torch.split(shown, [SIDE, SIDE, 1, shown.shape[1] - 2 * SIDE - 1], dim=1)
        views = torch.cat([shown, torch.cat([white, black, every, -signed], 1)])
        pool, both = _TorchPool(torch, regions), _TorchPool(torch, torch.cat([regions, regions]))
        here = self._convolve(views, weights["in_"]) + weights["in_bias_"][:, None, None]
        for block in range(len(weights["near_"])):
            here = here + self._block(here, both, weights, block)
        odds = torch.einsum("bcyx,c->byx", torch.relu(here), weights["out_"])
        return pool.spread_mean((odds[:count] - odds[count:]) * weights["scale_"]), pool

    def _block(self, here: Any, pool: _TorchPool, weights: dict[str, Any], block: int) -> Any:
        torch = self.torch
        active = torch.relu(here)
        flat = active.permute(0, 2, 3, 1).reshape(-1, active.shape[1])
        region = pool.means(flat) @ weights["mean_"][block] + pool.maxima(flat) @ weights["most_"][block]
        near = self._convolve(active, weights["near_"][block])
        inner = torch.relu(near + pool.spread(region) + weights["bias_"][block][:, None, None])
        return torch.einsum("bcyx,cd->bdyx", inner, weights["back_"][block])

    def _convolve(self, values: Any, kernel: Any) -> Any:
        return self.torch.nn.functional.conv2d(values, kernel.permute(3, 2, 0, 1), padding=1)

    def _turned(self, tensor: Any, turn: int) -> Any:
        turned = self.torch.rot90(tensor, turn % 4, (-2, -1))
        return turned.flip(-1) if turn >= 4 else turned


class _TorchPool:
    """Means and maxima over the chains and empty regions of several boards."""

    def __init__(self, torch: Any, regions: Any) -> None:
        self.torch, self.shape = torch, regions.shape
        most = int(regions.max()) + 1
        offsets = torch.arange(len(regions), device=regions.device) * most
        self.ids = (regions + offsets[:, None, None]).reshape(-1)
        self.count = most * len(regions)
        self.sizes = self.sum(torch.ones_like(self.ids, dtype=torch.float32)).clamp(min=1)

    def sum(self, values: Any) -> Any:
        """Return sums of values [point, …] by region."""
        return values.new_zeros((self.count, *values.shape[1:])).index_add(0, self.ids, values)

    def means(self, values: Any) -> Any:
        """Return the means of values [point, channel]."""
        return self.sum(values) / self.sizes[:, None]

    def maxima(self, values: Any) -> Any:
        """Return the maxima of values [point, channel], which are not negative."""
        index = self.ids[:, None].expand_as(values)
        return values.new_zeros((self.count, values.shape[1])).scatter_reduce(0, index, values, "amax")

    def spread(self, values: Any) -> Any:
        """Return values of regions [region, channel] at their points [board, channel, row, column]."""
        return values[self.ids].reshape(*self.shape, -1).permute(0, 3, 1, 2)

    def spread_mean(self, values: Any) -> Any:
        """Return the mean over the region of each point [board, row, column]."""
        return (self.sum(values.reshape(-1)) / self.sizes)[self.ids].reshape(self.shape)

    def chain_logits(self, logits: Any, stones: Any) -> Any:
        """Return for each region the logit that its stones live, 0 for empty ones."""
        return self.sum((logits * stones).reshape(-1)) / self.sizes
