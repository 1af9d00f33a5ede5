"""Joining, splitting and padding."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, SOME_DTYPES
from support.operands import operands, shapes
from support.samples import small_values


@given(st.data())
def test_concatenate(data: st.DataObject) -> None:
    """Parts of different extents, dtypes and layouts along any axis."""
    shape = data.draw(shapes(min_rank=1, max_rank=3))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        extents = list(shape)
        extents[axis] = data.draw(st.integers(0, 4))
        parts.append(data.draw(operands(SOME_DTYPES, tuple(extents), "small")))
    agree(lambda xp, p: xp.concatenate(p, axis=axis), parts, what=f"{parts} axis={axis}")
    agree(lambda xp, p: xp.concatenate(p, axis=None), parts)
    agree(lambda xp, p: xp.concatenate(p, axis, dtype=xp.complex128), parts)


@given(st.data())
def test_stack(data: st.DataObject) -> None:
    shape = data.draw(shapes(max_rank=3))
    parts = [data.draw(operands(SOME_DTYPES, shape, "small")) for _ in range(3)]
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    agree(lambda xp, p: xp.stack(p, axis=axis), parts)
    agree(lambda xp, p: [xp.vstack(p), xp.hstack(p), xp.dstack(p)], parts)
    if len(shape) in (1, 2):
        agree(lambda xp, p: xp.column_stack(p), parts)


def test_join_dtypes_and_out() -> None:
    for first in NUMPY_DTYPES:
        parts = [np.ones(2, first), np.ones(2, np.int16)]
        agree(lambda xp, p: xp.concatenate(p), parts)
        agree(lambda xp, p: xp.concatenate(p, dtype=xp.float32), parts)
        agree(lambda xp, p: xp.concatenate(p, dtype=xp.int8, casting="unsafe"), parts)
        agree(lambda xp, p: xp.concatenate(p, out=xp.zeros(4, xp.float32)), parts)
    agree(lambda xp, p: xp.stack(p, out=xp.zeros((2, 2))), [np.ones(2), np.zeros(2)])
    agree(lambda xp, p: xp.append(p[0], p[1]), [np.ones(2), np.zeros((1, 2))])
    agree(lambda xp: xp.concatenate([[1, 2], [3.5]]))


def test_python_numbers_take_the_dtype_of_what_they_are_joined_with() -> None:
    for dtype in NUMPY_DTYPES:
        for number in (True, 7, -1, 2.5, 1 - 2j):
            agree(lambda xp, p, n=number: xp.concat([*p, n], axis=None), [np.ones(2, dtype)])
            agree(lambda xp, p, n=number: xp.concatenate((n, *p, 3), None), [np.ones(2, dtype)])
    agree(lambda xp, p: xp.concatenate([*p, 300], axis=None), [np.ones(2, np.int8)])
    agree(lambda xp: xp.concatenate([1, 2.5], axis=None))
    agree(lambda xp: xp.concatenate([np.float32(1), 2.5], axis=None))


def test_join_refused() -> None:
    a, b = np.zeros((2, 3)), np.zeros((3, 2))
    agree(lambda xp, p: xp.concatenate(p), [a, b])
    agree(lambda xp, p: xp.concatenate(p, axis=2), [a, a])
    agree(lambda xp, p: xp.concatenate(p), [a, np.zeros(3)])
    agree(lambda xp: xp.concatenate([]))
    agree(lambda xp: xp.stack([]))
    agree(lambda xp, p: xp.concatenate(p), [np.array(1.0), np.array(2.0)])
    agree(lambda xp, p: xp.stack(p), [a, b])
    agree(lambda xp, p: xp.stack(p, axis=4), [a, a])
    agree(lambda xp, p: xp.concatenate(p, out=xp.zeros((4, 4))), [a, a])
    agree(lambda xp, p: xp.concatenate(p, out=xp.zeros((4, 3), xp.int8)), [a, a])
    agree(lambda xp, p: xp.concatenate(p, dtype=xp.int8), [a, a])
    agree(lambda xp, p: xp.vstack(p), [a, np.zeros((1, 4))])


@given(st.data())
def test_split(data: st.DataObject) -> None:
    """Equal parts, uneven parts, positions; views."""
    shape = data.draw(shapes(min_rank=1, max_rank=3))
    a = data.draw(operands([np.dtype(np.int16)], shape))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    parts = data.draw(st.integers(1, 5))
    points = sorted(data.draw(st.lists(st.integers(-3, 12), max_size=4)))
    agree(lambda xp, x: list(xp.split(x, parts, axis)), a, what=f"split({a}, {parts}, {axis})")
    agree(lambda xp, x: list(xp.array_split(x, parts, axis)), a)
    agree(lambda xp, x: list(xp.split(x, points, axis)), a, what=f"split({a}, {points}, {axis})")


def test_split_forms() -> None:
    a = np.arange(24).reshape(2, 3, 4)
    agree(lambda xp, x: [list(xp.vsplit(x, 2)), list(xp.hsplit(x, 3)), list(xp.dsplit(x, 2))], a)
    agree(lambda xp, x: list(xp.split(x, 3)), a)
    agree(lambda xp, x: list(xp.split(x, 2, axis=3)), a)
    agree(lambda xp, x: list(xp.unstack(x, axis=1)), a)

    def write(xp: Any, x: Any) -> Any:
        xp.split(x, 2)[1][...] = 0
        return x

    agree(write, a)


PAD_WIDTHS: list[Any] = [0, 1, 3, (2, 1), ((1, 0), (2, 3)), ((0, 4), (0, 0))]
PAD_MODES: list[tuple[str, dict]] = [
    ("constant", {}),
    ("constant", {"constant_values": 7}),
    ("constant", {"constant_values": ((1, 2), (3, 4))}),
    ("edge", {}),
    ("linear_ramp", {"end_values": 5}),
    ("maximum", {}),
    ("maximum", {"stat_length": 2}),
    ("mean", {}),
    ("median", {}),
    ("minimum", {}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("symmetric", {"reflect_type": "odd"}),
    ("wrap", {}),
]


@pytest.mark.parametrize(("mode", "keywords"), PAD_MODES, ids=str)
@pytest.mark.parametrize("width", PAD_WIDTHS, ids=str)
def test_pad(mode: str, keywords: dict, width: Any) -> None:
    tolerance = Tolerance(4, 1e-12) if mode in ("linear_ramp", "mean") else Tolerance()
    for dtype in (np.int64, np.float64):
        a = small_values(np.dtype(dtype), (2, 3), 5)
        agree(
            lambda xp, x: xp.pad(x, width, mode=mode, **keywords),
            a,
            tolerance=tolerance,
            what=f"pad {dtype} {width} {mode} {keywords}",
        )


def test_pad_forms() -> None:
    a = np.arange(3)
    agree(
        lambda xp, x: [xp.pad(x, 9, "wrap"), xp.pad(x, 9, "reflect"), xp.pad(x, 9, "symmetric")], a
    )
    agree(lambda xp, x: xp.pad(x, -1), a)
    agree(lambda xp, x: xp.pad(x, ((1, 1), (1, 1))), a)
    agree(lambda xp, x: xp.pad(x, 1, mode="nonsense"), a)
    agree(lambda xp, x: xp.pad(x, 1.5), a)
    agree(lambda xp, x: xp.pad(x, None), a)
    agree(lambda xp, x: xp.pad(x[0], None), a)
    agree(lambda xp, x: xp.pad(x[:0], 2), a)
    agree(lambda xp, x: xp.pad(x[:0], 2, "edge"), a)
    agree(lambda xp, x: xp.pad(x, 1, "edge", constant_values=1), a)
    agree(lambda xp, x: xp.pad(x.reshape(1, 3).T, ((1, 2), (0, 3)), "edge"), a)


@pytest.mark.parametrize("value", [0.9, 2.9, -7.9, (0.9, 99.9), ((2.5, 1.5), (0.1, 7.7)), -3])
def test_ramps_start_at_the_value_itself(value: Any) -> None:
    """It is cast with the rest of the ramp, not before."""
    for dtype in ("i4", "i2", "f8"):
        agree(
            lambda xp, x: xp.pad(x, (9, 4), "linear_ramp", end_values=value),
            np.array([[10, 35], [20, 90]], dtype),
            tolerance=Tolerance(4, 1e-12),
        )


@pytest.mark.parametrize("value", [-1, (-1, 300), np.int64(300), ((-1, 2), (3, 4)), 1.7, 1j])
def test_values_of_margins_are_cast_as_numpy_casts_them(value: Any) -> None:
    for dtype in ("u1", "i8", "f4", "?"):
        agree(lambda xp, x: xp.pad(x, 1, constant_values=value), np.ones((2, 2), dtype))


def test_lengths_of_statistics_are_rounded() -> None:
    a = np.array([10, 20, 36, 8])
    for length in (1.5, 2.4, (1.6, 3.2), -1, [[2]]):
        agree(lambda xp, x, n=length: xp.pad(x, 1, "mean", stat_length=n), a)


def test_extremes_of_large_integers_are_exact() -> None:
    for a in (np.array([2**64 - 1, 7, 2**63 - 1], "u8"), np.array([2**63 - 1, -(2**62) + 1, 3])):
        for mode in ("minimum", "maximum", "edge", "reflect", "symmetric", "wrap"):
            agree(lambda xp, x, mode=mode: xp.pad(x, (1, 2), mode), a)
        agree(lambda xp, x: xp.pad(x, 1, "maximum", stat_length=2), a)
