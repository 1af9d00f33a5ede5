"""Decorators that call a test with combinations of dtypes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cupola.testing._cases import Decorator, for_each
from cupola.testing._dtypes import SIGNED, UNSIGNED, all_dtypes, integers

__all__ = [
    "for_all_dtypes_combination",
    "for_dtypes_combination",
    "for_int_dtypes_combination",
    "for_signed_dtypes_combination",
    "for_unsigned_dtypes_combination",
]


def for_dtypes_combination(
    types: Sequence[Any], names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """Call the test with combinations of dtypes as several keywords.

    Parameters
    ----------
    types : sequence of dtypes
    names : sequence of str
        The keywords.
    full : bool, optional
        All combinations; False: each dtype once for each keyword, with different neighbours.
        Default: whether CUPY_TEST_FULL_COMBINATION is 1.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.for_dtypes_combination(["int8", "float32"], ["x", "y"], full=True)
    ... def test(x, y):
    ...     print(x.__name__, y.__name__)
    >>> test()
    int8 int8
    int8 float32
    float32 int8
    float32 float32
    """
    kinds = [np.dtype(each).type for each in types]
    if full is None:
        full = os.environ.get("CUPY_TEST_FULL_COMBINATION", "0") == "1"
    if full:
        rows: Iterable[tuple[Any, ...]] = itertools.product(kinds, repeat=len(names))
    else:
        count = len(kinds)
        rows = (
            tuple(kinds[(row + 3 * column) % count] for column in range(len(names)))
            for row in range(count)
        )
    return for_each([dict(zip(names, row, strict=True)) for row in rows])


def for_all_dtypes_combination(
    names: Sequence[str] = ("dtyes",),
    no_float16: bool = False,
    no_bool: bool = False,
    full: bool | None = None,
    no_complex: bool = False,
) -> Decorator:
    """`for_dtypes_combination` with all dtypes of NumPy that arrays have.

    Parameters
    ----------
    names : sequence of str, optional
        The keywords.
    no_float16 : bool, optional
        Whether float16 is left out.
    no_bool : bool, optional
        Whether bool is left out.
    full : bool, optional
        Whether all combinations; default: whether CUPY_TEST_FULL_COMBINATION is 1.
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
    >>> @cp.testing.for_all_dtypes_combination(["x", "y"], full=True)
    ... def test(x, y):
    ...     seen.append((x, y))
    >>> test()
    >>> len(seen)
    256
    """
    return for_dtypes_combination(all_dtypes(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(
    names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """`for_dtypes_combination` with the signed integers.

    Parameters
    ----------
    names : sequence of str, optional
        The keywords.
    full : bool, optional
        Whether all combinations; default: whether CUPY_TEST_FULL_COMBINATION is 1.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_signed_dtypes_combination(["x", "y"], full=True)
    ... def test(x, y):
    ...     seen.append((x, y))
    >>> test()
    >>> len(seen)
    25
    """
    return for_dtypes_combination(SIGNED, names, full)


def for_unsigned_dtypes_combination(
    names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """`for_dtypes_combination` with the unsigned integers.

    Parameters
    ----------
    names : sequence of str, optional
        The keywords.
    full : bool, optional
        Whether all combinations; default: whether CUPY_TEST_FULL_COMBINATION is 1.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_unsigned_dtypes_combination(["x", "y"], full=True)
    ... def test(x, y):
    ...     seen.append((x, y))
    >>> test()
    >>> len(seen)
    25
    """
    return for_dtypes_combination(UNSIGNED, names, full)


def for_int_dtypes_combination(
    names: Sequence[str] = ("dtype",), no_bool: bool = False, full: bool | None = None
) -> Decorator:
    """`for_dtypes_combination` with the integers and bool.

    Parameters
    ----------
    names : sequence of str, optional
        The keywords.
    no_bool : bool, optional
        Whether bool is left out.
    full : bool, optional
        Whether all combinations; default: whether CUPY_TEST_FULL_COMBINATION is 1.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> seen = []
    >>> @cp.testing.for_int_dtypes_combination(["x", "y"], full=True)
    ... def test(x, y):
    ...     seen.append((x, y))
    >>> test()
    >>> len(seen)
    121
    """
    return for_dtypes_combination(integers(no_bool), names, full)
