"""Results of two arrays that lie in different ways lie in memory as NumPy's do (order K)."""

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp

# Kernels are compiled for most draws there.
ON_CUDA = os.environ.get("CUPOLA_PLATFORM") == "cuda"

INITIAL = ("max", "min", "nanmax", "nanmin")
REDUCTIONS = (
    *("sum", "prod", "any", "all", "mean", "std", "var"),
    *("nansum", "nanprod", "nanmean", "nanvar", "nanstd"),
    *INITIAL,
)

PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "dot of a number": lambda m, a: m.dot(a, 3),
    "dot with a number": lambda m, a: m.dot(m.asarray(np.int8(2)), a),
    "dot of floats with a number": lambda m, a: m.dot(a.astype("f4"), m.asarray(np.float32(2))),
    "dot of halves with a number": lambda m, a: m.dot(a.astype("f2"), m.asarray(np.float16(2))),
    "inner of a number": lambda m, a: m.inner(a, 2.5),
    "inner": lambda m, a: m.inner(a, a),
    "dot": lambda m, a: m.dot(a, a.swapaxes(-1, -2)),
    "tensordot": lambda m, a: m.tensordot(a, a, ([0], [0])),
    "matmul": lambda m, a: m.matmul(a, a.swapaxes(-1, -2)),
    "matmul of transposes": lambda m, a: m.matmul(a.swapaxes(-1, -2), a),
}


def strides(array: Any) -> tuple[int, ...]:
    """0 where there is one element only."""
    steps = zip(array.strides, array.shape, strict=True)
    return tuple(step if extent > 1 else 0 for step, extent in steps)


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any]:
    """An array of random axes' order that is broadcast along some, and the same of the library."""
    axes = rng.permutation(len(shape))
    extents = [n if rng.random() < 0.7 else 1 for n in shape]
    base = rng.integers(0, 5, [extents[axis] for axis in axes]).astype(dtype)
    back = [int(axis) for axis in np.argsort(axes)]
    return tuple(m.broadcast_to(m.transpose(m.asarray(base), back), shape) for m in (np, cp))  # type: ignore[return-value]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_under_masks(name: str) -> None:
    rng = np.random.default_rng(21)
    for _ in range(25 if ON_CUDA else 250):
        shape = tuple(int(n) for n in rng.integers(2, 5, int(rng.integers(2, 5))))
        host, ours = drawn(rng, shape, rng.choice(["f8", "f4", "i4", "i8", "?"]))
        mask, our_mask = drawn(rng, shape[int(rng.integers(0, 2)) :], "?")
        count = int(rng.integers(1, len(shape)))
        axis = tuple(int(i) for i in rng.permutation(len(shape))[:count])
        options: dict[str, Any] = {"axis": axis, "keepdims": bool(rng.random() < 0.3)}
        if name in INITIAL:
            options["initial"] = 3
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(host, where=mask, **options)
            result = getattr(cp, name)(ours, where=our_mask, **options)
        about = (host.dtype, shape, host.strides, mask.strides, options)
        np.testing.assert_allclose(result.get(), expected, rtol=1e-5, err_msg=str(about))
        assert strides(result) == strides(np.asarray(expected)), about


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["?", "i2", "i8", "u8", "f4", "c8"])
def test_products(name: str, dtype: str) -> None:
    rng = np.random.default_rng(22)
    for _ in range(6 if ON_CUDA else 30):
        shape = tuple(int(n) for n in rng.integers(2, 5, int(rng.integers(2, 4))))
        host, ours = drawn(rng, shape, dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected, result = PRODUCTS[name](np, host), PRODUCTS[name](cp, ours)
        np.testing.assert_allclose(result.get(), expected, rtol=1e-5)
        assert result.dtype == expected.dtype
        assert strides(result) == strides(expected), (host.strides, shape)


def test_a_number_and_an_output_in_dot() -> None:
    """Only vectors and matrices of BLAS's types need an output of their own type and order."""
    for dtype, shape in (("i4", (2, 3)), ("f2", (2, 3)), ("f4", (2, 3, 4))):
        host = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        for out in (np.zeros(shape[::-1], "f8").T, np.zeros((5, *shape))):
            expected = np.dot(host, np.asarray(2, dtype), out=out.copy("K"))
            target = cp.asarray(out, order="K")
            assert cp.dot(cp.asarray(host), cp.asarray(np.asarray(2, dtype)), out=target) is target
            np.testing.assert_array_equal(target.get(), expected)
    with pytest.raises(ValueError, match="not acceptable"):
        cp.dot(cp.ones((2, 3)), 2, out=cp.zeros((2, 3), "f4"))


def test_samples_between_arrays() -> None:
    rng = np.random.default_rng(23)
    for _ in range(20 if ON_CUDA else 200):
        shape = tuple(int(n) for n in rng.integers(2, 5, int(rng.integers(1, 4))))
        bounds = [drawn(rng, shape, rng.choice(["f8", "f4", "i2", "u1", "c16"])) for _ in range(2)]
        if rng.random() < 0.3:
            bounds[1] = (2.5, 2.5)
        axis = int(rng.integers(-1, len(shape) + 1))
        is_complex = any(np.iscomplexobj(host) for host, _ in bounds)
        dtype = rng.choice(["f8", "i4"]) if rng.random() < 0.3 and not is_complex else None
        for name in ("linspace", "logspace"):
            options = {"num": 4, "axis": axis, "dtype": dtype if name == "linspace" else None}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(np, name)(bounds[0][0], bounds[1][0], **options)
                result = getattr(cp, name)(bounds[0][1], bounds[1][1], **options)
            np.testing.assert_allclose(result.get(), expected, rtol=1e-4, atol=1e-6)
            assert strides(result) == strides(expected), (bounds[0][0].strides, options)


STACKS: dict[str, Callable[[Any, Any], Any]] = {
    "inv": lambda m, a: m.linalg.inv(a),
    "det": lambda m, a: m.linalg.det(a),
    "slogdet": lambda m, a: m.linalg.slogdet(a)[1],
    "cholesky": lambda m, a: m.linalg.cholesky(a),
    "eigvalsh": lambda m, a: m.linalg.eigvalsh(a),
    "eigh": lambda m, a: m.linalg.eigh(a)[0],
    "svd": lambda m, a: m.linalg.svd(a)[1],
    "svdvals": lambda m, a: m.linalg.svdvals(a),
    "pinv": lambda m, a: m.linalg.pinv(a),
    "pinv by limits": lambda m, a: m.linalg.pinv(a, rtol=abs(a[..., 0, 0]) * 1e-9),
    "matrix_rank": lambda m, a: m.linalg.matrix_rank(a),
    "cond": lambda m, a: m.linalg.cond(a),
    "norm": lambda m, a: m.linalg.norm(a, 2, axis=(-2, -1)),
    "matrix_power": lambda m, a: m.linalg.matrix_power(a, 3),
    "solve": lambda m, a: m.linalg.solve(a, a[..., :2]),
    "solve of one": lambda m, a: m.linalg.solve(a, m.asarray(np.arange(3.0))),
    "solve of fewer": lambda m, a: m.linalg.solve(a[:1], a[0]),
    "matmul": lambda m, a: a @ a,
    "matmul of fewer": lambda m, a: a @ a[0],
    "matmul of columns": lambda m, a: a @ a[..., :1],
    "matmul of rows": lambda m, a: a[..., :1, :] @ a,
    "matmul of outer products": lambda m, a: a[..., :1] @ a[..., :1, :],
    "matmul of integers": lambda m, a: a.astype("i4") @ a.astype("i4"),
    "matmul of halves": lambda m, a: a.astype("f2") @ a.astype("f2"),
    "vecdot": lambda m, a: m.linalg.vecdot(a, a),
}


@pytest.mark.parametrize("name", STACKS)
def test_stacks_of_matrices_keep_their_order(name: str) -> None:
    rng = np.random.default_rng(24)
    base = rng.standard_normal((2, 3, 4, 3, 3))
    base = base @ base.swapaxes(-1, -2) + np.eye(3)
    orders = ((0, 1, 2, 3, 4), (2, 1, 0, 3, 4), (1, 0, 2, 4, 3), (1, 2, 0, 3, 4))
    for axes in orders:
        for is_broadcast in (False, True):
            results = []
            for m in (np, cp):
                a = m.asarray(base).transpose(*axes)
                a = m.broadcast_to(a[:, :1], a.shape) if is_broadcast else a
                results.append(STACKS[name](m, a))
            expected, result = results
            rounding = 1e-2 if "halves" in name else 1e-6
            np.testing.assert_allclose(result.get(), expected, rtol=rounding, atol=1e-12)
            assert strides(result) == strides(expected), (axes, is_broadcast)


def test_other_orders_follow_numpy() -> None:
    host = np.arange(20, dtype="i1").reshape(5, 4)[:, ::-2]
    ours = cp.arange(20, dtype="i1").reshape(5, 4)[:, ::-2]
    assert cp.asarray(ours, order="A") is ours
    assert cp.asarray(ours, dtype="i1", order="A") is ours
    assert np.asarray(host, order="A") is host
    rows = np.broadcast_to(np.ones((3, 2)), (5, 3, 2))
    assert strides(cp.imag(cp.broadcast_to(cp.ones((3, 2)), (5, 3, 2)))) == strides(np.imag(rows))
