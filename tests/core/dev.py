"""What only development builds have; tests that import it are skipped without it."""

import pytest

_dev = pytest.importorskip("tengen._dev", reason="tengen._dev is missing: build with -C cmake.define.TENGEN_DEV=ON")
count_legal_positions = _dev.count_legal_positions
eliminate = _dev.eliminate
local_patterns = _dev.local_patterns
plain_playouts = _dev.plain_playouts
