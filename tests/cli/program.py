"""The program, run as people run it."""

import contextlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from unittest import mock

from typer.main import get_command
from typer.testing import CliRunner

from tengen.cli.app import program

ROOT = Path(__file__).resolve().parents[2]
_built_once = cache(get_command)


def invoke(*arguments, stdin=""):
    """Run the command line in this process, which saves starting one; return how it left and what it said."""
    with contextlib.chdir(ROOT), mock.patch("typer.testing._get_command", _built_once):
        return CliRunner().invoke(program(), [str(argument) for argument in arguments], input=stdin, prog_name="tengen")


def call(*arguments, stdin="", code=0):
    """Run the command line in this process; otherwise the same as `run`."""
    done = invoke(*arguments, stdin=stdin)
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
