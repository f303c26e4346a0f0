"""What stops before it has converged is reported: propagation, both optimisers, and on the card of a fitted model."""

import json
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tengen
from cli.program import call, run
from tengen.errors import ConvergenceWarning
from tengen.models.files import read_card
from tengen.territory import coupling_pieces
from tengen.territory.coupling import Boltzmann5
from tengen.territory.coupling_training import minimise

from .test_coupling import WALL
from .test_coupling_training import random_examples

BOARD = tengen.Board.from_text(WALL)


def test_propagation_that_does_not_converge_warns():
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 sweeps"):
        Boltzmann5(sweeps=1).ownership(BOARD)
    with pytest.warns(ConvergenceWarning):
        assert not Boltzmann5(sweeps=1).marginals(BOARD.stones[None]).converged.any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Boltzmann5().ownership(BOARD)


@pytest.mark.filterwarnings("ignore::tengen.errors.ConvergenceWarning")
def test_an_estimate_tells_of_propagation_that_did_not_converge():
    said = "territory/boltzmann5: loopy propagation did not converge in 1 sweeps, so that its answer is not exact"
    models = [Boltzmann5(sweeps=sweeps) for sweeps in (1, 200) * 8]
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(tengen.estimate, BOARD, model=model) for model in models]
    assert [future.result().warnings for future in waiting] == [(said,), ()] * 8


def test_every_file_gets_the_note_in_text_and_json(tmp_path):
    Boltzmann5(sweeps=1).save(tmp_path / "hasty.safetensors")
    games = ["examples/finished-9x9.sgf"] * 2
    done = call("estimate", *games, "--model", tmp_path / "hasty.safetensors")
    assert done.stdout.count("note: territory/boltzmann5: loopy propagation did not converge") == 2
    done = call("estimate", *games, "--model", tmp_path / "hasty.safetensors", "--format", "json")
    assert ["did not converge" in json.loads(line)["warnings"][-1] for line in done.stdout.splitlines()] == [True] * 2


def bowl(theta):
    """The Rosenbrock function: a long way to its minimum."""
    x, y = theta
    value = (1 - x) ** 2 + 100 * (y - x * x) ** 2
    return value, np.array([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)])


def test_an_optimiser_that_stops_early_warns():
    start, free = np.array([-1.0, 2.0]), np.ones(2)
    with pytest.warns(ConvergenceWarning, match="stopped early after 3 iterations"):
        minimise(bowl, start, free, 0.0, None, iterations=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert minimise(bowl, start, free, 0.0, None, iterations=200) == pytest.approx([1, 1], abs=1e-2)


def test_newton_steps_that_stop_early_warn(monkeypatch):
    pieces, start = [coupling_pieces.edge_pieces(random_examples(5))], np.zeros(9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coupling_pieces.newton(pieces, start, np.ones(9), 1e-4)
    monkeypatch.setattr(coupling_pieces, "STEPS", 1)
    with pytest.warns(ConvergenceWarning, match="stopped early at a gradient"):
        coupling_pieces.newton(pieces, start, np.ones(9), 1e-4)


@pytest.mark.parametrize(("trainer", "sweeps"), [("risk", 1), ("pl", 200)])
def test_the_card_tells_of_a_fit_that_did_not_converge(tmp_path, trainer, sweeps):
    pytest.importorskip("pyarrow")
    file = tmp_path / "coupling.safetensors"
    options = ["--corpus", "examples/corpus", "--labels", "gnugo", "--size", 9, "--limit", 5, "--finals"]
    settings = ["--set", "positions=5", "--set", f"trainer={trainer}", "--set", f"sweeps={sweeps}"]
    done = run("fit", "territory/coupling", *options, *settings, "-o", file)
    lines = [line for line in done.stderr.splitlines() if "warning" in line]
    if sweeps == 1:
        assert "tengen: warning: loopy propagation did not converge in 1 sweeps" in lines
        assert read_card(file).metrics["converged"] == 0
    else:
        assert lines == []
        assert "converged" not in read_card(file).metrics
