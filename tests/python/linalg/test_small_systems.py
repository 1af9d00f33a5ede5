"""Stacks of small systems, of which CPU devices solve several side by side."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy, to_numpy

EXTENTS = [1, 2, 3, 4, 5, 6, 7, 16]
COUNT = 37  # no multiple of what lies side by side


def systems(n: int, dtype: str, columns: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Without large elements on the diagonal, so that rows are exchanged."""
    rng = np.random.default_rng(n)
    a = rng.standard_normal((COUNT, n, n)) + np.roll(4 * np.eye(n), 1, 0)
    return a.astype(dtype), rng.standard_normal((COUNT, n, columns)).astype(dtype)


def close(actual: Any, expected: np.ndarray) -> None:
    tolerance = 2e-4 if expected.dtype == np.float32 else 1e-11
    got = to_numpy(actual)
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", EXTENTS)
def test_solutions_inverses_and_determinants(n: int, dtype: str) -> None:
    a, b = systems(n, dtype)
    left, right = from_numpy(a), from_numpy(b)
    close(cp.linalg.solve(left, right), np.linalg.solve(a, b))
    close(cp.linalg.solve(left, right[..., :1]), np.linalg.solve(a, b[..., :1]))
    close(cp.linalg.solve(left, from_numpy(b[0])), np.linalg.solve(a, b[0]))
    close(cp.linalg.inv(left), np.linalg.inv(a))
    sign, logarithm = cp.linalg.slogdet(left)
    expected = np.linalg.slogdet(a)
    close(sign, expected.sign)
    close(logarithm, expected.logabsdet)


@pytest.mark.parametrize("n", EXTENTS)
def test_rows_are_exchanged_exactly(n: int) -> None:
    rng = np.random.default_rng(n)
    a = np.stack([np.eye(n)[rng.permutation(n)] for _ in range(COUNT)])
    b = rng.standard_normal((COUNT, n, 2))
    got = to_numpy(cp.linalg.solve(from_numpy(a), from_numpy(b)))
    assert np.array_equal(got, a.transpose(0, 2, 1) @ b)
    assert np.array_equal(to_numpy(cp.linalg.det(from_numpy(a))), np.linalg.det(a))


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_each_depends_on_its_matrix_alone(dtype: str) -> None:
    a, b = systems(4, dtype)
    a[11] = np.nan
    whole = to_numpy(cp.linalg.solve(from_numpy(a), from_numpy(b)))
    for first in (0, 5, COUNT - 8):
        part = slice(first, first + 8)
        assert np.array_equal(
            to_numpy(cp.linalg.solve(from_numpy(a[part]), from_numpy(b[part]))),
            whole[part],
            equal_nan=True,
        )


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [2, 4, 6, 16])
def test_one_singular_matrix_is_found(n: int, dtype: str) -> None:
    a, b = systems(n, dtype)
    a[20, :, 1] = 0
    assert to_numpy(cp.linalg.det(from_numpy(a)))[20] == 0
    for call in (
        lambda: cp.linalg.inv(from_numpy(a)),
        lambda: cp.linalg.solve(from_numpy(a), from_numpy(b)),
    ):
        with pytest.raises(np.linalg.LinAlgError if IS_NUMPY else cp.linalg.LinAlgError):
            call()
