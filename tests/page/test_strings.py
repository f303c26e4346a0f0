"""The texts of the page: what the service may send as a word of its own is named in German too."""

import re
from pathlib import Path

import tengen
from tengen.go.rules import PRESETS
from tengen.judge.score import STATES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "web" / "src"
GERMAN = (SOURCES / "strings.ts").read_text(encoding="utf-8").partition("const de:")[2]


def names_in(table):
    inside = re.search(rf"{table}: {{(.*?)}}", GERMAN, re.DOTALL)[1]
    return {name.strip('"') for name in re.findall(r'"[^"]+"(?=:)|\b[a-z]+(?=:)', inside)}


def test_states_rules_and_lines_of_the_count_have_german_names():
    assert names_in("states") == {*STATES} - {"safe"}
    assert names_in("ruleNames") == {*PRESETS}
    labels = "territory stones captures komi handicap button".split()
    assert {*labels, "dead stones", "group tax"} <= names_in("lines")


def test_the_page_offers_all_rules():
    offered = re.search(r"KOMI[^{]*{(.*?)}", (SOURCES / "game.ts").read_text(encoding="utf-8"), re.DOTALL)[1]
    assert set(re.findall(r"[a-z][a-z-]*(?=\"?:)", offered)) == {*PRESETS}


def german_sentences():
    inside = GERMAN.partition("sentences: [")[2].partition("\n  ],")[0]
    return re.findall(r'\["(.*?)", "(.*?)"\]', inside)


def test_reasons_of_verdicts_have_german_sentences():
    patterns = [re.compile(r"\S+".join(map(re.escape, english.split("…")))) for english, _ in german_sentences()]
    said = set()
    for path in sorted((ROOT / "examples").glob("*.sgf")):
        score = tengen.score(tengen.read(path))
        scores = [score, *(score.marked({score.verdicts[0].points[0]: fate}) for fate in ("alive", "dead", "seki"))]
        said |= {reason.sentence for each in scores for verdict in each.verdicts for reason in verdict.reasons}
    assert len(said) > 20
    assert [sentence for sentence in said if not any(pattern.fullmatch(sentence) for pattern in patterns)] == []


def test_german_sentences_use_the_words_that_their_english_ones_leave_open():
    for english, german in german_sentences():
        assert sorted(re.findall(r"{(\d)}", german)) == [str(number) for number in range(english.count("…"))]
