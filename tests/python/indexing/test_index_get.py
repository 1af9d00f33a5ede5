"""Reading by index: every form, alone and mixed, and what is out of bounds."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare import agree, assert_same, to_numpy
from support.dtypes import ALL_DTYPES, NUMPY_DTYPES, name
from support.indices import AnyIndex, advanced_indices, any_indices, basic_indices
from support.operands import operands, shapes
from support.samples import small_values

MORE = settings(max_examples=settings().max_examples * 4)


def read(_: Any, array: Any, index: Any) -> Any:
    return array[index]


@MORE
@given(st.data())
def test_basic(data: st.DataObject) -> None:
    a = data.draw(operands([np.dtype(np.int32)], data.draw(shapes())))
    index = AnyIndex(data.draw(basic_indices(a.in_numpy().shape)), data.draw(st.booleans()))
    agree(read, a, index, what=f"{a}{index}")


@MORE
@given(st.data())
def test_advanced(data: st.DataObject) -> None:
    a = data.draw(operands([np.dtype(np.int32)], data.draw(shapes())))
    index = AnyIndex(data.draw(advanced_indices(a.in_numpy().shape)), data.draw(st.booleans()))
    agree(read, a, index, what=f"{a}{index}")


@given(st.data())
def test_views_of_views(data: st.DataObject) -> None:
    """Indexing what an index gave."""
    a = data.draw(operands([np.dtype(np.int16)], data.draw(shapes(min_rank=1))))
    first = AnyIndex(data.draw(basic_indices(a.in_numpy().shape)))
    second = data.draw(any_indices(np.asarray(a.in_numpy()[first.in_numpy()]).shape))
    agree(lambda xp, x, i, j: x[i][j], a, first, second, what=f"{a}{first}{second}")


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    a = small_values(dtype, (4, 5), 3)
    agree(lambda xp, x: [x[1], x[::-1, 2], x[[0, 3, 0]], x[x != 0], x[1, 2]], a)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_dtypes_of_indices(dtype: np.dtype) -> None:
    """Integers and bool index; others are refused."""
    indices = np.array([1, 0, 1]).astype(dtype)
    agree(lambda xp, x, i: x[i], np.arange(3), indices)


OUT_OF_BOUNDS = [
    (3,), (-4,), (0, 4), (0, -5), (0, 0, 0), (slice(None), 4), (..., 4), (..., 0, 0, 0),
    ([0, 3],), ([-4],), ([0], [4]), (slice(None), [0, 4]), ([[0, 1], [2, 3]],), (..., ...),
    ([0, 1], [0, 1, 2]), ([True, False],), ([True, False, True, True],), (np.ones((3, 3), bool),),
    (np.ones((2, 4), bool),), ("x",), (1.0,), ([1.5],), (np.float64(1),), (1j,), ({},),
    (slice(None, None, 0),), (slice(1.5),), (slice("a"),),
    (np.ones((3, 4, 1), bool),), ([True] * 3, [0, 1]), (2**70,), (-(2**63),),
]  # fmt: skip


@pytest.mark.parametrize("index", OUT_OF_BOUNDS, ids=repr)
def test_refused(index: tuple) -> None:
    """The same exception type as NumPy's, in reading and in writing, with nothing changed."""
    a = np.arange(12).reshape(3, 4)
    agree(read, a, AnyIndex(index))
    agree(read, a, AnyIndex(index, bare=True))
    array = from_numpy(a)
    with pytest.raises((IndexError, TypeError, ValueError)):
        array[index] = 1
    assert_same(array, a)


def test_out_of_bounds_in_empty_results() -> None:
    """An index that nothing reads is not checked against a zero extent alone."""
    agree(lambda xp, x: x[[0]], np.empty((0, 3)))
    agree(lambda xp, x: x[:, [0]], np.empty((0, 3)))
    agree(lambda xp, x: x[:, [3]], np.empty((0, 3)))
    agree(lambda xp, x: x[xp.zeros(0, xp.int64)], np.empty((0, 3)))
    agree(lambda xp, x: x[[]], np.empty((3, 2)))
    agree(lambda xp, x: x[[3], []], np.empty((3, 2)))


def test_views_share_memory() -> None:
    """Basic indices give views, advanced ones copies."""

    def run(xp: Any, x: Any) -> Any:
        x[1:, ::-1][0] = 7
        x[..., None][0] = 5
        x[[0, 1]][0] = 99
        x[x > 50] += 1
        return x

    agree(run, np.arange(12).reshape(3, 4))


def test_zero_rank() -> None:
    a = np.array(5)
    agree(lambda xp, x: [x[()], x[...], x[None], x[None, ..., None]], a)
    agree(lambda xp, x: [x[True], x[False], x[xp.array(True)], x[None, True]], a)
    agree(lambda xp, x: x[0], a)
    agree(lambda xp, x: x[:], a)
    agree(lambda xp, x: x[xp.array(1)], np.arange(3))
    agree(lambda xp, x: x[xp.array(1), xp.array(2)], np.arange(9).reshape(3, 3))


def test_where_the_dimensions_of_arrays_go() -> None:
    """In place of adjacent index arrays, in front for separated ones."""
    a = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    i, j = np.array([[0], [1]]), np.array([0, 2, 1])
    agree(lambda xp, x, i, j: x[:, i, j], a, i, j)
    agree(lambda xp, x, i, j: x[i, :, j], a, i, j)
    agree(lambda xp, x, i, j: x[:, i, :, j], a, i, j)
    agree(lambda xp, x, i, j: x[:, i, 1], a, i, j)
    agree(lambda xp, x, i, j: x[0, :, j], a, i, j)
    agree(lambda xp, x, i, j: x[:, 0, j], a, i, j)
    agree(lambda xp, x, i, j: x[:, i, None, j], a, i, j)
    agree(lambda xp, x, i, j: x[i, j, ..., 2], a, i, j)
    agree(lambda xp, x, i, j: x[..., i, 2], a, i, j)
    agree(lambda xp, x, i, j: x[[True, False], :, 1], a, i, j)
    agree(lambda xp, x, i, j: x[:, [True, False, True], [1, 2]], a, i, j)


def test_large_gathers_and_masks() -> None:
    """Masks and gathers longer than a tile."""
    a = small_values(np.dtype(np.float32), (1000, 333), 2)
    indices = np.random.default_rng(1).integers(-1000, 1000, 5000)
    agree(lambda xp, x, i: x[i], a, indices)
    agree(lambda xp, x, i: x[i, i % 333], a, indices)
    agree(lambda xp, x: x[x > 1], a)
    agree(lambda xp, x: x[(x > 1).T.T], a)
    agree(lambda xp, x: x[:, x[0] > 0], a)
    agree(lambda xp, x: x.T[x.T > 2], a)


@given(st.data())
def test_take(data: st.DataObject) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=3, min_extent=1))
    a = data.draw(operands([np.dtype(np.int32)], shape))
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    extent = int(np.prod(shape)) if axis is None else shape[axis]
    mode = data.draw(st.sampled_from(["raise", "wrap", "clip"]))
    low, high = (-extent, extent) if mode == "raise" else (-3 * extent, 3 * extent)
    indices = data.draw(st.lists(st.integers(low, high - 1), max_size=6))
    array = np.array(indices, np.int64).reshape(data.draw(st.sampled_from([(-1,), (1, -1)])))
    agree(
        lambda xp, x, i: xp.take(x, i, axis=axis, mode=mode),
        *(a, array),
        what=f"take({a}, {array.tolist()}, axis={axis}, mode={mode})",
    )


def test_take_forms() -> None:
    a = np.arange(12).reshape(3, 4)
    agree(lambda xp, x: [xp.take(x, 5), x.take([1, 2]), xp.take(x, [[0, 1]], axis=1)], a)
    agree(lambda xp, x: xp.take(x, 12), a)
    agree(lambda xp, x: xp.take(x, [0, -13]), a)
    agree(lambda xp, x: xp.take(x, [3], axis=0), a)
    agree(lambda xp, x: xp.take(x, [0], axis=2), a)
    agree(lambda xp, x: xp.take(x, [1, 0], axis=0, out=xp.zeros((2, 4), x.dtype)), a)
    agree(lambda xp, x: xp.take(xp.zeros((0, 2)), [0], axis=0), a)


def test_take_along_axis() -> None:
    a = small_values(np.dtype(np.int64), (4, 5), 2)
    order = np.random.default_rng(1).integers(-5, 5, (4, 3))
    agree(lambda xp, x, i: xp.take_along_axis(x, i, axis=1), a, order)
    agree(lambda xp, x, i: xp.take_along_axis(x, i[:, :1] % 4, axis=0), a, order[:1])
    agree(lambda xp, x, i: xp.take_along_axis(x, i.ravel(), axis=None), a, order)
    agree(lambda xp, x, i: xp.take_along_axis(x, i + 10, axis=1), a, order)
    agree(lambda xp, x, i: xp.take_along_axis(x, i.ravel(), axis=1), a, order)
    agree(lambda xp, x, i: xp.take_along_axis(x, i * 1.0, axis=1), a, order)


def test_choose_select_compress_extract() -> None:
    selector = np.array([[0, 2, 1], [1, 0, 2]])
    choices = [small_values(np.dtype(np.float32), (2, 3), i) for i in range(3)]
    for mode in ("raise", "wrap", "clip"):
        agree(lambda xp, s, c: xp.choose(s, c, mode=mode), selector, choices)
        agree(lambda xp, s, c: xp.choose(s + 2, c, mode=mode), selector, choices)
        agree(lambda xp, s, c: xp.choose(s - 1, c, mode=mode), selector, choices)
    agree(lambda xp, s, c: xp.select([s == 0, s > 1], c[:2], default=9), selector, choices)
    agree(lambda xp, s, c: xp.select([s == 0, s > 1], [s, 2.5]), selector, choices)
    agree(lambda xp, s, c: xp.select([s == 0], [s, s]), selector, choices)
    agree(lambda xp, s, c: xp.select([s[:, :2] == 0, s], [s, s]), selector, choices)
    flags, bytes_ = np.array([True, False]), np.array([3, 4], "u1")
    agree(lambda xp, f, b: xp.select([f, f], [f, b], default=-1), flags, bytes_)
    agree(lambda xp, f, b: xp.select([f, f], [f, f], default=-1), flags, bytes_)
    agree(lambda xp, s, c: xp.compress([True, False, True], s, axis=1), selector, choices)
    agree(lambda xp, s, c: xp.compress([False, True], s, axis=0), selector, choices)
    agree(lambda xp, s, c: xp.extract(s > 0, c[0]), selector, choices)


@given(st.data())
def test_nonzero(data: st.DataObject) -> None:
    a = data.draw(operands(NUMPY_DTYPES, data.draw(shapes(min_rank=1)), "small"))
    agree(lambda xp, x: xp.nonzero(x), a)
    agree(lambda xp, x: [xp.argwhere(x), xp.flatnonzero(x), xp.count_nonzero(x)], a)


@given(st.data())
def test_where(data: st.DataObject) -> None:
    a = data.draw(operands(NUMPY_DTYPES, data.draw(shapes(max_rank=3)), "small"))
    condition = data.draw(
        operands([np.dtype(bool), np.dtype(np.int8)], a.in_numpy().shape, "small")
    )
    other = data.draw(operands(NUMPY_DTYPES, (), "small"))
    agree(lambda xp, c, x, y: xp.where(c, x, y), condition, a, other)
    agree(
        lambda xp, c, x: [xp.where(c, x, 1), xp.where(c, 2.5, x), xp.where(c, 1, 2)], condition, a
    )
    agree(lambda xp, x: xp.where(x), np.array([1, 0, 2]))


@pytest.mark.parametrize("number", [-1, 300, -(2**31), 2**63, 2**64 - 1])
@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "u4", "i8", "u8"])
def test_numbers_that_where_chooses_wrap(dtype: str, number: int) -> None:
    """As in NumPy before 2.5, which refuses numbers that do not fit."""
    values, condition = np.array([1, 2], dtype), np.array([True, False])
    wrapped = np.asarray(number).astype(dtype)

    def run(xp: Any, c: Any, x: Any) -> list[Any]:
        other = wrapped if xp is np else number
        return [xp.where(c, x, other), xp.where(c, other, x), xp.select([c], [x], other)]

    agree(run, condition, values)


@pytest.mark.skipif(IS_NUMPY, reason="NumPy's own iteration")
def test_iteration_and_length() -> None:
    array = from_numpy(np.arange(6).reshape(3, 2))
    rows = list(array)
    assert len(array) == 3
    assert_same(cp.stack(rows), np.arange(6).reshape(3, 2))
    with pytest.raises(TypeError):
        len(cp.zeros(()))
    with pytest.raises(TypeError):
        iter(cp.zeros(()))


@pytest.mark.parametrize("where", [np.s_[:], np.s_[1:], np.s_[::-1]])
def test_bounds_hold_for_what_positions_are_now(where: Any) -> None:
    """Positions that were found within bounds are looked at again once they may have changed."""
    a, positions = cp.arange(10), cp.asarray([1, -2, 3])
    first = a[positions[where]]
    assert_same(a[positions[where]], to_numpy(first))
    with pytest.raises(IndexError):
        to_numpy(a[:2][positions[where]])
    positions[1] = 9
    assert_same(a[positions[where]], np.array([1, 9, 3])[where])
    positions += 1
    with pytest.raises(IndexError):
        to_numpy(a[positions[where]])
    positions[...] = cp.asarray([0, 0, -10])
    a[positions[where]]
    cp.add(positions, -1, out=positions)
    with pytest.raises(IndexError):
        to_numpy(a[positions[where]])


MANY = [
    (None,) * 62, (None,) * 63, (None,) * 65, (None,) * 129, (0,) * 65, (0,) * 129, (...,) * 129,
    (slice(None),) * 65, (True,) * 64, (True,) * 65, ([0],) * 65, (None,) * 63 + ([0],),
    (None,) * 61 + ([0],), (None,) * 62 + ([[0]],),
]  # fmt: skip


@pytest.mark.parametrize("index", MANY, ids=lambda index: f"{len(index)} of {index[0]}")
def test_more_indices_than_dimensions_can_be(index: Any) -> None:
    a = np.arange(6.0).reshape(2, 3)
    agree(lambda xp, x: x[index], a)
    agree(lambda xp, x: x.__setitem__(index, 1), a)
