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
    `strides_check`, strides in bytes).

    Parameters
    ----------
    x, y : array_like
    err_msg, verbose, strides_check, **kwargs : optional
        As of `numpy.testing.assert_array_equal`; with `strides_check` the strides are compared too.

    Returns
    -------
    None

    Raises
    ------
    AssertionError
        Where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.assert_array_equal(cp.arange(2), [0, 1])
    """
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
    """AssertionError unless |actual - desired| <= atol + rtol * |desired| everywhere.

    Parameters
    ----------
    actual, desired : array_like
    rtol, atol : float, optional
    err_msg, verbose : optional

    Returns
    -------
    None

    Raises
    ------
    AssertionError
        Where they differ by more.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.assert_allclose(cp.array([1.0]), [1.0 + 1e-9])
    """
    found, wanted = asnumpy(actual), asnumpy(desired)
    np.testing.assert_allclose(found, wanted, rtol, atol, equal_nan, err_msg, verbose)


def assert_array_almost_equal(
    x: Any, y: Any, decimal: int = 6, err_msg: str = "", verbose: bool = True
) -> None:
    """AssertionError unless elements agree to `decimal` places.

    Parameters
    ----------
    x, y : array_like
    decimal : int, optional
    err_msg, verbose : optional

    Returns
    -------
    None

    Raises
    ------
    AssertionError
        Where they differ by more.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.assert_array_almost_equal(cp.array([1.0]), [1.0 + 1e-9])
    """
    np.testing.assert_array_almost_equal(asnumpy(x), asnumpy(y), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x: Any, y: Any, nulp: int = 1) -> None:
    """AssertionError where elements differ by more than `nulp` spacings of the larger one.

    Parameters
    ----------
    x, y : array_like
    nulp : int, optional
        Units in the last place.

    Returns
    -------
    None

    Raises
    ------
    AssertionError
        Where they differ by more.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.assert_array_almost_equal_nulp(cp.array([1.0]), cp.array([1.0]))
    """
    np.testing.assert_array_almost_equal_nulp(asnumpy(x), asnumpy(y), nulp)


def assert_array_max_ulp(a: Any, b: Any, maxulp: int = 1, dtype: Any = None) -> None:
    """AssertionError where more than `maxulp` floating numbers lie between two elements.

    Parameters
    ----------
    a, b : array_like
    maxulp : int, optional
        Units in the last place.
    dtype : optional

    Returns
    -------
    None

    Raises
    ------
    AssertionError
        Where they differ by more.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.assert_array_max_ulp(cp.array([1.0]), cp.array([1.0]))
    """
    np.testing.assert_array_max_ulp(asnumpy(a), asnumpy(b), maxulp, dtype)


def assert_array_less(x: Any, y: Any, err_msg: str = "", verbose: bool = True) -> None:
    """AssertionError unless x < y everywhere.

    Parameters
    ----------
    x, y : array_like
    err_msg, verbose : optional

    Returns
    -------
    None

    Raises
    ------
    AssertionError
        Where an element is not less.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.assert_array_less(cp.array([1.0]), [2.0])
    """
    np.testing.assert_array_less(asnumpy(x), asnumpy(y), err_msg, verbose)


def assert_array_list_equal(
    xlist: Sequence[Any], ylist: Sequence[Any], err_msg: str = "", verbose: bool = True
) -> None:
    """AssertionError unless two sequences are of one length and their arrays are equal.

    Parameters
    ----------
    xlist, ylist : sequences of arrays
    err_msg, verbose : optional

    Returns
    -------
    None

    Raises
    ------
    AssertionError
        Where their numbers or arrays differ.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> cp.testing.assert_array_list_equal([cp.array([1])], [np.array([1])])
    """
    if not isinstance(xlist, list | tuple) or not isinstance(ylist, list | tuple):
        raise AssertionError(f"sequences are expected: {type(xlist)} and {type(ylist)}")
    if len(xlist) != len(ylist):
        raise AssertionError(f"lengths differ: {len(xlist)} and {len(ylist)}. {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)


@contextlib.contextmanager
def assert_warns(expected: type[Warning]) -> Iterator[None]:
    """AssertionError unless the scope gives a warning of a class.

    Parameters
    ----------
    expected : type of Warning
        The class; those of it count as well.

    Yields
    ------
    None

    Raises
    ------
    AssertionError
        At the end of the scope, where there was none. Other warnings are not shown.

    Examples
    --------
    >>> import warnings
    >>> import cupola as cp
    >>> with cp.testing.assert_warns(UserWarning):
    ...     warnings.warn("seen", UserWarning)
    """
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

    Yields
    ------
    unittest.mock.Mock
        What stands for the function.

    Raises
    ------
    AssertionError
        At the end, where it was called more or less often.

    Examples
    --------
    >>> import cupola as cp
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
