"""The stubs of the native modules name what is there, and nothing else."""

import ast
from pathlib import Path

import pytest

import tengen


def stub_names(body):
    """Public names that a class or a module defines in the stub."""
    found = set()
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found.add(statement.name)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found.add(statement.target.id)
    return {name for name in found if not name.startswith("_")}


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


@pytest.mark.parametrize("name", ["_core", "_dev"])
def test_the_stub_and_the_module_name_the_same_things(name):
    module = pytest.importorskip(f"tengen.{name}")
    stub = ast.parse(Path(tengen.__file__).with_name(f"{name}.pyi").read_text(encoding="utf-8"))
    assert stub_names(stub.body) == public(module)
    for statement in stub.body:
        if isinstance(statement, ast.ClassDef) and statement.bases:
            members = [line.targets[0].id for line in statement.body if isinstance(line, ast.Assign)]
            assert members == list(getattr(module, statement.name).__members__), statement.name
        elif isinstance(statement, ast.ClassDef):
            assert stub_names(statement.body) == public(getattr(module, statement.name)), statement.name
