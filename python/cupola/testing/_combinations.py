"""Decorators that call a test once for each dtype, order or the like."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import sys
import unittest
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = [
    "for_CF_orders",
    "for_all_dtypes",
    "for_all_dtypes_combination",
    "for_castings",
    "for_complex_dtypes",
    "for_contiguous_axes",
    "for_dtypes",
    "for_dtypes_combination",
    "for_float_dtypes",
    "for_int_dtypes",
    "for_int_dtypes_combination",
    "for_orders",
    "for_signed_dtypes",
    "for_signed_dtypes_combination",
    "for_unsigned_dtypes",
    "for_unsigned_dtypes_combination",
]

Test = Callable[..., Any]
Decorator = Callable[[Test], Test]

_COMPLEX: tuple[Any, ...] = (np.complex64, np.complex128)
_FLOATS: tuple[Any, ...] = (np.float64, np.float32, np.float16)
_SIGNED: tuple[Any, ...] = tuple(np.dtype(code).type for code in "bhilq")
_UNSIGNED: tuple[Any, ...] = tuple(np.dtype(code).type for code in "BHILQ")
_BOOL: tuple[Any, ...] = (np.bool_,)


def _floats(no_float16: bool) -> tuple[Any, ...]:
    return _FLOATS[:2] if no_float16 else _FLOATS


def _integers(no_bool: bool) -> tuple[Any, ...]:
    return _SIGNED + _UNSIGNED + (() if no_bool else _BOOL)


def _all(no_float16: bool, no_bool: bool, no_complex: bool) -> tuple[Any, ...]:
    return _floats(no_float16) + _integers(no_bool) + (() if no_complex else _COMPLEX)


def _skipped() -> tuple[type[BaseException], ...]:
    """What unittest and pytest raise for a test that is skipped: the next case runs."""
    pytest = sys.modules.get("pytest")
    return (unittest.SkipTest,) if pytest is None else (unittest.SkipTest, pytest.skip.Exception)


def _for_each(cases: Iterable[Mapping[str, Any]]) -> Decorator:
    """Call the test with the keywords of each case; what fails says with which."""
    known = list(cases)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> None:
            for case in known:
                try:
                    test(*args, **kwargs, **case)
                except _skipped():
                    continue
                except Exception as error:
                    error.add_note(f"with {_text(case)}")
                    raise

        # pytest reads the signature, and would look for fixtures of the names that cases give.
        return _without(run, test, set().union(*known) if known else set())

    return decorate


def _without(run: Test, test: Test, names: set[str]) -> Test:
    signature = inspect.signature(test)
    kept = [each for name, each in signature.parameters.items() if name not in names]
    run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return run


def _text(case: Mapping[str, Any]) -> str:
    def value(each: Any) -> str:
        return np.dtype(each).name if isinstance(each, type) else repr(each)

    return ", ".join(f"{name}={value(each)}" for name, each in case.items())


def for_dtypes(dtypes: Iterable[Any], name: str = "dtype") -> Decorator:
    """Call the test with each of some dtypes as keyword `name`.

    A test that is skipped for one dtype runs for the others. What a failing test raises has a note
    that says for which dtype.

    Examples
    --------
    >>> @cp.testing.for_dtypes("bh")
    ... def test(dtype):
    ...     print(dtype)
    >>> test()
    <class 'numpy.int8'>
    <class 'numpy.int16'>
    """
    return _for_each({name: np.dtype(each).type} for each in dtypes)


def for_all_dtypes(
    name: str = "dtype", no_float16: bool = False, no_bool: bool = False, no_complex: bool = False
) -> Decorator:
    """`for_dtypes` with all dtypes of NumPy that arrays have."""
    return for_dtypes(_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name: str = "dtype", no_float16: bool = False) -> Decorator:
    """`for_dtypes` with the real floating dtypes."""
    return for_dtypes(_floats(no_float16), name)


def for_signed_dtypes(name: str = "dtype") -> Decorator:
    """`for_dtypes` with the signed integers."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name: str = "dtype") -> Decorator:
    """`for_dtypes` with the unsigned integers."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name: str = "dtype", no_bool: bool = False) -> Decorator:
    """`for_dtypes` with the integers and bool."""
    return for_dtypes(_integers(no_bool), name)


def for_complex_dtypes(name: str = "dtype") -> Decorator:
    """`for_dtypes` with the complex dtypes."""
    return for_dtypes(_COMPLEX, name)


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
    return _for_each([dict(zip(names, row, strict=True)) for row in rows])


def for_all_dtypes_combination(
    names: Sequence[str] = ("dtyes",),
    no_float16: bool = False,
    no_bool: bool = False,
    full: bool | None = None,
    no_complex: bool = False,
) -> Decorator:
    """`for_dtypes_combination` with all dtypes of NumPy that arrays have."""
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(
    names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """`for_dtypes_combination` with the signed integers."""
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(
    names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """`for_dtypes_combination` with the unsigned integers."""
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(
    names: Sequence[str] = ("dtype",), no_bool: bool = False, full: bool | None = None
) -> Decorator:
    """`for_dtypes_combination` with the integers and bool."""
    return for_dtypes_combination(_integers(no_bool), names, full)


def for_orders(orders: Iterable[Any], name: str = "order") -> Decorator:
    """Call the test with each of some memory orders as keyword `name`."""
    return _for_each({name: each} for each in orders)


def for_CF_orders(name: str = "order") -> Decorator:  # noqa: N802
    """`for_orders` with 'C', 'F' and their small letters, and None."""
    return for_orders([None, "C", "F", "c", "f"], name)


def for_castings(castings: Iterable[str] | None = None, name: str = "casting") -> Decorator:
    """Call the test with each casting rule, or some of them."""
    rules = ["no", "equiv", "safe", "same_kind", "unsafe"] if castings is None else castings
    return _for_each({name: each} for each in rules)


def for_contiguous_axes(name: str = "axis") -> Decorator:
    """Call a test, whose object has `shape` and `order`, with the axes that a reduction joins.

    They are the last ones of an array in C order, and the first ones in Fortran order.
    """

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            ndim = len(self.shape)
            for first in range(1, ndim):
                is_fortran = self.order in ("f", "F")
                axes = range(first) if is_fortran else range(first, ndim)
                test(self, *args, **kwargs, **{name: tuple(axes)})

        return _without(run, test, {name})

    return decorate
