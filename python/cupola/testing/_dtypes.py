"""Decorators that call a test once for each dtype."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cupola.testing._cases import Decorator, for_each

__all__ = [
    "for_all_dtypes",
    "for_complex_dtypes",
    "for_dtypes",
    "for_float_dtypes",
    "for_int_dtypes",
    "for_signed_dtypes",
    "for_unsigned_dtypes",
]

_COMPLEX: tuple[Any, ...] = (np.complex64, np.complex128)
_FLOATS: tuple[Any, ...] = (np.float64, np.float32, np.float16)
SIGNED: tuple[Any, ...] = tuple(np.dtype(code).type for code in "bhilq")
UNSIGNED: tuple[Any, ...] = tuple(np.dtype(code).type for code in "BHILQ")
_BOOL: tuple[Any, ...] = (np.bool_,)


def floats(no_float16: bool) -> tuple[Any, ...]:
    return _FLOATS[:2] if no_float16 else _FLOATS


def integers(no_bool: bool) -> tuple[Any, ...]:
    return SIGNED + UNSIGNED + (() if no_bool else _BOOL)


def all_dtypes(no_float16: bool, no_bool: bool, no_complex: bool) -> tuple[Any, ...]:
    return floats(no_float16) + integers(no_bool) + (() if no_complex else _COMPLEX)


def for_dtypes(dtypes: Iterable[Any], name: str = "dtype") -> Decorator:
    """Call the test with each of some dtypes as keyword `name`.

    A test that is skipped for one dtype runs for the others. What a failing test raises has a note
    that says for which dtype.

    Parameters
    ----------
    dtypes : iterable of dtypes
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.for_dtypes("bh")
    ... def test(dtype):
    ...     print(dtype)
    >>> test()
    <class 'numpy.int8'>
    <class 'numpy.int16'>
    """
    return for_each({name: np.dtype(each).type} for each in dtypes)


def for_all_dtypes(
    name: str = "dtype", no_float16: bool = False, no_bool: bool = False, no_complex: bool = False
) -> Decorator:
    """`for_dtypes` with all dtypes of NumPy that arrays have.

    Parameters
    ----------
    name : str, optional
        The keyword.
    no_float16 : bool, optional
        Whether float16 is left out.
    no_bool : bool, optional
        Whether bool is left out.
    no_complex : bool, optional
        Whether the complex dtypes are left out.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_all_dtypes()
    ... def test(dtype):
    ...     seen.append(dtype)
    >>> test()
    >>> len(seen)
    16
    """
    return for_dtypes(all_dtypes(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name: str = "dtype", no_float16: bool = False) -> Decorator:
    """`for_dtypes` with the real floating dtypes.

    Parameters
    ----------
    name : str, optional
        The keyword.
    no_float16 : bool, optional
        Whether float16 is left out.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_float_dtypes()
    ... def test(dtype):
    ...     seen.append(dtype)
    >>> test()
    >>> len(seen)
    3
    """
    return for_dtypes(floats(no_float16), name)


def for_signed_dtypes(name: str = "dtype") -> Decorator:
    """`for_dtypes` with the signed integers.

    Parameters
    ----------
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_signed_dtypes()
    ... def test(dtype):
    ...     seen.append(dtype)
    >>> test()
    >>> len(seen)
    5
    """
    return for_dtypes(SIGNED, name)


def for_unsigned_dtypes(name: str = "dtype") -> Decorator:
    """`for_dtypes` with the unsigned integers.

    Parameters
    ----------
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_unsigned_dtypes()
    ... def test(dtype):
    ...     seen.append(dtype)
    >>> test()
    >>> len(seen)
    5
    """
    return for_dtypes(UNSIGNED, name)


def for_int_dtypes(name: str = "dtype", no_bool: bool = False) -> Decorator:
    """`for_dtypes` with the integers and bool.

    Parameters
    ----------
    name : str, optional
        The keyword.
    no_bool : bool, optional
        Whether bool is left out.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_int_dtypes()
    ... def test(dtype):
    ...     seen.append(dtype)
    >>> test()
    >>> len(seen)
    11
    """
    return for_dtypes(integers(no_bool), name)


def for_complex_dtypes(name: str = "dtype") -> Decorator:
    """`for_dtypes` with the complex dtypes.

    Parameters
    ----------
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_complex_dtypes()
    ... def test(dtype):
    ...     seen.append(dtype)
    >>> test()
    >>> len(seen)
    2
    """
    return for_dtypes(_COMPLEX, name)
