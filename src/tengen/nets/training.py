"""Training of the small network from packs. Needs torch and numpy only, so this file also runs alone:

    python training.py FOLDER --minutes 8

FOLDER has the packs train-*.npz and valid-*.npz (see tengen.nets.packs), which are loaded into the device's memory.
Start at `train`. A step learns from a batch of one board size, drawn at random, so there is no padding. A run goes on
from the checkpoint in the folder if there is one for the same number of blocks and channels.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

LAST = "last_1"
"""The first of the planes of last moves, which are the last ones."""
DROPPED = 0.15
"""The share of positions that are shown without the last moves, as boards that were set up have none."""
OTHER = 0.1
"""The share of a batch that has board sizes with few positions."""
LARGE = 100_000
"""Sets with at least this number of positions are in every batch, in proportion to the root of their numbers."""
MOST = 3
"""A step has at most this multiple of the batch."""
COMPILED = (9, 19)
"""The board sizes for which the network is compiled on a GPU: half a minute, then steps are 1.4 times as fast."""
HEADS = 32
STEPS = 25
"""Ownership 1 in a pack."""
CLEAR = 5
"""Labels of at least this many steps, ownership 0.2, count for the sign error."""
WEIGHTS = {"square": 10.0, "cross": 2.0, "teacher": 0.4, "played": 0.4, "winrate": 0.5, "lead": 0.08, "spread": 0.2}
"""The weights of the parts of the loss."""
REPORTED = ("square", "teacher", "played", "plays", "lead")
"""The parts of the loss in reports."""


class Pool(nn.Module):
    """The mean over the board, the same scaled by the board's size, and the maximum."""

    def forward(self, x: Any) -> Any:
        """Return the summary of each channel."""
        mean, most = x.mean((2, 3)), x.amax((2, 3))
        size = (x.shape[2] * x.shape[3]) ** 0.5
        return torch.cat([mean, mean * ((size - 14) / 10), most], 1)


class Block(nn.Module):
    """Two convolutions with a shortcut; a pooling block adds a summary of the whole board in between."""

    def __init__(self, channels: int, pooling: bool, blocks: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.pool = Pool()
        self.whole = nn.Linear(3 * channels, channels) if pooling else None
        start(self.first, math.sqrt(2))
        start(self.second, 1 / math.sqrt(blocks))
        if self.whole is not None:
            start(self.whole, 0.5)

    def forward(self, x: Any) -> Any:
        """Return the trunk after this block."""
        inner = self.first(F.relu(x))
        if self.whole is not None:
            inner = inner + self.whole(self.pool(F.relu(inner)))[:, :, None, None]
        return x + self.second(F.relu(inner))


class Network(nn.Module):
    """Planes and numbers in; ownership, two policies, and winrate, lead and spread out, all from the mover's side."""

    def __init__(self, planes: int, numbers: int, blocks: int, channels: int) -> None:
        super().__init__()
        self.settings = {"planes": planes, "numbers": numbers, "blocks": blocks, "channels": channels}
        self.stem = nn.Conv2d(planes, channels, 3, padding=1)
        self.facts = nn.Linear(numbers, channels)
        self.blocks = nn.ModuleList(Block(channels, i % 2 == 1, blocks) for i in range(blocks))
        self.owner = nn.Conv2d(channels, 1, 1)
        self.pool = Pool()
        self.move = nn.Conv2d(channels, HEADS, 1)
        self.move_whole = nn.Linear(3 * channels, HEADS)
        self.moves = nn.Conv2d(HEADS, 2, 1)
        self.whole = nn.Linear(3 * channels + numbers, 64)
        self.result = nn.Linear(64, 4)
        self.passing = nn.Linear(64, 2)
        start(self.stem, 2.0)
        for layer in (self.facts, self.move, self.move_whole, self.whole):
            start(layer, 1.0)
        for layer in (self.owner, self.moves, self.result, self.passing):
            start(layer, 0.1)

    def forward(self, planes: Any, numbers: Any) -> tuple[Any, Any, Any]:
        """Return ownership logits [n, h, w], policy logits [n, 2, points + 1] and four numbers [n, 4]."""
        scaled = numbers * numbers.new_tensor([1 / 20, 1, 1])
        x = self.stem(planes) + self.facts(scaled)[:, :, None, None]
        for block in self.blocks:
            x = block(x)
        x = F.relu(x)
        pooled = self.pool(x)
        owner = self.owner(x)[:, 0]
        moves = self.moves(F.relu(self.move(x) + self.move_whole(pooled)[:, :, None, None]))
        whole = F.relu(self.whole(torch.cat([pooled, scaled], 1)))
        policy = torch.cat([moves.flatten(2), self.passing(whole)[:, :, None]], 2)
        return owner, policy, self.result(whole)


def start(layer: Any, gain: float) -> None:
    """Initialise a layer with small random weights and no bias."""
    nn.init.normal_(layer.weight, std=gain / math.sqrt(layer.weight[0].numel()))
    nn.init.zeros_(layer.bias)


def answers(network: Any, planes: Any, numbers: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return ownership, its logits, policy logits, winrate logits, and lead with its spread [n, 2]."""
    logits, policy, result = network(planes, numbers)
    logits, policy, result = logits.float(), policy.float(), result.float()
    ownership = torch.tanh(logits)
    lead = ownership.sum((1, 2)) + numbers[:, 0] + 5 * result[:, 1]
    spread = 10 * F.softplus(result[:, 2]) + 0.3
    winrate = result[:, 0] + F.softplus(result[:, 3]) * lead.detach() / 4
    return ownership, logits, policy, winrate, torch.stack([lead, spread], 1)


class Positions:
    """The positions of one board size, as tensors on the device."""

    def __init__(self, columns: dict[str, Any], height: int, width: int, planes: list[str], device: str) -> None:
        self.height, self.width, self.n = height, width, len(columns["played"])
        self.labelled = "ownership" in columns
        self.title = f"{height}×{width}"
        tensors = {name: torch.from_numpy(_plain(value)).to(device) for name, value in columns.items()}
        self.facts = tensors.pop("facts").view(-1, height, width)
        self.columns = tensors
        self.bits = torch.arange(len(planes), device=device, dtype=torch.int32)[:, None, None]
        self.old = (1 << planes.index(LAST)) - 1
        self.planes = planes

    def choose(self, names: list[str]) -> None:
        """Show only the planes of these names."""
        every = torch.arange(len(self.planes), device=self.bits.device, dtype=torch.int32)[:, None, None]
        self.bits = every[[self.planes.index(name) for name in names]]

    def batch(self, rows: Any, *, turn: bool) -> dict[str, Any]:
        """Return planes and targets of some rows, each eighth of them rotated or mirrored in its own way."""
        facts = self.facts[rows]
        got = {name: values[rows] for name, values in self.columns.items()}
        policy = self._policy(got)
        own = got["ownership"].view(-1, self.height, self.width) if self.labelled else torch.zeros_like(facts)
        if turn:
            dropped = torch.rand(len(rows), 1, 1, device=facts.device) < DROPPED
            facts = torch.where(dropped, facts & self.old, facts)
            facts, own = self._turned(facts), self._turned(own)
            points = self._turned(policy[:, :, :-1].unflatten(2, own.shape[1:]))
            policy = torch.cat([points.flatten(2), policy[:, :, -1:]], 2)
        planes = (facts[:, None] >> self.bits & 1).to(torch.bfloat16 if facts.is_cuda else torch.float32)
        planes = planes.contiguous(memory_format=torch.channels_last)
        return got | {"planes": planes, "own": own.float(), "policy": policy}

    def _policy(self, got: dict[str, Any]) -> Any:
        """The teacher's policy and the played move [n, 2, points + 1]; all 0 where there is none."""
        n, points = len(got["played"]), self.height * self.width
        policy = torch.zeros(n, 2, points + 1, device=got["played"].device)
        if self.labelled:
            policy[:, 0].scatter_add_(1, got["moves"].long().clamp(max=points), got["shares"].float())
            policy[:, 0] /= policy[:, 0].sum(1, keepdim=True).clamp(min=1)
        played = got["played"].long()
        policy[:, 1].scatter_(1, played.clamp(min=0)[:, None], (played >= 0).float()[:, None])
        return policy

    def _turned(self, maps: Any) -> Any:
        parts = []
        for i, part in enumerate(maps.chunk(8)):
            quarters = i % 4 if self.height == self.width else i % 2 * 2
            part = torch.rot90(part, quarters, (-2, -1))
            parts.append(part.flip(-1) if i >= 4 else part)
        return torch.cat(parts)


def _plain(values: Any) -> Any:
    if values.dtype == np.uint32:
        return values.view(np.int32)
    return values.astype(np.int32) if values.dtype == np.uint16 else values


def load_packs(files: list[Path], device: str) -> list[Positions]:
    """Read packs into the memory of the device: labelled positions and played moves of each board size."""
    chunks: dict[tuple[str, int, int], dict[str, Any]] = {}
    planes: list[str] = []
    for file in files:
        with np.load(file) as pack:
            planes = [str(name) for name in pack["planes"]]
            for key in pack.files:
                match = re.fullmatch(r"(\d+)\.(\d+)x(\d+)\.(\w+)", key)
                if match:
                    chunks.setdefault((file.name + match[1], int(match[2]), int(match[3])), {})[match[4]] = pack[key]
    found: dict[tuple[int, int, bool], list[dict[str, Any]]] = {}
    for (_, height, width), columns in chunks.items():
        columns["facts"] = np.ascontiguousarray(np.moveaxis(columns["facts"], 0, -1)).view("<u4")[..., 0]
        found.setdefault((height, width, "ownership" in columns), []).append(columns)
    joined = {
        key: {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        for key, parts in sorted(found.items())
    }
    return [Positions(columns, height, width, planes, device) for (height, width, _), columns in joined.items()]


def loss_of(network: Any, batch: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the loss of a batch and its parts."""
    ownership, logits, policy, winrate, lead = answers(network, batch["planes"], batch["numbers"])
    moves = -(batch["policy"] * F.log_softmax(policy, 2)).sum(2)
    has = batch["policy"].sum(2) > 0.5
    played = moves[:, 1].sum() / has[:, 1].sum().clamp(min=1)
    if "ownership" not in batch:
        return WEIGHTS["played"] * played, {"plays": played}
    known = (batch["own"] > -100).float()
    own = batch["own"] / STEPS * known
    points = known.sum().clamp(min=1)
    square = ((ownership - own) ** 2 * known).sum() / points
    share = (1 + own) / 2
    cross = (F.binary_cross_entropy_with_logits(2 * logits, share, reduction="none") * known).sum() / points
    teacher = moves[:, 0].sum() / has[:, 0].sum().clamp(min=1)
    won, led = torch.isfinite(batch["winrate"]), torch.isfinite(batch["lead"])
    wins, leads = batch["winrate"].nan_to_num(0.5), batch["lead"].nan_to_num(0)
    chance = _mean(F.binary_cross_entropy_with_logits(winrate, wins, reduction="none"), won)
    miss = _mean(F.smooth_l1_loss(lead[:, 0], leads, reduction="none"), led)
    # The spread is that of a normal distribution round the teacher's lead with the teacher's winrate.
    normal = torch.special.ndtr(leads / lead[:, 1]).clamp(1e-4, 1 - 1e-4)
    surprise = -(wins * normal.log() + (1 - wins) * (1 - normal).log())
    spread = _mean(surprise, won & led)
    parts = {"square": square, "cross": cross, "teacher": teacher, "played": played}
    parts |= {"winrate": chance, "lead": miss, "spread": spread}
    return sum(WEIGHTS[name] * value for name, value in parts.items()), parts


def _mean(values: Any, known: Any) -> Any:
    return (values * known).sum() / known.sum().clamp(min=1)


def groups(data: list[Positions], batch: int, plays: float) -> list[tuple[list[Positions], int, float]]:
    """Return what a step may draw from: sets of positions that take turns, how many of them, and how often.

    A step takes `batch` positions of 19×19 or more of smaller boards. Labelled positions and mere played moves share
    the positions in the proportion 1 − plays : plays; of each kind, a set of many positions has a group of its own, in
    proportion to the root of their number, and the other board sizes share one.
    """
    found: list[tuple[list[Positions], int, float]] = []
    moves = [part for part in data if not part.labelled]
    share = plays if moves else 0.0
    for kind, left in ((moves, share), ([part for part in data if part.labelled], 1 - share)):
        large = [part for part in kind if part.n >= LARGE]
        rest = [part for part in kind if part.n < LARGE]
        parts = [([part], part.n**0.5) for part in large]
        if rest:
            parts.append((rest, OTHER * sum(weight for _, weight in parts) or 1.0))
        total = sum(weight for _, weight in parts)
        for some, weight in parts:
            count = int(min(batch * 361 / (some[-1].height * some[-1].width), MOST * batch))
            found.append((some, count, left * weight / total / count))
    total = sum(often for *_, often in found)
    return [(some, count, often / total) for some, count, often in found]


class Shuffled:
    """Rows of positions in random order, again and again."""

    def __init__(self, positions: Positions, device: str) -> None:
        self.positions, self.device = positions, device
        self.order = torch.randperm(positions.n, device=device)
        self.at = 0

    def rows(self, count: int) -> Any:
        """Return the next rows, at most as many as there are."""
        count = min(count, self.positions.n)
        if self.at + count > self.positions.n:
            self.order, self.at = torch.randperm(self.positions.n, device=self.device), 0
        self.at += count
        return self.order[self.at - count : self.at]


class Muon:
    """Steps in orthogonal directions, with momentum, for convolutions of one shape (Keller Jordan's optimiser Muon).

    The steps have the mean square of those of Adam, so both use the same rates.
    """

    def __init__(self, weights: list[Any], decay: float) -> None:
        self.weights, self.decay = weights, decay
        self.momentum = torch.stack([torch.zeros_like(p).flatten(1) for p in weights])

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Change the weights, and forget their gradients."""
        gradients = torch.stack([p.grad.flatten(1) for p in self.weights]).float()
        self.momentum.lerp_(gradients, 0.05)
        x = gradients.lerp(self.momentum, 0.95).bfloat16()
        x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
        for _ in range(5):  # Newton–Schulz: all singular values go to about 1
            square = x @ x.mT
            x = 3.4445 * x + (-4.7750 * square + 2.0315 * (square @ square)) @ x
        size = 0.2 * max(x.shape[1:]) ** 0.5
        for p, step in zip(self.weights, x.float(), strict=True):
            p.mul_(1 - rate * self.decay).sub_(step.view_as(p), alpha=rate * size)
            p.grad = None


class Run:
    """A network in training: its weights, their running mean and the optimiser, kept in a checkpoint."""

    def __init__(self, args: argparse.Namespace, planes: int, numbers: int, device: str) -> None:
        self.args, self.device = args, device
        network: Any = Network(planes, numbers, args.blocks, args.channels).to(device)
        self.network = network = network.to(memory_format=torch.channels_last)
        self.fast = torch.compile(network, dynamic=False) if device == "cuda" else network
        self.mean = {name: value.detach().clone() for name, value in network.state_dict().items()}
        convolutions = [weight for block in network.blocks for weight in (block.first.weight, block.second.weight)]
        self.muon = Muon(convolutions, args.decay)
        chosen = {id(p) for p in convolutions}
        decayed = [p for p in network.parameters() if p.ndim > 1 and id(p) not in chosen]
        plain = [p for p in network.parameters() if p.ndim == 1]
        parts = [{"params": decayed, "weight_decay": args.decay}, {"params": plain, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(parts, lr=args.rate, fused=device == "cuda")
        self.seconds, self.steps, self.positions = 0.0, 0, 0
        self.title = f"{args.blocks}x{args.channels}"
        self.checkpoint = Path(args.output) / f"checkpoint-{self.title}.pt"
        if self.checkpoint.exists():
            try:
                self._resume()
            except (OSError, torch.OutOfMemoryError):
                raise
            except Exception as problem:  # of unpickling, zip files, and tensors of other shapes
                reason = str(problem).partition("\n")[0]
                raise ValueError(
                    f"{self.checkpoint} is damaged or of another network ({reason}): delete it to start anew"
                ) from None

    def _resume(self) -> None:
        state = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.muon.momentum = state["momentum"]
        self.mean, self.seconds, self.steps = state["mean"], state["seconds"], state["steps"]
        self.positions = state["positions"]

    def progress(self) -> float:
        """Return the share of the training that is done, at most 1; the learning rate follows it."""
        args = self.args
        done: float = self.steps / args.steps if args.steps else self.seconds / (60 * (args.total or args.minutes))
        return min(1.0, done)

    def step(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Learn from one batch; return the parts of its loss."""
        rate = self.args.rate * min(1, (self.steps + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * self.progress()))
        for group in self.optimiser.param_groups:
            group["lr"] = rate + 1e-6
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            common = batch["planes"].shape[-1] in COMPILED
            loss, parts = loss_of(self.fast if common else self.network, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.muon.step(rate)
        self.optimiser.zero_grad(set_to_none=True)
        self.steps += 1
        self.positions += len(batch["played"])
        keep = min(self.args.mean, self.steps / (self.steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.mean.values()), list(self.network.state_dict().values()), 1 - keep)
        return {name: value.detach() for name, value in parts.items()}

    def facts(self) -> dict[str, Any]:
        """Return what is worth knowing about the training so far."""
        done = {"steps": self.steps, "positions": self.positions, "seconds": round(self.seconds)}
        return {**self.network.settings, **done, "finished": self.progress() >= 1}

    def save(self) -> None:
        """Write the checkpoint, from which a later run goes on."""
        state = {"network": self.network.state_dict(), "optimiser": self.optimiser.state_dict(), "mean": self.mean}
        state["momentum"] = self.muon.momentum
        done = {"seconds": self.seconds, "steps": self.steps, "positions": self.positions}
        beside = self.checkpoint.with_suffix(".part")
        torch.save(state | done, beside)
        beside.replace(self.checkpoint)

    def export(self, facts: list[str]) -> None:
        """Write the mean weights, with the names of the planes they expect, to network-BLOCKSxCHANNELS.npz."""
        arrays = {name: value.float().cpu().numpy() for name, value in self.mean.items()}
        file = Path(self.args.output) / f"network-{self.title}.npz"
        beside = file.with_suffix(".part")
        with beside.open("wb") as written:
            np.savez(written, about=json.dumps({**self.facts(), "facts": facts}), **arrays)
        beside.replace(file)


class Batches:
    """Batches of random rows from the groups of positions, again and again."""

    def __init__(self, data: list[Positions], args: argparse.Namespace, device: str, seed: int) -> None:
        self.groups = groups(data, args.batch, args.plays)
        self.random = np.random.default_rng(seed)
        self.sources = [[Shuffled(part, device) for part in some] for some, *_ in self.groups]

    def draw(self) -> tuple[str, dict[str, Any]]:
        """Return a batch and what it is called in reports: its board size, or ~ for the rarer sizes."""
        chosen = self.random.choice(len(self.groups), p=[often for *_, often in self.groups])
        sources = self.sources[chosen]
        numbers = np.array([source.positions.n for source in sources], float)
        source = sources[self.random.choice(len(sources), p=numbers / numbers.sum())]
        title = source.positions.title if len(sources) == 1 else "~"
        return title, source.positions.batch(source.rows(self.groups[chosen][1]), turn=True)


def train(
    args: argparse.Namespace,
    data: list[Positions],
    valid: list[Positions],
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Train until the time or the steps are over; write checkpoint, weights and measures; return the measures."""
    device = data[0].facts.device.type
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    output = Path(args.output)
    output.mkdir(parents=True, exist_ok=True)
    facts = args.facts.split(",") if args.facts else data[0].planes
    for part in data + valid:
        part.choose(facts)
    run = Run(args, len(facts), data[0].columns["numbers"].shape[1], device)
    torch.manual_seed(args.seed + run.steps)  # a run that goes on sees other rows
    batches = Batches(data, args, device, args.seed + run.steps)
    say(sum(p.numel() for p in run.network.parameters()), "parameters")
    say([([(part.title, part.n) for part in some], *rest) for some, *rest in batches.groups])
    started, before = time.monotonic(), run.seconds
    shown, sums = started, dict[str, list[Any]]()
    while run.progress() < 1 and run.seconds - before < 60 * args.minutes:
        title, batch = batches.draw()
        for name, value in run.step(batch).items():
            sums.setdefault(f"{title} {name}", []).append(value)
        now = time.monotonic()
        run.seconds = before + now - started
        if progress is not None:
            progress(run.progress())
        if now - shown > args.every:
            losses = {name: round(float(torch.stack(some).mean()), 4) for name, some in sums.items()}
            say(f"step {run.steps} {run.seconds:.0f} s", {k: v for k, v in losses.items() if k.split()[1] in REPORTED})
            run.save()
            shown, sums = now, {}
    run.save()
    run.export(facts)
    run.network.load_state_dict(run.mean)
    measured = {**measure(run.network, valid), "training": run.facts()}
    (output / f"measures-{run.title}.json").write_text(json.dumps(measured, indent=1) + "\n")
    return measured


def say(*values: Any) -> None:
    """Report progress on the standard error output."""
    print(*values, file=sys.stderr, flush=True)


@torch.no_grad()
def measure(network: Any, data: list[Positions]) -> dict[str, dict[str, Any]]:
    """Return the errors on positions against the teacher, by size, in mid-game and at the end of games."""
    network.eval()
    found = {}
    for positions in (part for part in data if part.labelled):
        rows = torch.arange(positions.n, device=positions.facts.device)
        finals = positions.columns["left"] <= 0
        for name, chosen in (("mid-game", rows[~finals]), ("final", rows[finals])):
            if len(chosen):
                parts = [_errors(network, positions, some) for some in chosen.split(1024)]
                errors = {key: torch.cat([part[key] for part in parts]) for key in parts[0]}
                known = {key: value[torch.isfinite(value)] for key, value in errors.items()}
                means = {key: round(float(value.mean()), 5) for key, value in known.items() if len(value)}
                found[f"{positions.title} {name}"] = {"positions": len(chosen), **means}
    return found


def _errors(network: Any, positions: Positions, rows: Any) -> dict[str, Any]:
    batch = positions.batch(rows, turn=False)
    ownership, _, policy, winrate, lead = answers(network, batch["planes"].float(), batch["numbers"])
    known = batch["own"] > -100
    own = batch["own"] / STEPS
    clear = known & (batch["own"].abs() >= CLEAR)  # whole numbers: on a GPU 5 / 25 is less than 0.2
    wrong = clear & (ownership * own < 0)
    count = known.float().sum((1, 2))
    best = policy.argmax(2)
    played, teacher = batch["played"].long(), batch["policy"][:, 0].argmax(1)
    nothing = torch.full_like(lead[:, 0], torch.nan)
    return {
        "mse": ((ownership - own) ** 2 * known).sum((1, 2)) / count,
        "sign_error": wrong.float().sum((1, 2)) / clear.float().sum((1, 2)),
        "any_wrong": torch.where(count > 0, wrong.any(2).any(1).float(), nothing),
        "lead_error": (lead[:, 0] - batch["lead"]).abs(),
        "winrate_error": (winrate.sigmoid() - batch["winrate"]).abs(),
        "teacher_top1": torch.where(batch["shares"].sum(1) > 0, (best[:, 0] == teacher).float(), nothing),
        "played_top1": torch.where(played >= 0, (best[:, 1] == played).float(), nothing),
        "played_top1_by_teacher_head": torch.where(played >= 0, (best[:, 0] == played).float(), nothing),
        "spread": lead[:, 1],
    }


def arguments() -> argparse.ArgumentParser:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Train the small network from packs.")
    parser.add_argument("packs", help="folder with the packs")
    parser.add_argument("--output", help="folder for checkpoint, network and measures (default: that of the packs)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="end this run after N minutes")
    parser.add_argument("--total", type=float, help="minutes of all runs together (default: those of this run)")
    parser.add_argument("--steps", type=int, default=0, help="train for this number of steps instead of minutes")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--batch", type=int, default=3072, help="positions of 19×19 in a step")
    parser.add_argument(
        "--plays", type=float, default=0.3, help="share of a batch that are positions with only a played move"
    )
    parser.add_argument("--facts", help="names of the planes to use, separated by commas (default: all)")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--decay", type=float, default=0.02)
    parser.add_argument("--mean", type=float, default=0.999, help="decay of the running mean of the weights")
    parser.add_argument("--every", type=float, default=20, help="seconds between lines of progress")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def main() -> None:
    """Train as the command line says and print the measures."""
    print(json.dumps(train_folder(sys.argv[1:]), indent=1))


def train_folder(given: list[str], progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Train as the command line says; return the measures."""
    parser = arguments()
    args = parser.parse_args(given)
    if not args.steps and math.isinf(args.minutes):
        parser.error("choose --minutes or --steps")
    args.output = args.output or args.packs
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data, valid = (load_packs(sorted(Path(args.packs).glob(f"{name}-*.npz")), device) for name in ("train", "valid"))
    if not data:
        parser.error(f"{args.packs} has no packs train-*.npz")
    return train(args, data, valid, progress)


if __name__ == "__main__":
    main()
