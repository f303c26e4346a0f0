import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from drawing_boards import FINISHED, FINISHED_OWNER, board

from tengen.errors import TengenError
from tengen.go.points import point_name, star_points
from tengen.go.svg import ALL_NOTE_LINES, NOTE, THEMES, TITLE, TITLE_LINES, Drawing, Theme, draw_svg
from tengen.go.svg_shapes import CELL, FADED, SQUARE, STAR, STONE, text_width

SVG = "{http://www.w3.org/2000/svg}"
BLACK, WHITE, WOOD = THEMES["wood"].black, THEMES["wood"].white, THEMES["wood"].wood
SIDES = {BLACK: "X", WHITE: "O"}


class Seen:
    """A picture read back from its XML, with things at the points where they are drawn."""

    def __init__(self, drawing):
        self.root = ET.fromstring(drawing)
        edge = self.root.findall(f"{SVG}rect")[1]
        self.left, self.top = float(edge.get("x")), float(edge.get("y"))
        self.height = round(float(edge.get("height")) / CELL) + 1
        self.width = round(float(edge.get("width")) / CELL) + 1

    def where(self, x, y):
        return point_name(round((y - self.top) / CELL), round((x - self.left) / CELL), self.height)

    def circles(self, radius):
        for circle in self.root.findall(f"{SVG}circle"):
            if float(circle.get("r")) == pytest.approx(radius * CELL, abs=0.01):
                yield self.where(float(circle.get("cx")), float(circle.get("cy"))), circle

    def stones(self, *, faded=False):
        return {
            name: SIDES[circle.get("fill")]
            for name, circle in self.circles(STONE)
            if (circle.get("opacity") is not None) is faded
        }

    def squares(self):
        """Return the territory: side and certainty of every marked point."""
        found = {}
        for rect in self.root.findall(f"{SVG}rect")[2:]:
            side = float(rect.get("width"))
            name = self.where(float(rect.get("x")) + side / 2, float(rect.get("y")) + side / 2)
            found[name] = (SIDES[rect.get("fill")], round(side / (SQUARE * CELL), 2))
            assert SIDES[rect.get("stroke")] != found[name][0]  # an outline of the other colour
        return found

    def texts(self):
        return [text.text for text in self.root.findall(f"{SVG}text")]


def test_a_drawing_is_text_that_notebooks_show():
    drawing = draw_svg(np.zeros((9, 9)))
    assert isinstance(drawing, Drawing)
    assert isinstance(drawing, str)
    assert drawing._repr_svg_() == drawing._repr_html_() == drawing
    assert drawing.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 309 309" width="309" height="309"')


@pytest.mark.parametrize(("width", "height"), [(19, 19), (13, 13), (9, 9), (13, 9), (9, 13), (2, 2), (25, 25), (25, 2)])
def test_every_size_has_its_lines_star_points_and_coordinates(width, height):
    seen = Seen(draw_svg(np.zeros((height, width))))
    assert (seen.width, seen.height) == (width, height)
    path = seen.root.find(f"{SVG}path").get("d")
    assert (path.count("H"), path.count("V")) == (height, width)
    assert [name for name, _ in seen.circles(STAR)] == [
        point_name(*star, height) for star in star_points(width, height)
    ]
    labels = [*"ABCDEFGHJKLMNOPQRSTUVWXYZ"[:width], *map(str, range(1, height + 1))]
    assert Counter(seen.texts()) == dict.fromkeys(labels, 2)  # on all four sides


def test_the_page_fits_the_board():
    for drawing in (draw_svg(np.zeros((9, 13))), draw_svg(np.zeros((9, 13)), coordinates=False, title="A title")):
        root = ET.fromstring(drawing)
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        edge = root.findall(f"{SVG}rect")[1]
        right = float(root.get("width")) - float(edge.get("x")) - float(edge.get("width"))
        below = float(root.get("height")) - float(edge.get("y")) - float(edge.get("height"))
        assert right == below == float(edge.get("x")) > STONE * CELL


def test_coordinates_can_be_left_out():
    assert Seen(draw_svg(np.zeros((9, 9)), coordinates=False)).texts() == []


def test_stones_stand_where_they_were_played():
    seen = Seen(draw_svg(board("X . O\n. X .")))
    assert seen.stones() == {"A2": "X", "C2": "O", "B1": "X"}
    assert seen.stones(faded=True) == {}
    assert seen.squares() == {}


def test_a_counted_board_marks_empty_points_and_dead_stones_only():
    stones, owner = board(FINISHED), board(FINISHED_OWNER)
    seen = Seen(draw_svg(stones, owner=owner))
    assert seen.stones(faded=True) == {"B5": "O", "E2": "O", "F8": "X"}
    squares = seen.squares()
    assert squares["B5"] == squares["E2"] == ("X", 1.0)
    assert squares["F8"] == ("O", 1.0)
    assert not squares.keys() & seen.stones().keys()
    assert "F4" not in squares  # dame
    assert Counter(side for side, _ in squares.values()) == {"X": 22, "O": 17}


def test_squares_grow_with_certainty():
    ownership = [[1.0, 0.5, 0.2, 0.05, 0.0, -0.05, -0.2, -1.0]]
    assert Seen(draw_svg(np.zeros((1, 8)), ownership=ownership)).squares() == {
        "A1": ("X", 1.0),
        "B1": ("X", 0.5),
        "C1": ("X", 0.2),
        "G1": ("O", 0.2),
        "H1": ("O", 1.0),
    }


def test_only_stones_that_may_die_carry_a_square():
    seen = Seen(draw_svg([[1, 1, 1, -1, -1]], ownership=[[0.9, -0.3, -0.9, -0.9, 0.6]]))
    assert seen.squares() == {"B1": ("O", 0.3), "C1": ("O", 0.9), "E1": ("X", 0.6)}
    assert seen.stones() == {"A1": "X", "B1": "X", "D1": "O"}
    assert seen.stones(faded=True) == {"C1": "X", "E1": "O"}


def test_dead_stones_fade_under_the_mark_of_the_other_side():
    seen = Seen(draw_svg(board("X O\n. ."), dead=["B2"]))
    assert seen.stones(faded=True) == {"B2": "O"}
    assert seen.squares() == {"B2": ("X", 1.0)}
    assert {circle.get("opacity") for _, circle in seen.circles(STONE)} == {None, str(FADED)}


def test_dead_stones_have_their_mark_also_where_nobody_owns_the_point():
    drawing = draw_svg([[1, -1, 0]], owner=[[0, 0, 0]], dead=["B1"], legend=True, coordinates=False)
    assert Seen(draw_svg([[1, -1, 0]], owner=[[0, 0, 0]], dead=["B1"])).squares() == {"B1": ("X", 1.0)}
    assert ">dead<" in drawing
    assert ">territory<" not in drawing


def test_the_last_move_wears_a_ring_of_the_other_colour():
    stones = board("X O\n. .")
    rings = {
        move: [ring.get("stroke") for ring in ET.fromstring(draw_svg(stones, last_move=move)).findall(f"{SVG}circle")][
            -1
        ]
        for move in ("A2", "B2", "A1")
    }
    assert rings == {"A2": WHITE, "B2": BLACK, "A1": THEMES["wood"].ink}
    assert draw_svg(stones, last_move="pass") == draw_svg(stones)


def test_labels_are_written_on_stones_and_empty_points():
    seen = Seen(draw_svg(board("X O\n. ."), marks={"A2": "1", (0, 1): "2", "A1": "a", "B1": ""}, coordinates=False))
    written = {text.text: text.get("fill") for text in seen.root.findall(f"{SVG}text")}
    assert written == {"1": WHITE, "2": BLACK, "a": THEMES["wood"].ink}


def test_a_label_takes_the_place_of_ring_and_square():
    drawing = draw_svg([[1, 0]], owner=[[1, 1]], last_move="A1", marks={"A1": "7", "B1": "a"}, coordinates=False)
    seen = Seen(drawing)
    assert seen.squares() == {}
    assert [circle.get("fill") for circle in seen.root.findall(f"{SVG}circle")] == [BLACK, WOOD]


def test_the_title_is_shown_and_named():
    root = ET.fromstring(draw_svg(np.zeros((9, 9)), title="The ear-reddening game", coordinates=False))
    assert root.find(f"{SVG}title").text == root.find(f"{SVG}text").text == "The ear-reddening game"
    assert root.get("role") == "img"
    assert ET.fromstring(draw_svg(np.zeros((9, 13)))).find(f"{SVG}title").text == "Go board, 13×9"


@pytest.mark.parametrize("title", ["x" * 90, "棋" * 45, "a game between two long names " * 2, "short"])
def test_long_titles_are_wrapped_and_stay_readable(title):
    root = ET.fromstring(draw_svg(np.zeros((9, 9)), title=title, coordinates=False))
    lines = root.findall(f"{SVG}text")
    assert "".join(line.text for line in lines).replace(" ", "") == title.replace(" ", "")
    for line in lines:
        assert float(line.get("font-size")) == TITLE
        assert text_width(line.text, TITLE) <= float(root.get("width"))
    assert len({line.get("y") for line in lines}) == len(lines)


def test_titles_that_need_too_many_lines_end_with_an_ellipsis():
    root = ET.fromstring(draw_svg(np.zeros((9, 9)), title="a word " * 100, coordinates=False))
    lines = root.findall(f"{SVG}text")
    assert len(lines) == TITLE_LINES
    assert lines[-1].text.endswith("…")
    assert text_width(lines[-1].text, TITLE) <= float(root.get("width"))
    assert root.find(f"{SVG}title").text == " ".join(["a word"] * 100)  # whole for those who hover or listen


def test_a_small_board_with_words_is_as_wide_as_the_words_need():
    assert Seen(draw_svg(np.zeros((2, 2)), title="x")).width == 2
    page = ET.fromstring(draw_svg(np.zeros((2, 2)), title="a title of some length"))
    assert float(page.get("width")) == 9 * CELL
    assert len(page.findall(f"{SVG}text")) == 1 + 8


def test_unclear_stones_seki_and_dame_are_marked():
    stones = board("X O X O\n. . X O")
    seen = Seen(
        draw_svg(
            stones,
            owner=[[1, 0, 0, 0], [0, 0, 0, 0]],
            dead=["B2"],
            unclear=["A2"],
            seki=["C2", "C1"],
            dame=["A1"],
            coordinates=False,
        )
    )
    assert [(text.text, text.get("fill")) for text in seen.root.findall(f"{SVG}text")] == [("?", WHITE)]
    paths = seen.root.findall(f"{SVG}path")[1:]
    assert [path.get("stroke") for path in paths] == [WHITE, THEMES["wood"].ink, WHITE]  # triangle, cross, triangle
    assert seen.stones(faded=True) == {"B2": "O"}


def test_a_stone_that_is_unclear_has_no_square_and_no_triangle():
    drawing = draw_svg([[1, 0]], owner=[[-1, 0]], dead=["A1"], unclear=["A1"], seki=["A1"], coordinates=False)
    seen = Seen(drawing)
    assert seen.squares() == {}
    assert seen.texts() == ["?"]
    assert len(seen.root.findall(f"{SVG}path")) == 1


def test_the_legend_explains_the_marks_that_are_there_and_no_others():
    stones = board("X O X O\n. . X O")
    everything = draw_svg(
        stones, owner=[[1, 1, 0, 0], [1, 0, 0, 0]], dead=["B2"], unclear=["A2"], seki=["C2"], dame=["B1"],
        last_move="D1", links=[("A1", "B1")], regions=[[0, 0, 0, 0], [1, 1, 1, 1]], legend=True, coordinates=False,
    )  # fmt: skip
    words = [text for text in Seen(everything).texts() if text != "?"]
    assert words == ["dead", "unclear", "seki", "territory", "dame", "last move", "border", "link"]
    assert Seen(draw_svg(stones, legend=True, coordinates=False)).texts() == []
    estimate = Seen(draw_svg(np.zeros((2, 2)), ownership=[[0.5, 0], [-1, 0]], legend=True, coordinates=False))
    assert estimate.texts() == ["territory, larger where surer"]


def test_legend_and_notes_stand_below_the_board():
    notes = ["move 12 is illegal", "", "long " * 40]
    root = ET.fromstring(draw_svg([[1, 0], [0, 0]], last_move="A2", legend=True, notes=notes, coordinates=False))
    edge = root.findall(f"{SVG}rect")[1]
    below = float(edge.get("y")) + float(edge.get("height"))
    texts = root.findall(f"{SVG}text")
    assert [text.text for text in texts][:2] == ["last move", "move 12 is illegal"]
    heights = [float(text.get("y")) for text in texts]
    assert heights == sorted(heights)
    assert heights[0] > below + STONE * CELL
    assert heights[-1] < float(root.get("height"))
    assert all(float(text.get("font-size")) == pytest.approx(NOTE) for text in texts)
    many = ET.fromstring(draw_svg([[1, 0]], notes=map(str, range(100)), coordinates=False)).findall(f"{SVG}text")
    assert (len(many), many[-1].text) == (100, "99")
    many = ET.fromstring(draw_svg([[1, 0]], notes=map(str, range(999)), coordinates=False)).findall(f"{SVG}text")
    assert (len(many), many[-1].text) == (ALL_NOTE_LINES, "…")


HOSTILE = '</title><script>alert("&")</script> \' \x00\x0b\ud800\uffff ]]> <!-- \n'


def test_text_from_outside_cannot_break_out():
    theme = Theme(wood='"/><script>1</script><rect x="')
    root = ET.fromstring(draw_svg([[1, 0]], title=HOSTILE, marks={"A1": HOSTILE, "B1": HOSTILE}, theme=theme))
    tame = '</title><script>alert("&")</script> \' ]]> <!--'
    assert root.find(f"{SVG}title").text == tame
    words = [text.text for text in root.findall(f"{SVG}text")]
    assert words.count(tame) == 2
    assert "".join(words).replace(" ", "").startswith(tame.replace(" ", ""))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg",
        "title",
        "rect",
        "path",
        "circle",
        "text",
    }


def test_nothing_is_fetched_and_nothing_has_an_id():
    drawing = draw_svg(board(FINISHED), owner=board(FINISHED_OWNER), last_move="E4", marks={"F4": "a"}, title="x")
    names = {name for element in ET.fromstring(drawing).iter() for name in element.attrib}
    assert not {name for name in names if name in {"id", "style", "class"} or "href" in name or name.startswith("on")}
    assert "url(" not in drawing


def test_themes():
    paper = draw_svg([[1, -1]], theme="paper")
    assert paper == draw_svg([[1, -1]], theme=THEMES["paper"])
    assert WOOD not in paper
    with pytest.raises(TengenError) as error:
        draw_svg([[1, -1]], theme="marble")
    assert str(error.value) == "unknown theme 'marble': known are wood, paper"


def test_marks_off_the_board_are_refused():
    with pytest.raises(TengenError) as error:
        draw_svg([[1, 0]], marks={"C1": "a"})
    assert str(error.value) == "C1 is off the 2×1 board"
