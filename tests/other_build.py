"""Runs tests on another build of the core: python tests/other_build.py BUILD [pytest's arguments].

An editable install would win over the import path, so its finder is taken out first, and the run is refused if the core
that gets loaded is not the one in BUILD.
"""

import sys
from pathlib import Path

import pytest


def main() -> int:
    build, *arguments = sys.argv[1:]
    sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    sys.path.insert(0, str(Path(build).resolve()))
    import tengen._core

    if Path(build).resolve() not in Path(tengen._core.__file__).parents:
        sys.exit(f"the tests would run on {tengen._core.__file__}, not on the one in {build}")
    return pytest.main(["-p", "no:cacheprovider", *arguments])


if __name__ == "__main__":
    sys.exit(main())
