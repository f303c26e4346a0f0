"""Models by name."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import tengen
from tengen.errors import ModelError
from tengen.models.base import OwnershipModel
from tengen.models.registry import CLASSICAL, CLASSICAL_MOVES, DEFAULT, register, unregister


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


def in_a_new_process(*lines):
    """Run Python, and return what it writes to standard output and standard error."""
    code = "\n".join(["import sys, tengen", *lines])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines(), done.stderr


ASK = """for _ in range(2):
    print(tengen.estimate(tengen.Board(SIZE)).model.partition("@")[0])
    print(tengen.suggest(tengen.Board(SIZE), top=1)[0].model.partition("@")[0])"""


@pytest.mark.parametrize(
    ("first", "size", "why"),
    [
        ('sys.modules["onnxruntime"] = None', 9, "onnxruntime is not installed, or cannot be loaded"),
        ("", 4, "it is for boards of 5 to 25 points a side"),
        ('from tengen.models.registry import unregister; unregister("net/small")', 9, "it is not registered"),
    ],
)
def test_where_the_default_cannot_be_used_a_classical_model_is_and_one_warning_says_so(first, size, why):
    models, warnings = in_a_new_process(first, ASK.replace("SIZE", str(size)))
    assert models == [CLASSICAL, CLASSICAL_MOVES] * 2
    for name in (CLASSICAL, CLASSICAL_MOVES):
        assert warnings.count(f"FallbackWarning: {name} is used instead of net/small: {why}") == 1


def test_an_entry_tells_what_is_missing():
    entry = replace(tengen.models()["net/small"], weights="nothing.safetensors")
    assert entry.missing.endswith("nothing.safetensors does not exist")
    assert not entry.available
    assert replace(entry, weights=None, library="no_such_library").missing.startswith("no_such_library is not")
    assert replace(entry, weights=None, program="no-such-program").missing == "no-such-program is not installed"


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
