"""The stub of the native core names what is there, and nothing else."""

import ast
from pathlib import Path

import tengen
from tengen import _core

STUB = Path(tengen.__file__).with_name("_core.pyi")


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


def test_the_stub_and_the_module_name_the_same_things():
    module = ast.parse(STUB.read_text(encoding="utf-8"))
    assert stub_names(module.body) == public(_core)
    for statement in module.body:
        if isinstance(statement, ast.ClassDef):
            assert stub_names(statement.body) == public(getattr(_core, statement.name)), statement.name
