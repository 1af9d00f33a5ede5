"""Tests that need something: versions of packages, several devices, time."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from cupola import _cupola as _core

__all__ = ["installed", "multi_gpu", "numpy_satisfies", "slow", "with_requires"]


def _is_met(requirement: str) -> bool:
    from packaging.requirements import Requirement

    wanted = Requirement(requirement)
    try:
        version = metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return False
    return wanted.specifier.contains(version, prereleases=True)


def installed(*specifiers: str) -> bool:
    """Whether packages are installed, as in installed("numpy>=2", "scipy").

    Raises
    ------
    ImportError
        Without the package `packaging`, which reads the specifiers.
    """
    return all(map(_is_met, specifiers))


def numpy_satisfies(version_range: str) -> bool:
    """Whether NumPy's version is in a range, as in numpy_satisfies(">=1.20")."""
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(version_range).contains(np.__version__, prereleases=True)


def with_requires(*requirements: str) -> Callable[[Any], Any]:
    """Skips the test unless the packages are installed, in the versions that are named."""
    text = ", ".join(requirements)
    return unittest.skipUnless(installed(*requirements), f"requires {text}")


def multi_gpu(gpu_num: int) -> Callable[[Any], Any]:
    """Skips the test unless the default platform has so many devices."""
    found = _core.device_count(_core.default_platform())
    return unittest.skipIf(found < gpu_num, f"{gpu_num} devices are needed, and {found} are there")


def slow(target: Any) -> Any:
    """Marks the test as slow, for pytest's option -m."""
    import pytest

    return pytest.mark.slow(target)
