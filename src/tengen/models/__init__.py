"""Models: protocols, base classes, registry, files, estimates and verdicts. Callable: `tengen.models()`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.models.registry import Entry


class _Room(ModuleType):
    """A callable package, because the package and the function of the API share the name `models`."""

    def __call__(self) -> dict[str, Entry]:
        """Return the registry entry of every model by name."""
        from tengen.models.registry import listing

        return listing()


sys.modules[__name__].__class__ = _Room
