"""Matrices to factor, and how far from right what comes of them may be."""

from typing import Any

import numpy as np
from cupola_under_test import to_numpy

FLOATING = [np.dtype(t) for t in "fdFD"]
EXACT = [np.dtype(t) for t in ("?", "b", "u2", "i4", "i8")]
SHAPES = [(1, 1), (5, 5), (3, 4, 4), (2, 1, 7, 7), (70, 70)]
OBLONG = [(6, 4), (4, 6), (1, 5), (5, 1), (2, 3, 5, 2), (3, 2, 5), (40, 70)]


def sample(dtype: np.dtype, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Matrices of moderate condition."""
    random = np.random.default_rng(seed + sum(shape))
    if dtype.kind in "biu":
        return random.integers(0, 2 if dtype.kind == "b" else 9, shape).astype(dtype)
    values = random.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def hermitian(a: np.ndarray) -> np.ndarray:
    return (a + a.conj().swapaxes(-1, -2)) / 2


def definite(a: np.ndarray) -> np.ndarray:
    product = a @ a.conj().swapaxes(-1, -2) + np.eye(a.shape[-1])
    return product.astype(a.dtype)


def wide(value: Any) -> np.ndarray:
    """On the host, in double precision."""
    host = to_numpy(value)
    return host.astype(np.complex128 if host.dtype.kind == "c" else np.float64)


def adjoint(a: np.ndarray) -> np.ndarray:
    return a.conj().swapaxes(-1, -2)


def size_of(a: np.ndarray) -> Any:
    """The norms of matrices."""
    return np.sqrt((abs(a) ** 2).sum((-1, -2)))


def assert_small(error: np.ndarray, scale: Any, extent: int, dtype: np.dtype) -> None:
    """Norms below 10 times the extent and the precision of the type, of that scale."""
    bound = 10 * max(extent, 1) * np.finfo(dtype).eps
    assert (size_of(error) <= bound * scale).all(), (size_of(error) / scale).max() / bound


def assert_solves(a: np.ndarray, x: Any, b: np.ndarray, dtype: np.dtype) -> None:
    """The backward error of a x = b is that of a stable algorithm."""
    found = to_numpy(x)
    assert found.dtype == dtype
    if b.ndim == 1:
        assert found.shape == a.shape[:-1]
        found, b = found[..., None], b[:, None]
    left, found = wide(a), wide(found)
    assert found.shape == np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:]
    assert_small(left @ found - b, size_of(left) * size_of(found), a.shape[-1], dtype)
