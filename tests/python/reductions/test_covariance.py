"""Covariances and correlation coefficients."""

import warnings
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, name

NEAR = Tolerance(64, 1e-12)
SINGLE = Tolerance(64, 1e-5)


def samples(shape: tuple[int, ...], dtype: Any = "f8") -> np.ndarray:
    rng = np.random.default_rng(len(shape))
    values = rng.integers(0, 30, shape) / 2
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-9, 9, shape)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("shape", [(7,), (3, 20), (1, 4), (4, 1), (0, 3), (3, 0), (0,)])
def test_every_dtype(shape: tuple[int, ...], dtype: np.dtype) -> None:
    a = samples(shape, dtype)
    for rowvar in (True, False):
        agree(lambda xp, x, rowvar=rowvar: xp.cov(x, rowvar=rowvar), a, tolerance=NEAR)
    agree(lambda xp, x: xp.corrcoef(x), a, tolerance=NEAR)


@pytest.mark.parametrize("rowvar", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("ddof", [None, 0, 1, 3])
def test_options(rowvar: bool, bias: bool, ddof: int | None) -> None:
    a, b = samples((4, 4)), samples((4,))
    counts, weights = np.array([1, 2, 0, 3]), np.array([0.5, 1.0, 2.0, 0.25])

    def run(xp: Any, x: Any, y: Any, n: Any, w: Any) -> list[Any]:
        return [
            xp.cov(x, y, rowvar, bias, ddof),
            xp.cov(x, None, rowvar, bias, ddof, n),
            xp.cov(x, y, rowvar, bias, ddof, None, w),
            xp.cov(x, x, rowvar, bias, ddof, n, w),
            xp.cov(x, x, rowvar, bias, ddof, [1, 1, 2, 1], dtype=np.complex128),
            xp.corrcoef(x, y, rowvar),
            xp.corrcoef(y),
        ]

    agree(run, a, b, counts, weights, tolerance=NEAR)


def test_single_precision_and_views() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.cov(x[::-2].T, dtype=np.float32),
            xp.cov(x.T * 2, dtype=np.float32, aweights=xp.ones(6)),
            xp.corrcoef(x[:, ::-1], dtype=np.float32),
        ]

    agree(run, samples((6, 5)), tolerance=SINGLE)


def test_weights_are_real_numbers() -> None:
    """Of complex ones the real parts count, in the divisor too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(
            lambda xp, x, w: [
                xp.cov(x, aweights=w),
                xp.cov(x, fweights=[1, 2, 2], aweights=w, ddof=2),
                xp.cov(x, fweights=w.real, bias=True),
            ],
            samples((2, 3)),
            np.array([1 - 2.5j, 2 - 1j, 3 + 1.5j]),
            tolerance=NEAR,
        )


@pytest.mark.parametrize(
    "options",
    [
        {"ddof": 1.5},
        {"fweights": [1.5, 1, 1]},
        {"fweights": [-1, 1, 1]},
        {"fweights": [1, 1]},
        {"fweights": [[1, 1, 1]]},
        {"aweights": [-1.0, 1, 1]},
        {"aweights": [1.0]},
        {"aweights": [[1.0, 1, 1]]},
        {"aweights": [0.0, 0.0, 0.0]},
        {"dtype": int},
        {"y": [[[1]]]},
        {"y": [1, 2]},
    ],
    ids=repr,
)
def test_errors(options: dict[str, Any]) -> None:
    agree(lambda xp, x: xp.cov(x, **options), samples((2, 3)))
    agree(lambda xp, x: xp.cov(x[None], **options), samples((2, 3)))


def test_a_divisor_of_zero_warns() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cp.cov(from_numpy(np.array([1.0])))
    assert "Degrees of freedom" in str(caught[0].message)


def test_by_numpy() -> None:
    agree(lambda xp, x: [np.cov(x), np.corrcoef(x)], samples((2, 3)), tolerance=NEAR)
