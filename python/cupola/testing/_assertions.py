"""NumPy's assertions for arrays of ours: everything is copied to the host and compared there."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cupola._functions.creation.arrays import asnumpy

__all__ = [
    "AssertFunctionIsCalled",
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
    "assert_warns",
]


def assert_array_equal(
    x: Any,
    y: Any,
    err_msg: str = "",
    verbose: bool = True,
    strides_check: bool = False,
    *,
    strict: bool = False,
) -> None:
    """AssertionError unless shapes and elements are equal (with `strict`, dtypes as well; with
    `strides_check`, strides in bytes)."""
    np.testing.assert_array_equal(asnumpy(x), asnumpy(y), err_msg, verbose, strict=strict)
    if strides_check and x.strides != y.strides:
        raise AssertionError(f"strides differ: {x.strides} and {y.strides}. {err_msg}")


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: float = 1e-7,
    atol: float = 0,
    err_msg: str = "",
    verbose: bool = True,
    *,
    equal_nan: bool = True,
) -> None:
    """AssertionError unless |actual - desired| <= atol + rtol * |desired| everywhere."""
    found, wanted = asnumpy(actual), asnumpy(desired)
    np.testing.assert_allclose(found, wanted, rtol, atol, equal_nan, err_msg, verbose)


def assert_array_almost_equal(
    x: Any, y: Any, decimal: int = 6, err_msg: str = "", verbose: bool = True
) -> None:
    """AssertionError unless elements agree to `decimal` places."""
    np.testing.assert_array_almost_equal(asnumpy(x), asnumpy(y), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x: Any, y: Any, nulp: int = 1) -> None:
    """AssertionError where elements differ by more than `nulp` spacings of the larger one."""
    np.testing.assert_array_almost_equal_nulp(asnumpy(x), asnumpy(y), nulp)


def assert_array_max_ulp(a: Any, b: Any, maxulp: int = 1, dtype: Any = None) -> None:
    """AssertionError where more than `maxulp` floating numbers lie between two elements."""
    np.testing.assert_array_max_ulp(asnumpy(a), asnumpy(b), maxulp, dtype)


def assert_array_less(x: Any, y: Any, err_msg: str = "", verbose: bool = True) -> None:
    """AssertionError unless x < y everywhere."""
    np.testing.assert_array_less(asnumpy(x), asnumpy(y), err_msg, verbose)


def assert_array_list_equal(
    xlist: Sequence[Any], ylist: Sequence[Any], err_msg: str = "", verbose: bool = True
) -> None:
    """AssertionError unless two sequences are of one length and their arrays are equal."""
    if not isinstance(xlist, list | tuple) or not isinstance(ylist, list | tuple):
        raise AssertionError(f"sequences are expected: {type(xlist)} and {type(ylist)}")
    if len(xlist) != len(ylist):
        raise AssertionError(f"lengths differ: {len(xlist)} and {len(ylist)}. {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)


@contextlib.contextmanager
def assert_warns(expected: type[Warning]) -> Iterator[None]:
    """AssertionError unless the scope gives a warning of a class."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    if not any(issubclass(each.category, expected) for each in seen):
        raise AssertionError(f"no warning of class {expected.__name__}")


@contextlib.contextmanager
def AssertFunctionIsCalled(  # noqa: N802
    *args: Any, times_called: int = 1, **kwargs: Any
) -> Iterator[Any]:
    """A scope in which a function is replaced and must be called.

    Parameters
    ----------
    *args, **kwargs
        Of `unittest.mock.patch`: the path of the function, and what stands for it.
    times_called : int
        How often it must be called.

    Raises
    ------
    AssertionError
        At the end, where it was called more or less often.

    Examples
    --------
    >>> import math
    >>> with cp.testing.AssertFunctionIsCalled("math.sqrt", wraps=math.sqrt):
    ...     math.sqrt(4.0)
    2.0
    """
    from unittest import mock

    with mock.patch(*args, **kwargs) as replaced:
        yield replaced
    if replaced.call_count != times_called:
        raise AssertionError(
            f"{replaced} was called {replaced.call_count} times, not {times_called}"
        )
