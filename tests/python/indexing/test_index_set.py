"""Writing by index: every form, broadcasting, casting, repeated indices, overlap."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare import agree, assert_same
from support.dtypes import ALL_DTYPES, NUMPY_DTYPES, SOME_DTYPES, name
from support.indices import AnyIndex, advanced_indices, basic_indices
from support.operands import operands, shapes
from support.samples import small_values

MORE = settings(max_examples=settings().max_examples * 3)


def write(_: Any, array: Any, index: Any, value: Any) -> Any:
    array[index] = value
    return array


@st.composite
def values_for(draw: Any, shape: tuple[int, ...]) -> Any:
    """Something that broadcasts to `shape`: a scalar, an array with extents of one, a view."""
    kind = draw(st.sampled_from(["scalar", "array", "array", "numpy scalar"]))
    if kind == "scalar":
        return draw(st.sampled_from([7, -3, True]))
    if kind == "numpy scalar":
        return np.int64(5)
    part = shape[draw(st.integers(0, len(shape))) :]
    part = tuple(1 if draw(st.integers(0, 3)) == 0 else n for n in part)
    if shape and draw(st.integers(0, 4)) == 0:
        part = (1, *part)
    return draw(operands([np.dtype(np.int32), np.dtype(np.int8)], part))


@MORE
@given(st.data())
def test_basic(data: st.DataObject) -> None:
    a = data.draw(operands([np.dtype(np.int32)], data.draw(shapes()), broadcast=False))
    index = AnyIndex(data.draw(basic_indices(a.in_numpy().shape)), data.draw(st.booleans()))
    value = data.draw(values_for(np.asarray(a.in_numpy()[index.in_numpy()]).shape))
    agree(write, a, index, value, what=f"{a}{index} = {value}")


@MORE
@given(st.data())
def test_advanced(data: st.DataObject) -> None:
    """The last of several values for one element stays."""
    a = data.draw(operands([np.dtype(np.int32)], data.draw(shapes()), broadcast=False))
    index = AnyIndex(data.draw(advanced_indices(a.in_numpy().shape)), data.draw(st.booleans()))
    try:
        selected = np.asarray(a.in_numpy()[index.in_numpy()]).shape
    except IndexError:
        selected = ()
    value = data.draw(values_for(selected))
    agree(write, a, index, value, what=f"{a}{index} = {value}")


@given(st.data())
def test_in_place_with_index(data: st.DataObject) -> None:
    """a[i] += v reads once and writes once per index."""
    a = data.draw(operands([np.dtype(np.int64)], data.draw(shapes(max_rank=3)), broadcast=False))
    index = AnyIndex(data.draw(advanced_indices(a.in_numpy().shape)))

    def run(_: Any, array: Any, i: Any) -> Any:
        array[i] += 3
        return array

    agree(run, a, index, what=f"{a}{index} += 3")


@pytest.mark.parametrize("source", NUMPY_DTYPES, ids=name)
def test_casts(source: np.dtype) -> None:
    """Any dtype into any other, as astype does."""
    value = np.abs(small_values(source, (3,), 4)).astype(source)
    for target in NUMPY_DTYPES:
        a = np.zeros((2, 3), target)
        agree(write, a, AnyIndex((0,)), value, what=f"{target}[0] = {source}")
        agree(write, a, AnyIndex(([1, 0],)), value, what=f"{target}[[1, 0]] = {source}")
        agree(write, a, AnyIndex(([True, False],)), value, what=f"{target}[mask] = {source}")


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    value = small_values(dtype, (4, 1), 3)

    def run(xp: Any, x: Any, v: Any) -> Any:
        x[:, ::2] = v
        x[[3, 1], 1] = v[:2, 0]
        x[v[:, 0] == 0] = v[0]
        x[0, 0] = v[1, 0]
        return x

    agree(run, np.zeros((4, 5), dtype), value)


def test_python_numbers_that_do_not_fit() -> None:
    for dtype in (np.int8, np.uint8, np.int64, np.uint64):
        for number in (300, -1, 2**64, -(2**63) - 1):
            agree(write, np.zeros(3, dtype), AnyIndex((1,)), number, what=f"{dtype} = {number}")
            agree(write, np.zeros(3, dtype), AnyIndex((slice(0, 2),)), number)
    for dtype in SOME_DTYPES:
        for value in (1.5, -0.0, np.nan, True, np.float32(2.5)):
            if dtype.kind in "iu" and value != value:
                continue
            agree(write, np.zeros(3, dtype), AnyIndex((1,)), value, what=f"{dtype} = {value}")
    agree(write, np.zeros(3, np.float32), AnyIndex((1,)), 1j, what="float32 = 1j")
    agree(write, np.zeros(3, np.int32), AnyIndex((1,)), float("nan"))
    agree(write, np.zeros(3, np.int32), AnyIndex((1,)), float("inf"))


def test_last_of_repeated_indices_wins() -> None:
    indices = np.random.default_rng(2).integers(0, 50, 20000)
    agree(write, np.zeros(50, np.int64), AnyIndex((indices,)), np.arange(20000))
    agree(write, np.zeros((50, 3), np.int64), AnyIndex((indices,)), np.arange(60000).reshape(-1, 3))
    pair = (indices % 7, indices % 5)
    agree(write, np.zeros((7, 5), np.int64), AnyIndex(pair), np.arange(20000))


def test_values_that_do_not_fit() -> None:
    """ValueError, and nothing is changed."""
    a = np.arange(12).reshape(3, 4)
    cases = [
        ((0,), np.zeros(3)),
        ((slice(None),), np.zeros((2, 4))),
        (([0, 1],), np.zeros((3, 4))),
        ((a > 5,), np.zeros(5)),
        (([True, False, True],), np.zeros((3, 4))),
        ((0, 0), np.zeros(2)),
        ((..., None), np.zeros((3, 4))),
    ]
    for index, value in cases:
        agree(write, a, AnyIndex(index), value, what=f"{index} = {value.shape}")
        array = from_numpy(a)
        with pytest.raises(ValueError):
            array[AnyIndex(index).under_test()] = from_numpy(value)
        assert_same(array, a)


def test_overlap_of_value_and_target() -> None:
    def check(step: Any) -> None:
        def run(xp: Any, x: Any) -> Any:
            step(xp, x)
            return x

        agree(run, np.arange(20).reshape(4, 5))

    def shift(_: Any, x: Any) -> None:
        x[1:] = x[:-1]

    def reverse(_: Any, x: Any) -> None:
        x[...] = x[::-1, ::-1]

    def gather(xp: Any, x: Any) -> None:
        x[xp.array([3, 1, 0, 2])] = x

    def mask(xp: Any, x: Any) -> None:
        x[x % 2 == 0] = x.ravel()[:10].copy() if xp is np else x.ravel()[:10]

    def by_itself(xp: Any, x: Any) -> None:
        row = x[0]
        row[row] = row[::-1] * 10

    for step in (shift, reverse, gather, mask, by_itself):
        check(step)


OTHER_DTYPES_OF_MEMORY = [
    ("f4", "i4"),
    ("i4", "f4"),
    ("i8", "f8"),
    ("u2", "i2"),
    ("c8", "f8"),
    ("?", "i1"),
]
PLACES = [
    (slice(None), slice(None)),
    (slice(1, None), slice(None, -1)),
    (slice(None, -1), slice(1, None)),
    (slice(None), slice(None, None, -1)),
    (slice(None, None, 2), slice(None, None, 2)),
    (slice(4), slice(4)),
    ([0, 3, 2], [0, 3, 2]),
    (5, 5),
]


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtypes", OTHER_DTYPES_OF_MEMORY, ids="-".join)
@pytest.mark.parametrize("pending", [True, False])
def test_values_of_another_dtype_in_the_same_memory(dtypes: tuple[str, str], pending: bool) -> None:
    """They are cast, though they lie where they are written to."""
    source, target = dtypes
    for written, read in PLACES:
        results = []
        for xp in (np, cp):
            values = xp.arange(9).astype(source)
            if xp is cp and not pending:
                cp.eval(values)
            elements = values.view(target)
            elements[written] = values[read].real
            results.append(elements)
        assert_same(results[1], results[0], what=f"elements[{written}] = values[{read}]")


def test_masks_of_any_rank() -> None:
    a = small_values(np.dtype(np.float32), (70, 33, 5), 2)
    agree(lambda xp, x: write(xp, x, x > 0, -1), a)
    agree(lambda xp, x: write(xp, x, x > 5, xp.zeros(0)), a)
    agree(lambda xp, x: write(xp, x, x[..., 0] > 0, xp.arange(5)), a)
    agree(lambda xp, x: write(xp, x, x > 1, xp.arange(int((x > 1).sum()))), a)
    agree(lambda xp, x: write(xp, x, (slice(None), x[0, :, 0] > 0, 1), 8), a)
    agree(lambda xp, x: write(xp, x, xp.array(True), 3), a)
    agree(lambda xp, x: write(xp, x, False, 3), a)


def test_read_only_arrays() -> None:
    """A broadcast view refuses writes."""

    def run(xp: Any) -> Any:
        view = xp.broadcast_to(xp.arange(3), (2, 3))
        view[0, 0] = 1
        return view

    agree(run)
    agree(lambda xp: xp.add(1, 2, out=xp.broadcast_to(xp.arange(3), (2, 3))))


def test_put() -> None:
    def check(*arguments: Any, **keywords: Any) -> None:
        def run(xp: Any, x: Any) -> Any:
            xp.put(x, *arguments, **keywords)
            return x

        agree(run, np.arange(10), what=f"put{arguments}{keywords}")
        agree(lambda xp, x: run(xp, x.reshape(5, 2).T), np.arange(10), what=f"put{arguments}")

    check([0, 2], [-44, -55])
    check([0, -1, 0], [1, 2, 3])
    check([3, 4, 5, 6, 7], [1, 2])
    check(22, -5, mode="clip")
    check([22, -13], [7, 8], mode="wrap")
    check([10], [1])
    check([], [])


def test_put_along_axis() -> None:
    def run(axis: Any, indices: Any, values: Any) -> None:
        def call(xp: Any, x: Any, i: Any) -> Any:
            xp.put_along_axis(x, i, values, axis=axis)
            return x

        agree(call, np.arange(12).reshape(3, 4), np.array(indices))

    run(1, [[0], [3], [1]], 99)
    run(0, [[0, 1, 2, -1]], -1)
    run(None, [0, 11, 5], 7)
    run(1, [[4], [0], [0]], 7)


def test_fill_and_whole_assignment() -> None:
    def run(xp: Any, x: Any) -> Any:
        x.fill(3)
        x[::2].fill(True)
        x.T[...] = x.T * 2
        x[...] = xp.arange(x.shape[-1])
        return x

    for dtype in SOME_DTYPES:
        agree(run, np.zeros((3, 4), dtype))


def test_copyto_and_place() -> None:
    def run(xp: Any, x: Any, m: Any) -> Any:
        xp.copyto(x, 5, where=m)
        xp.copyto(x[0], x[1])
        return x

    agree(run, np.arange(6.0).reshape(2, 3), np.array([[True, False, True], [False, True, False]]))
    agree(lambda xp, x: xp.copyto(x, xp.array([1.5])), np.arange(3))


@pytest.mark.cupola_only
def test_index_of_another_array_type_is_unchanged() -> None:
    """Index arrays are read, not written."""
    indices = from_numpy(np.array([0, -1, 1]))
    array = cp.zeros(3)
    array[indices] = 1
    assert_same(indices, np.array([0, -1, 1]))


@pytest.mark.parametrize("value", [[], [1, 2], [[1]], 5, None], ids=repr)
def test_too_many_indices_are_told_before_values(value: Any) -> None:
    def run(xp: Any, a: Any, index: Any) -> Any:
        b = a.copy()
        b[index] = value
        return b

    for a, index in (
        (np.arange(3.0), (0, 0)),
        (np.array(2.0), 0),
        (np.zeros((2, 3)), (0, 1, 2, 3)),
    ):
        agree(lambda xp, x, i=index: run(xp, x, i), a)
