"""Flags, fields, pointers for C, strides: what shows an array's memory, beside NumPy."""

import ctypes

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, on_cuda, to_numpy

pytestmark = pytest.mark.cupola_only


def test_setflags_and_flags() -> None:
    for a in (from_numpy(np.arange(4)), np.arange(4)):
        a.setflags(write=False)
        assert not a.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            a[0] = 1
        view = a[1:]
        assert not view.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            view.setflags(write=True)
        a.flags.writeable = True
        a[0] = 7
        a.flags["WRITEABLE"] = False
        assert not a.flags["W"]
        a.setflags(1)
        assert int(a[0]) == 7


def test_flags_of_copies_and_alignment() -> None:
    for a in (from_numpy(np.arange(4)), np.arange(4)):
        a.setflags(align=True)
        with pytest.raises(ValueError, match="WRITEBACKIFCOPY"):
            a.setflags(uic=True)
    a = from_numpy(np.arange(4))
    a.setflags(align=False)
    assert a.flags.aligned


def test_places_that_are_equal_stay_read_only() -> None:
    with pytest.raises(ValueError, match="WRITEABLE"):
        cp.broadcast_to(cp.ones(3), (2, 3)).setflags(write=True)


def test_pending_arrays_become_read_only() -> None:
    a = from_numpy(np.arange(4)) + 1
    a.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        a += 1
    assert to_numpy(a).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("dtype", "field", "offset"),
    [("i8", "i4", 4), ("i8", "u1", 7), ("c16", "f8", 8), ("c8", "i4", 0), ("f4", "f4", 0)],
)
def test_fields(dtype: str, field: str, offset: int) -> None:
    host = (np.arange(24) * 300).astype(dtype).reshape(2, 3, 4)
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::-1, :, ::2], lambda a: a[1, 2, 3]):
        ours, theirs = from_numpy(host), host.copy()
        one, other = view(ours), np.asarray(view(theirs))
        found, expected = one.getfield(field, offset), other.getfield(field, offset)
        assert found.strides == expected.strides
        np.testing.assert_array_equal(to_numpy(found), expected)
        one.setfield(3, field, offset)
        if other.ndim:
            other.setfield(3, field, offset)
            np.testing.assert_array_equal(to_numpy(ours), theirs)


@pytest.mark.parametrize(("field", "offset"), [("i4", 5), ("f8", 1), ("u1", 8), ("i4", -4)])
def test_fields_outside_of_elements(field: str, offset: int) -> None:
    for a in (from_numpy(np.arange(3)), np.arange(3)):
        with pytest.raises(ValueError, match="offset"):
            a.getfield(field, offset)


def test_fields_that_are_not_aligned() -> None:
    with pytest.raises(ValueError, match="aligned"):
        cp.arange(3).getfield("i4", 2)
    for offset in (0.0, -0.0, "0", None):
        with pytest.raises(TypeError):
            cp.arange(3).getfield("i4", offset)


def test_pointers_for_c() -> None:
    a = from_numpy(np.arange(6.0).reshape(2, 3))
    if on_cuda():
        assert not hasattr(a, "ctypes")
        assert not hasattr(a, "__array_interface__")
        return
    pointer = a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert [pointer[i] for i in range(6)] == [0, 1, 2, 3, 4, 5]
    assert tuple(a.ctypes.shape) == (2, 3)
    assert tuple(a.T.ctypes.strides) == (8, 24)
    pointer[1] = 9
    assert float(a[0, 1]) == 9


def test_array_interface() -> None:
    a = from_numpy(np.arange(6, dtype="i4").reshape(2, 3)).T
    if on_cuda():
        return
    found = a.__array_interface__
    expected = np.arange(6, dtype="i4").reshape(2, 3).T.__array_interface__
    for name in ("shape", "typestr", "strides", "version"):
        assert found[name] == expected[name]
    assert found["data"][0] == a.ctypes.data
    assert not found["data"][1]


def test_bfloat16_has_no_pointers_for_c() -> None:
    a = cp.ones(2, "bfloat16")
    assert not hasattr(a, "ctypes")
    assert not hasattr(a, "__array_interface__")


@pytest.mark.parametrize("strides", [(24, 8), (8, 16), (0, 8), (8, 0), (0, 0)])
def test_strides_of_new_memory(strides: tuple[int, ...]) -> None:
    a, b = cp.ndarray((2, 3), strides=strides), np.ndarray((2, 3), strides=strides)
    assert (a.shape, a.strides, a.flags.writeable) == (b.shape, b.strides, b.flags.writeable)
    assert cp.ndarray((0, 3), strides=(8, 8)).size == 0


@pytest.mark.parametrize("strides", [(32, 8), (-8, 8), (24, 16), (8,), (8, 8, 8), (2**62, 8)])
def test_strides_that_leave_the_memory(strides: tuple[int, ...]) -> None:
    for kind in (cp.ndarray, np.ndarray):
        with pytest.raises(ValueError, match="strides"):
            kind((2, 3), strides=strides)
