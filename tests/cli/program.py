"""The program, run as people run it."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from tengen.cli.app import program

ROOT = Path(__file__).resolve().parents[2]


def call(*arguments, stdin="", code=0):
    """Run the command line in this process, which saves starting one; otherwise the same as `run`."""
    with contextlib.chdir(ROOT):
        done = CliRunner().invoke(program(), [str(argument) for argument in arguments], input=stdin)
    assert done.exit_code == code, (done.stderr, done.exception)
    return done


def run(*arguments, stdin="", code=0, cwd=ROOT):
    """Run the command line and return what it said; `code` is the exit code it must have."""
    done = subprocess.run(
        [sys.executable, "-m", "tengen", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == code, done.stderr
    return done
