"""What a model is: protocols, a base class, the registry, model files, estimates and verdicts.

The package itself can be called: `tengen.models()` lists every model by name with what it is.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.models.registry import Entry


class _Room(ModuleType):
    """A package that answers a call, because the folder and the function of the API share the name `models`."""

    def __call__(self) -> dict[str, Entry]:
        """Return every model by name: what it gives, whether it ships fitted, and what it is."""
        from tengen.models.registry import listing

        return listing()


sys.modules[__name__].__class__ = _Room
