"""The page of `tengen score --format html`: an index of the games with filters, and a picture and the count of each.

Sections go to a temporary file, so that memory holds only one line per game; at the end they are written in order,
games that differ from their record first. More than PAGE_GAMES games are split into several files: the index has the
given name and the others lie beside it (report.html, report-1.html, report-2.html, …).
"""

from __future__ import annotations

import html
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tengen.cli.games import output_file
from tengen.cli.report import Scored, ScoredFile, Summary, cells, explained
from tengen.errors import RecordError
from tengen.go.svg import legend_samples
from tengen.judge.score import COUNTED, STATES

PAGE_GAMES = 200
"""Number of games on one page; more are split into several files."""

_UNWRITABLE = "backslashreplace"
_ORDER = (*STATES[1:], STATES[0], "unreadable")  # safe games need no attention


@dataclass(frozen=True)
class _Entry:
    """A line of the index, and the place of its section in the temporary file."""

    number: int
    title: str
    state: str
    count: str
    recorded: str
    agrees: bool | None
    start: int = 0
    length: int = 0

    @property
    def doubt(self) -> int:
        """The order of the index: differing, not safe, not played to a count, agreed, unreadable."""
        return 0 if self.agrees is False else 1 + _ORDER.index(self.state)


def write_page(items: Iterable[ScoredFile | RecordError], output: Path | None) -> Summary:
    """Write the page to a file or to standard output, and return the summary."""
    summary = Summary()
    entries: list[_Entry] = []
    whole = output is None or (output.exists() and not output.is_file())  # a pipe holds one page
    with tempfile.TemporaryFile(dir=None if whole or output is None else output.resolve().parent) as sections:
        for number, item in enumerate(items, 1):
            summary.add(item)
            entries.append(_kept(item, number, sections))
        entries.sort(key=lambda entry: entry.doubt)
        if whole or output is None or len(entries) <= PAGE_GAMES:
            with output_file(output) as file:
                file.writelines(_page(summary, entries, sections))
            parts = 0
        else:
            parts = _write_parts(summary, entries, sections, output)
        if output is not None and not whole:
            _remove_parts(output, parts)
    return summary


def _kept(item: ScoredFile | RecordError, number: int, sections: IO[bytes]) -> _Entry:
    """Store the section of a game; return its line of the index."""
    if isinstance(item, RecordError):
        return _Entry(number, str(item), "unreadable", "", "", None)
    start = sections.tell()
    length = sections.write(item.text.encode("utf-8", _UNWRITABLE))
    count = item.result if item.state in COUNTED else ""
    return _Entry(number, item.title, item.state, count, item.recorded, item.agrees, start, length)


def _write_parts(summary: Summary, entries: list[_Entry], sections: IO[bytes], output: Path) -> int:
    """Write the sections to files beside the index, all renamed at the end, the index last; return their number."""
    parts = [entries[start : start + PAGE_GAMES] for start in range(0, len(entries), PAGE_GAMES)]
    names = [f"{output.stem}-{number}{output.suffix}" for number in range(1, len(parts) + 1)]
    with _folder_beside(output) as folder:
        for number, (name, part) in enumerate(zip(names, parts, strict=True)):
            around = [("index", output.name)]
            around += [("previous", names[number - 1])] if number else []
            around += [("next", names[number + 1])] if number + 1 < len(names) else []
            with (folder / name).open("w", encoding="utf-8", newline="\n", errors=_UNWRITABLE) as file:
                file.write(_marker(output))
                file.writelines(_page(None, part, sections, around))
        places = {entry.number: name for name, part in zip(names, parts, strict=True) for entry in part}
        with output_file(output) as file:
            file.writelines(
                _page(summary, entries, None, [(f"part {n}", name) for n, name in enumerate(names, 1)], places)
            )
            for name in names:
                os.replace(folder / name, output.resolve().parent / name)
    return len(parts)


def _marker(output: Path) -> str:
    return f"<!-- tengen score: part of {html.escape(output.name).replace('--', '&#45;&#45;')} -->\n"


def _remove_parts(output: Path, parts: int) -> None:
    """Remove parts left from an earlier, larger report: files with the names of parts that begin with the marker."""
    named = re.compile(rf"{re.escape(output.stem)}-([1-9][0-9]*){re.escape(output.suffix)}")
    marker = _marker(output).encode("utf-8", _UNWRITABLE)
    for file in output.resolve().parent.iterdir():
        match = named.fullmatch(file.name)
        if match and int(match[1]) > parts and file.is_file() and not file.is_symlink():
            with file.open("rb") as opened:
                ours = opened.read(len(marker)) == marker
            if ours:
                file.unlink()


@contextmanager
def _folder_beside(output: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir=output.resolve().parent, prefix=f".{output.name[:100]}."))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Scores</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; color: #222; }
section { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1.5rem; }
section { border-top: 1px solid #ccc; padding: 1rem 0; }
section > svg { width: 24rem; max-width: 100%; height: auto; } section > div { flex: 1; min-width: 18rem; }
h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; } table { border-collapse: collapse; }
.count td, .count th { padding: 0 .8rem 0 0; text-align: right; } .count td:first-child { text-align: left; }
#index { width: 100%; margin: 1rem 0; } #index th, #index td { padding: .15rem .6rem .15rem 0; text-align: left; }
#index td { border-top: 1px solid #eee; overflow-wrap: anywhere; vertical-align: top; }
.state, .differs { font-weight: bold; } .differs, .unreadable { color: #a40000; } .doubt { color: #8a4b00; }
.note { color: #555; margin: .3rem 0; } .legend span { margin-right: 1.2rem; white-space: nowrap; }
.legend svg { height: 1.5rem; width: auto; vertical-align: middle; }
fieldset { border: 1px solid #ccc; } fieldset label { margin-right: 1rem; white-space: nowrap; }
[hidden] { display: none !important; }
@media print { section { break-inside: avoid; } fieldset { display: none; } }
</style></head><body>
<h1>Scores</h1>
"""

_SCRIPT = """<script>
"use strict";
const states = [...document.querySelectorAll("input[name=state]")];
const differing = document.querySelector("input[name=differing]");
const search = document.querySelector("input[type=search]");
function filter() {
  const wanted = new Set(states.filter(box => box.checked).map(box => box.value));
  const only = differing !== null && differing.checked;
  const words = search.value.toLowerCase();
  for (const item of document.querySelectorAll("[data-state]"))
    item.hidden = !wanted.has(item.dataset.state) || (only && !("differs" in item.dataset))
      || !item.dataset.title.toLowerCase().includes(words);
}
for (const box of document.querySelectorAll("fieldset input")) box.addEventListener("input", filter);
filter();
</script>
"""


def _page(
    summary: Summary | None,
    entries: list[_Entry],
    sections: IO[bytes] | None,
    links: Iterable[tuple[str, str]] = (),
    places: dict[int, str] | None = None,
) -> Iterator[str]:
    """Yield a page: summary, links to other pages, legend, filters, the index, and its sections if any."""
    yield _HEAD
    if summary is not None:
        yield f"<p>{html.escape(str(summary))}.</p>\n"
    navigation = " ".join(f'<a href="{html.escape(name)}">{what}</a>' for what, name in links)
    yield f"<nav>{navigation}</nav>\n" if navigation else ""
    samples = "".join(f"<span>{picture} {html.escape(meaning)}</span>" for picture, meaning in legend_samples())
    yield f'<p class="legend">{samples}</p>\n'
    yield _filters(entries)
    yield '<table id="index"><tr><th>state</th><th>game</th><th>count</th><th>record</th></tr>\n'
    yield from (_row(entry, (places or {}).get(entry.number, "")) for entry in entries)
    yield "</table>\n"
    for entry in entries if sections is not None else ():
        if entry.length and sections is not None:
            sections.seek(entry.start)
            text = sections.read(entry.length).decode("utf-8")
            yield f'<section id="game{entry.number}" {_data(entry)}>{text}</section>\n'
    yield f"{_SCRIPT}</body></html>\n"


def _filters(entries: list[_Entry]) -> str:
    """Return a check box for every state that occurs, one for differing games only, and a field for names."""
    states = Counter(entry.state for entry in entries)
    boxes = "".join(
        f'<label><input type="checkbox" name="state" value="{state}" checked> {state} ({count})</label>'
        for state, count in states.items()
    )
    differing = sum(entry.agrees is False for entry in entries)
    only = f'<label><input type="checkbox" name="differing"> differing only ({differing})</label>' if differing else ""
    return f'<fieldset><legend>Show</legend>{boxes}{only}<label>name <input type="search"></label></fieldset>\n'


def _data(entry: _Entry) -> str:
    differs = " data-differs" if entry.agrees is False else ""
    return f'data-state="{entry.state}" data-title="{html.escape(entry.title)}"{differs}'


def _row(entry: _Entry, file: str) -> str:
    title = html.escape(entry.title)
    name = f'<a href="{html.escape(file)}#game{entry.number}">{title}</a>' if entry.length else title
    look = "unreadable" if entry.state == "unreadable" else "doubt" if entry.state != "safe" else ""
    recorded = f'<span class="differs">{entry.recorded}</span>' if entry.agrees is False else entry.recorded
    return (
        f'<tr {_data(entry)}><td class="state {look}">{entry.state}</td><td>{name}</td>'
        f"<td>{entry.count}</td><td>{recorded}</td></tr>\n"
    )


def section(item: Scored) -> str:
    """Write the picture, the headline, the count and the reasons of a game."""
    result = item.score
    look = "differs" if result.agrees is False else "doubt" if result.state != "safe" else ""
    rows = "".join(
        f"<tr><td>{label}</td><td>{black}</td><td>{white}</td></tr>" for label, black, white in cells(result.lines)
    )
    unclear = [explained(verdict) for verdict in result.verdicts if verdict.status == "unclear"]
    reasons = [explained(verdict) for verdict in result.verdicts if verdict.status in ("dead", "seki")]
    why = f"<details><summary>Why</summary>{_notes(reasons)}</details>" if reasons else ""
    return (
        f"{item.board.svg(**item.score.drawing)}<div><h2>{html.escape(item.title)}</h2>"
        f'<p class="state {look}">{html.escape(result.headline)}</p>{_notes(item.differences)}'
        f'<table class="count"><tr><th></th><th>Black</th><th>White</th></tr>{rows}</table>'
        f"{_notes(unclear)}{_notes(item.warnings)}{why}</div>"
    )


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<p class="note">{html.escape(note)}</p>' for note in notes)
