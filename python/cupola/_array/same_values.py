"""`casting="same_value"` of astype()."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cupola import _cupola as _core

if TYPE_CHECKING:
    from cupola._cupola import ndarray


def cast_same(a: ndarray, result: ndarray) -> None:
    """Raise ValueError where `result`, `a` as another dtype, has an element of another value.

    As in NumPy NaN is the same as NaN, and every value may be a bool. Waits for the device.
    """
    if result.dtype == np.bool_ or result.dtype == a.dtype:
        return
    if not bool(_are_same(a, result).all()):
        raise ValueError(f"could not cast 'same_value' {a.dtype} to {result.dtype}")


def _are_same(a: ndarray, result: ndarray) -> ndarray:
    if a.dtype.kind != "c":
        return _are_same_reals(a, result.real)
    if result.dtype.kind != "c":
        return _are_same_reals(a.real, result) & (a.imag == 0)
    return _are_same_reals(a.real, result.real) & _are_same_reals(a.imag, result.imag)


def _are_same_reals(a: ndarray, result: ndarray) -> ndarray:
    same = _core.astype(result, a.dtype) == a
    is_integer, gives_integer = a.dtype.kind in "iu", result.dtype.kind in "iu"
    if is_integer and not gives_integer:
        # What is beyond the integers may come back as any of them.
        return same & _is_within(result, a.dtype)
    if gives_integer and a.dtype.kind not in "iub":
        return same & _is_within(a, result.dtype)
    if gives_integer and is_integer:
        # The bits may be the same, but not the sign.
        return same & ((a < 0) == (result < 0))
    return same if a.dtype.kind in "iub" else same | (a != a)


def _is_within(values: ndarray, dtype: np.dtype) -> ndarray:
    """Which of the floating-point values do not lie beyond the integers of a dtype."""
    end = 2.0 ** (8 * dtype.itemsize - (1 if dtype.kind == "i" else 0))
    # Of float16 the ends are infinities.
    return (values < end) & (values >= -end) & (values != -np.inf)
