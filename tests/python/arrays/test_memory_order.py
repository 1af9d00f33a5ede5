"""Results lie in memory as NumPy's do (order K): strides are compared as well as values."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda a: a,
    "columns": lambda a: a.T,
    "1 0 2": lambda a: a.transpose(1, 0, *range(2, a.ndim)),
    "1 2 0": lambda a: a.transpose(*range(1, a.ndim), 0),
    "last two": lambda a: a.swapaxes(-1, -2),
    "backwards": lambda a: a[::-1].T,
    "steps": lambda a: a[:, ::2].T,
}

I = [0, 1]  # noqa: E741
PAIRS = [[0, 1], [1, 0], [1, 1]]
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "sum 0": lambda m, a: a.sum(0),
    "sum 1": lambda m, a: a.sum(1, keepdims=True),
    "sum last": lambda m, a: m.sum(a, -1),
    "sum two": lambda m, a: a.sum((0, -1)),
    "mean": lambda m, a: a.mean(0),
    "var": lambda m, a: a.var(1),
    "std": lambda m, a: a.std(0, keepdims=True),
    "max": lambda m, a: a.max(1),
    "prod": lambda m, a: m.prod(a, 0),
    "any": lambda m, a: (a > 0).any(0),
    "add.reduce": lambda m, a: m.add.reduce(a, 1),
    "reduceat 0": lambda m, a: m.add.reduceat(a, [0, 1], 0),
    "reduceat 1": lambda m, a: m.add.reduceat(a, [0, 1], 1),
    "argmax": lambda m, a: a.argmax(0),
    "argmin": lambda m, a: m.argmin(a, 1, keepdims=True),
    "median": lambda m, a: m.median(a, 0),
    "quantile": lambda m, a: m.quantile(a, [0.1, 0.5], axis=0),
    "nanquantile": lambda m, a: m.nanquantile(a, [0.1, 0.5, 0.5], axis=0),
    "nanquantile last": lambda m, a: m.nanquantile(a, [[0.1], [0.5]], axis=-1, keepdims=True),
    "nanpercentile two": lambda m, a: m.nanpercentile(m.where(a > 0, a, m.nan), [1, 5], (0, 1)),
    "nanpercentile all": lambda m, a: m.nanpercentile(a, [[1, 5], [20, 50]]),
    "polyadd": lambda m, a: m.polyadd(a, a),
    "nansum": lambda m, a: m.nansum(a, 0),
    "nanmean": lambda m, a: m.nanmean(a, 1),
    "nanmax": lambda m, a: m.nanmax(a, 0),
    "nanvar": lambda m, a: m.nanvar(a, 1),
    "ptp": lambda m, a: m.ptp(a, 0),
    "average": lambda m, a: m.average(a, axis=0),
    "count_nonzero": lambda m, a: m.count_nonzero(a, axis=0),
    "norm": lambda m, a: m.linalg.norm(a, axis=0),
    "softmax": lambda m, a: m.exp(a - a.max(0)) / m.exp(a - a.max(0)).sum(0),
    "cumsum 0": lambda m, a: a.cumsum(0),
    "cumprod": lambda m, a: a.cumprod(-1),
    "accumulate": lambda m, a: m.maximum.accumulate(a, 1),
    "cumulative_sum": lambda m, a: m.cumulative_sum(a, axis=0),
    "sort": lambda m, a: m.sort(a, 0),
    "argsort": lambda m, a: a.argsort(-1),
    # At every place, so that each element's is told.
    "partition": lambda m, a: m.partition(a, range(a.shape[-1])),
    "searchsorted": lambda m, a: m.searchsorted(m.asarray([0.0, 1.0]), a),
    "digitize": lambda m, a: m.digitize(a, m.asarray([0.0, 1.0])),
    "indices": lambda m, a: a[m.asarray(I)],
    "indices last": lambda m, a: a[..., m.asarray(I)],
    "indices 1": lambda m, a: a[:, m.asarray(PAIRS)],
    "indices two": lambda m, a: a[m.asarray(I), m.asarray([1, 0])],
    "indices columns": lambda m, a: a[m.asarray(PAIRS).T, m.asarray(PAIRS).T],
    "indices and new": lambda m, a: a[m.asarray(I), None],
    "mask": lambda m, a: a[:, m.asarray([True, False] + [True] * (a.shape[1] - 2))],
    "whole mask": lambda m, a: a[a > 0],
    "take": lambda m, a: m.take(a, m.asarray(PAIRS), 1),
    "compress": lambda m, a: m.compress([True, False, True], a, 0),
    "repeat": lambda m, a: m.repeat(a, 2, 1),
    "roll": lambda m, a: m.roll(a, 1, 0),
    "tile": lambda m, a: m.tile(a, (1, 2)),
    "concatenate": lambda m, a: m.concatenate([a, a], 1),
    "stack": lambda m, a: m.stack([a, a]),
    "stack 1": lambda m, a: m.stack([a, a], 1),
    "dstack": lambda m, a: m.dstack([a, a]),
    "append": lambda m, a: m.append(a, a, 0),
    "insert": lambda m, a: m.insert(a, 1, 0, 0),
    "delete": lambda m, a: m.delete(a, 1, 0),
    "delete some": lambda m, a: m.delete(a, I, 1),
    "pad": lambda m, a: m.pad(a, 1),
    "diff": lambda m, a: m.diff(a, axis=1),
    "where": lambda m, a: m.where(a > 0, a, 0),
    "choose": lambda m, a: m.choose((a > 0).astype(int), [a, a]),
    "select": lambda m, a: m.select([a > 0], [a], 0),
    "tril": lambda m, a: m.tril(a),
    "triu": lambda m, a: m.triu(a, 1),
    "round": lambda m, a: m.round(a, 1),
    "round even": lambda m, a: m.round(a),
    "round of flags": lambda m, a: m.round(m.broadcast_to((a > 0)[:1], a.shape)),
    "byteswap": lambda m, a: a.astype("i4").byteswap(),
    "unequal to text": lambda m, a: a != "f4",
    "clip": lambda m, a: m.clip(a, 0, 1),
    "fft 0": lambda m, a: m.fft.fft(a, axis=0),
    "fft": lambda m, a: m.fft.fft(a),
    "rfft": lambda m, a: m.fft.rfft(a, axis=0),
    "fftn": lambda m, a: m.fft.fftn(a),
    "irfft": lambda m, a: m.fft.irfft(a, axis=1),
    "fftshift": lambda m, a: m.fft.fftshift(a),
    "matmul": lambda m, a: a @ a.swapaxes(-1, -2),
    "tensordot": lambda m, a: m.tensordot(a, a, ([0], [0])),
    "einsum": lambda m, a: m.einsum("ij...->i...", a),
    "cross": lambda m, a: m.cross(a[..., :3], a[..., :3]),
    "outer": lambda m, a: m.add.outer(a, a[0]),
    "outer of order A": lambda m, a: m.add.outer(a[:, 0].copy(), a[0].copy(), order="A"),
    "take_along_axis": lambda m, a: m.take_along_axis(a, m.argsort(a, 0), 0),
}


def strides(array: Any) -> tuple[int, ...]:
    """In elements; 0 where there is one element only."""
    steps = zip(array.strides, array.shape, strict=True)
    return tuple(step // array.itemsize if extent > 1 else 0 for step, extent in steps)


def operands() -> Iterator[tuple[str, Any, Any]]:
    rng = np.random.default_rng(11)
    for shape in ((4, 6), (4, 6, 5)):
        base = rng.standard_normal(shape)
        for name, layout in LAYOUTS.items():
            yield f"{name} of {shape}", layout(base), layout(cp.asarray(base))


@pytest.mark.parametrize("name", CALLS)
def test_results_lie_as_numpys(name: str) -> None:
    for layout, host, ours in operands():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stored = CALLS[name](np, host), CALLS[name](cp, ours)
            pending = CALLS[name](np, host + 0.0), CALLS[name](cp, ours + 0.0)
        for expected, result in (stored, pending):
            np.testing.assert_allclose(result.get(), expected, atol=1e-12, err_msg=layout)
            assert strides(result) == strides(np.asarray(expected)), layout


def test_what_is_written_through_a_view_is_seen_where_numpy_shows_it() -> None:
    for layout, host, ours in operands():
        for m, a in ((np, host), (cp, ours)):
            result = a.cumsum(0)
            result.T.reshape(-1)[:3] = -7  # a view or a copy, as the strides say
            if m is np:
                expected = result
        assert np.allclose(result.get(), expected), layout


@pytest.mark.parametrize("order", "KACF")
def test_copies_from_and_to_the_host(order: Any) -> None:
    cube = np.arange(24).reshape(2, 3, 4)
    for host in (*(form(cube) for form in LAYOUTS.values()), np.broadcast_to(cube, (2, 2, 3, 4))):
        for stored in (host, host.astype(">i4")):
            expected = np.array(stored, order=order)
            made = cp.array(stored, order=order)
            assert np.array_equal(made.get(), expected)
            assert strides(made) == strides(expected), host.strides
            kept = cp.array(expected)
            assert strides(kept) == strides(expected)
            fetched = cp.asnumpy(kept, order=order)
            assert np.array_equal(fetched, expected)
            assert strides(fetched) == strides(expected)


def test_indices_at_random() -> None:
    rng = np.random.default_rng(12)
    compared = 0
    for _ in range(300):
        rank = int(rng.integers(1, 5))
        base = rng.integers(0, 100, tuple(rng.integers(1, 5, rank)))
        axes = rng.permutation(rank)
        cut = tuple(slice(None, None, int(rng.choice([1, 1, -1, 2]))) for _ in range(rank))
        host, ours = base.transpose(axes)[cut], cp.asarray(base).transpose(*axes)[cut]
        shape = tuple(rng.integers(1, 4, int(rng.integers(0, 3))))
        index: list[Any] = []
        for extent in host.shape:
            kind = rng.random()
            if kind < 0.45:
                index.append(slice(None))
            elif kind < 0.55:
                index += [None, slice(None)]
            elif kind < 0.65:
                index.append(0)
            else:
                picked = rng.integers(-extent, extent, shape)
                index.append(np.asfortranarray(picked) if kind > 0.85 else picked)
        expected = host[tuple(index)]
        if not isinstance(expected, np.ndarray):
            continue
        computed = ours[
            tuple(cp.asarray(i, order="K") if isinstance(i, np.ndarray) else i for i in index)
        ]
        assert np.array_equal(computed.get(), expected)
        assert strides(computed) == strides(expected), (strides(host), host.shape, index)
        compared += 1
    assert compared > 200
