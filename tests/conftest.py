"""Deals the tests that take long to commits, where the environment asks for that."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from parts import part_of


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line("markers", "long: begins programs or compiles kernels, for seconds")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """CUPOLA_TEST_LONG_PARTS="4 abc" leaves one of four parts of the long tests, by this seed."""
    if asked := os.environ.get("CUPOLA_TEST_LONG_PARTS"):
        parts, seed = asked.split()
        names = [item.nodeid for item in items if "long" in item.keywords]
        left_out = set(names) - set(part_of(names, (), int(parts), seed))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]
