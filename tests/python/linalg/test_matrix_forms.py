"""Indices of parts of matrices, products with vectors, and the forms of the array standard."""

import itertools
from typing import Any

import numpy as np
import pytest
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, name

NEAR = Tolerance(64, 1e-10)


def matrix(*shape: int, dtype: Any = "f8") -> np.ndarray:
    values = np.random.default_rng(len(shape)).integers(0, 9, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * values[..., ::-1]
    return values.astype(dtype)


@pytest.mark.parametrize("k", [0, 1, -2, 9])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (4, 1), (0, 3), (3,), (2, 2, 2), ()])
def test_indices_from(shape: tuple[int, ...], k: int) -> None:
    agree(lambda xp, x: xp.tril_indices_from(x, k), matrix(*shape))
    agree(lambda xp, x: xp.triu_indices_from(x, k), matrix(*shape))
    agree(lambda xp, x: xp.diag_indices_from(x), matrix(*shape))
    agree(lambda xp: xp.mask_indices(4, xp.triu, k))
    agree(lambda xp: xp.mask_indices(0, xp.tril, k))


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_matrices_and_vectors(dtype: np.dtype) -> None:
    def run(xp: Any, a: Any, v: Any, w: Any) -> list[Any]:
        return [
            xp.matvec(a, v),
            xp.vecmat(w, a),
            xp.matvec(a[0], v[::-1]),
            xp.vecmat(w, xp.swapaxes(a, 1, 2)[:, ::-1][:, :3]),
            xp.matvec(a[:, None], xp.stack([v, v])),
        ]

    operands = (matrix(2, 3, 4, dtype=dtype), matrix(4, dtype=dtype), matrix(3, dtype=dtype))
    agree(run, *operands, tolerance=Tolerance(4, 0.0) if dtype.kind in "fc" else Tolerance())


def test_matvec_options_and_errors() -> None:
    def run(xp: Any, a: Any, v: Any) -> list[Any]:
        out = xp.zeros(3)
        results = [xp.matvec(a, v, out=out), out, xp.matvec(a, v, dtype=np.float32)]
        row = xp.zeros(4)
        return [*results, xp.vecmat(v[:3], a, out=row), row]

    a, v = matrix(3, 4), matrix(4)
    agree(run, a, v)
    for call in (
        lambda xp, a, v: xp.matvec(a, v[:2]),
        lambda xp, a, v: xp.vecmat(v, a),
        lambda xp, a, v: xp.matvec(v, v),
        lambda xp, a, v: xp.vecmat(v, v),
        lambda xp, a, v: xp.vecmat(1, a),
    ):
        agree(call, a, v)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_forms_of_the_standard(dtype: np.dtype) -> None:
    def run(xp: Any, a: Any) -> list[Any]:
        return [
            xp.linalg.diagonal(a),
            xp.linalg.diagonal(a, offset=-1),
            xp.linalg.matrix_transpose(a),
            xp.linalg.trace(a, offset=1),
            xp.linalg.trace(a, dtype=np.complex128),
            xp.linalg.outer(a[0, 0], a[1, :, 0]),
        ]

    agree(run, matrix(2, 3, 4, dtype=dtype))
    if dtype.kind != "b":
        three = matrix(2, 3, 3, dtype=dtype)
        agree(lambda xp, a: xp.linalg.cross(a, a[::-1]), three)
        agree(lambda xp, a: xp.linalg.cross(a, a[0, ::-1], axis=1), three)


def test_errors_of_the_forms() -> None:
    for call in (
        lambda xp, a: xp.linalg.cross(a, a),
        lambda xp, a: xp.linalg.outer(a, a[0]),
        lambda xp, a: xp.linalg.outer(a[0], 1),
        lambda xp, a: xp.linalg.diagonal(a[0]),
        lambda xp, a: xp.linalg.trace(a[0]),
        lambda xp, a: xp.linalg.matrix_transpose(a[0]),
    ):
        agree(call, matrix(2, 4))


@pytest.mark.parametrize("extents", [(3, 4), (3, 4, 2), (10, 2, 9, 3), (5, 1, 6, 2, 8, 3)])
def test_multi_dot(extents: tuple[int, ...]) -> None:
    shapes = itertools.pairwise(extents)
    matrices = [matrix(*shape) for shape in shapes]
    agree(lambda xp, *m: xp.linalg.multi_dot(m), *matrices, tolerance=NEAR)
    agree(lambda xp, *m: xp.linalg.multi_dot([m[0][0], *m[1:]]), *matrices, tolerance=NEAR)
    agree(
        lambda xp, *m: xp.linalg.multi_dot([m[0][0], *m[1:-1], m[-1][:, 0]]),
        *matrices,
        tolerance=NEAR,
    )
    out_shape = (extents[0], extents[-1])
    agree(lambda xp, *m: xp.linalg.multi_dot(m, out=xp.zeros(out_shape)), *matrices, tolerance=NEAR)


def test_multi_dot_errors() -> None:
    agree(lambda xp, a: xp.linalg.multi_dot([a]), matrix(2, 2))
    agree(lambda xp, a: xp.linalg.multi_dot([a, a, a]), matrix(2, 3))
    agree(lambda xp, a: xp.linalg.multi_dot([a, a[0], a]), matrix(2, 2))


def test_systems_of_tensors() -> None:
    a = np.random.default_rng(1).normal(size=(2, 3, 6)) + np.eye(6).reshape(2, 3, 6) * 9
    b = matrix(2, 3)

    def run(xp: Any, a: Any, b: Any) -> list[Any]:
        return [
            xp.linalg.tensorsolve(a, b),
            xp.linalg.tensorsolve(xp.moveaxis(a, 2, 0), b, (0,)),
            xp.linalg.tensorinv(a),
            xp.linalg.tensorinv(a.reshape(6, 3, 2), ind=1),
        ]

    agree(run, a, b, tolerance=NEAR)
    for call in (
        lambda xp, a, b: xp.linalg.tensorsolve(a, b[0]),
        lambda xp, a, b: xp.linalg.tensorinv(a, 0),
        lambda xp, a, b: xp.linalg.tensorinv(a[0, 0, 0]),
        lambda xp, a, b: xp.linalg.tensorinv(a, 1),
        lambda xp, a, b: xp.linalg.tensorinv(a * 0, 2),
    ):
        agree(call, a, b)


def test_by_numpy() -> None:
    def run(xp: Any, a: Any) -> list[Any]:
        return [
            np.linalg.trace(a),
            np.linalg.matrix_transpose(a),
            np.matvec(a, a[0]),
            np.vecmat(a[0], a),
            np.linalg.multi_dot([a, a, a]),
            *np.tril_indices_from(a),
            *np.diag_indices_from(a),
        ]

    agree(run, matrix(3, 3))
