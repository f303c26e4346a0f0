"""Sabaki's own client of GTP (npm's @sabaki/gtp) plays a game with us."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = Path(os.environ.get("TENGEN_NODE_MODULES", ROOT / "build" / "sabaki" / "node_modules"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: on Debian, apt install nodejs"),
    pytest.mark.skipif(
        not (MODULES / "@sabaki" / "gtp").is_dir(), reason="@sabaki/gtp is not installed: make build/sabaki brings it"
    ),
]


def test_sabaki_plays_a_game():
    engine = [sys.executable, "-m", "tengen", "gtp", "--playouts", "300"]
    done = subprocess.run(
        ["node", str(Path(__file__).parent / "sabaki" / "game.js"), *engine],
        env={**os.environ, "NODE_PATH": str(MODULES)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["name"] == "Tengen"
    assert (said["analyze"], said["genmove"]) == ("kata-analyze", "kata-genmove_analyze")
    assert said["analysis"]["lines"] >= 2
    assert said["analysis"]["name"] == "Tengen"
    assert len(said["moves"]) > 20
    assert said["tracked"] == len(said["moves"])
    assert said["refused"] is True
    assert said["board"] == "13 9"
