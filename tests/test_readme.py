"""The README's examples run, and say what it says they say."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def commands(page):
    """The commands of a page's console blocks, each with what it should print."""
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        for part in block.split("$ ")[1:]:
            command, _, said = part.partition("\n")
            yield pytest.param(command, said, id=f"{page.name}: {command}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    said = []
    doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize(("command", "said"), [case for page in PAGES for case in commands(page)])
def test_console_examples(command, said):
    program, *arguments = shlex.split(command)
    assert program == "tengen"
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "tengen", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == said


def test_the_picture_of_a_scored_game_is_what_the_command_draws():
    command = [sys.executable, "-m", "tengen", "score", "examples/finished-19x19.sgf", "--format", "svg"]
    drawn = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    assert drawn == (ROOT / "docs" / "scored.svg").read_text(encoding="utf-8")


def test_the_navigation_of_the_docs_names_every_page():
    named = re.findall(r"[\w-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(page.name for page in PAGES[1:])
