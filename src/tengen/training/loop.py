"""A training run: games one after the other, kept in a folder from which a stopped run continues without loss.

Start at `train`. The folder has run.json (the conditions), state.npz (what was learned, and after how many games),
log.jsonl (a line for each game), checkpoints and, at the end, model.safetensors. The state is written every few seconds
and when the run stops. Games after the last state are played again, and they are the same games.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from tengen.errors import EngineError, ModelError
from tengen.extras import need
from tengen.go.files import claim, whole_file, write_atomically
from tengen.interrupts import uninterrupted
from tengen.numbers import checked_count
from tengen.training.curves import draw_curves
from tengen.training.learner import Learner
from tengen.training.lessons import Lessons

Row = dict[str, Any]

KEEP_EVERY = 5.0
"""Seconds between two writings of the state."""

DRAW_EVERY = 20.0
"""Seconds between two drawings of the curves."""

MOST_LOST = 3
"""A run stops if another program fails in this many games one after the other."""


def train(
    learner: Learner,
    lessons: Lessons,
    folder: Path,
    games: int,
    *,
    checkpoints: int = 0,
    plot: Path | None = None,
    report: Callable[[Row], None] | None = None,
    command: str = "",
) -> list[Row]:
    """Learn from games until there are `games` in all; return the log, and call `report` with each new line of it.

    Model files are kept at `checkpoints` equally distant numbers of games. With `plot`, curves of loss and results are
    drawn in that folder while it runs. A finished run continues with a larger number of games.
    """
    checked_count(games, "games", 10**9)
    checked_count(checkpoints, "checkpoints", 10**6)
    if plot is not None:
        need("matplotlib")
    lessons.check()
    claim(folder / "run.json", {**learner.settings, **lessons.described()}, "run")
    run = _Run(folder, learner, lessons, command)
    due = {games * (i + 1) // checkpoints for i in range(checkpoints)}
    drawn, lost = time.monotonic(), 0
    try:
        while True:
            if len(run.rows) in due:  # before the next game, so that a run stopped here writes it when it continues
                run.write_model(f"checkpoint-{len(run.rows):06}.safetensors")
            if len(run.rows) >= games:
                if run.rows and all("error" in row for row in run.rows):
                    raise EngineError(f"no game was learned: {run.rows[-1]['error']}")
                break
            row = run.play()
            lost = lost + 1 if "error" in row else 0
            if lost == MOST_LOST:
                raise EngineError(f"{lost} games were lost one after the other: {row['error']}")
            if plot is not None and time.monotonic() - drawn > DRAW_EVERY:
                draw_curves(plot, run.rows)
                drawn = time.monotonic()
            if report is not None:
                report(row)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"{len(run.rows):,} games are learned; the same command continues") from None
    finally:
        run.keep()
    run.write_model("model.safetensors")
    if plot is not None:
        draw_curves(plot, run.rows)
    return run.rows


class _Run:
    """The state of a run: a learner and the log, which has a line for each game that was played."""

    def __init__(self, folder: Path, learner: Learner, lessons: Lessons, command: str) -> None:
        self.folder, self.learner, self.lessons, self.command = folder, learner, lessons, command
        self.rows: list[Row] = []
        self._state, self._log, self._kept = folder / "state.npz", folder / "log.jsonl", time.monotonic()
        if self._state.exists():
            self._resume()
        write_atomically(self._log, "".join(map(_line, self.rows)).encode())

    def play(self) -> Row:
        """Play and learn the next game; one in which another program fails is lost."""
        number = len(self.rows)
        try:
            lesson = self.lessons.lesson(number, self.learner)
        except EngineError as error:
            lesson, row = None, {"iteration": number, "error": str(error)}
        with uninterrupted():  # what is learned and the number of games stay in step
            if lesson is not None:
                weights = np.ones_like(lesson.targets)
                loss = self.learner.learn(lesson.stones, lesson.targets, weights, lesson.turns)
                row = {"iteration": number, **lesson.facts, "loss": round(loss, 6)}
            self.rows.append(row)
            with self._log.open("a", encoding="utf-8") as file:
                file.write(_line(row))
        if time.monotonic() - self._kept > KEEP_EVERY:
            self.keep()
        return row

    def keep(self) -> None:
        """Write the state."""
        with uninterrupted():
            with whole_file(self._state) as file:
                parts: Any = {f"learner_{name}": part for name, part in self.learner.state().items()}
                np.savez(file, games=len(self.rows), **parts)
            self._kept = time.monotonic()

    def write_model(self, name: str) -> None:
        """Write what was learned as a model file."""
        sources = [json.dumps(self.lessons.described(), ensure_ascii=False)]
        played = {"games": float(len(self.rows))}
        self.learner.model().save(self.folder / name, sources=sources, metrics=played, command=self.command)

    def _resume(self) -> None:
        """Read the state, and the log up to it."""
        try:
            with np.load(self._state) as state:
                games = int(state["games"])
                parts = {name.removeprefix("learner_"): state[name] for name in state.files if name != "games"}
            self.learner.restore(parts)
        except (OSError, ValueError, TypeError, KeyError, BadZipFile):
            raise ModelError(f"{self._state} is not the state of this run: delete the folder to begin again") from None
        try:
            with self._log.open(encoding="utf-8") as file:
                self.rows = [json.loads(line) for line, _ in zip(file, range(games), strict=False)]
        except (OSError, ValueError):
            self.rows = []
        if len(self.rows) < games:
            raise ModelError(f"{self._log} is damaged: it has no line for some of {games:,} games")


def _line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
