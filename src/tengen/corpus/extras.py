"""Optional libraries, loaded when a job needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tengen.errors import MissingExtra

_EXTRAS = {"pyarrow": "corpus", "dask": "cluster", "matplotlib": "train"}


def need(module: str) -> Any:
    """Import a module, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError:
        extra = _EXTRAS[module.partition(".")[0]]
        raise MissingExtra(f"{module.partition('.')[0]} is not installed: pip install 'tengen[{extra}]'") from None
