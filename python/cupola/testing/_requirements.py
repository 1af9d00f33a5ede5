"""Tests that need something: versions of packages, several devices, time."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

import cupola
from cupola import _cupola as _core

__all__ = ["installed", "multi_gpu", "numpy_satisfies", "slow", "with_requires"]


def _is_our_name(name: str) -> bool:
    """Whether a package's name is "cupy", and the package is installed under it."""
    return name == cupola.__name__ == "cupy"


def _is_met(requirement: str) -> bool:
    from packaging.requirements import Requirement

    wanted = Requirement(requirement)
    try:
        version = cupola.__version__ if _is_our_name(wanted.name) else metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return False
    return wanted.specifier.contains(version, prereleases=True)


def installed(*specifiers: str) -> bool:
    """Whether packages are installed, in versions that are named.

    Parameters
    ----------
    *specifiers : str
        As in "numpy>=2", of packaging's requirements.

    Returns
    -------
    bool
        Whether all of them are.

    Raises
    ------
    ImportError
        Without the package `packaging`, which reads the specifiers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.installed("numpy>=1", "a-package-that-is-not-there")
    False
    """
    return all(map(_is_met, specifiers))


def numpy_satisfies(version_range: str) -> bool:
    """Whether NumPy's version is in a range.

    Parameters
    ----------
    version_range : str
        As in ">=1.20".

    Returns
    -------
    bool

    Raises
    ------
    ImportError
        Without the package `packaging`, which reads the range.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.numpy_satisfies(">=1.20")
    True
    """
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(version_range).contains(np.__version__, prereleases=True)


def with_requires(*requirements: str) -> Callable[[Any], Any]:
    """A decorator that skips a test unless packages are installed, in versions that are named.

    Parameters
    ----------
    *requirements : str
        Of `installed`.

    Returns
    -------
    function
        A decorator of functions and classes.

    Raises
    ------
    ImportError
        Without the package `packaging`, which reads the requirements.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.with_requires("a-package-that-is-not-there")
    ... def test():
    ...     pass
    >>> test.__unittest_skip__
    True
    """
    text = ", ".join(requirements)
    return unittest.skipUnless(installed(*requirements), f"requires {text}")


def multi_gpu(gpu_num: int) -> Callable[[Any], Any]:
    """A decorator that skips a test unless the default platform has so many devices.

    Parameters
    ----------
    gpu_num : int
        Devices that the test needs.

    Returns
    -------
    function
        A decorator of functions and classes.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.multi_gpu(10000)
    ... def test():
    ...     pass
    >>> test.__unittest_skip__
    True
    """
    found = _core.device_count(_core.default_platform())
    return unittest.skipIf(found < gpu_num, f"{gpu_num} devices are needed, and {found} are there")


def slow(target: Any) -> Any:
    """A decorator that marks a test as slow, for pytest's option -m.

    Parameters
    ----------
    target : function or class
        The test.

    Returns
    -------
    function or class
        The same.

    Raises
    ------
    ImportError
        Without pytest.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.slow  # doctest: +SKIP
    ... def test():
    ...     pass
    """
    import pytest

    return pytest.mark.slow(target)
