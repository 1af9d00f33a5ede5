"""Views with chosen strides."""

import doctest
import importlib
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree, assert_same

SHAPES = [(2, 2, 2), (1, 1, 1), (2, 3, 3), (2, 3, 1)]


def test_windows() -> None:
    def found(xp: Any, *arrays: Any) -> list[Any]:
        windows = xp.lib.stride_tricks.sliding_window_view
        results = []
        for a in arrays:
            results += [windows(a, (2, 3)), windows(a, 2, 1), windows(a, (2, 2), (0, 0))]
            results += [windows(a, 3, axis=-1).sum(-1), windows(a, (1, 1)), windows(a, (0, 1))]
            results += [windows(a[0], 2), windows(a.T, (3, 2)), windows(a[:, ::-1], 2, 0)]
        return results

    agree(found, np.arange(20).reshape(4, 5), np.arange(20.0, dtype="f4").reshape(5, 4))
    agree(lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, ()), np.array(3))


@pytest.mark.parametrize(
    ("shape", "axis"),
    [(5, None), ((6, 1), None), ((-1, 2), None), (2, 3), ((2, 2), 1), ((2,), (0, 1)), (2.5, 0)],
)
def test_bad_windows(shape: Any, axis: Any) -> None:
    agree(
        lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, shape, axis),
        np.arange(20).reshape(4, 5),
    )


def test_windows_of_what_waits_and_of_lists() -> None:
    def found(xp: Any, a: Any) -> list[Any]:
        windows = xp.lib.stride_tricks.sliding_window_view
        return [windows(a * 2 + 1, 3).max(1), windows((a * 2)[::-1], 2), windows([1, 2, 3], 2)]

    agree(found, np.arange(9.0))


def test_strides() -> None:
    def found(xp: Any, a: Any) -> list[Any]:
        strided, width = xp.lib.stride_tricks.as_strided, a.itemsize
        results = [strided(a), strided(a, (3, 2), (width, width))]
        results += [strided(a[::-1], (4,), (-width,)), strided(a, (2, 3), (0, 2 * width))]
        results += [strided(a, (), ()), strided(a, (0, 7), (5, 9))]
        return [*results, strided(a[6:], (3,), (-2 * width,)), strided(a + 1)]

    def where_bytes_fit(xp: Any, a: Any) -> list[Any]:
        strided, width = xp.lib.stride_tricks.as_strided, a.itemsize
        return [strided(a, (0, 7), (width, width)), strided(a, (3,)), strided(a, strides=(0,))]

    for dtype in ("u1", "f4", "c16"):
        agree(where_bytes_fit, np.arange(9).astype(dtype))
    agree(found, np.arange(9).astype("u1"))


@pytest.mark.parametrize("shape", [(4,), (), (0,), (2, 3), (2, 2, 2), (3, 0)])
def test_shapes_without_strides(shape: tuple[int, ...]) -> None:
    """Of a row-major array the first elements, row by row."""
    for a in (np.arange(24).reshape(4, 6), np.arange(12), np.arange(24).reshape(4, 6)[:, ::2]):
        if not a.flags.c_contiguous and a.ndim != len(shape):
            continue
        agree(lambda xp, x, s=shape: xp.lib.stride_tricks.as_strided(x, s), a)


@pytest.mark.cupola_only
def test_views_never_leave_their_memory() -> None:
    strided = cp.lib.stride_tricks.as_strided
    a = cp.arange(6.0)
    huge = 2**62
    for shape, strides in [
        ((7,), (8,)),
        ((2,), (-8,)),
        ((2, 2), (huge, huge)),
        ((2, 2), (huge, -huge)),
        ((huge,), (8,)),
        ((huge, huge), (0, 0)),
        ((-1,), (8,)),
        ((2,), (8, 8)),
        ((2,), (4,)),
        ((2,), (2**70,)),
    ]:
        with pytest.raises((ValueError, OverflowError)):
            strided(a, shape, strides)
    with pytest.raises(ValueError, match="memory"):
        strided(a[2:4], (3,), (24,))
    assert strided(a[2:4], (2,), (-16,)).tolist() == [2, 0]
    with pytest.raises(ValueError, match="memory"):
        strided(cp.empty(0), (1,), (8,))
    with pytest.raises(ValueError, match="memory"):
        strided(a * 2, (7,), (8,))


@pytest.mark.cupola_only
def test_views_share_memory_and_are_read_only_where_elements_do() -> None:
    strided, windows = cp.lib.stride_tricks.as_strided, cp.lib.stride_tricks.sliding_window_view
    a = from_numpy(np.arange(6.0))
    view = strided(a, (2, 2), (24, 8))
    view[...] = 7
    assert to_numpy(a).tolist() == [7, 7, 2, 7, 7, 5]
    assert view.base is a
    overlapping = strided(a, (5, 2), (8, 8))
    for each in (overlapping, windows(a, 2), windows(a, 2, writeable=True), strided(a, (2,), (0,))):
        assert not each.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            each[...] = 1
    assert not strided(a, writeable=False).flags.writeable
    assert strided(a).flags.writeable
    read_only = cp.broadcast_to(a, (6,))
    assert not strided(read_only, (3,), (16,)).flags.writeable
    assert cp.shares_memory(a, overlapping)


@pytest.mark.cupola_only
def test_numpys_function_hands_over_and_the_module_is_there() -> None:
    found = np.lib.stride_tricks.sliding_window_view(from_numpy(np.arange(4)), 2)
    assert isinstance(found, cp.ndarray)
    for name in ("broadcast_to", "broadcast_arrays", "broadcast_shapes"):
        assert getattr(cp.lib.stride_tricks, name) is getattr(cp, name)
    assert_same(found, np.lib.stride_tricks.sliding_window_view(np.arange(4), 2))
    assert doctest.testmod(importlib.import_module("cupola.lib.stride_tricks")).failed == 0


def test_strides_of_windows() -> None:
    def windows(xp: Any, x: Any) -> Any:
        found = [xp.lib.stride_tricks.sliding_window_view(x, each) for each in SHAPES]
        return [each.strides for each in found], found

    agree(windows, np.arange(18.0).reshape(2, 3, 3))
    agree(lambda xp, x: windows(xp, x[::-1, :, ::-1]), np.arange(18.0).reshape(2, 3, 3))
