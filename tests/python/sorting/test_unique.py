"""Elements without those that occur again."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree
from support.dtypes import NUMPY_DTYPES, name
from support.orders import values_of


def everything(xp: Any, x: Any, **options: Any) -> list[Any]:
    return [
        xp.unique(x, **options),
        *xp.unique(x, True, **options),
        *xp.unique(x, return_inverse=True, **options),
        *xp.unique(x, return_counts=True, **options),
        *xp.unique(x, True, True, True, **options),
    ]


@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("size", [0, 1, 2, 300, 6000])
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype, size: int, equal_nan: bool) -> None:
    # Which of two zeros, or of several NaN, stands for all is not said.
    a = values_of(dtype, size) + dtype.type(0)
    if dtype.kind in "fc":
        nan = np.isnan(a)
        a[nan] = np.nan
        if not equal_nan:
            agree(lambda xp, x: xp.unique(x, True, return_counts=True, equal_nan=False), a)
            a[nan & (np.cumsum(nan) > 1)] = 1
    agree(lambda xp, x: everything(xp, x, equal_nan=equal_nan), a)


@pytest.mark.parametrize("axis", [0, 1, -1, 2, None])
@pytest.mark.parametrize("shape", [(3, 4, 2), (30, 2, 1), (0, 2, 3), (2, 0, 3)])
def test_axes(shape: tuple[int, ...], axis: int | None) -> None:
    a = np.random.default_rng(1).integers(0, 2, shape)
    agree(lambda xp, x: everything(xp, x, axis=axis), a)


def test_views_and_what_waits() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return everything(xp, x[::-2].T * 3) + everything(xp, x[0, 0])

    agree(run, np.random.default_rng(2).integers(0, 9, (12, 5)))


def test_of_the_array_standard() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        whole, counted = xp.unique_all(x), xp.unique_counts(x)
        inverse = xp.unique_inverse(x)
        return [
            whole.values,
            whole.indices,
            whole.inverse_indices,
            whole.counts,
            counted.values,
            counted.counts,
            inverse.values,
            inverse.inverse_indices,
            xp.unique_values(x),
        ]

    agree(run, np.array([[3.0, np.nan, 1.0], [np.nan, 3.0, 3.0]]))


def test_errors() -> None:
    agree(lambda xp, x: xp.unique(x, axis=2), np.zeros((2, 2)))
