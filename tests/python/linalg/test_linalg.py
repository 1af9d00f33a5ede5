"""Products of vectors, matrices and stacks of them; einsum."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy
from hypothesis import given
from hypothesis import strategies as st
from support import compare
from support.compare import UNSIGNED_ZERO, Tolerance, assert_same
from support.dtypes import NUMPY_DTYPES, SOME_DTYPES, bfloat16, epsilon, name, real_dtype
from support.operands import operands
from support.samples import ordinary_values, small_values

# The order of the products decides the sign of a zero sum.
agree = partial(compare.agree, tolerance=UNSIGNED_ZERO)
FLOATING = [np.dtype(t) for t in "fdFD"]


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    """Small integers: exact in every type."""
    a, b = small_values(dtype, (4, 7), 1), small_values(dtype, (7, 5), 2)
    agree(
        lambda xp, x, y: [x @ y, xp.dot(x, y), y.T @ x.T, x @ y[:, 0], x[0] @ y, x[0] @ x[1]], a, b
    )
    agree(lambda xp, x, y: [xp.inner(x, x), xp.outer(x[0], y[0]), xp.tensordot(x, y, 1)], a, b)
    agree(lambda xp, x, y: [xp.vdot(x, x), xp.vdot(x.T, x.T), xp.matmul(x[None], y)], a, b)


@pytest.mark.cupola_only
def test_bfloat16() -> None:
    a, b = small_values(bfloat16, (4, 7), 1), small_values(bfloat16, (7, 5), 2)
    want = (a.astype(np.float32) @ b.astype(np.float32)).astype(bfloat16)
    assert_same(cp.matmul(from_numpy(a), from_numpy(b)), want)


def test_promotion() -> None:
    for first in SOME_DTYPES:
        for second in SOME_DTYPES:
            a, b = small_values(first, (2, 3), 1), small_values(second, (3, 2), 2)
            agree(lambda xp, x, y: [x @ y, xp.dot(x, y), xp.tensordot(x, y, 1)], a, b)


extents = st.sampled_from([0, 1, 2, 3, 5, 8])


@given(st.data())
def test_stacks_of_any_layout(data: st.DataObject) -> None:
    """Batches that broadcast, transposed and negative strides, zero extents."""
    rows, inner, columns = (data.draw(extents) for _ in range(3))
    batch = [data.draw(st.sampled_from([1, 2, 3])) for _ in range(data.draw(st.integers(0, 2)))]
    dtype = data.draw(st.sampled_from([*FLOATING, np.dtype(np.int32)]))
    first, second = ([1 if data.draw(st.booleans()) else n for n in batch] for _ in range(2))
    first = first[data.draw(st.integers(0, len(first))) :]
    a = data.draw(operands(dtype, (*first, rows, inner), "small"))
    b = data.draw(operands(dtype, (*second, inner, columns), "small"))
    agree(lambda xp, x, y: xp.matmul(x, y), a, b, what=f"{a} @ {b}")


@given(st.data())
def test_vectors(data: st.DataObject) -> None:
    inner, rows = data.draw(extents), data.draw(extents)
    dtype = data.draw(st.sampled_from([*FLOATING, np.dtype(np.int8)]))
    v = data.draw(operands(dtype, (inner,), "small"))
    w = data.draw(operands(dtype, (inner,), "small"))
    m = data.draw(operands(dtype, (2, rows, inner), "small"))
    agree(lambda xp, x, y, z: [x @ y, z @ x, y @ z.swapaxes(1, 2)], v, w, m)
    agree(lambda xp, x, y, z: [xp.dot(x, y), xp.dot(z, x), xp.inner(x, z), xp.inner(z, z)], v, w, m)
    agree(lambda xp, x, y, z: [xp.vdot(x, y), xp.outer(x, z), xp.dot(z, z[0].T)], v, w, m)


@pytest.mark.parametrize("dtype", [np.dtype(t) for t in "efdFD"], ids=name)
@pytest.mark.parametrize("shape", [(65, 130, 33), (1, 1000, 1), (300, 7, 200), (128, 128, 128)])
def test_floating_products(dtype: np.dtype, shape: tuple[int, int, int]) -> None:
    """Within the bound of the sums of products, for every combination of transposes."""
    m, k, n = shape
    a, b = ordinary_values(dtype, (m, k), 1), ordinary_values(dtype, (k, n), 2)
    wide = np.complex128 if dtype.kind == "c" else np.float64
    exact = (a.astype(wide) @ b.astype(wide)).astype(dtype)
    magnitudes = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    inner = np.dtype(np.float32) if dtype == np.float16 else real_dtype(dtype)
    bound = magnitudes * epsilon(inner) * (np.sqrt(k) + 4)
    tolerance = Tolerance(1, bound)
    if IS_NUMPY and dtype == np.float16:
        tolerance = Tolerance(1, magnitudes * epsilon(dtype) * k)
    x, y = from_numpy(a), from_numpy(b)
    assert_same(x @ y, exact, tolerance)
    xt, yt = from_numpy(np.ascontiguousarray(a.T)), from_numpy(np.ascontiguousarray(b.T))
    assert_same(xt.T @ yt.T, exact, tolerance)
    assert_same(x @ yt.T, exact, tolerance)
    assert_same((yt @ xt), exact.T, Tolerance(1, np.asarray(tolerance.absolute).T))


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
def test_long_sums_of_small_results(dtype: type) -> None:
    """They may be summed in pieces, of which the last one is shorter."""
    rng = np.random.default_rng(5)
    for length in (1 << 16, 70_001):
        a = (rng.random((length, 5)) - 0.25).astype(dtype)
        b = (rng.random((length, 3)) - 0.25).astype(dtype)
        expected = a.T.astype(np.complex128) @ b.astype(np.complex128)
        device_a, device_b = cp.asarray(a), cp.asarray(b)
        rows = cp.ascontiguousarray(device_a.T)
        products = [
            device_a.T @ device_b,
            rows @ device_b,
            cp.matmul(rows, cp.asfortranarray(device_b)),
            cp.matmul(rows[::1, ::-1], device_b[::-1], out=cp.empty((5, 3), dtype)),
        ]
        for product in products:
            assert product.dtype == dtype
            limit = {np.float16: 2e-3, np.float32: 1e-5, np.complex64: 1e-5}.get(dtype, 1e-13)
            found = cp.asnumpy(product)
            assert np.abs(found - expected).max() <= limit * np.abs(expected).max()


def test_special_values() -> None:
    a = np.array([[np.inf, 1.0], [np.nan, -0.0], [1e308, 1e308]])
    for dtype in (np.float64, np.float32):
        agree(lambda xp, x: [x @ x.T, x @ x[0]], a.astype(dtype))


def test_options_of_matmul() -> None:
    a = small_values(np.dtype(np.float64), (3, 3), 2)

    def run(xp: Any, x: Any) -> Any:
        out, wide = xp.zeros((3, 3)), xp.zeros((3, 6))
        assert xp.matmul(x, x, out=out) is out
        xp.matmul(x, x, out=wide[:, ::2])
        transposed = xp.zeros((3, 3)).T
        xp.dot(x, x, out=out)
        xp.matmul(x, x, out=transposed)
        return out, wide, transposed

    agree(run, a)
    agree(lambda xp, x: xp.matmul(x, x, out=x), a)
    agree(lambda xp, x: xp.matmul(x, x, dtype=xp.complex128), a)
    agree(lambda xp, x: xp.matmul(x.astype(xp.int32), x.astype(xp.int32), dtype=xp.float64), a)
    agree(lambda xp, x: xp.matmul(x, x, out=xp.zeros((3, 3), xp.int8)), a)
    agree(lambda xp, x: xp.matmul(x, x, out=xp.zeros((3, 3), xp.int8), casting="unsafe"), a)
    agree(lambda xp, x: xp.matmul(x, x, out=xp.zeros((2, 3))), a)
    agree(lambda xp, x: xp.dot(x, x, out=xp.zeros((3, 3), xp.float32)), a)

    def in_place(_: Any, x: Any) -> Any:
        x @= x
        return x

    agree(in_place, a)


def test_refused() -> None:
    a, b = np.zeros((2, 3)), np.zeros((4, 2))
    for product in ("matmul", "dot", "inner", "vdot"):
        agree(lambda xp, x, y, f=product: getattr(xp, f)(x, y), a, b, what=product)
    agree(lambda xp, x: xp.matmul(x, 2.0), a)
    agree(lambda xp, x: xp.matmul(xp.zeros((2, 3, 4)), xp.zeros((3, 4, 5))), a)
    agree(lambda xp, x: xp.tensordot(x, x, 1), a)
    agree(lambda xp, x: xp.tensordot(x, x, ([0], [2])), a)
    agree(lambda xp, x: xp.tensordot(x, x, ([0, 1], [0])), a)
    agree(lambda xp, x: xp.einsum("ij,jk", x, x), a)
    agree(lambda xp, x: xp.einsum("ijk", x), a)
    agree(lambda xp, x: xp.einsum("i->ij", x[0]), a)
    agree(lambda xp, x: xp.einsum("ij,", x), a)


def test_scalars_in_products() -> None:
    a = small_values(np.dtype(np.float32), (2, 3), 2)
    agree(lambda xp, x: [xp.dot(x, 2.0), xp.dot(2, x), xp.inner(x, 3), xp.outer(2, x)], a)
    agree(lambda xp, x: [xp.dot(x, xp.array(2.0)), xp.outer(x, [1, 2]), xp.kron(x, x)], a)
    agree(lambda xp: xp.dot(2, 3))


@pytest.mark.parametrize(
    "axes", [0, 1, 2, ([0], [0]), ([1, 0], [1, 0]), ((0, 1), (0, 1)), ([-1], [1])], ids=str
)
def test_tensordot(axes: Any) -> None:
    a, b = small_values(np.dtype(np.int64), (3, 4), 1), small_values(np.dtype(np.int64), (3, 4), 2)
    agree(lambda xp, x, y: xp.tensordot(x, y, axes), a, b)
    agree(lambda xp, x, y: xp.tensordot(x, y.T, axes), a, b)
    agree(lambda xp, x, y: xp.tensordot(x[:0], y[:0], axes), a, b)


EINSUMS = [
    ("ij,jk", 2), ("ij,jk->ki", 2), ("ij->ji", 1), ("ii", 1), ("ii->i", 1), ("ij->", 1),
    ("ij->j", 1), ("ij,ij->", 2), ("ij,ij->ij", 2), ("i,i", "v"), ("i,j->ij", "v"),
    ("i,j->ji", "v"),
    ("ij,kj,lk->il", 3), ("ij,jk,kl", 3), ("ij,ij,ij->i", 3), ("...ij,...jk->...ik", 2),
    ("...j->...", 1), ("i...->...", 1), ("ij...,j...", 2), ("ik,jk->ij", 2), ("ab,cb", 2),
    ("ij , jk -> ik", 2), ("ii,ij->j", 2), ("ij,kl->ijkl", 2), ("ij,kl->", 2),
]  # fmt: skip


@pytest.mark.parametrize(("subscripts", "count"), EINSUMS, ids=str)
@pytest.mark.parametrize("dtype", [np.dtype(t) for t in "lfD"], ids=name)
def test_einsum(subscripts: str, count: Any, dtype: np.dtype) -> None:
    shape, number = ((4,), 2) if count == "v" else ((4, 4), count)
    arrays = [small_values(dtype, shape, i) for i in range(number)]
    agree(lambda xp, a: xp.einsum(subscripts, *a), arrays, what=subscripts)
    for optimize in (False, True, "greedy", "optimal"):
        agree(lambda xp, a, o=optimize: xp.einsum(subscripts, *a, optimize=o), arrays)


def test_einsum_forms() -> None:
    a, b = (
        small_values(np.dtype(np.int64), (2, 3, 4), 1),
        small_values(np.dtype(np.int64), (3, 4), 2),
    )
    agree(lambda xp, x, y: xp.einsum(x, [0, 1, 2], y, [1, 2], [0]), a, b)
    agree(lambda xp, x, y: xp.einsum("bij,ij->b", x, y, dtype=xp.float64), a, b)
    agree(lambda xp, x, y: xp.einsum("bij,ij->b", x, y, out=xp.zeros(2, xp.int64)), a, b)
    agree(lambda xp, x, y: xp.einsum("bij,ij->bij", x[:, :0], y[:0]), a, b)
    agree(lambda xp, x, y: xp.einsum("bij,ij", x[:, :0], y[:0]), a, b)
    agree(lambda xp, x, y: xp.einsum("ij,j->i", y, xp.ones(1, y.dtype)), a, b)
    agree(lambda xp, x, y: xp.einsum("bij->jb", x.astype(xp.float32)), a, b)
    agree(lambda xp, x, y: xp.einsum("i,ij,j", y[:, 0], y, y[0]), a, b)


def test_product_of_vectors_into_an_output_that_waits() -> None:
    """A view of the output with the dimensions of a matrix is one of its memory."""

    def run(xp: Any, a: Any, b: Any, start: Any) -> Any:
        out = xp.where(True, start, start)
        assert xp.matmul(a, b, out=out) is out
        return out

    for dtype in ("i2", "f4", "f8"):
        line, matrix = np.array([-4, 6], dtype), np.array([[1.0, 2], [3, 4]])
        agree(run, line, np.array([0.5, -2.5]), np.array(7.25))
        agree(run, line, matrix, np.zeros(2))
        agree(run, matrix, line, np.zeros(2))
