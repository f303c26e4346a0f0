"""Checks a wheel: python tests/check_wheel.py WHEEL in a clean environment, or without WHEEL the installed package.

A clean environment has nothing but the wheel with its `serve` extra and what these need, and finds no compiler. There
`tengen score` counts a game, and `tengen serve` answers and serves the page.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
import venv
import zipfile
from pathlib import Path

GAME = Path(__file__).resolve().parents[1] / "examples" / "finished-9x9.sgf"
MOST_BYTES = 12_000_000
PAGE = ("index.html", "page.js", "page.css", "sw.js", "icon.svg", "licenses.txt")


def main():
    if len(sys.argv) == 1:
        return check_installed(Path(sysconfig.get_path("scripts")))
    wheel = Path(sys.argv[1]).resolve()
    check_content(wheel)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        scripts = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        environment = {**os.environ, "CC": "no-compiler", "CXX": "no-compiler"}
        command = [scripts / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", f"{wheel}[serve]"]
        subprocess.run(command, check=True, env=environment, cwd=folder)
        check_installed(scripts)
    return None


def check_content(wheel):
    size, names = wheel.stat().st_size, zipfile.ZipFile(wheel).namelist()
    print(f"{wheel.name}: {size / 1e6:.1f} MB, {len(names)} files")
    missing = [name for name in PAGE if f"tengen/protocols/http/page/{name}" not in names]
    assert not missing, f"the wheel lacks files of the page: {missing}"
    assert "tengen/py.typed" in names
    assert not [name for name in names if "/_dev" in name and not name.endswith(".pyi")]
    assert size <= MOST_BYTES, f"the wheel has more than {MOST_BYTES / 1e6:g} MB"
    if sys.version_info >= (3, 12):
        assert "-abi3-" in wheel.name, "a wheel built with Python 3.12 or newer is for all of these"


def check_installed(scripts):
    """Run the programs from another folder, so that nothing of the sources is used."""
    program, times = scripts / "tengen", []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            start = time.perf_counter()
            text = subprocess.run([program, "score", GAME], check=True, capture_output=True, text=True, cwd=folder)
            times.append(time.perf_counter() - start)
        print(f"tengen score: {text.stdout.splitlines()[1]} ({min(times):.2f} s)")
        served = subprocess.Popen(
            [program, "serve", "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True, cwd=folder
        )
        try:
            address = re.search(r"http://\S+", served.stdout.readline())[0]
            page = urllib.request.urlopen(address, timeout=60).read().decode()
            assert "page.js" in page
            body = json.dumps({"sgf": GAME.read_text(encoding="utf-8")}).encode()
            request = urllib.request.Request(f"{address}api/score", body, {"content-type": "application/json"})
            found = json.load(urllib.request.urlopen(request, timeout=60))
            print(f"tengen serve: {found['headline']}")
        finally:
            served.terminate()
            served.wait(30)


if __name__ == "__main__":
    main()
