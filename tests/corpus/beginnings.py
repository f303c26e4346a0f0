"""A small corpus for tests: the three example games, and 120 of their beginnings as games of their own."""

from pathlib import Path

import tengen
from tengen.corpus.importer import import_games
from tengen.corpus.store import Store
from tengen.go.lines import game_line

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def beginnings(folder):
    """Make the corpus in a folder."""
    lines = []
    for path in sorted(EXAMPLES.glob("finished-*.sgf")):
        game = tengen.read(path)
        lines.append(game_line(game, id=f"whole:{game.size}"))
        for length in range(5, 45):
            part = tengen.Game.new(game.size, rules="chinese", komi=7)
            for move in game.moves[:length]:
                part.play(move.colour, move.point)
            part.root.set("RE", "B+1")
            lines.append(game_line(part, id=f"part:{game.size}-{length}"))
    (folder / "games.tsv").write_text("\n".join(lines) + "\n")
    import_games([folder / "games.tsv"], folder / "corpus", workers=1)
    return Store(folder / "corpus")


def rows(store, name):
    """Return the labels of a set by game and turn."""
    return {
        (row["id"], row["turn"]): row
        for shard in store.shards
        if (table := store.label_table(name, shard)) is not None
        for row in table.to_pylist()
    }
