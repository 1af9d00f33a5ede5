"""Eigenvalues of matrices that need not be Hermitian: judged by what they must fulfil."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree
from support.dtypes import name
from support.matrices import FLOATING, SHAPES, assert_small, sample, size_of, wide

SQUARE = [shape for shape in SHAPES if shape[-1] == shape[-2]]


@pytest.mark.cupola_only
@pytest.mark.parametrize("shape", SQUARE, ids=str)
@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_values_and_vectors(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    result = cp.linalg.eig(from_numpy(a))
    assert result._fields == ("eigenvalues", "eigenvectors")
    values, vectors = (to_numpy(each) for each in result)
    expected = np.linalg.eig(a.astype(np.result_type(a, np.complex64)))
    assert [values.dtype, vectors.dtype] == [each.dtype for each in expected]
    assert [values.shape, vectors.shape] == [each.shape for each in expected]
    assert vectors.strides[-2] >= vectors.strides[-1]
    left, right = wide(a) @ wide(vectors), wide(vectors) * wide(values)[..., None, :]
    assert_small(left - right, size_of(wide(a)), shape[-1], dtype)
    np.testing.assert_allclose(np.linalg.norm(wide(vectors), axis=-2), 1, rtol=1e-5)
    alone = to_numpy(cp.linalg.eigvals(from_numpy(a)))
    assert alone.dtype == values.dtype
    difference = np.sort_complex(wide(alone)) - np.sort_complex(wide(values))
    assert_small(difference[..., None], size_of(wide(a)), shape[-1], dtype)


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int64, np.float32, np.float64])
def test_always_complex(dtype: Any) -> None:
    """Whether all eigenvalues are real or not: the dtype does not depend on values."""
    real = np.array([[[2, 1], [0, 3]], [[1, 0], [1, 1]]]).astype(dtype)
    turned = np.concatenate([real.astype(np.int64), [[[0, -1], [1, 0]]]]).astype(real.dtype)
    wide = np.complex64 if dtype == np.float32 else np.complex128
    for a in (real, turned):
        values, vectors = (to_numpy(each) for each in cp.linalg.eig(from_numpy(a)))
        alone = to_numpy(cp.linalg.eigvals(from_numpy(a)))
        assert values.dtype == vectors.dtype == alone.dtype == wide
        expected = np.sort_complex(np.linalg.eigvals(a).astype(wide))
        np.testing.assert_allclose(np.sort_complex(alone), expected, atol=1e-6)


def test_stacks_keep_their_order() -> None:
    a = sample(np.dtype(np.float64), (3, 2, 4, 4)).transpose(1, 0, 2, 3)
    zero = np.complex64(0)
    agree(lambda xp, x: [xp.linalg.eig(x)[0] * zero, xp.linalg.eigvals(x) * zero], a)


def test_nothing() -> None:
    for dtype in "fdFD":
        for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
            agree(
                lambda xp, x: [
                    each * np.complex64(1) for each in (xp.linalg.eigvals(x), *xp.linalg.eig(x))
                ],
                np.zeros(shape, dtype),
            )


BAD = [
    np.ones(3),
    np.float64(2),
    np.ones((2, 3)),
    np.array([[np.nan, 1], [1, 1]]),
    np.array([[1j, np.inf], [1, 1]]),
    np.ones((2, 2), np.float16),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_errors(number: int) -> None:
    agree(lambda xp, x: xp.linalg.eig(xp.asarray(x)), BAD[number])
    agree(lambda xp, x: xp.linalg.eigvals(xp.asarray(x)), BAD[number])
