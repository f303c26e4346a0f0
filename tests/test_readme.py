"""The README's examples run, and say what it says they say."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from examples import make_gallery

import tengen

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def commands(page):
    """The commands of a page's console blocks, each with what it should print."""
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        for part in block.split("$ ")[1:]:
            command, _, said = part.partition("\n")
            yield pytest.param(command, said, id=f"{page.name}: {command}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
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


NUMBER = re.compile(r"\d+\.?\d*")


def test_the_gallery_is_what_its_script_makes(tmp_path):
    make_gallery.main(tmp_path)
    files = [file.relative_to(tmp_path) for file in tmp_path.rglob("*.*")]
    assert len(files) == 1 + len(list((ROOT / "docs" / "gallery").iterdir()))
    for file in files:
        made, committed = (folder.joinpath(file).read_text(encoding="utf-8") for folder in (tmp_path, ROOT / "docs"))
        assert NUMBER.sub("", made) == NUMBER.sub("", committed), file
        # Another machine may round the network's answers otherwise.
        numbers = [[float(each) for each in NUMBER.findall(text)] for text in (made, committed)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1), file


def test_the_navigation_of_the_docs_names_every_page():
    named = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:])


def test_the_reference_has_every_package_and_every_name_of_tengen():
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "api").glob("*.md")]
    shown = set(re.findall(r"^::: (\S+)$", "\n".join(pages), re.MULTILINE))
    modules = {path.stem for path in (ROOT / "src" / "tengen").glob("[a-z]*")} - {"cli", "py", "weights"}
    assert shown >= {f"tengen.{name}" for name in {*modules, *tengen.__all__}}
