"""Ufuncs over any layout: broadcast shapes, negative and zero strides, overlapping operands."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.compare import UNSIGNED_ZERO, Tolerance, agree, assert_same
from support.dtypes import ALL_DTYPES, NUMPY_DTYPES, bfloat16
from support.operands import broadcast_shapes, operands, shapes, slices_of
from support.samples import mixed_values, small_values

BINARY = ["add", "multiply", "maximum", "less", "not_equal", "logical_and"]
UNARY = ["absolute", "isnan", "square", "logical_not", "positive"]


def numpys_own(name: str, dtype: np.dtype) -> bool:
    return not (dtype == bool and name in ("positive", "square", "subtract"))


@given(st.data(), st.sampled_from(BINARY))
def test_binary(data: st.DataObject, name: str) -> None:
    first, second = data.draw(broadcast_shapes(2))
    dtype = data.draw(st.sampled_from(NUMPY_DTYPES))
    fill = "small" if dtype.kind == "c" else "mixed"
    a = data.draw(operands(dtype, first, fill))
    b = data.draw(operands(dtype, second, fill))
    tolerance = UNSIGNED_ZERO if name == "maximum" else Tolerance()
    agree(
        lambda xp, x, y: getattr(xp, name)(x, y),
        *(a, b),
        tolerance=tolerance,
        what=f"{name} {a} {b}",
    )


@given(st.data())
def test_mixed_dtypes(data: st.DataObject) -> None:
    """Operands are cast to the loop's type on the way."""
    first, second = data.draw(broadcast_shapes(2, max_rank=3))
    a = data.draw(operands(NUMPY_DTYPES, first, "small"))
    b = data.draw(operands(NUMPY_DTYPES, second, "small"))
    agree(lambda xp, x, y: xp.add(x, y), a, b, what=f"{a} + {b}")
    agree(lambda xp, x, y: xp.less_equal(x, y), a, b, what=f"{a} <= {b}")


@given(st.data(), st.sampled_from(UNARY))
def test_unary(data: st.DataObject, name: str) -> None:
    dtype = data.draw(st.sampled_from([t for t in NUMPY_DTYPES if numpys_own(name, t)]))
    fill = "small" if dtype.kind == "c" else "mixed"
    a = data.draw(operands(dtype, fill=fill))
    absolute_of_complex = name == "absolute" and dtype.kind == "c"
    if not absolute_of_complex:
        agree(lambda xp, x: getattr(xp, name)(x), a, what=f"{name} {a}")


@given(st.data())
def test_bfloat16(data: st.DataObject) -> None:
    first, second = data.draw(broadcast_shapes(2, max_rank=3))
    a = data.draw(operands(bfloat16, first))
    b = data.draw(operands(bfloat16, second))
    agree(lambda xp, x, y: xp.multiply(x, y), a, b)


@given(st.data())
def test_two_outputs(data: st.DataObject) -> None:
    first, second = data.draw(broadcast_shapes(2, max_rank=3))
    a = data.draw(operands([np.dtype(np.int32), np.dtype(np.float64)], first))
    b = data.draw(operands([np.dtype(np.int32)], second))
    agree(lambda xp, x, y: xp.divmod(x, y), a, b)
    agree(lambda xp, x: xp.modf(x), a)
    agree(lambda xp, x: xp.frexp(x), a)


@given(st.data())
def test_scalars_beside_arrays(data: st.DataObject) -> None:
    a = data.draw(operands(NUMPY_DTYPES, fill="small"))
    scalar = data.draw(st.sampled_from([True, 2, 1.5, 2j, np.float32(0.5), np.int64(2)]))
    agree(lambda xp, x: xp.add(x, scalar), a)
    agree(lambda xp, x: xp.multiply(scalar, x), a)
    agree(lambda xp, x: xp.greater(x, scalar), a)


@st.composite
def overlapping(draw: Any, rank: int = 2) -> tuple:
    """A base and three views of one shape of it that may overlap in any way."""
    base_shape = tuple(draw(st.integers(1, 9)) for _ in range(rank))
    shape = tuple(draw(st.integers(1, n)) for n in base_shape)
    views = [
        tuple(draw(slices_of(n, m)) for n, m in zip(base_shape, shape, strict=True))
        for _ in range(3)
    ]
    dtype = draw(st.sampled_from([np.dtype(np.int16), np.dtype(np.float64), np.dtype(np.uint8)]))
    return small_values(dtype, base_shape, draw(st.integers(0, 1000))), views


@given(overlapping())
def test_out_overlaps_the_inputs(case: tuple) -> None:
    """As if every input were read before anything is written."""
    base, (a, b, out) = case

    def run(xp: Any, array: Any) -> Any:
        result = xp.subtract(array[a], array[b], out=array[out])
        return array, result

    agree(run, base, what=f"{base.dtype}{base.shape} {a} {b} {out}")


@given(overlapping())
def test_assignment_between_overlapping_views(case: tuple) -> None:
    base, (a, b, _) = case

    def assign(_: Any, array: Any) -> Any:
        array[a] = array[b]
        return array

    def add_in_place(_: Any, array: Any) -> Any:
        view = array[a]
        view += array[b]
        return array

    agree(assign, base, what=f"{base.shape} {a} = {b}")
    agree(add_in_place, base, what=f"{base.shape} {a} += {b}")


@given(overlapping(rank=1), st.booleans())
def test_transposed_and_reversed_selves(case: tuple, first: bool) -> None:
    """a[...] = a.T and the like."""
    base, (a, _, _) = case
    n = base.size
    square = np.resize(base, (n, n))

    def run(_: Any, array: Any) -> Any:
        if first:
            array[...] = array.T[::-1]
        else:
            array.T[a] += array[a]
        return array

    agree(run, square)


@given(shapes(max_rank=5))
def test_high_rank_permutations(shape: tuple[int, ...]) -> None:
    a = mixed_values(np.dtype(np.float32), shape, 3)
    agree(lambda xp, x: x.T + x.T, a)
    agree(lambda xp, x: x.T * 2 + xp.ascontiguousarray(x.T), a)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda t: t.name)
@pytest.mark.parametrize("size", [1, 7, 31, 64, 1000, 4097, 70001])
def test_sizes_around_tiles(dtype: np.dtype, size: int) -> None:
    """Sizes at which vector loops, tiles and threads end."""
    a = small_values(dtype, (size,), size)
    array = from_numpy(a)
    if dtype == bool:
        assert_same(cp.logical_xor(array, array[::-1]), np.logical_xor(a, a[::-1]))
        return
    assert_same(cp.add(array, array[::-1]), a + a[::-1])
    assert_same(cp.multiply(array[1:], array[:-1]), a[1:] * a[:-1])


@pytest.mark.parametrize("shape", [(1, 70001), (300, 301), (65, 1, 130), (2, 3, 4, 5, 6)])
def test_large_transposes_and_broadcasts(shape: tuple[int, ...]) -> None:
    a = small_values(np.dtype(np.float32), shape, 1)
    agree(lambda xp, x: xp.ascontiguousarray(x.T), a)
    agree(lambda xp, x: x + x[:1], a)
    agree(lambda xp, x: x + x[..., :1], a)
    agree(lambda xp, x: x[..., ::-2] * x[..., ::2][..., : x[..., ::-2].shape[-1]], a)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("first", [0, 1, 7])
def test_transposes_at_odd_addresses(dtype: str, first: int) -> None:
    """Rows and columns that begin anywhere, and results that do."""
    rows, columns = 131, 245
    a = small_values(np.dtype(dtype), (rows * columns + 7,), 1)
    b = small_values(np.dtype(dtype), (columns, rows), 2)

    def turned(x: Any) -> Any:
        return x[first : first + rows * columns].reshape(rows, columns).T

    def into_part(xp: Any, x: Any) -> Any:
        target = xp.zeros((columns, rows + 5), dtype)
        target[:, first : rows - 2 + first] = turned(x)[:, 2:]
        return target

    agree(lambda xp, x: xp.ascontiguousarray(turned(x)), a)
    agree(lambda xp, x: xp.ascontiguousarray(turned(x)[3:, 1:-1]), a)
    agree(lambda xp, x, y: turned(x) + y, a, b)
    agree(lambda xp, x: turned(x).astype("c16"), a)
    agree(into_part, a)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(2, 37, 41, 3), (1, 64, 64, 4), (3, 32, 33, 6), (2, 9, 9, 1)])
def test_channels_of_images(dtype: str, shape: tuple[int, ...]) -> None:
    """Channels last to channels first and back, some of them, and images' inner parts."""
    a = small_values(np.dtype(dtype), shape, 1)
    b = a.reshape(shape[0], shape[3], *shape[1:3])
    weights = np.arange(1, shape[3] + 1).astype(dtype)
    agree(lambda xp, x: xp.ascontiguousarray(x.transpose(0, 3, 1, 2)), a)
    agree(lambda xp, x: xp.ascontiguousarray(x.transpose(0, 2, 3, 1)), b)
    agree(lambda xp, x: xp.ascontiguousarray(x[..., :-1]), a)
    agree(lambda xp, x: xp.ascontiguousarray(x[:, 1:-1, 1:-1].transpose(0, 3, 1, 2)), a)
    agree(lambda xp, x, w: x.transpose(0, 3, 1, 2) + w[:, None, None], a, weights)
    agree(lambda xp, x, w: x.transpose(0, 2, 3, 1) + w, b, weights)
    if a.dtype.kind != "c":
        agree(lambda xp, x: x.transpose(0, 3, 1, 2).astype("f4") / 256, a)
        agree(lambda xp, x: x.transpose(0, 2, 3, 1).astype("f4") / 256, b)


def test_results_larger_than_caches() -> None:
    """Whole, beginning off a cache line, into rows with gaps, and in place."""
    count = (40 << 20) // 4 + 7
    a = np.arange(count, dtype=np.float32)
    array = from_numpy(a)
    assert np.array_equal(to_numpy(array + array), a + a)
    target = cp.zeros(count + 3, np.float32)
    cp.add(array, array[::-1], out=target[3:])
    assert np.array_equal(to_numpy(target[3:]), a + a[::-1])
    assert np.array_equal(to_numpy(target[:3]), np.zeros(3, np.float32))
    rows = cp.zeros((count // 1000, 1001), np.float32)
    rows[:, 1:] = array[: count // 1000 * 1000].reshape(-1, 1000)
    assert np.array_equal(to_numpy(rows[:, 1:]), a[: count // 1000 * 1000].reshape(-1, 1000))
    array += array
    assert np.array_equal(to_numpy(array), a + a)
