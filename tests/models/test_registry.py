"""Models by name."""

import subprocess
import sys

import numpy as np
import pytest

import tengen
from tengen.errors import ModelError
from tengen.models.base import OwnershipModel
from tengen.models.registry import DEFAULT, register, unregister


class Black(OwnershipModel):
    """All of the board is Black's."""

    name = "territory/black"

    def ownership(self, board):
        return np.ones((board.height, board.width))


@pytest.fixture
def black():
    register(Black)
    yield Black
    unregister("territory/black")


def test_every_model_is_listed_with_what_it_is():
    known = tengen.models()
    assert list(known) == sorted(known)
    assert {"territory/influence", "territory/naive", "territory/playouts"} <= set(known)
    assert str(known["territory/naive"]) == "an empty region belongs to the only colour that touches it"
    assert not known["territory/largest"].fitted
    for name, entry in known.items():
        assert set(entry.gives) == set(entry.model_class().gives), name


def test_models_is_a_package_and_a_function_in_any_order():
    for code in (
        "import tengen; tengen.models(); import tengen.models.files; tengen.models()",
        "import tengen.models.verdict, tengen; tengen.models()",
        "from tengen import models; models(); from tengen.models.files import Card",
    ):
        subprocess.run([sys.executable, "-c", code], check=True)


def test_listing_imports_no_model():
    code = "import tengen, sys; tengen.models(); sys.exit(any('territory' in name for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_model_by_name_is_a_new_object():
    one, other = tengen.load("territory/playouts"), tengen.load("territory/playouts")
    assert one is not other
    assert repr(one) == repr(other) == "PlayoutOwner(n=500, seed=0, eye='diagonal')"


def test_default_is_one_of_them():
    assert tengen.load("default").name == DEFAULT
    assert DEFAULT in tengen.models()


@pytest.mark.parametrize("name", ["territory/oracle", "", "naive", "territory/Naive"])
def test_an_unknown_name_lists_the_known_and_never_falls_back(name):
    with pytest.raises(ModelError, match=r"known are .*territory/naive, .*territory/playouts"):
        tengen.load(name)
    with pytest.raises(ModelError, match="there is no model"):
        tengen.estimate(tengen.Board(9), model=name)


def test_a_registered_class_is_known_by_its_name(black):
    assert str(tengen.models()["territory/black"]) == "All of the board is Black's"
    assert tengen.estimate(tengen.Board(9, komi=7), model="territory/black").lead == 74
    with pytest.raises(ModelError, match="already"):
        register(Black)


def test_a_saved_model_of_a_registered_class_is_loaded_by_its_file(black, tmp_path):
    Black().save(tmp_path / "black")
    assert isinstance(tengen.load(str(tmp_path / "black")), Black)


def test_a_nameless_class_is_refused():
    with pytest.raises(ModelError, match="must give some of ownership"):
        register(type("Nameless", (), {}))
