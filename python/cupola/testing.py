"""NumPy's assertions for arrays of ours: everything is copied to the host and compared there."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola._functions.creation.arrays import asnumpy

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_array_less",
]


def assert_array_equal(x: Any, y: Any, err_msg: str = "", *, strict: bool = False) -> None:
    """AssertionError unless shapes and elements are equal (with `strict`, dtypes as well)."""
    np.testing.assert_array_equal(asnumpy(x), asnumpy(y), err_msg, strict=strict)


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: float = 1e-7,
    atol: float = 0,
    equal_nan: bool = True,
    err_msg: str = "",
) -> None:
    """AssertionError unless |actual - desired| <= atol + rtol * |desired| everywhere."""
    np.testing.assert_allclose(asnumpy(actual), asnumpy(desired), rtol, atol, equal_nan, err_msg)


def assert_array_almost_equal(x: Any, y: Any, decimal: int = 6, err_msg: str = "") -> None:
    """AssertionError unless elements agree to `decimal` places."""
    np.testing.assert_array_almost_equal(asnumpy(x), asnumpy(y), decimal, err_msg)


def assert_array_less(x: Any, y: Any, err_msg: str = "") -> None:
    """AssertionError unless x < y everywhere."""
    np.testing.assert_array_less(asnumpy(x), asnumpy(y), err_msg)
