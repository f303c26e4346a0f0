"""The paper's figures from our numbers: a descent through a tree, and curves of move prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tengen.corpus.plays import PlayBatch
from tengen.go.board import Board
from tengen.go.files import write_atomically
from tengen.go.points import point_name
from tengen.measure.arrays import FloatArray
from tengen.measure.plots import top_k_plot
from tengen.moves.tree_words import draw, text
from tengen.papers.vanniekerk import experiments as e
from tengen.papers.vanniekerk.experiments import Results
from tengen.papers.vanniekerk.study import Trained
from tengen.views.move_features import FEATURES, LEVELS

MOST = 50
"""The curves end with this rank."""
FAR = 9
"""Figure 1 shows a move with no stone nearer than this, on the fourth line, if there is one."""


def draw_all(folder: Path, results: Results, labels: Mapping[str, str], examples: Sequence[PlayBatch]) -> None:
    """Draw every figure into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _figure_1(folder, results, examples)
    for trees, names in results.figure_2.items():
        _curves(folder / f"figure-2-{trees}.png", results, labels, names)
    _curves(folder / "figure-3.png", results, labels, e.FOREST_SIZES)
    _curves(folder / "figure-4.png", results, labels, e.MAIN)


def descent(tree: str, leaf: int) -> str:
    """Return the part of a tree's text along the way to a leaf: its questions with all answers, the way marked by >."""
    lines = tree.splitlines()
    depths = [(len(line) - len(line.lstrip())) // 2 for line in lines]
    place = next(i for i, line in enumerate(lines) if f" leaf {leaf} " in f" {line} ")
    way = {place}
    above = depths[place]
    for i in range(place, -1, -1):
        if depths[i] < above:
            way.add(i)
            above = depths[i]
    kept = []
    parents: list[int] = []
    for i, line in enumerate(lines):
        del parents[depths[i] :]
        if i in way or (parents and parents[-1] in way):
            kept.append(f"{'>' if i in way else ' '} {line}")
        parents.append(i)
    return "\n".join(kept) + "\n"


def _figure_1(folder: Path, results: Results, examples: Sequence[PlayBatch]) -> None:
    """Draw a played move with the graph that its descent discovers, and write the descent with weights of leaves."""
    forest, weights = results.forests[e.EIGHT][0], results.found[e.TDT][0].weights
    first = 1 + sum(LEVELS[feature] for feature in FEATURES)
    notes = [f"×{gamma:.3g}" for gamma in np.exp(weights[first : first + forest.leaf_counts[0]])]
    board, move = _example(examples)
    name = point_name(*divmod(move, board.width), board.height)
    write_atomically(folder / "figure-1.svg", str(draw(forest, board, name)).encode())
    write_atomically(folder / "figure-1.txt", descent(text(forest, 0, notes), forest.trace(board, name)[0]).encode())


def _example(examples: Sequence[PlayBatch]) -> tuple[Board, int]:
    """Return the first move on the fourth line far from all stones, but not on an empty board, or else some move."""
    batch = examples[0].take(np.flatnonzero(examples[0].moves < examples[0].positions.points))
    size = batch.positions.stones.shape[1]
    for i, move in enumerate(batch.moves.tolist()):
        row, column = divmod(move, size)
        border = min(row, column, size - 1 - row, size - 1 - column)
        rows, columns = np.nonzero(batch.positions.stones[i])
        away = np.abs(rows - row) + np.abs(columns - column)
        if border == 3 and len(away) and away.min() >= FAR:
            break
    else:
        i, move = len(batch) // 2, int(batch.moves[len(batch) // 2])
    return next(iter(batch.positions.take(slice(i, i + 1)).boards())), move


def _curves(path: Path, results: Results, labels: Mapping[str, str], names: Sequence[str]) -> None:
    """Draw the share of positions whose move is among the first k, the mean of the draws."""
    top_k_plot(path, {labels[name]: _curve(results.found[name]) for name in names})


def _curve(found: Sequence[Trained]) -> FloatArray:
    curves: FloatArray = np.mean([each.scores.curve(MOST) for each in found], axis=0)
    return curves
