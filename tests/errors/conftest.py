"""The same settings and skips as the property tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With NumPy as the module under test there are no devices to test."""
    from cupola_under_test import IS_NUMPY

    for item in items:
        if IS_NUMPY and "cupola_only" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="needs cupola"))


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers."""
    config.addinivalue_line("markers", "cupola_only: needs what NumPy does not have")
