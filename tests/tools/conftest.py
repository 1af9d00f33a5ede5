"""What tests of the build share."""

import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def build_folder() -> Path:
    """The CMake build folder whose package is on PYTHONPATH."""
    for entry in sys.path:
        folder = Path(entry).parent
        if Path(entry).name == "python" and (folder / "CMakeCache.txt").exists():
            return folder
    pytest.skip("PYTHONPATH names no build folder's python/")
