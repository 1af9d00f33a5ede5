"""Arguments that random calls beside NumPy found taken or refused otherwise, each cause once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import Tolerance, agree

INTEGERS = np.array([8, -4], "i2")


def placed(xp: Any, value: Any) -> Any:
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


def stored(xp: Any, shape: tuple[int, ...], key: Any, value: Any) -> Any:
    a = xp.zeros(shape)
    a[key] = value
    return a


def fields(xp: Any, value: Any) -> Any:
    a = xp.asarray(np.array(5, "u4"))
    a.setfield(value, "u2")
    return a


def drawn(xp: Any, name: str, parameter: np.ndarray) -> Any:
    """One number at most is computed from the parameter, so that both give the same."""
    more = {"binomial": (3,), "hypergeometric": (4, 7)}.get(name, ())
    return getattr(xp.random.default_rng(3), name)(*more, xp.asarray(parameter))


CALLS: dict[str, Callable[[Any], Any]] = {
    f"norms along the axis {axis!r}": lambda xp, axis=axis: xp.linalg.vector_norm(
        xp.asarray(np.arange(6.0).reshape(2, 3)), axis=axis
    )
    for axis in (-0.0, "1", 1.7, np.float64(1), [0], (0.0,), 1j, 2, -3, True)
} | {
    f"points in {points!r}": lambda xp, points=points: xp.histogramdd(points)
    for points in ({}, {1: 2}, {1, 2}, (), "", "x", 5, None, range(3), [[1, 2], [3]], [1, "a"])
}
CALLS |= {
    f"{shape!r} extents in an array": lambda xp, shape=shape: xp.resize(
        xp.asarray([1.0, 2, 3]), xp.asarray(np.array(shape))
    )
    for shape in ([2, 3], [2], [], [0, 2], [[2, 3]], [2.0, 3.0], [-1, 2])
} | {
    f"weights {weights!r} of no points": lambda xp, weights=weights: [
        xp.histogramdd(xp.asarray([]), weights=weights),
        xp.histogram2d(xp.asarray([]), xp.asarray([]), weights=weights, bins=2),
    ]
    for weights in ([False, True], [], [[1.5, 2]], 3)
}
CALLS |= (
    {
        f"{value!r} at {key!r} of {shape!r}": lambda xp, c=(shape, key, value): stored(xp, *c)
        for value in ([1.5], [[1.0]], [[1, 2, 3]], [], [[]], [[1], [2]], ([1.0],))
        for shape, key in (((), ...), ((), ()), ((3,), ...), ((3,), slice(1)), ((2, 3), 1))
    }
    | {
        f"{value!r} at indices": lambda xp, value=value: stored(xp, (3,), [0, 1], value)
        for value in ([[1.0, 2]], [[3]], [1, 2])
    }
    | {
        f"a field that holds {value!r}": lambda xp, value=value: fields(xp, value)
        for value in ([1.0], [[1, 2]], 3)
    }
)
CALLS |= (
    {
        f"{name} of complex numbers as {type(p)}": lambda xp, c=(name, p): drawn(xp, *c)
        for name in ("binomial", "geometric", "lognormal", "pareto", "hypergeometric", "zipf")
        for p in (np.array([0.5j]), np.array(0.5j), np.empty(0, "c8"))
    }
    | {
        f"{sample!r} balls": lambda xp, sample=sample: [
            xp.random.RandomState(3).hypergeometric(0, 7, sample),
            xp.random.default_rng(3).hypergeometric(0, 0, sample),
        ]
        for sample in (0, [0], 1, [-1])
    }
    | {
        f"a choice among shape {shape!r}": lambda xp, shape=shape: [
            xp.random.default_rng(3).choice(xp.ones(shape)).shape,
            xp.random.RandomState(3).choice(xp.ones(shape)),
            xp.random.choice(xp.ones(shape)),
        ]
        for shape in ((3,), (2, 3), (1, 1))
    }
)
CALLS |= {
    f"{weights!r} in bins {bins!r}": lambda xp, weights=weights, bins=bins: xp.histogram(
        xp.asarray([1, 2]), bins, weights=xp.asarray(np.array(weights))
    )
    for weights in ([True, False], [1, 2])
    for bins in ([0, 1, 3.0], 2)
} | {
    f"logical_xor of {a!r} and {b!r} as {options!r}": lambda xp, a=a, b=b, options=options: (
        xp.logical_xor(placed(xp, a), placed(xp, b), **options)
    )
    for a, b in ((1, INTEGERS), (INTEGERS, 1.5), (INTEGERS, INTEGERS != 0), (True, INTEGERS))
    for options in (
        {"casting": "no", "dtype": bool},
        {"casting": "no", "signature": "??->?"},
        {"casting": "safe", "signature": "??->?"},
        {"casting": "safe", "signature": "hh->?"},
        {"casting": "no", "dtype": "f4"},
    )
}
CALLS |= {
    f"one of {p!r} {n!r} times": lambda xp, n=n, p=p: xp.random.RandomState(3).multinomial(
        placed(xp, n), placed(xp, np.array(p))
    )
    for n in (0, np.array(0), np.array([0, 0]), [0])
    for p in ([0.5, 0.5], [[0.5, 0.5]], [])
} | {
    f"{index!r} cut to {extent}": lambda xp, index=index, extent=extent: xp.ravel_multi_index(
        [index], extent, "clip"
    )
    for index in (-1, 0, 3)
    for extent in (-1, -3, 0, 1, 3)
}
CALLS["trimmed by an array"] = lambda xp: xp.polynomial.chebyshev.chebtrim(
    [3.0, -1, 1], xp.asarray(2)
)
CALLS |= {
    f"{default!r} beside {dtype}": lambda xp, default=default, dtype=dtype: xp.select(
        [xp.asarray([True, False])], [xp.asarray(np.array([1, 1], dtype))], default
    )
    for default in (-9, 300, 2**63 - 1, 2**64, -(2**70), 1.5, True)
    for dtype in ("u1", "i2", "u8")
}
CALLS |= {
    f"{count} generators": lambda xp, count=count: len(xp.random.default_rng(3).spawn(count))
    for count in (2, -1, 2**31, 2**62)
}
CALLS["an offset in text"] = lambda xp: xp.fromfile("no such file", sep=",", offset=5)
CALLS["points in arrays"] = lambda xp: xp.histogramdd((xp.ones(3), xp.asarray([0, 1, 2])), bins=2)
CALLS["points of an iterator"] = lambda xp: xp.histogramdd(iter([1, 2]))


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    agree(CALLS[name], what=name)


@pytest.mark.parametrize("axis", [0, -1, (0, 1), None])
def test_vector_norms_keep_dimensions(axis: Any) -> None:
    agree(
        lambda xp, a: [
            xp.linalg.vector_norm(a, axis=axis, keepdims=True, ord=order) for order in (0, 1, 2, 3)
        ],
        np.arange(6.0).reshape(2, 3),
        tolerance=Tolerance(2),
    )


def test_points_in_arrays_stay_on_their_device() -> None:
    hist, edges = cp.histogramdd((cp.ones(3), cp.zeros(3)), bins=2)
    assert isinstance(hist, cp.ndarray)
    assert hist.shape == (2, 2)
    assert len(edges) == 2
