"""Shapes and arrangement, views where NumPy gives views."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp
from hypothesis import given
from hypothesis import strategies as st
from support.compare import UNSIGNED_ZERO, agree
from support.dtypes import ALL_DTYPES, NUMPY_DTYPES, name
from support.operands import operands, shapes
from support.samples import small_values

DTYPES = [np.dtype(np.int16), np.dtype(np.float32)]


def changed_through(view: Any, base: Any) -> bool:
    """Whether a write to the view shows in its base."""
    if view.size == 0:
        return True
    view[...] = 77
    return bool((base == 77).any())


@st.composite
def factorings(draw: Any, size: int) -> tuple[int, ...]:
    """A shape of that many elements, perhaps with one -1."""
    if size == 0:
        return draw(st.sampled_from([(0,), (0, 3), (2, 0, 1)]))
    shape = []
    rest = size
    for factor in (2, 3, 5, 7):
        while rest % factor == 0:
            shape.append(factor)
            rest //= factor
    shape = [*shape, rest] if rest > 1 else shape
    while len(shape) > 1 and draw(st.booleans()):
        last = shape.pop()
        shape[draw(st.integers(0, len(shape) - 1))] *= last
    shape = draw(st.permutations(shape)) if shape else []
    if draw(st.booleans()):
        shape = [*shape, 1]
    if shape and draw(st.integers(0, 2)) == 0:
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    return tuple(shape)


@given(st.data())
def test_reshape(data: st.DataObject) -> None:
    """Values, order, and whether it is a view."""
    a = data.draw(operands(DTYPES))
    shape = data.draw(factorings(a.in_numpy().size))
    order = data.draw(st.sampled_from(["C", "F", "A"]))

    def run(xp: Any, x: Any) -> Any:
        result = xp.reshape(x, shape, order=order)
        shared = a.broadcast is None and changed_through(result, x)
        return [result, x, shared]

    agree(run, a, what=f"{a} -> {shape} {order}")
    agree(lambda xp, x: [x.reshape(shape), x.reshape(*shape) if shape else x], a)


GAPS = [
    (np.s_[::-1], (1, 6)), (np.s_[::2], (1, 3, 1, 1)), (np.s_[::-1, :2], (1, 4, 3, 1, 1)),
    (np.s_[:, ::2], (4, 1, 3, 1)), (np.s_[:, 0:1], (1, 2, 1, 2, 1)), (np.s_[0:1, ::2], (3, 1, 1)),
    (np.s_[1:3, :], (1, 3, 1, 4, 1)), (np.s_[::-1, 0:1], (1, 1, 4)), (np.s_[:, :], (1, 24, 1)),
    (np.s_[0:1, 0:1], (1, 1, 1)), (np.s_[0:1, 0:1], ()), (np.s_[::2, ::3], (2, 2, 1)),
]  # fmt: skip


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize(("part", "shape"), GAPS, ids=str)
def test_strides_of_reshaped_views(part: Any, shape: Any, order: Any) -> None:
    """Those of axes of length 1 as well."""
    line = np.arange(6.0)
    table = np.arange(24.0).reshape(4, 6)

    def run(xp: Any, x: Any) -> Any:
        view = x[part]
        shapes = [shape, view.shape, (*view.shape, 1), (1, *view.shape)]
        results = [view.reshape(shape, order=order)]
        results += [view.T.reshape(each[::-1], order=order) for each in shapes]
        return [each.strides for each in results], results

    agree(run, table if isinstance(part, tuple) else line)


def test_reshape_refusals_and_copy() -> None:
    a = np.arange(12).reshape(3, 4)
    for shape in ((5, 2), (-1, -1), (-1, 5), (-2, 6), 13, (3, 4, 0), (0, -1)):
        agree(lambda xp, x, s=shape: x.reshape(s), a, what=f"reshape{shape}")
    agree(lambda xp, x: xp.reshape(x.T, 12, copy=False), a)
    agree(lambda xp, x: xp.reshape(x, 12, copy=False), a)
    agree(lambda xp, x: xp.reshape(x, 12, copy=True), a)
    agree(lambda xp, x: xp.reshape(x, 12, order="X"), a)
    agree(lambda xp, x: x.reshape(0, -1), np.zeros((0, 3)))
    agree(lambda xp, x: x.reshape(-1), np.zeros((0, 3)))


@given(st.data())
def test_ravel_and_flatten(data: st.DataObject) -> None:
    a = data.draw(operands(DTYPES))
    order = data.draw(st.sampled_from(["C", "F", "A"]))
    agree(lambda xp, x: [xp.ravel(x, order), x.ravel(order), x.flatten(order)], a, what=f"{a}")

    def run(xp: Any, x: Any) -> Any:
        return [changed_through(x.ravel(), x), changed_through(x.flatten(), x)]

    if a.broadcast is None and a.in_numpy().size > 1:
        agree(run, a)


@given(st.data())
def test_axes(data: st.DataObject) -> None:
    """transpose, swapaxes, moveaxis, rollaxis-like permutations, all as views."""
    a = data.draw(operands(DTYPES, data.draw(shapes(min_rank=1))))
    rank = a.in_numpy().ndim
    permutation = data.draw(st.permutations(range(rank)))
    negative = [p - rank if data.draw(st.booleans()) else p for p in permutation]
    i, j = data.draw(st.integers(-rank, rank - 1)), data.draw(st.integers(-rank, rank - 1))
    agree(lambda xp, x: [xp.transpose(x), xp.transpose(x, negative), x.transpose(*negative)], a)
    agree(lambda xp, x: [xp.swapaxes(x, i, j), xp.moveaxis(x, i, j), x.T], a)
    agree(lambda xp, x: xp.moveaxis(x, list(range(rank)), permutation), a)
    agree(lambda xp, x: xp.rollaxis(x, i, abs(j)), a)


@pytest.mark.parametrize("kind", [np.array, cp.array])
def test_integer_arrays_as_shapes_and_axes(kind: Any) -> None:
    host = np.arange(24).reshape(2, 3, 4)
    a = cp.asarray(host)
    assert a.transpose(kind([2, 0, 1])).shape == (4, 2, 3)
    assert a.reshape(kind([4, 6])).shape == (4, 6)
    assert a.reshape(kind(24)).shape == (24,)
    assert cp.zeros(kind([5])).shape == (5,)
    parts = cp.split(a, kind([1, 3]), axis=2)
    assert [part.shape[2] for part in parts] == [1, 2, 1]


def test_axes_refused() -> None:
    a = np.zeros((2, 3))
    for axes in ((0,), (0, 0), (0, 2), (0, -3), (1, 0, 2)):
        agree(lambda xp, x, p=axes: x.transpose(p), a, what=f"transpose{axes}")
    agree(lambda xp, x: xp.swapaxes(x, 0, 2), a)
    agree(lambda xp, x: xp.moveaxis(x, [0, 1], [0]), a)
    agree(lambda xp, x: xp.moveaxis(x, 3, 0), a)
    agree(lambda xp, x: xp.moveaxis(x, [0, 0], [0, 1]), a)
    agree(lambda xp, x: x.mT, np.zeros(3))


@given(st.data())
def test_squeeze_and_expand(data: st.DataObject) -> None:
    a = data.draw(operands(DTYPES, data.draw(shapes(max_rank=4))))
    shape = a.in_numpy().shape
    ones = [i for i, n in enumerate(shape) if n == 1]
    agree(lambda xp, x: [xp.squeeze(x), x.squeeze()], a)
    for axis in ones:
        agree(lambda xp, x, i=axis: xp.squeeze(x, i), a)
    agree(lambda xp, x: xp.squeeze(x, tuple(ones)), a)
    rank = len(shape)
    new = data.draw(st.lists(st.integers(0, rank + 1), min_size=1, max_size=2, unique=True))
    agree(lambda xp, x: xp.expand_dims(x, tuple(new)), a)
    agree(lambda xp, x: xp.expand_dims(x, -1), a)
    agree(lambda xp, x: [xp.atleast_1d(x), xp.atleast_2d(x), xp.atleast_3d(x)], a)


def test_squeeze_refused() -> None:
    agree(lambda xp, x: xp.squeeze(x, 0), np.zeros((2, 1)))
    agree(lambda xp, x: xp.squeeze(x, 2), np.zeros((2, 1)))
    agree(lambda xp, x: xp.expand_dims(x, 3), np.zeros((2, 1)))
    agree(lambda xp, x: xp.expand_dims(x, (0, 0)), np.zeros((2, 1)))


@given(st.data())
def test_flips_and_rotations(data: st.DataObject) -> None:
    a = data.draw(operands(DTYPES, data.draw(shapes(min_rank=1))))
    rank = a.in_numpy().ndim
    axis = data.draw(st.integers(-rank, rank - 1))
    agree(lambda xp, x: [xp.flip(x), xp.flip(x, axis), xp.flip(x, tuple(range(rank)))], a)
    if rank >= 2:
        agree(lambda xp, x: [xp.fliplr(x), xp.flipud(x)], a)
        turns = data.draw(st.integers(-5, 5))
        agree(lambda xp, x: [xp.rot90(x, turns), xp.rot90(x, turns, (1, 0))], a)


@given(st.data())
def test_roll(data: st.DataObject) -> None:
    a = data.draw(operands(DTYPES, data.draw(shapes(min_rank=1, max_rank=3))))
    rank = a.in_numpy().ndim
    shift, other = data.draw(st.integers(-12, 12)), data.draw(st.integers(-3, 3))
    axis = data.draw(st.integers(-rank, rank - 1))
    agree(lambda xp, x: [xp.roll(x, shift), xp.roll(x, shift, axis)], a)
    agree(lambda xp, x: xp.roll(x, (shift, other), (axis, 0)), a)
    agree(lambda xp, x: xp.roll(x, shift, tuple(range(rank))), a)


@given(st.data())
def test_tile_and_repeat(data: st.DataObject) -> None:
    a = data.draw(operands(DTYPES, data.draw(shapes(max_rank=3))))
    view = a.in_numpy()
    repetitions = data.draw(st.lists(st.integers(0, 3), max_size=4).map(tuple))
    agree(lambda xp, x: xp.tile(x, repetitions), a, what=f"tile({a}, {repetitions})")
    agree(lambda xp, x: xp.tile(x, 2), a)
    axis = data.draw(
        st.one_of(st.none(), st.integers(-view.ndim, view.ndim - 1)) if view.ndim else st.none()
    )
    count = data.draw(st.integers(0, 3))
    agree(lambda xp, x: [xp.repeat(x, count, axis), x.repeat(count, axis)], a)
    extent = view.size if axis is None else view.shape[axis]
    counts = np.random.default_rng(extent).integers(0, 4, extent)
    agree(
        lambda xp, x: xp.repeat(x, counts.tolist(), axis), a, what=f"repeat({a}, {counts}, {axis})"
    )
    agree(lambda xp, x, c: xp.repeat(x, c, axis), a, counts)


def test_repeat_refused() -> None:
    agree(lambda xp, x: xp.repeat(x, [1, 2]), np.zeros(3))
    agree(lambda xp, x: xp.repeat(x, -1), np.zeros(3))
    agree(lambda xp, x: xp.repeat(x, [1, -1, 1]), np.zeros(3))
    agree(lambda xp, x: xp.repeat(x, 2, axis=1), np.zeros(3))


@given(st.data())
def test_broadcasts(data: st.DataObject) -> None:
    full = data.draw(shapes(max_rank=3))
    part = tuple(1 if data.draw(st.booleans()) else n for n in full)
    part = part[data.draw(st.integers(0, len(full))) :]
    a = data.draw(operands(DTYPES, part))
    b = data.draw(operands(DTYPES, full))
    agree(lambda xp, x: xp.broadcast_to(x, full), a)
    agree(lambda xp, x, y: xp.broadcast_arrays(x, y), a, b)
    agree(lambda xp, x: xp.broadcast_to(x, (*full, 7, 7)), a)
    if not IS_NUMPY:
        assert cp.broadcast_shapes(part, full) == full
    agree(lambda xp, x: xp.broadcast_to(x, (2, 2)), np.zeros(3))


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    a = small_values(dtype, (2, 3), 4)
    agree(lambda xp, x: [xp.roll(x, 1), xp.tile(x, 2), xp.repeat(x, 2), x.T.copy()], a)
    agree(lambda xp, x: [xp.concatenate([x, x]), xp.stack([x, x], 1), xp.pad(x, 1)], a)
    agree(lambda xp, x: [x.real, x.imag, x.conj(), xp.real(x), xp.imag(x)], a)


def test_parts_of_complex_arrays_are_views() -> None:
    def run(xp: Any, x: Any) -> Any:
        x.real[0] = 5
        x.imag[...] = x.real
        x.T.real[1] += 1
        x.real = 3
        x[1:].imag = xp.arange(2)
        return [x, x.real, x.imag]

    for dtype in (np.complex64, np.complex128):
        agree(run, np.ones((3, 2), dtype))
        agree(
            lambda xp, x: [xp.angle(x), xp.iscomplexobj(x), xp.isrealobj(x)],
            np.ones(2, dtype),
            dtype=False,
        )


@pytest.mark.parametrize("target", [t for t in NUMPY_DTYPES if t.kind != "b"], ids=name)
def test_views_of_another_dtype(target: np.dtype) -> None:
    a = small_values(np.dtype(np.float64), (3, 4), 1)
    agree(lambda xp, x: [x.view(target), x[::2].view(target), x.view()], a)
    agree(lambda xp, x: x[:, ::2].view(target), a)
    agree(lambda xp, x: x.T.view(target), a)
    agree(lambda xp, x: x.view(target), np.zeros(3, np.int8))

    def run(xp: Any, x: Any) -> Any:
        x.view(target)[...] = 0
        return x

    agree(run, a)


def test_diagonals() -> None:
    a = small_values(np.dtype(np.int32), (3, 4, 5), 1)
    for offset in (-9, -3, -1, 0, 2, 4):
        for axis1, axis2 in ((0, 1), (1, 0), (-1, 0), (1, 2)):
            agree(lambda xp, x: x.diagonal(offset, axis1, axis2), a)
            agree(lambda xp, x: x.trace(offset, axis1, axis2), a)
    agree(lambda xp, x: x.diagonal(0, 1, 1), a)
    agree(lambda xp, x: x.diagonal(0, 0, 3), a)
    agree(lambda xp, x: xp.diag(x), a)
    agree(lambda xp, x: xp.diag(x[0, 0, 0]), a)


@given(st.data())
def test_clip(data: st.DataObject) -> None:
    a = data.draw(operands([np.dtype(t) for t in "bIldf"], fill="mixed"))
    low, high = data.draw(st.sampled_from([(-1, 2), (0, 1), (3, 1), (None, 2), (1, None)]))
    agree(
        lambda xp, x: [xp.clip(x, low, high), x.clip(low, high)],
        a,
        tolerance=UNSIGNED_ZERO,
        what=f"{a} {low} {high}",
    )


def test_clip_forms() -> None:
    a = small_values(np.dtype(np.float32), (3, 4), 1)
    agree(lambda xp, x: xp.clip(x, x[0], 2), a)
    agree(lambda xp, x: xp.clip(x, -1, 1, out=xp.zeros((3, 4))), a)
    agree(lambda xp, x: xp.clip(x, -1, 1, out=x), a)
    agree(lambda xp, x: xp.clip(x, np.nan, 1), a)
    agree(lambda xp, x: xp.clip(x, min=0, max=1), a)
    agree(lambda xp, x: xp.clip(x, None, None), a)
    agree(lambda xp, x: xp.clip(x.astype(xp.int8), -300, 2.5), a)
    agree(lambda xp, x: xp.clip(x, xp.zeros(3), 1), a)


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("low", "high"),
    [(-0.0, 0.0), (0.0, -0.0), (0.0, 2.5), (3.0, 1.0), (np.nan, 1.0), (0.0, np.nan), (-1, np.inf)],
)
def test_clip_has_the_bits_of_both_steps(dtype: str, low: float, high: float) -> None:
    x = cp.asarray(np.tile([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, 2.5, 3.0, -7.5], 11), dtype)
    raised = cp.maximum(x, low)
    cp.flush()
    expected = cp.minimum(raised, high)
    cp.flush()
    found = cp.clip(x, low, high)
    bits = f"u{x.dtype.itemsize}"
    assert found.get().view(bits).tolist() == expected.get().view(bits).tolist()


def test_rounding() -> None:
    a = np.array([0.5, 1.5, -2.5, 2.675, 1234.567, -0.04, np.inf, np.nan])
    for decimals in (0, 1, 2, -2):
        agree(lambda xp, x: [xp.round(x, decimals), x.round(decimals)], a)
        agree(lambda xp, x: xp.around(x.astype(xp.float32), decimals), a)
    agree(lambda xp, x: [xp.round(x), xp.round(x, -2)], np.array([149, 150, 151, -250]))
    agree(lambda xp, x: xp.round(x, 1), np.array([1.25 + 2.35j]))
    agree(lambda xp, x: xp.fix(x), a)
