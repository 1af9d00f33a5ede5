"""New arrays: values, dtypes, orders, and refusals."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.compare import Tolerance, agree
from support.dtypes import ALL_DTYPES, NUMPY_DTYPES, name
from support.operands import operands, shapes
from support.samples import mixed_values, small_values


@pytest.mark.parametrize("dtype", [None, *ALL_DTYPES], ids=str)
@pytest.mark.parametrize("shape", [(), 3, (0,), (2, 0, 3), [2, 3], (1, 1, 2, 1)], ids=str)
def test_filled(dtype: Any, shape: Any) -> None:
    agree(lambda xp: [xp.zeros(shape, dtype), xp.ones(shape, dtype=dtype)])
    agree(lambda xp: [xp.full(shape, 3, dtype), xp.empty(shape, dtype).shape])
    if 0 not in np.zeros(shape).shape:
        agree(lambda xp: list(xp.zeros(shape, dtype or "f8", order="F").strides))


def test_full_takes_the_type_of_its_value() -> None:
    for value in (True, 3, 2.5, 1j, np.float32(1.5), np.uint8(7), np.nan):
        agree(lambda xp, v=value: xp.full((2, 2), v))
    agree(lambda xp: xp.full((2, 3), xp.arange(3)))
    agree(lambda xp: xp.full(3, 300, xp.uint8))
    agree(lambda xp: xp.full(3, 2.7, xp.int32))


@given(st.data())
def test_like_forms(data: st.DataObject) -> None:
    """Shape and dtype of the model; order K keeps its layout."""
    a = data.draw(operands(NUMPY_DTYPES, broadcast=False))
    order = data.draw(st.sampled_from(["K", "C", "F", "A"]))
    dtype = data.draw(st.sampled_from([None, np.int8, np.float32]))

    def run(xp: Any, x: Any) -> Any:
        zeros = xp.zeros_like(x, dtype=dtype, order=order)
        results = [zeros, xp.ones_like(x), xp.full_like(x, 1), xp.zeros_like(x, shape=(2, 3))]
        strides = zeros.strides if all(n > 1 for n in x.shape) else ()
        return [*results, list(strides), list(xp.empty_like(x).shape)]

    agree(run, a, what=f"{a} {order} {dtype}")


@given(
    st.sampled_from([np.int64, np.float64, np.float32, np.int8, np.complex128, None]),
    st.integers(-20, 20),
    st.integers(-20, 20),
    st.sampled_from([1, 2, 3, -1, -4, 0.5, -0.3, 2.0]),
)
def test_arange(dtype: Any, start: int, stop: int, step: float) -> None:
    if dtype is not None and np.dtype(dtype).kind == "i" and step != int(step):
        step = 1
    tolerance = Tolerance(2, 1e-6)
    agree(lambda xp: xp.arange(start, stop, step, dtype=dtype), tolerance=tolerance)
    agree(lambda xp: [xp.arange(stop), xp.arange(start, stop)], tolerance=tolerance)


@pytest.mark.parametrize("dtype", ["i2", "u2", "i4", "u4", "i8", "u8"])
def test_long_ranges_of_integers(dtype: str) -> None:
    agree(lambda xp: [xp.arange(32000, dtype=dtype), xp.arange(200001).astype(dtype)])
    agree(lambda xp: [xp.arange(7, 30000, 3, dtype=dtype), xp.arange(70).astype(dtype) * 2])
    agree(lambda xp: xp.indices((300, 70), dtype=dtype))


@pytest.mark.parametrize(
    "bound", [2**64, 2**70, 2**1000, 10**400, -(2**64), -(2**1000)], ids=range(6)
)
def test_aranges_of_large_integers(bound: int) -> None:
    for dtype in (None, "f8"):
        agree(lambda xp, t=dtype: xp.arange(bound, dtype=t))
        agree(lambda xp, t=dtype: xp.arange(5, bound, dtype=t))
        agree(lambda xp, t=dtype: xp.arange(1.5, bound, dtype=t))
    for dtype in ("f8", "i8", "u8"):
        agree(lambda xp, t=dtype: xp.arange(bound, bound + 3, dtype=t))
        agree(lambda xp, t=dtype: xp.arange(bound + 3, bound, -1, dtype=t))


def test_aranges_end_beyond_integers() -> None:
    agree(lambda xp: xp.arange(2**64 - 5, 2**64, dtype="u8"))
    agree(lambda xp: xp.arange(2**64 - 1, 2**64 + 3, 2, dtype="u8"))
    agree(lambda xp: xp.arange(2**70, 0, 1, dtype="i2"))
    agree(lambda xp: xp.arange(0, 10, 2**70, dtype="f4"))
    agree(lambda xp: xp.arange(2**64, 2**64 + 40000, 5000, dtype="f8"))


def test_arange_forms() -> None:
    agree(lambda xp: [xp.arange(stop=5), xp.arange(stop=5, step=2), xp.arange(start=1, stop=4)])
    agree(lambda xp: xp.arange())
    agree(lambda xp: xp.arange(step=2))
    agree(lambda xp: [xp.arange(5.0), xp.arange(3, dtype="f4"), xp.arange(2.5, 6)])
    agree(lambda xp: [xp.arange(0), xp.arange(5, 1), xp.arange(True)])
    agree(lambda xp: xp.arange(0, 1, 0.1), tolerance=Tolerance(1))
    agree(lambda xp: xp.arange(2**40, 2**40 + 3))
    agree(lambda xp: xp.arange(0, 10, 0))
    agree(lambda xp: xp.arange())
    agree(lambda xp: xp.arange("a"))
    agree(lambda xp: xp.arange(0, float("nan")))


@given(
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.integers(0, 40),
    st.booleans(),
    st.sampled_from([None, np.float32, np.int32, np.complex64]),
)
def test_linspace(start: float, stop: float, count: int, endpoint: bool, dtype: Any) -> None:
    if dtype is np.int32:
        start, stop = float(int(start)), float(int(stop)) + 0.25
    tolerance = Tolerance(2, 1e-9 if dtype is not np.int32 else 0)
    agree(
        lambda xp: xp.linspace(start, stop, count, endpoint=endpoint, dtype=dtype),
        tolerance=tolerance,
        what=f"linspace({start}, {stop}, {count}, {endpoint}, {dtype})",
    )


def test_spaces() -> None:
    agree(lambda xp: list(xp.linspace(0, 1, 5, retstep=True)), dtype=False)
    agree(lambda xp: xp.linspace(0, 1 + 2j, 5), tolerance=Tolerance(2))
    agree(lambda xp: xp.linspace(0, 10, 1))
    agree(lambda xp: xp.linspace(3, 3, 4))
    agree(lambda xp: xp.linspace(0, 1, -1))
    agree(lambda xp: xp.linspace(0, 1, 2.5))
    agree(lambda xp: xp.logspace(0, 3, 4), tolerance=Tolerance(4))
    agree(lambda xp: xp.logspace(0, 3, 4, base=2.0, endpoint=False), tolerance=Tolerance(4))
    agree(lambda xp: xp.linspace(xp.arange(2.0), xp.arange(2.0) + 3, 4), tolerance=Tolerance(2))
    agree(lambda xp: xp.linspace(0, xp.arange(2.0), 4, axis=-1), tolerance=Tolerance(2))


@given(st.integers(0, 6), st.integers(0, 6), st.integers(-7, 7))
def test_matrices(rows: int, columns: int, k: int) -> None:
    agree(
        lambda xp: [xp.eye(rows, columns, k), xp.eye(rows, k=k, dtype=xp.int8), xp.identity(rows)]
    )
    agree(lambda xp: [xp.tri(rows, columns, k), xp.tri(rows, k=k, dtype=bool)])
    a = small_values(np.dtype(np.int64), (2, rows, columns), 1)
    agree(lambda xp, x: [xp.tril(x, k), xp.triu(x, k), xp.triu(x[0].T, k)], a)
    agree(lambda xp, x: [xp.diag(x[0], k), xp.diag(x[0, 0] if rows else xp.arange(3), k)], a)
    agree(lambda xp, x: [xp.diagonal(x, k, 1, 2), xp.trace(x, k, 1, 2), xp.diagflat(x[0], k)], a)


def test_grids() -> None:
    x, y = np.arange(3), np.arange(4.0)
    for indexing in ("xy", "ij"):
        for sparse in (False, True):
            agree(lambda xp, a, b: list(xp.meshgrid(a, b, indexing=indexing, sparse=sparse)), x, y)
    agree(lambda xp, a: list(xp.meshgrid(a, a, a)), x)
    agree(lambda xp: list(xp.meshgrid()))
    agree(lambda xp: [xp.indices((2, 3)), xp.indices((2,), dtype=xp.float32)])
    agree(lambda xp: list(xp.indices((2, 3), sparse=True)))
    agree(lambda xp: xp.fromfunction(lambda i, j: i * 10 + j, (3, 2)))
    agree(lambda xp: xp.fromfunction(lambda i: i > 1, (3,), dtype=int))
    agree(lambda xp, a, b: list(xp.ix_(a, b > 1)), x, y)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=name)
def test_round_trip(dtype: np.dtype) -> None:
    """Host to module and back keeps every bit, from any layout."""
    a = mixed_values(dtype, (5, 6, 7), 2)
    for view in (a, a.T, a[::-2, :, 1::3], a[:, 0], a[:0], np.broadcast_to(a[0, 0, 0], (2, 3))):
        got = to_numpy(from_numpy(view))
        assert got.dtype == dtype
        assert got.tobytes() == np.ascontiguousarray(view).tobytes()


def test_from_python_values() -> None:
    for value in (
        3, True, 2.5, 1j, [1, 2], [1, 2.5], [[1, 2], [3, 4]], [], [[]], (1, 2), [True, False],
        [1, True], [1, 2j], range(4), [np.float32(1), np.float32(2)], [[1], [2.5]], 2**63,
        [2**63, 1],
    ):  # fmt: skip
        agree(lambda xp, v=value: [xp.array(v), xp.asarray(v)], what=repr(value))
    agree(lambda xp: xp.array([1, 2], dtype="f4"))
    agree(lambda xp: xp.array([1.7, -2.7], dtype=xp.int8))
    agree(lambda xp: xp.array(5, ndmin=3))
    agree(lambda xp: xp.array([xp.arange(3), xp.arange(3)]))


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
def test_lists_of_arrays_are_made_in_c_order(order: str) -> None:
    """However the arrays lie."""

    def made(xp: Any, a: Any) -> list[Any]:
        results = [
            xp.array([a.T, a.T], order=order),
            xp.array([[a.T, a.T[::-1]]], "f4", order=order),
        ]
        return [*results, *(list(each.strides) for each in results)]

    agree(made, np.arange(24.0).reshape(2, 3, 4))


@pytest.mark.parametrize(
    "value",
    ["text", ["a", "b"], [[1, 2], [3]], 2**64 - 1 + 2**64, [None], None, object(), [object()], b"x",
     {1: 2}, [[1, 2], 3]],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.cupola_only
def test_values_that_are_no_numbers(value: Any) -> None:
    """NumPy makes arrays of objects and text; here they are refused."""
    with pytest.raises((TypeError, ValueError, OverflowError)):
        cp.array(value)


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", ["O", "U5", "S3", "M8[s]", "V4", "i4,f4", "longdouble"])
def test_dtypes_that_are_not_supported(dtype: str) -> None:
    with pytest.raises(TypeError):
        cp.zeros(3, dtype)
    with pytest.raises(TypeError):
        cp.asarray(np.zeros(3, dtype))
    with pytest.raises(TypeError):
        cp.zeros(3).astype(dtype)


def test_refused_shapes() -> None:
    for shape in (-1, (2, -3), (2**40, 2**40), 2**63, 2**64, 1.5, "a", (2, "b"), (1.0,), [[2]]):
        agree(lambda xp, s=shape: xp.zeros(s), what=f"zeros({shape})")
        agree(lambda xp, s=shape: xp.empty(s, xp.int8), what=f"empty({shape})")
    agree(lambda xp: xp.zeros(3, "nonsense"))
    agree(lambda xp: xp.eye(-1))
    agree(lambda xp: xp.zeros((1,) * 65))


@pytest.mark.parametrize("order", ["C", "F", "K", "A"])
@given(a=operands([np.dtype(np.float32), np.dtype(np.int64)]))
def test_copies(order: str, a: Any) -> None:
    """array, copy and ascontiguousarray: values, layout, and that they are copies."""

    def run(xp: Any, x: Any) -> Any:
        copies = [xp.array(x, order=order), x.copy(order), xp.copy(x, order=order)]
        copies.append(xp.ascontiguousarray(x))
        copies.append(xp.asfortranarray(x))
        flags = [c.flags.c_contiguous * 2 + c.flags.f_contiguous for c in copies]
        if a.broadcast is not None:
            flags = []  # where an axis without a stride goes is nobody's promise
        for c in copies[:3]:
            c[...] = 1
        return [x, *copies, flags]

    agree(run, a, what=f"{a} {order}")


def test_asarray_shares() -> None:
    def run(xp: Any) -> Any:
        a = xp.arange(4)
        b, c, d = xp.asarray(a), xp.array(a), xp.array(a, copy=None)
        e = xp.asarray(a, dtype=a.dtype)
        b[0], c[1], d[2], e[3] = 9, 9, 9, 9
        return a

    agree(run)
    agree(lambda xp: xp.array(xp.arange(3), dtype=xp.float32, copy=False))
    agree(lambda xp: xp.asarray([1, 2], copy=False))


@given(shapes(max_rank=3))
def test_attributes(shape: tuple[int, ...]) -> None:
    for dtype in (np.int8, np.complex64):
        a = np.zeros(shape, dtype)

        def run(xp: Any, x: Any) -> Any:
            numbers = [x.ndim, x.size, x.nbytes, x.itemsize, list(x.shape)]
            strides = list(x.strides) if 0 not in x.shape else []
            return [*numbers, strides, x.T.shape, x.real.shape, x.imag]

        agree(run, a)


def test_scalars_of_arrays() -> None:
    """bool, int, float, complex, index, item, tolist and their refusals."""
    for value in (
        np.array(3),
        np.array([2.75]),
        np.array([[True]]),
        np.array(1 + 2j),
        np.zeros(2),
        np.zeros(0),
        np.array(2, np.uint8),
    ):
        for kind in (bool, int, float, complex):
            if value.dtype.kind == "c" and kind in (int, float):
                continue
            if value.ndim and kind is not bool:
                continue
            agree(lambda xp, x, k=kind: k(x), value, what=f"{kind} {value!r}")
        agree(lambda xp, x: x.item(), value)
        agree(lambda xp, x: repr(x.tolist()), value)
    agree(lambda xp, x: [10, 20, 30, 40][x], np.array(3))
    agree(lambda xp, x: [10, 20, 30, 40][x], np.array(1.0))
    agree(lambda xp, x: [x.item(2), x.item(0, 1), x.item((1, 1))], np.arange(4).reshape(2, 2))
    agree(lambda xp, x: x.item(4), np.arange(4))


@pytest.mark.parametrize("shape", [True, (True,), (2, True), [True], np.True_], ids=repr)
def test_extents_are_no_bools(shape: Any) -> None:
    for call in (
        lambda xp: xp.zeros(shape),
        lambda xp: xp.empty(shape),
        lambda xp: xp.full(shape, 1),
        lambda xp: xp.arange(2).reshape(shape),
        lambda xp: xp.broadcast_to(1, shape),
    ):
        agree(call)
