"""Decorators of tests that compute with NumPy and with this package, and compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola._cupola import ndarray
from cupola._functions.creation.arrays import asnumpy
from cupola.testing import _assertions
from cupola.testing._libraries import (
    Accepted,
    Decorator,
    Libraries,
    Tolerance,
    decorator,
    of_arrays,
    tolerance_for,
)

__all__ = [
    "numpy_cupy_allclose",
    "numpy_cupy_array_almost_equal",
    "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal",
    "numpy_cupy_array_less",
    "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp",
    "numpy_cupy_equal",
    "numpy_cupy_raises",
]


def numpy_cupy_allclose(
    rtol: Tolerance = 1e-7,
    atol: Tolerance = 0,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    contiguous_check: bool = True,
) -> Decorator:
    """Call the test with `numpy` and with this package, and compare what it returns.

    The test returns an array, or several in a tuple or list.

    Parameters
    ----------
    rtol, atol : float or dict
        Of `assert_allclose`; a dict has those of dtypes, and under 'default' that of the others.
    err_msg, verbose
        For the text of an AssertionError.
    name : str
        The keyword of the library.
    type_check : bool
        Whether dtypes must be equal.
    accept_error : bool or exceptions
        Whether, or with which class, both may raise; the class of ours must be NumPy's or of it.
    sp_name, scipy_name : str, optional
        The keywords of `cupyx.scipy.sparse` beside `scipy.sparse`, and of `cupyx.scipy` beside
        `scipy`.
    contiguous_check : bool
        Whether ours must be contiguous where NumPy's is.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.
    ModuleNotFoundError
        From the test, where a library is asked for that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_allclose(rtol=1e-6)
    ... def test(xp):
    ...     return xp.sqrt(xp.arange(3))
    >>> test()
    """

    def check(ours: Any, numpys: Any) -> None:
        tolerances = tolerance_for(rtol, numpys), tolerance_for(atol, numpys)
        _assertions.assert_allclose(ours, numpys, *tolerances, err_msg, verbose)

    return of_arrays(
        check, Libraries(name, sp_name, scipy_name), type_check, accept_error, contiguous_check
    )


def numpy_cupy_array_almost_equal(
    decimal: int = 6,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_almost_equal`.

    Parameters
    ----------
    decimal : int, optional
        Places behind the point that are equal.
    err_msg, verbose
        For the text of an AssertionError.
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.
    type_check, accept_error
        Of `numpy_cupy_allclose`.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_array_almost_equal(decimal=5)
    ... def test(xp):
    ...     return xp.sin(xp.arange(3.0))
    >>> test()
    """

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_almost_equal(ours, numpys, decimal, err_msg, verbose)

    return of_arrays(check, Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_almost_equal_nulp(
    nulp: int = 1,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_almost_equal_nulp`.

    Parameters
    ----------
    nulp : int, optional
        The largest distance, in units of the last place of the larger element.
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.
    type_check, accept_error
        Of `numpy_cupy_allclose`.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_array_almost_equal_nulp(nulp=2)
    ... def test(xp):
    ...     return xp.exp(xp.arange(3.0))
    >>> test()
    """

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_almost_equal_nulp(ours, numpys, nulp)

    return of_arrays(check, Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_max_ulp(
    maxulp: int = 1,
    dtype: Any = None,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_max_ulp`.

    Parameters
    ----------
    maxulp : int, optional
        The largest number of steps from one element to the other.
    dtype : dtype, optional
        Both are converted to it first.
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.
    type_check, accept_error
        Of `numpy_cupy_allclose`.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_array_max_ulp(maxulp=2)
    ... def test(xp):
    ...     return xp.exp(xp.arange(3.0))
    >>> test()
    """

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_max_ulp(ours, numpys, maxulp, dtype)

    return of_arrays(check, Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    strides_check: bool = False,
) -> Decorator:
    """As `numpy_cupy_allclose`, with equal elements, and with `strides_check` equal strides.

    Parameters
    ----------
    err_msg, verbose
        For the text of an AssertionError.
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.
    type_check, accept_error
        Of `numpy_cupy_allclose`.
    strides_check : bool, optional
        Whether strides must be equal.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_array_equal()
    ... def test(xp):
    ...     return xp.arange(6).reshape(2, 3)
    >>> test()
    """

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_equal(ours, numpys, err_msg, verbose, strides_check)

    return of_arrays(check, Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_less(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`: every element of ours must be less than NumPy's.

    Parameters
    ----------
    err_msg, verbose
        For the text of an AssertionError.
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.
    type_check, accept_error
        Of `numpy_cupy_allclose`.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_array_less()
    ... def test(xp):
    ...     return xp.zeros(3) + (xp is not cp)
    >>> test()
    """

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_less(ours, numpys, err_msg, verbose)

    return of_arrays(check, Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_list_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_array_equal`, of sequences of arrays, whatever their dtypes.

    Parameters
    ----------
    err_msg, verbose
        For the text of an AssertionError.
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_array_list_equal()
    ... def test(xp):
    ...     return xp.split(xp.arange(6), 2)
    >>> test()
    """

    def compare(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_list_equal(ours, numpys, err_msg, verbose)

    return decorator(Libraries(name, sp_name, scipy_name), False, compare)


def numpy_cupy_equal(
    name: str = "xp", sp_name: str | None = None, scipy_name: str | None = None
) -> Decorator:
    """Call the test with `numpy` and with this package: what it returns must be equal by ==.

    Parameters
    ----------
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where they differ.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_equal()
    ... def test(xp):
    ...     return xp.result_type("int8", "uint8")
    >>> test()
    """

    def compare(ours: Any, numpys: Any) -> None:
        value = asnumpy(ours) if isinstance(ours, ndarray) else ours
        if not np.all(value == numpys):
            raise AssertionError(f"not equal: cupola {ours!r}, numpy {numpys!r}")

    return decorator(Libraries(name, sp_name, scipy_name), False, compare)


def numpy_cupy_raises(
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
    accept_error: Accepted = Exception,
) -> Decorator:
    """Call the test with `numpy` and with this package: both must raise.

    Parameters
    ----------
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.
    accept_error : bool or exceptions
        The classes that may be raised; that of ours must be NumPy's or of it.

    Returns
    -------
    function
        A decorator.

    Raises
    ------
    AssertionError
        From the test, where one of them does not raise, or they raise other errors.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.numpy_cupy_raises(accept_error=ValueError)
    ... def test(xp):
    ...     xp.zeros(2) + xp.zeros(3)
    >>> test()
    """

    def compare(ours: Any, numpys: Any) -> None:
        raise AssertionError("neither cupola nor numpy raised")

    return decorator(Libraries(name, sp_name, scipy_name), accept_error, compare)
