"""The records of matches in examples/matches, and the scores that the documentation gives for them."""

import json
from pathlib import Path

import pytest

import tengen
from tengen.search.match import Contestant, Match, Standing

ROOT = Path(__file__).resolve().parents[2]
MATCHES = ROOT / "examples" / "matches"
FOLDERS = sorted(path.parent for path in MATCHES.rglob("match.json"))
NAMES = [folder.relative_to(MATCHES).as_posix() for folder in FOLDERS]


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_records_are_games_of_their_match(folder):
    conditions = json.loads((folder / "match.json").read_text(encoding="utf-8"))
    players = [conditions["first"], conditions["second"]]
    games = tengen.read_all(folder / "games.sgf")
    assert games
    assert not games.errors
    for game in games:
        swapped = int(game.root["RO"]) % 2
        assert [game.players.black.name, game.players.white.name] == players[:: -1 if swapped else 1]
        assert (game.size, game.komi, str(game.rules)) == (conditions["size"], conditions["komi"], "chinese")
        assert not game.result.endswith("F")  # a game in which a program crashed is not counted
        assert game.board().move_number == len(game)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_the_documentation_has_their_score(folder):
    size = json.loads((folder / "match.json").read_text(encoding="utf-8"))["size"]
    match = Match(Contestant("tengen"), Contestant("gnugo"), 400, size=size)
    standing = Standing.of(match.known(folder))
    page = "papers.md" if folder.parent.name == "vanniekerk" else "search.md"
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert f"{standing.wins} of {standing.games}" in text


def test_all_five_rows_of_table_2_are_there():
    names = {folder.name for folder in FOLDERS if folder.parent.name == "vanniekerk"}
    assert names == {
        *(f"moves-{name}-2000" for name in ("tactical", "patterns", "forest", "combined")),
        "moves-combined-10000",
    }
