"""ReductionKernels among other operations: the same functions for cupola and for NumPy."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

A = (np.arange(96 * 100).reshape(96, 100) % 11 - 3).astype("f4")
B = (np.arange(96 * 100).reshape(96, 100) % 7 - 3).astype("f4")

PREAMBLE = """
#define LARGER(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
__device__ T clipped(T x) { return x < T(-2) ? T(-2) : x; }
"""


def of_cupola(cp: Any) -> SimpleNamespace:
    """The functions as kernels."""
    kernel = cp.ReductionKernel
    return SimpleNamespace(
        total=kernel("T x", "T y", "x", "a + b", "y = a", "0", "total"),
        sumsq=kernel("T x", "T y", "x * x", "a + b", "y = a", "0", "sumsq"),
        norm=kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm"),
        largest=kernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest"),
        clipped=kernel(
            "T x", "T y", "clipped(x)", "LARGER(a, b)", "y = a", "0", "top", preamble=PREAMBLE
        ),
        dot=kernel("T x, T y, T by", "T z", "x * y", "a + b", "z = a * by", "0", "dot"),
        wide=kernel("S x, T y", "T z", "x + y", "a + b", "z = (T)a", "0", "wide", "float64"),
        ends=kernel(
            "T x", "T y, int64 z", "x", "a + b", "y = a; z = 1; z += (long long)a", "0", "ends"
        ),
        any=kernel("T x", "bool y", "x > 3", "a || b", "y = a", "false", "any"),
        scale=cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * y + x", "scale"),
    )


def of_numpy() -> SimpleNamespace:
    """The same, by NumPy; sums of these numbers are exact."""
    f4 = np.float32

    def wide(x: Any, y: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return (x + y).sum(axis=axis, keepdims=keepdims).astype(np.asarray(y).dtype)

    def dot(x: Any, y: Any, by: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return (x * y).sum(axis=axis, keepdims=keepdims) * f4(by)

    def ends(x: Any, axis: Any = None) -> Any:
        return x.sum(axis), 1 + x.sum(axis).astype("i8")

    return SimpleNamespace(
        total=np.sum,
        sumsq=lambda x, **where: np.sum(x * x, **where),
        norm=lambda x, **where: np.sqrt(np.sum(x * x, **where)),
        largest=np.max,
        clipped=lambda x, **where: np.max(np.maximum(x, -2), **where),
        dot=dot,
        wide=wide,
        ends=ends,
        any=lambda x, **where: np.any(x > 3, **where),
        scale=lambda x, y: (x - y) * y + x,
    )


def _written(xp: Any, k: Any, a: Any, b: Any) -> Any:
    c = a.copy()
    c[:, 0] = k.sumsq(c - b, axis=1) + 1
    c += k.largest(b * 2, axis=0)
    return c


# What is computed, and by how many kernels; None where it is computed in several steps.
CASES: dict[str, tuple[Callable[[Any, Any, Any, Any], Any], int | None]] = {
    "alone": (lambda xp, k, a, b: k.sumsq(a), 1),
    "all": (lambda xp, k, a, b: k.sumsq(a - b), 1),
    "first axis": (lambda xp, k, a, b: k.sumsq(a - b, axis=0), 1),
    "last axis": (lambda xp, k, a, b: k.sumsq(a - b, axis=-1), 1),
    "no axis": (lambda xp, k, a, b: k.sumsq(a - b, axis=()), 1),
    "kept": (lambda xp, k, a, b: k.norm(a * 2, axis=1, keepdims=True), 1),
    "middle": (lambda xp, k, a, b: k.total(a.reshape(8, 12, 100) + 1, axis=1), 1),
    "outer two": (lambda xp, k, a, b: k.total(a.reshape(8, 12, 100) + 1, axis=(2, 0)), 1),
    "levels": (lambda xp, k, a, b: k.sumsq(xp.where(a > b, a * b, abs(a)) - a.astype("f4")), 1),
    "of a user": (lambda xp, k, a, b: k.largest(k.scale(a, b) + k.scale(b, a), axis=0), 1),
    "several inputs": (lambda xp, k, a, b: k.dot(a + 1, b[0] * 2, 3, axis=1), 1),
    "a row and a column": (lambda xp, k, a, b: k.wide(a[:, :1] + 1, b[:1] - a[0], axis=0), 1),
    "types": (lambda xp, k, a, b: k.wide((a + 3).astype("u1"), b.astype("f8"), axis=1), 1),
    "truth": (lambda xp, k, a, b: k.any(a - b, axis=1), 1),
    "preamble": (lambda xp, k, a, b: k.clipped(b - a, axis=1) + k.clipped(-a, axis=1), 1),
    "part": (lambda xp, k, a, b: k.sumsq((a + b)[::2, ::-3], axis=0), 1),
    "transposed": (lambda xp, k, a, b: k.sumsq((a + b).T, axis=0), 1),
    "turned inputs": (lambda xp, k, a, b: k.sumsq(a.T - b.T, axis=1), 1),
    "numbers": (lambda xp, k, a, b: k.total(a + xp.arange(100, dtype="f4"), axis=1), None),
    "behind": (lambda xp, k, a, b: k.sumsq(a - b, axis=1) * 2 + 1, 1),
    "of rows": (lambda xp, k, a, b: a - k.largest(a, axis=1, keepdims=True), 1),
    "twice": (lambda xp, k, a, b: k.sumsq(a - k.largest(a, axis=1, keepdims=True), axis=1), 1),
    "of results": (lambda xp, k, a, b: k.total(k.sumsq(a - b, axis=1)), None),
    "beside a sum": (lambda xp, k, a, b: k.sumsq(a, axis=1) - a.sum(1), 1),
    "two outputs": (lambda xp, k, a, b: xp.stack(list(k.ends(a + b, axis=1))), None),
    "one element": (lambda xp, k, a, b: k.norm(a[1:2, 1] + 1), 1),
    "written": (_written, None),
}
