"""Optional libraries, imported on demand, and the extras that install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tengen.errors import MissingExtra

_EXTRAS = {
    "dask": "cluster",
    "fastapi": "serve",
    "matplotlib": "train",
    "networkx": "exact",
    "onnx": "net",
    "pyarrow": "corpus",
    "pymatching": "exact",
    "scipy": "train",
    "segno": "serve",
    "sgfmill": "bench",
    "sklearn": "train",
    "torch": "net",
    "uvicorn": "serve",
}


def need(module: str) -> Any:
    """Import a module, or raise an error that names the extra to install."""
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        extra = f"tengen[{_EXTRAS[library]}]" if library in _EXTRAS else library
        raise MissingExtra(f"{library} is not installed: pip install {extra}") from None
