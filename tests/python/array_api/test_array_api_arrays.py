"""The array API standard: creation, data types, arrays, indexing."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only

REAL = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
]
DTYPES = ["bool", *REAL, "complex64", "complex128"]

# ---- creation


@pytest.mark.parametrize(
    ("args", "dtype", "length"),
    [((5,), "int64", 5), ((1, 6, 2), "int64", 3), ((0.0, 1.0, 0.25), "float64", 4),
     ((5, 0), "int64", 0), ((5, 0, -2), "int64", 3), ((0, 5, -1), "int64", 0)],
)  # fmt: skip
def test_arange(args: tuple[Any, ...], dtype: str, length: int) -> None:
    found = cp.arange(*args)
    assert (found.dtype, found.shape) == (dtype, (length,))
    start, step = (args[0] if len(args) > 1 else 0), (args[2] if len(args) > 2 else 1)
    assert to_numpy(found).tolist() == [start + step * i for i in range(length)]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(True, "bool"), ([False, 1], "int64"), (3, "int64"), ([1, 2.0], "float64"), (1j, "complex128"),
     ([1, 2j], "complex128"), ([[1, 2], [3, 4]], "int64"), (bytearray(b"ab"), "uint8")],
)  # fmt: skip
def test_asarray_infers_dtypes(value: Any, dtype: str) -> None:
    assert cp.asarray(value).dtype == dtype


def test_asarray_copies_as_asked() -> None:
    a = cp.arange(3)
    shared, copied = cp.asarray(a, copy=None), cp.asarray(a, copy=True)
    assert cp.shares_memory(a, shared)
    assert not cp.shares_memory(a, copied)
    assert cp.asarray(a, copy=False) is not None
    with pytest.raises(ValueError, match="copy"):
        cp.asarray(a, dtype="float32", copy=False)


@pytest.mark.parametrize("k", [0, 1, -1, 5, -5, 2**63 - 1, -(2**63), 10**30, -(10**30)])
def test_diagonals_however_far_away(k: int) -> None:
    near = max(-9, min(9, k))
    a = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(to_numpy(cp.eye(3, 4, k=k)), np.eye(3, 4, k=near))
    np.testing.assert_array_equal(to_numpy(cp.tril(from_numpy(a), k=k)), np.tril(a, near))
    np.testing.assert_array_equal(to_numpy(cp.triu(from_numpy(a), k=k)), np.triu(a, near))
    np.testing.assert_array_equal(to_numpy(cp.tri(3, 4, k)), np.tri(3, 4, near))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["empty", "zeros", "ones", "eye", "full"])
def test_new_arrays(name: str, dtype: str) -> None:
    value = (1,) if name == "full" else ()
    shape: Any = 3 if name == "eye" else (2, 3)
    found = getattr(cp, name)(shape, *value, dtype=getattr(cp, dtype), device="cpu:0")
    assert (found.dtype, str(found.device)) == (dtype, "cpu:0")
    if name != "eye":
        assert getattr(cp, f"{name}_like")(found, *value).dtype == dtype


def test_linspace_and_meshgrid() -> None:
    assert to_numpy(cp.linspace(0, 1, 5)).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert to_numpy(cp.linspace(0, 1, 4, endpoint=False)).tolist() == [0, 0.25, 0.5, 0.75]
    assert cp.linspace(0, 1j, 3).dtype == "complex128"
    grids = cp.meshgrid(cp.arange(2), cp.arange(3), indexing="ij")
    assert isinstance(grids, tuple)
    assert [grid.shape for grid in grids] == [(2, 3), (2, 3)]


# ---- data types


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_astype_copies_and_converts(source: str, target: str) -> None:
    a = cp.asarray([0, 1, 2], dtype=source)
    found = cp.astype(a, getattr(cp, target))
    assert found.dtype == target
    assert found is not a
    assert (cp.astype(a, getattr(cp, target), copy=False) is a) == (source == target)
    if source == "bool":
        assert to_numpy(found).tolist() == [0, 1, 1]


def test_limits() -> None:
    for dtype, bits in (("float32", 32), ("float64", 64), ("complex64", 32), ("complex128", 64)):
        for kind in (getattr(cp, dtype), cp.dtype(dtype), cp.zeros(1, dtype=dtype)):
            limits = cp.finfo(kind)
            real = np.finfo(dtype)
            assert (limits.bits, limits.dtype) == (bits, real.dtype)
            for name in ("eps", "max", "min", "smallest_normal", "tiny", "resolution"):
                assert type(getattr(limits, name)) is float
                assert getattr(limits, name) == float(getattr(real, name))
            assert (repr(limits), str(limits)) == (repr(real), str(real))
    for dtype in REAL[:8]:
        for kind in (getattr(cp, dtype), cp.zeros(1, dtype=dtype)):
            whole = cp.iinfo(kind)
            assert (whole.bits, whole.dtype) == (np.iinfo(dtype).bits, dtype)
            assert type(whole.max) is type(whole.min) is int
    assert cp.finfo(cp.float32) == cp.finfo("f4")
    assert cp.finfo(cp.bfloat16).eps == 2.0**-7
    for other in ("i4", "bool", object):
        with pytest.raises(ValueError, match=r"inexact|finfo"):
            cp.finfo(other)


def test_kinds_of_dtypes() -> None:
    assert cp.isdtype(cp.float32, "real floating")
    assert cp.isdtype(cp.int8, ("bool", "integral"))
    assert cp.isdtype(cp.uint8, cp.uint8)
    assert not cp.isdtype(cp.uint8, (cp.int8, "complex floating"))
    bfloat16 = cp.dtype(cp.bfloat16)
    assert cp.isdtype(bfloat16, "real floating")
    assert cp.isdtype(bfloat16, bfloat16)
    assert not cp.isdtype(bfloat16, ("integral", "bool"))
    assert not cp.isdtype(cp.float32, bfloat16)
    with pytest.raises(ValueError, match="kind"):
        cp.isdtype(cp.float32, "text")


@pytest.mark.parametrize("one", DTYPES)
@pytest.mark.parametrize("other", DTYPES)
def test_promotion(one: str, other: str) -> None:
    expected = np.result_type(one, other)
    a, b = cp.zeros(2, dtype=one), cp.zeros(2, dtype=other)
    assert cp.result_type(a, b) == cp.result_type(getattr(cp, one), b) == expected
    assert cp.can_cast(getattr(cp, one), getattr(cp, other)) == np.can_cast(one, other)
    assert cp.where(cp.asarray([True, False]), a, b).dtype == expected
    if "bool" not in (one, other):
        assert (a + b).dtype == expected


@pytest.mark.parametrize("dtype", REAL)
def test_python_numbers_take_the_dtype_of_the_array(dtype: str) -> None:
    a = cp.ones(2, dtype=dtype)
    assert (a + 1).dtype == (1 + a).dtype == cp.where(a > 0, a, 1).dtype == dtype
    if "float" in dtype:
        assert (a * 2.5).dtype == dtype
        assert (a * 1j).dtype == {"float32": "complex64", "float64": "complex128"}[dtype]


# ---- arrays


def test_numbers_of_arrays_without_dimensions() -> None:
    assert float(cp.asarray(2.5)) == 2.5
    assert int(cp.asarray(3)) == 3
    assert complex(cp.asarray(1j)) == 1j
    assert bool(cp.asarray(True))
    assert [0, 1, 2][cp.asarray(1)] == 1
    for function, value in ((float, 1j), (int, 1j), (float, [1.0])):
        with pytest.raises(TypeError):
            function(cp.asarray(value))
    with pytest.raises(TypeError, match=r"a\.real is its real part"):
        float(cp.asarray([1j])[0])


def test_attributes() -> None:
    a = cp.ones((2, 3, 4))
    assert (a.ndim, a.size, a.shape, a.T.shape, a.mT.shape) == (
        3,
        24,
        (2, 3, 4),
        (4, 3, 2),
        (2, 4, 3),
    )
    with pytest.raises(ValueError, match="ndim"):
        _ = cp.ones(2).mT
    assert a.to_device(a.device) is a or a.to_device(a.device).device == a.device
    assert isinstance(a.__dlpack_device__(), tuple)
    np.testing.assert_array_equal(to_numpy(cp.from_dlpack(a)), np.ones((2, 3, 4)))


# ---- indexing


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3), (0, 0), (3, 4)])
def test_masks_with_an_axis_of_length_0(shape: tuple[int, ...]) -> None:
    host = np.ones(shape)
    for ndim in range(len(shape) + 1):
        for extents in {shape[:ndim], (*shape[:ndim][:-1], 0)[:ndim]}:
            mask = np.ones(extents, bool)
            try:
                expected = host[mask]
            except IndexError:
                with pytest.raises(IndexError):
                    from_numpy(host)[from_numpy(mask)]
                continue
            a = from_numpy(host)
            assert a[from_numpy(mask)].shape == expected.shape
            a[from_numpy(mask)] = 2.0
            host_copy = host.copy()
            host_copy[mask] = 2.0
            np.testing.assert_array_equal(to_numpy(a), host_copy)


class Sequence:
    def __init__(self, *values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> Any:
        return self.values[place]


class WithArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array([0, 2])


KEYS: dict[str, Any] = {
    "range": range(3),
    "ranges": [range(2), range(1, 3)],
    "lists": [[0, 1], [1, 2]],
    "tuples in a list": [(0, 1), (1, 2)],
    "lists in a tuple": ([0, 1], [1, 2]),
    "range and slice": (slice(None), range(2)),
    "sequence": Sequence(0, 1),
    "sequences": (Sequence(0, 1), Sequence(1, 1)),
    "buffer": memoryview(b"\0\1"),
    "array": WithArray(),
    "booleans": [True, False, True, False],
    "nothing": [],
    "nested nothing": [[], []],
    "numpy numbers": [np.int8(0), np.int64(1)],
    "floats": [0.0, 1.0],
    "text": "a",
    "slices": [slice(0, 1)],
    "none": [None],
    "ragged": [[0], [1, 2]],
    "set": {0, 1},
    "float": 1.0,
    "far": [10**30],
}


@pytest.mark.parametrize("name", KEYS)
def test_sequences_as_keys(name: str) -> None:
    host, key = np.arange(24).reshape(4, 3, 2), KEYS[name]
    ours = from_numpy(host)
    try:
        expected = host[key]
    except Exception as error:
        for call in (lambda: ours[key], lambda: ours.__setitem__(key, 1)):
            with pytest.raises(type(error)):
                call()
        return
    np.testing.assert_array_equal(to_numpy(ours[key]), expected)
    host[key] = 7
    ours[key] = 7
    np.testing.assert_array_equal(to_numpy(ours), host)
