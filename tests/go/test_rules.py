import dataclasses
import json

import pytest

from tengen.errors import TengenError
from tengen.go.rules import PRESETS, Rules

# ko, scoring, tax, suicide, button, White's bonus for handicap stones, friendly pass, false eyes
PUBLISHED = {
    "japanese": ("SIMPLE", "TERRITORY", "SEKI", False, False, "0", False, "uncounted"),
    "korean": ("SIMPLE", "TERRITORY", "SEKI", False, False, "0", False, "uncounted"),
    "japanese-ogs": ("SIMPLE", "TERRITORY", "NONE", False, False, "0", False, "counted"),
    "chinese": ("SIMPLE", "AREA", "NONE", False, False, "N", True, "uncounted"),
    "chinese-ogs": ("POSITIONAL", "AREA", "NONE", False, False, "N", True, "uncounted"),
    "chinese-kgs": ("POSITIONAL", "AREA", "NONE", False, False, "N", True, "uncounted"),
    "aga": ("SITUATIONAL", "AREA", "NONE", False, False, "N-1", True, "uncounted"),
    "bga": ("SITUATIONAL", "AREA", "NONE", False, False, "N-1", True, "uncounted"),
    "french": ("SITUATIONAL", "AREA", "NONE", False, False, "N-1", True, "uncounted"),
    "aga-button": ("SITUATIONAL", "AREA", "NONE", False, True, "N-1", True, "uncounted"),
    "new-zealand": ("SITUATIONAL", "AREA", "NONE", True, False, "0", True, "uncounted"),
    "tromp-taylor": ("POSITIONAL", "AREA", "NONE", True, False, "0", False, "uncounted"),
    "ing": ("POSITIONAL", "AREA", "NONE", True, False, "0", True, "uncounted"),
    "stone": ("SIMPLE", "AREA", "ALL", False, False, "0", True, "uncounted"),
    "ancient-territory": ("SIMPLE", "TERRITORY", "ALL", False, False, "0", False, "uncounted"),
}
TWINS = {"korean": "japanese", "chinese-kgs": "chinese-ogs", "bga": "aga", "french": "aga"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_presets_are_as_published(name):
    assert dataclasses.astuple(Rules.parse(name)) == PUBLISHED[name]


def test_every_preset_is_listed():
    assert list(PRESETS) == list(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_presets_come_back_from_name_json_and_dict(name):
    rules = PRESETS[name]
    assert Rules.parse(rules) is rules
    assert Rules.parse(str(rules)) == rules
    known_to_katago = dataclasses.replace(rules, false_eyes="uncounted")
    assert Rules.parse(rules.json()) == known_to_katago
    assert Rules.parse(rules.as_dict()) == known_to_katago
    assert rules.name == str(rules) == TWINS.get(name, name)


def test_json_is_what_katago_prints():
    assert Rules.parse("aga").json() == (
        '{"friendlyPassOk":true,"hasButton":false,"ko":"SITUATIONAL","scoring":"AREA",'
        '"suicide":false,"tax":"NONE","whiteHandicapBonus":"N-1"}'
    )


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Japanese", "japanese"),
        ("JAPANESE", "japanese"),
        (" japanese rules ", "japanese"),
        ("rule: japanese", "japanese"),
        ("Rules:Japanese", "japanese"),
        ("jp", "japanese"),
        ("Japan", "japanese"),
        ("Korean", "korean"),
        ("kr", "korean"),
        ("Chinese", "chinese"),
        ("cn", "chinese"),
        ("china", "chinese"),
        ("chinese_ogs", "chinese-ogs"),
        ("Chinese KGS", "chinese-kgs"),
        ("AGA", "aga"),
        ("AGA button", "aga-button"),
        ("BGA", "bga"),
        ("NZ", "new-zealand"),
        ("New Zealand", "new-zealand"),
        ("newzealand", "new-zealand"),
        ("GOE", "ing"),
        ("Ing", "ing"),
        ("ING Goe", "ing"),
        ("Tromp-Taylor", "tromp-taylor"),
        ("tromp taylor", "tromp-taylor"),
        ("TrompTaylor", "tromp-taylor"),
        ("tt", "tromp-taylor"),
        ("stone_scoring", "stone"),
        ("ancient-area", "stone"),
        ("Ancient Territory", "ancient-territory"),
    ],
)
def test_names_as_records_and_people_write_them(written, name):
    assert Rules.parse(written) == PRESETS[name]


@pytest.mark.parametrize(
    ("compact", "name"),
    [
        ("koSIMPLEscoreTERRITORYtaxSEKIsui0", "japanese"),
        ("koSIMPLEscoreAREAtaxNONEsui0whbNfpok1", "chinese"),
        ("koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1", "aga-button"),
        ("koPOSITIONALscoreAREAtaxNONEsui1komi7.5", "tromp-taylor"),
    ],
)
def test_the_form_in_katagos_own_records(compact, name):
    assert Rules.parse(compact) == PRESETS[name]


@pytest.mark.parametrize(
    ("partial", "whole"),
    [
        ({}, PRESETS["tromp-taylor"]),
        ({"friendlyPassOk": True}, PRESETS["ing"]),
        ({"ko": "simple", "scoring": "territory", "suicide": False}, PRESETS["japanese"]),  # the tax follows
        ({"ko": "SIMPLE", "score": "AREA", "komi": 5.5, "colour of the bowl": 3}, Rules(ko="SIMPLE")),
        ({"scoring": "TERRITORY", "tax": "NONE"}, Rules(scoring="TERRITORY", tax="NONE")),
    ],
)
def test_what_is_left_out_is_tromp_taylors(partial, whole):
    assert Rules.parse(partial) == Rules.parse(json.dumps(partial)) == whole


def test_rules_without_a_name_print_as_json():
    rules = Rules(ko="SIMPLE", tax="SEKI")
    assert rules.name is None
    assert str(rules) == rules.json()
    assert Rules.parse(str(rules)) == rules


def test_false_eyes_are_no_part_of_katagos_json_but_of_what_is_printed():
    counted = Rules("SIMPLE", "TERRITORY", "ALL", suicide=False, false_eyes="counted")
    assert counted.json() == dataclasses.replace(counted, false_eyes="uncounted").json()
    assert counted.name is None
    assert Rules.parse(str(counted)) == counted
    with pytest.raises(TengenError, match='falseEyes must be one of "counted", "uncounted", not \'some\''):
        Rules(false_eyes="some")


@pytest.mark.parametrize("unknown", ["monopoly", "", "rules", "japanesque"])
def test_an_unknown_name_lists_the_known_ones(unknown):
    with pytest.raises(TengenError) as error:
        Rules.parse(unknown)
    assert str(error.value) == (
        f"unknown rules {unknown!r}: known are japanese, korean, japanese-ogs, chinese, chinese-ogs, chinese-kgs, "
        "aga, bga, french, aga-button, new-zealand, tromp-taylor, ing, stone, ancient-territory"
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ko": "SUPER"}, """rules: ko must be one of "SIMPLE", "POSITIONAL", "SITUATIONAL", not 'SUPER'"""),
        ({"scoring": None}, 'rules: scoring must be one of "AREA", "TERRITORY", not None'),
        ({"tax": ["ALL"]}, """rules: tax must be one of "NONE", "SEKI", "ALL", not ['ALL']"""),
        ({"suicide": 1}, "rules: suicide must be one of true, false, not 1"),
        ({"hasButton": "yes"}, "rules: hasButton must be one of true, false, not 'YES'"),
        ({"whiteHandicapBonus": 0}, 'rules: whiteHandicapBonus must be one of "0", "N", "N-1", not 0'),
    ],
)
def test_bad_values_name_the_key_and_what_is_allowed(values, message):
    for form in (values, json.dumps(values)):
        with pytest.raises(TengenError) as error:
            Rules.parse(form)
        assert str(error.value) == message


def test_bad_values_are_refused_everywhere():
    with pytest.raises(TengenError, match="rules: ko must be one of"):
        Rules(ko="NONE")
    with pytest.raises(TengenError, match="rules are not valid JSON"):
        Rules.parse('{"ko": ')
    with pytest.raises(TengenError, match="rules are not valid JSON"):
        Rules.parse('{"ko":' * 100_000)
    with pytest.raises(TengenError, match="rules must be a name, JSON or a dict, not 7"):
        Rules.parse(7)


@pytest.mark.parametrize(
    ("name", "bonuses"),
    [("chinese", [0, 0, 2, 9]), ("aga", [0, 0, 1, 8]), ("japanese", [0, 0, 0, 0])],
)
def test_white_is_paid_for_handicap_stones(name, bonuses):
    assert [Rules.parse(name).bonus(stones) for stones in (0, 1, 2, 9)] == bonuses


@pytest.mark.parametrize(
    ("name", "komi"),
    [
        ("japanese", 6.5), ("korean", 6.5), ("chinese", 7.5), ("aga", 7.5), ("aga-button", 7.0),
        ("new-zealand", 7.0), ("tromp-taylor", 7.5), ("ing", 8.0), ("stone", 7.5),
    ],
)  # fmt: skip
def test_the_usual_komi(name, komi):
    assert Rules.parse(name).default_komi == komi


def test_the_usual_komi_of_rules_without_a_name():
    assert Rules(scoring="TERRITORY").default_komi == 6.5
    assert Rules(button=True).default_komi == 7.0
    assert Rules(ko="SIMPLE").default_komi == 7.5
