"""Users' kernels among other operations: the same functions for cupola and for NumPy."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

A = (np.arange(96 * 100).reshape(96, 100) % 11 + 1).astype("f4")
B = (np.arange(96 * 100).reshape(96, 100) % 7 - 3).astype("f4")


def smooth(x: Any, y: Any) -> Any:
    """For `vectorize`."""
    total = x * y
    for _ in range(3):
        total = total * 0.5 + y
    return total if x > y else y


def square(x: Any) -> Any:
    """Another one."""
    return x * x


def of_cupola(cp: Any) -> SimpleNamespace:
    """The functions as kernels."""
    kernel = cp.ElementwiseKernel
    return SimpleNamespace(
        scale=kernel("T x, T y", "T z", "z = (x - y) * y + x", "scale"),
        five=kernel("T a, T b, T c, T d, T e", "T z", "z = a + b * c - d * e", "five"),
        steps=kernel(
            "T x", "T y", "y = x;\nfor (int i = 0; i < 3; ++i) {\n  y = y * 2 - i;\n}", "steps"
        ),
        mixed=kernel("S x, T y", "bool z", "z = x > y && y != 0", "mixed"),
        half=kernel("float16 x", "float16 y", "y = x * x + float16(1)", "half"),
        turn=kernel("complex64 z", "complex64 w", "w = conj(z) * 2.0f + z", "turn"),
        both=kernel("T x", "T y, int32 z", "y = x + 1; z = (int)x * 2", "both"),
        three=kernel(
            "T a, T b, T c, T d", "T x, bool y, float64 z", "x = a - b; y = b < c; z = d", "three"
        ),
        first=kernel(
            "T x",
            "T y",
            "y = helper(x) * FACTOR",
            "first",
            preamble="#define FACTOR 3\n__device__ T helper(T x) { return x + 1; }",
        ),
        second=kernel(
            "T x",
            "T y",
            "y = helper(x) * FACTOR",
            "second",
            preamble="#define FACTOR 5\ntemplate <class U> __device__ U helper(U x) "
            "{ return x - 1; }",
        ),
        smooth=cp.vectorize(smooth),
        square=cp.vectorize(square),
    )


def of_numpy() -> SimpleNamespace:
    """The same, by NumPy."""
    f4 = np.float32

    def steps(x: Any) -> Any:
        for i in range(3):
            x = x * f4(2) - f4(i)
        return x

    return SimpleNamespace(
        scale=lambda x, y: (x - y) * y + x,
        five=lambda a, b, c, d, e: a + b * c - d * e,
        steps=steps,
        mixed=lambda x, y: (x > y) & (y != 0),
        half=lambda x: (x.astype("f4") * x.astype("f4") + f4(1)).astype("f2"),
        turn=lambda z: np.conj(z) * f4(2) + z,
        both=lambda x: (x + f4(1), (x.astype("i4") * 2).astype("i4")),
        three=lambda a, b, c, d: (a - b, b < c, (d + 0 * a).astype("f8")),
        first=lambda x: (x + f4(1)) * f4(3),
        second=lambda x: (x - f4(1)) * f4(5),
        smooth=lambda x, y: np.vectorize(smooth, otypes=["f4"])(x, y),
        square=lambda x: x * x,
    )


def _rows(xp: Any, k: Any, a: Any, b: Any) -> Any:
    e = k.scale(a, b)
    return e / (k.steps(e.max(1, keepdims=True)) + 0.5)


def _of_rows(xp: Any, k: Any, a: Any, b: Any) -> Any:
    most, doubled = k.both(k.scale(a, b).max(1, keepdims=True))
    return (a - k.five(most, 1, doubled.astype("f4"), 2, most)).sum(1)


def _of_three(xp: Any, k: Any, a: Any, b: Any) -> Any:
    difference, _, last = k.three(a * 2, b, a[0], b[:, :1])
    return difference * last


def _of_numbers(xp: Any, k: Any, a: Any, b: Any) -> Any:
    return a * k.scale(b[:1, :1], a[:1, :1]) + k.three(b[:1, :1], a[:1, :1], 1, 2)[0]


def _written(xp: Any, k: Any, a: Any, b: Any) -> Any:
    c = a.copy()
    c += k.scale(a, b)
    c[1:, ::2] = k.steps(b[1:, ::2]) + 1
    return c


# What is computed, and by how many kernels; None where it is computed in several steps.
CASES: dict[str, tuple[Callable[[Any, Any, Any, Any], Any], int | None]] = {
    "alone": (lambda xp, k, a, b: k.scale(a, b), 1),
    "chain": (lambda xp, k, a, b: k.scale(a + b, 2) * 2, 1),
    "nested": (lambda xp, k, a, b: k.scale(k.scale(a, b), b), 1),
    "five inputs": (lambda xp, k, a, b: k.five(a, b, a * 2, 3, b + 1), 1),
    "a loop": (lambda xp, k, a, b: k.steps(a - b), 1),
    "types": (lambda xp, k, a, b: k.mixed(a.astype("i8"), b) | (a > 5), 1),
    "halves": (lambda xp, k, a, b: k.half(a.astype("f2")).astype("f4") - b, 1),
    "complex": (lambda xp, k, a, b: k.turn(a.astype("c8") + 1j) * 2, 1),
    "preambles": (lambda xp, k, a, b: k.first(k.second(a) + k.first(b)), 1),
    "where": (lambda xp, k, a, b: xp.where(a > 3, k.scale(a, b), k.steps(b)), 1),
    "row and column": (lambda xp, k, a, b: k.scale(a, b[0]) + k.scale(a[:, :1], b), 1),
    "part": (lambda xp, k, a, b: k.scale(a, b)[::2, 1:] * 3, 1),
    "transposed": (lambda xp, k, a, b: k.scale(a, b).T + k.steps(a.T), 1),
    "sum": (lambda xp, k, a, b: k.scale(a, b).sum(), 1),
    "columns": (lambda xp, k, a, b: k.scale(a, b).max(0), 1),
    "of a sum": (lambda xp, k, a, b: k.scale((a * b).sum(1), 2) + 1, 1),
    "rows": (_rows, 1),
    "calls of rows": (_of_rows, 1),
    "some of three": (_of_three, 1),
    "of one element for all": (_of_numbers, 1),
    "columns of two": (lambda xp, k, a, b: (k.both(a * b)[0] - b).sum(0), 1),
    "written": (_written, None),
    "vectorized": (lambda xp, k, a, b: k.smooth(a, b) + k.square(a), 1),
    "one element": (lambda xp, k, a, b: k.scale(a[0, 0], b[1, 1]), 1),
}


def wrong_counts(xp: Any, cases: dict[str, Any], *arguments: Any) -> list[tuple[str, int]]:
    """Computes the cases: those that take other kernels than they say, and how many they take."""
    wrong = []
    for name, (function, count) in cases.items():
        result = function(xp, *arguments)
        found = len(xp.explain(result).kernels)
        xp.eval(result)
        if count not in (found, None):
            wrong.append((name, found))
    return wrong
