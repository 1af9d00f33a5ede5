"""Windows of signals, and a Bessel function."""

from typing import Any

import numpy as np
import pytest
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, name

# Cosines of the same angles differ by a few units in the last place of 1.
NEAR = Tolerance(8, 2e-15)
WINDOWS = ["bartlett", "blackman", "hamming", "hanning"]


@pytest.mark.parametrize("count", [0, -3, 1, 2, 3, 8, 101, 5.5, np.int8(6), True])
@pytest.mark.parametrize("window", WINDOWS)
def test_windows(window: str, count: Any) -> None:
    agree(lambda xp: getattr(xp, window)(count), tolerance=NEAR)


@pytest.mark.parametrize("count", [0, -3, 1, 2, 3, 8, 101, 5.5])
@pytest.mark.parametrize("beta", [0, 0.5, -2.0, 8.6, 40])
def test_kaiser(count: Any, beta: Any) -> None:
    agree(lambda xp: xp.kaiser(count, beta), tolerance=NEAR)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_i0(dtype: np.dtype) -> None:
    x = np.linspace(-25 if dtype.kind not in "bu" else 0, 25, 200).reshape(20, 10).astype(dtype)
    # NumPy computes half precision step by step in half precision.
    tolerance = Tolerance(2 if dtype == np.float16 else 8, 0)
    if dtype == np.float16:
        tolerance = Tolerance(64, 0)
        x = x[abs(x) < 9].reshape(-1, 1)
    agree(lambda xp, x: [xp.i0(x), xp.i0(x.T[::-2])], x, tolerance=tolerance)


def test_i0_of_numbers_and_what_is_none() -> None:
    x = np.array([0.0, -0.0, 8.0, np.nextafter(8, 9), 700.0, 1e4, np.inf, np.nan])
    agree(lambda xp, x: [xp.i0(x), xp.i0(x[:0]), xp.i0(2), np.i0(x)], x, tolerance=NEAR)


def test_errors() -> None:
    agree(lambda xp, x: xp.i0(x), np.ones(2, complex))
    for window in WINDOWS:
        agree(lambda xp, x, window=window: getattr(xp, window)(x), np.ones(2))
    agree(lambda xp, x: xp.kaiser(3, x), np.ones(2))
