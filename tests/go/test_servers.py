"""Which server a record is from."""

import pytest

import tengen

HEADS = [
    ("PC[OGS: https://online-go.com/game/600136]", "OGS"),
    ("PC[The KGS Go Server at http://www.gokgs.com/]AP[CGoban:3]", "KGS"),
    ("PC[The Pandanet Internet Go Server (IGS)]", "IGS"),
    ("PC[Dragon Go Server: http://www.dragongoserver.net]", "DGS"),
    ("AP[GNU Go:3.8]AP[foxwq]", ""),
    ("AP[foxwq]", "Fox"),
    ("SO[http://www.tygem.com]", "Tygem"),
    ("PC[Tokyo]EV[KGS is not asked for here]", ""),
    ("PC[Logsdon]", ""),
    ("", ""),
]


@pytest.mark.parametrize(("head", "server"), HEADS)
def test_a_record_names_its_server(head, server):
    assert tengen.Game.from_sgf(f"(;SZ[9]{head};B[ee])").server == server


def test_an_edit_of_the_head_is_followed():
    game = tengen.Game.from_sgf("(;SZ[9]RU[Japanese];B[ee])")
    game.root.set("PC", "OGS")
    assert (game.server, game.rules.name) == ("OGS", "japanese-ogs")


@pytest.mark.parametrize(("id", "server"), [("ogs:600136", "OGS"), ("kgs:2016-08-01-12", "KGS"), ("mine:ogs", "")])
def test_a_line_of_a_collection_names_it_in_its_id(id, server):
    line = "\t".join([id, "9", "6.5", "japanese", "B+1.5", "", "B[ee];W[cc]", "somewhere"])
    assert tengen.read(line.encode()).server == server
