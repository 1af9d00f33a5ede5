"""Sorting: every dtype, special values, lengths around the ways to sort, layouts, and errors."""

import contextlib
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy, to_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.compare import Tolerance, agree, assert_same
from support.device_sets import run as run_on_set
from support.dtypes import ALL_DTYPES, COMPLEX, NUMPY_FLOATS, bfloat16, name
from support.orders import values_of
from support.subprocesses import output_of

# NumPy orders bfloat16 by its bytes.
DTYPES = [dtype for dtype in ALL_DTYPES if not (IS_NUMPY and dtype == bfloat16)]
LENGTHS = [0, 1, 2, 31, 128, 129, 255, 256, 257, 1024, 1025, 2048, 2049, 4096, 4097, 100_000]


def stable_sort(a: np.ndarray, axis: int | None = -1) -> np.ndarray:
    """NumPy's; of bfloat16 through float32."""
    if a.dtype == bfloat16:
        return np.sort(a.astype(np.float32), axis, kind="stable").astype(bfloat16)
    return np.sort(a, axis, kind="stable")


def stable_argsort(a: np.ndarray, axis: int | None = -1) -> np.ndarray:
    wide = a.astype(np.float32) if a.dtype == bfloat16 else a
    return np.argsort(wide, axis, kind="stable")


# ---- sort and argsort


@pytest.mark.parametrize("size", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_every_dtype_and_length(dtype: np.dtype, size: int) -> None:
    a = values_of(dtype, size)
    x = from_numpy(a)
    assert_same(cp.sort(x, kind="stable"), stable_sort(a), what="sort")
    assert_same(cp.argsort(x, kind="stable"), stable_argsort(a), what="argsort")
    assert_same(x, a, what="unchanged")


# Lengths around those from which several threads sort a row, and the bins that they sort.
THREADED = [32_767, 32_768, 32_769, 49_153, 100_000, 524_287, 524_289]


def bits_in_order(a: np.ndarray) -> bytes:
    """Of the elements in NumPy's stable order, which keeps zeros and NaN as they were."""
    return np.take_along_axis(a, stable_argsort(a), -1).tobytes()


@pytest.mark.cupola_only
@pytest.mark.parametrize("size", [2, 33, 300, 4096, 4097, *THREADED])
@pytest.mark.parametrize("dtype", [*NUMPY_FLOATS, bfloat16], ids=name)
def test_zeros_and_nan_stay_in_order(dtype: np.dtype, size: int) -> None:
    random = np.random.default_rng(size)
    bits = random.integers(0, 256, size * dtype.itemsize, dtype=np.uint8).view(dtype)
    wide = np.uint64(2) ** np.uint64(8 * dtype.itemsize - 1)
    nan = np.array(np.nan, dtype).view(f"u{dtype.itemsize}") | random.integers(0, 99, size).astype(
        f"u{dtype.itemsize}"
    )
    sign = random.integers(0, 2, size).astype(f"u{dtype.itemsize}") * wide.astype(
        f"u{dtype.itemsize}"
    )
    kinds = random.integers(0, 4, size)
    special = np.where(kinds == 0, sign, sign | nan).view(dtype)
    a = np.where(kinds < 2, special.view(bits.dtype), bits)
    assert to_numpy(cp.sort(from_numpy(a))).tobytes() == bits_in_order(a)
    held = from_numpy(a)
    held.sort()
    assert to_numpy(held).tobytes() == bits_in_order(a)
    zeros = sign.view(dtype)  # and nothing else
    assert to_numpy(cp.sort(from_numpy(zeros))).tobytes() == zeros.tobytes()


@pytest.mark.parametrize("size", THREADED)
@pytest.mark.parametrize("dtype", [np.int16, np.uint32, np.int64, np.float32])
def test_long_rows(dtype: Any, size: int) -> None:
    a = values_of(np.dtype(dtype), size)
    ordered = stable_sort(a)
    few = (a % 5).astype(dtype) if dtype is not np.float32 else np.sign(np.nan_to_num(a))
    for each in (a, ordered, ordered[::-1], few, few * 0 + 3, np.tile(a[:8], size // 8 + 1)):
        assert_same(cp.sort(from_numpy(each), kind="stable"), stable_sort(each))


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint64])
def test_long_rows_of_arrays(dtype: Any) -> None:
    a = values_of(np.dtype(dtype), 6 * 40_000).reshape(2, 3, 40_000)

    def run(xp: Any, x: Any) -> list[Any]:
        wide = xp.sort(x.transpose(2, 0, 1), 0, kind="stable")
        waiting = xp.sort(x[:, ::-1] * 2 + 1, kind="stable")
        held = x.copy()
        held[:, 1:].sort(kind="stable")
        return [xp.sort(x, kind="stable"), wide, waiting, held, xp.sort(x, None, kind="stable")]

    agree(run, a)


ORDERED = """
import hashlib
random = np.random.default_rng(3)
for dtype in ("int16", "uint16", "int32", "uint32", "int64", "uint64", "f2", "f4", "f8"):
    for size in (7, 1000, 40_000, 600_000):
        bits = random.integers(0, 256, size * np.dtype(dtype).itemsize, dtype=np.uint8)
        a = np.where(random.random(size) < 0.2, np.dtype(dtype).type(0), bits.view(dtype))
        a = np.where(random.random(size) < 0.1, -a, a)
        result = cp.asnumpy(cp.sort(cp.asarray(a)))
        print(hashlib.sha256(result.tobytes()).hexdigest())
"""


@pytest.mark.cupola_only
def test_the_same_bits_on_any_instruction_set() -> None:
    sets = ("baseline", "avx2", "avx512")
    found = {
        output_of(
            "import numpy as np\nimport cupola as cp\n" + ORDERED,
            CUPOLA_PLATFORM="cpu",
            CUPOLA_CPU_INSTRUCTIONS=each,
        )
        for each in sets
    }
    assert len(found) == 1


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.complex64])
@pytest.mark.parametrize("axis", [0, 1, -1, -3, None])
@pytest.mark.parametrize("shape", [(3, 5, 7), (2, 300, 3), (2, 3, 5000), (5000, 2, 3)])
def test_axes(shape: tuple[int, ...], axis: int | None, dtype: Any) -> None:
    a = values_of(np.dtype(dtype), int(np.prod(shape))).reshape(shape)
    for host in (a, a.transpose(2, 0, 1), np.asfortranarray(a), a[::-1, :, ::2]):
        x = from_numpy(host)
        assert_same(cp.sort(x, axis, kind="stable"), stable_sort(host, axis), what="sort")
        assert_same(cp.argsort(x, axis, kind="stable"), stable_argsort(host, axis), what="argsort")


@pytest.mark.parametrize("size", [100, 9000])
def test_views_and_what_waits(size: int) -> None:
    a = values_of(np.dtype(np.float32), 2 * size).reshape(2, size)

    def run(xp: Any, x: Any) -> list[Any]:
        views = [x[:, ::-1], x[:, ::3], x.T, x[0], xp.broadcast_to(x[:1], (3, size)), x[1:, 1:]]
        waiting = [x * 2, abs(x) + 1, x[:, ::-1] * x, x - x.sum() * 0, x.T * 2]
        results = []
        for each in views + waiting:
            results.append(xp.sort(each, kind="stable"))
            results.append(xp.argsort(each, kind="stable"))
            results.append(xp.sort(each, 0, kind="stable"))
        results.append(waiting[0])
        return results

    agree(run, a)


def test_layout_of_the_result() -> None:
    a = values_of(np.dtype(np.int16), 60).reshape(3, 4, 5)
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        for axis in (0, 1, 2):
            host, x = a.transpose(order), from_numpy(a).transpose(order)
            assert cp.sort(x, axis).strides == np.sort(host, axis).strides
            assert cp.argsort(x, axis).strides == np.argsort(host, axis).strides


@pytest.mark.parametrize("size", [5, 300, 10_000])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float32, np.int64])
def test_in_place(dtype: Any, size: int) -> None:
    a = values_of(np.dtype(dtype), 6 * size).reshape(2, size, 3)

    def run(xp: Any, x: Any) -> list[Any]:
        held = x.copy()
        reader = held == held[::-1]  # waits, and must see what was there
        assert held.sort(1, kind="stable") is None
        whole = x.ravel().copy()
        whole.sort(kind="stable")
        strided = x.copy()
        strided[:, ::2, ::-1].sort(1, stable=True)
        flat = x.reshape(-1).copy()
        flat[::-1].sort(kind="stable")
        parted = abs(x)  # zeros of one sign, whose order NumPy leaves open
        parted.partition(size // 2, 1)
        parted.sort(1, kind="stable")
        return [held, reader, whole, strided, flat, parted]

    agree(run, a)


def limited_pool(size: int) -> Any:
    """Memory of which so many bytes are given out."""
    pool = cp.cuda.MemoryPool()
    pool.set_limit(size=size)
    return cp.cuda.using_allocator(pool.malloc)


# Less memory is left than a second array takes.
@pytest.mark.cupola_only
@pytest.mark.parametrize("shape", [(1_500_001,), (3, 500_000)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.complex64])
def test_in_place_with_little_memory(dtype: Any, shape: tuple[int, ...]) -> None:
    values = values_of(np.dtype(dtype), int(np.prod(shape))).reshape(shape)
    with limited_pool(int(1.25 * values.nbytes) + (1 << 19)):
        a = from_numpy(values)
        with pytest.raises(MemoryError):
            cp.sort(a)
        assert_same(a, values)
        a.sort()
        expected = np.sort(values)
        np.testing.assert_array_equal(to_numpy(a), expected)


@pytest.mark.cupola_only
def test_a_copy_with_little_memory() -> None:
    values = values_of(np.dtype(np.float64), 1_000_003)
    with limited_pool(int(2.25 * values.nbytes) + (1 << 20)):
        a = from_numpy(values)
        np.testing.assert_array_equal(to_numpy(cp.sort(a)), np.sort(values))
        assert_same(a, values)


@pytest.mark.cupola_only
def test_in_place_without_memory_leaves_the_elements() -> None:
    values = values_of(np.dtype(np.int32), 2_000_000)
    with limited_pool(1 << 25):
        a = from_numpy(values)
        held = []
        for exponent in range(24, 8, -1):
            with contextlib.suppress(MemoryError):
                while True:
                    held.append(cp.empty(1 << exponent, "u1"))
        with pytest.raises(MemoryError):
            a.sort()
        del held
        np.testing.assert_array_equal(np.sort(to_numpy(a)), np.sort(values))


def test_without_dimensions() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [xp.sort(x, axis=None), xp.argsort(x), xp.argsort(x, axis=None)]

    agree(run, np.array(5))


@pytest.mark.cupola_only
@pytest.mark.parametrize("size", [5, 3000])
def test_descending(size: int) -> None:
    """NumPy 2.5's; where elements lie is that of the ascending sort."""
    host = np.random.default_rng(3).integers(0, 9, (3, size)).astype(np.float32)
    host[1, 2] = np.nan
    a = from_numpy(host)
    for axis in (0, -1, None):
        wanted = np.flip(np.sort(host, axis), -1 if axis is None else axis)
        found, ascending = cp.sort(a, axis, descending=True), cp.sort(a, axis)
        np.testing.assert_array_equal(to_numpy(found), wanted)
        assert found.strides == ascending.strides
        assert cp.sort(a.T, axis, descending=True).strides == cp.sort(a.T, axis).strides
    np.testing.assert_array_equal(to_numpy(a), host)
    places = to_numpy(a.argsort(descending=True))
    keys = np.where(np.isnan(host), -np.inf, -host)
    np.testing.assert_array_equal(places, np.argsort(keys, kind="stable"))
    a.sort(descending=True)
    np.testing.assert_array_equal(to_numpy(a), np.sort(host)[:, ::-1])
    assert cp.argsort(cp.asarray(3.0), descending=True).tolist() == [0]
    for sort in (cp.sort, cp.argsort, cp.ndarray.sort):
        with pytest.raises(ValueError, match="`kind` and keyword parameters"):
            sort(a, kind="stable", descending=False)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty(shape: tuple[int, ...]) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        copy = x.copy()
        copy.sort(0)
        return [xp.sort(x), xp.sort(x, 0), xp.argsort(x), xp.sort(x, None), copy]

    agree(run, np.empty(shape, np.float32))


ERRORS = [
    lambda xp, x: xp.sort(x[0, 0]),
    lambda xp, x: x[0, 0].copy().sort(),
    lambda xp, x: xp.sort(x, 2),
    lambda xp, x: xp.argsort(x, -3),
    lambda xp, x: xp.argsort(x[0, 0], 1),
    lambda xp, x: xp.sort(x, kind="foo"),
    lambda xp, x: xp.sort(x, kind=3),
    lambda xp, x: xp.sort(x, kind="stable", stable=True),
    lambda xp, x: xp.sort(x, order="x"),
    lambda xp, x: x.argsort(order="x"),
    lambda xp, x: xp.broadcast_to(x, (2, 2, 3)).sort(),
    lambda xp, x: xp.broadcast_to(x, (2, 2, 3)).partition(1),
    lambda xp, x: xp.partition(x, 3),
    lambda xp, x: xp.argpartition(x, -4),
    lambda xp, x: xp.partition(x, 1.5),
    lambda xp, x: xp.partition(x, 1, kind="quicksort"),
    lambda xp, x: xp.searchsorted(x, 1),
    lambda xp, x: xp.searchsorted(x[0, 0], 1),
    lambda xp, x: xp.searchsorted(x[0], 1, side="middle"),
    lambda xp, x: xp.searchsorted(x[0], 1, sorter=x[0, :2]),
    lambda xp, x: xp.searchsorted(x[0], 1, sorter=x[0] * 0.5),
    lambda xp, x: xp.lexsort(()),
    lambda xp, x: xp.lexsort(5),
    lambda xp, x: xp.lexsort((x, x[0])),
    lambda xp, x: xp.digitize(x, [1, 3, 2]),
    lambda xp, x: xp.digitize(x * 1j, [1, 2]),
    lambda xp, x: xp.digitize(x, [[1, 2]]),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    agree(ERRORS[number], np.array([[2, 0, 1], [0, 1, 2]]))


@given(st.data())
def test_any_shape(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    order = data.draw(st.permutations(range(len(shape))))
    step = data.draw(st.sampled_from([1, 2, -1, -3]))
    dtype = data.draw(st.sampled_from(DTYPES))
    whole = values_of(dtype, int(np.prod(shape)), data.draw(st.integers(0, 99))).reshape(shape)
    host = whole.transpose(order)[::step]
    x = from_numpy(whole).transpose(order)[::step]
    assert_same(cp.sort(x, axis, kind="stable"), stable_sort(host, axis))
    assert_same(cp.argsort(x, axis, kind="stable"), stable_argsort(host, axis))


@pytest.mark.parametrize("dtype", COMPLEX, ids=name)
def test_complex_nan(dtype: np.dtype) -> None:
    parts = [0.0, -0.0, 1.0, np.nan, np.inf, -np.inf]
    a = np.array([complex(re, im) for re in parts for im in parts], dtype)
    for size in (a.size, 5000):
        b = np.random.default_rng(size).choice(a, size)
        assert_same(cp.sort(from_numpy(b), kind="stable"), np.sort(b, kind="stable"))
        assert_same(cp.argsort(from_numpy(b), kind="stable"), np.argsort(b, kind="stable"))


# ---- several keys, parts, search


@pytest.mark.usefixtures("few_elements")
@pytest.mark.parametrize("size", [7, 5000])
def test_lexsort(size: int) -> None:
    random = np.random.default_rng(1)
    keys = [random.integers(0, 3, (2, size)), random.integers(0, 4, (2, size)) * 0.5]

    def run(xp: Any, first: Any, second: Any) -> list[Any]:
        return [
            xp.lexsort((first, second)),
            xp.lexsort((second, first), 0),
            xp.lexsort(first),
            xp.lexsort([first[0], second[0], first[1]]),
        ]

    agree(run, *keys)


@pytest.mark.parametrize("kth", [0, 3, -1, [1, 5]])
def test_partition(kth: Any) -> None:
    a = np.random.default_rng(2).permutation(60).reshape(6, 10)
    for axis in (0, 1, None):
        if axis == 0 and kth == [1, 5]:
            kth = [1, 4]
        parted = to_numpy(cp.partition(from_numpy(a), kth, axis))
        places = to_numpy(cp.argpartition(from_numpy(a), kth, axis))
        expected = np.sort(a, axis)
        along = -1 if axis is None else axis
        flat = a.ravel() if axis is None else a
        for found in (parted, np.take_along_axis(flat, places, along)):
            chosen = np.take(found, kth, along)
            assert np.array_equal(chosen, np.take(expected, kth, along))
            assert np.array_equal(np.sort(found, along), expected)


def parted_places(a: np.ndarray, kth: list[int], axis: int) -> np.ndarray:
    """What argpartition promises: around each place, groups of elements in the order of `a`."""
    rows = np.moveaxis(a, axis, -1)
    order = stable_argsort(rows)
    ordered = np.take_along_axis(rows, order, -1)
    with np.errstate(invalid="ignore"):
        rises = (ordered[..., 1:] != ordered[..., :-1]) & ~np.isnan(ordered[..., :-1])
    classes = np.insert(rises, 0, False, -1).cumsum(-1)
    of_element = np.empty_like(classes)
    np.put_along_axis(of_element, order, classes, -1)
    bins = np.zeros_like(classes)
    for k in {k % rows.shape[-1] for k in kth}:
        bins += of_element >= classes[..., k, None]
        bins += of_element > classes[..., k, None]
    return np.moveaxis(np.argsort(bins, -1, kind="stable"), -1, axis)


# Rows that are sorted together, selected from by one thread and by all; few bins and many.
PARTED = [(2, 1), (2, 2), (40, 31), (40, 64), (3, 130), (9, 1024), (2, 1025), (2, 5000)]
PARTED.append((1, 300_000))
PARTED_DTYPES = [d for d in DTYPES if d.kind != "c" and d != bfloat16]


@pytest.mark.cupola_only
@pytest.mark.parametrize("shape", PARTED, ids=str)
@pytest.mark.parametrize("dtype", PARTED_DTYPES, ids=name)
def test_order_of_parts(dtype: np.dtype, shape: tuple[int, int]) -> None:
    a = values_of(dtype, shape[0] * shape[1]).reshape(shape)
    length = shape[1]
    for kth in ([length // 2], [0, -1], [length // 3, -1, length // 2, length // 3]):
        for host, axis in ((a, 1), (np.ascontiguousarray(a.T), 0), (a.T, 0), (a[:, ::-1], -1)):
            x = from_numpy(a).T if host.base is a and axis == 0 else from_numpy(host)
            places = parted_places(host, kth, axis)
            assert_same(cp.argpartition(x, kth, axis), places, what=f"argpartition {kth}")
            expected = np.take_along_axis(host, places, axis)
            assert_same(cp.partition(x, kth, axis), expected, what=f"partition {kth}")
            x = from_numpy(host)
            x.partition(kth, axis)
            assert_same(x, expected, what=f"in place {kth}")


@pytest.mark.parametrize("count", [0, 8, 9, 40])
def test_partition_at_many_places(count: int) -> None:
    a = np.random.default_rng(3).permutation(900).reshape(3, 300)
    kth = np.linspace(0, 299, count).astype(int)
    parted = to_numpy(cp.partition(from_numpy(a), kth))
    places = to_numpy(cp.argpartition(from_numpy(a), kth))
    for found in (parted, np.take_along_axis(a, places, -1)):
        assert np.array_equal(found[:, kth], np.sort(a)[:, kth])
        assert np.array_equal(np.sort(found), np.sort(a))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("values", ["all different", "ties", "imaginary", "missing"])
def test_partition_of_complex_rows(values: str, dtype: str) -> None:
    random = np.random.default_rng(5)
    for shape in ((3, 5000), (2, 300), (2, 40)):
        a = random.standard_normal(shape) + 1j * random.standard_normal(shape)
        if values == "ties":
            a = np.round(a * 2)
        elif values == "imaginary":
            a = 1j * np.round(a.imag)
        elif values == "missing":
            a.real[random.random(shape) < 0.3] = np.nan
            a.imag[random.random(shape) < 0.3] = np.nan
        a = a.astype(dtype) + 0  # zeros of one sign
        for kth in (7, -1, [3, 20, 21, -3], list(range(0, 40, 3))):
            expected = np.sort(a, -1)
            parted = to_numpy(cp.partition(from_numpy(a), kth))
            places = to_numpy(cp.argpartition(from_numpy(a), kth))
            for found in (parted, np.take_along_axis(a, places, -1)):
                assert_same(found[:, kth], expected[:, kth])
                for k in np.atleast_1d(kth):
                    assert_same(np.sort(found[:, :k], -1), expected[:, :k])
                assert_same(np.sort(found, -1), expected)
        agree(lambda xp, x: [xp.median(x, -1), xp.median(x, 0)], a, tolerance=Tolerance(4))


def test_partition_of_complex_numbers_and_of_nothing() -> None:
    a = np.array([3 + 1j, 1, 2 - 1j, 2 - 2j, np.nan, 0])
    for k in range(6):
        assert to_numpy(cp.partition(from_numpy(a), k))[k] == np.sort(a)[k] or k == 5
    agree(
        lambda xp, x: [xp.partition(x, 0), xp.argpartition(x, 5), xp.partition(x, 1, 0)],
        np.empty((0, 3), np.float32),
    )
    agree(lambda xp, x: [xp.argpartition(x, 0), xp.partition(x, 0, None)], np.array(5.0))


@pytest.mark.parametrize("dtype", [*NUMPY_FLOATS, np.int8, np.uint64, np.bool_], ids=str)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 64, 1000])
def test_searchsorted(size: int, dtype: Any) -> None:
    a = values_of(np.dtype(dtype), size)
    v = np.resize(np.concatenate([values_of(np.dtype(dtype), 50, 7), a[:50]]), (2, 50))

    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        order = xp.argsort(x, kind="stable")
        line = xp.sort(x, kind="stable")
        results = []
        for side in ("left", "right"):
            results.append(xp.searchsorted(line, y, side))
            results.append(xp.searchsorted(x, y, side, sorter=order))
            results.append(line.searchsorted(y[:, ::2].T, side=side))
            results.append(xp.searchsorted(line, 1, side))
            results.append(xp.searchsorted(line, [0.5, 3], side))
        return results

    agree(run, a, v)


def test_digitize() -> None:
    x = values_of(np.dtype(np.float32), 500)
    bins = np.array([-10.0, -1.0, 0.0, 0.0, 2.5, 100.0])

    def run(xp: Any, values: Any, edges: Any) -> list[Any]:
        return [
            xp.digitize(values, each, right)
            for each in (edges, edges[::-1], edges[:1], edges[2:4])
            for right in (False, True)
        ]

    agree(run, x, bins)


def test_sort_complex() -> None:
    agree(lambda xp, x: xp.sort_complex(x), np.array([3, 1, 2], np.int8))
    agree(lambda xp, x: xp.sort_complex(x), np.array([3, 1, 2], np.int64))
    agree(lambda xp, x: xp.sort_complex(x), np.array([3, 1j, 2]))


# ---- device sets

PROGRAMS = """
import hashlib
random = np.random.default_rng(5)
def bits(value):
    host = cp.asnumpy(value)
    return hashlib.md5(repr((host.dtype, host.shape)).encode() + host.tobytes()).hexdigest()
for shape in [(50,), (70, 40), (5000,), (3, 6000), (300000,)]:
    for dtype in ["float32", "int8", "complex64"]:
        host = (random.standard_normal(shape) * 50).astype(dtype)
        a = cp.asarray(host)
        print(shape, dtype, bits(cp.sort(a)), bits(cp.argsort(a)), bits(cp.sort(a, 0)))
        assert np.array_equal(cp.asnumpy(cp.sort(a)), np.sort(host))
        assert np.array_equal(cp.asnumpy(cp.argsort(a)), np.argsort(host, kind="stable"))
        v = cp.sort(a.ravel())
        print(bits(cp.partition(a, 30)), bits(cp.argpartition(a, [3, -7])))
        print(bits(cp.median(a, 0)), bits(cp.median(a, -1)))
        print(bits(cp.searchsorted(v.real, a.ravel()[:70].real)))
"""


@pytest.mark.cupola_only
def test_the_same_bits_for_any_number_of_members() -> None:
    one = run_on_set(PROGRAMS, CUPOLA_DEVICE="cpu:1")
    for device in ("cpu:0-1", "cpu:2,0,1", "cpu:0-3"):
        assert run_on_set(PROGRAMS, CUPOLA_DEVICE=device) == one


# Rows that lie on several devices are brought to where they end first, after a look at some of
# their elements.
LONG_ROWS = """
size = 300_001
random = np.random.default_rng(4)
special = random.choice([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 2.5], size)
rows = {
    "random": random.standard_normal(size),
    "special": np.where(random.random(size) < 0.5, special, random.standard_normal(size)),
    "endless": random.choice([np.inf, np.nan], size),
    "few": random.integers(0, 3, size),
    "equal": np.zeros(size),
    "rising": np.arange(size),
    "falling": np.arange(size)[::-1],
    "periodic": np.arange(size) % 64,
}
stretch = size // (size // 64)
places = np.arange(size // 64)
hash = places * 0x9E3779B1 & 0xFFFFFFFF
misleading = random.standard_normal(size)
misleading[places * stretch + (hash * stretch >> 32)] = -10
rows["misleading"] = misleading
for kind, row in rows.items():
    for dtype in ("float32", "int64"):
        if dtype == "int64" and kind in ("special", "endless"):
            continue
        host = (row * 1000).astype(dtype)
        a = cp.asarray(host)
        assert len(a.placement) > 1
        np.testing.assert_array_equal(cp.asnumpy(cp.sort(a)), np.sort(host), kind)
        places = np.argsort(host, kind="stable")
        np.testing.assert_array_equal(cp.asnumpy(cp.argsort(a)), places, kind)
        a.sort()
        np.testing.assert_array_equal(cp.asnumpy(a), np.sort(host), kind)

a = cp.asarray(rows["random"])
with cp.profile() as recorded:
    cp.eval(cp.sort(a))
kernels = [event["name"] for event in recorded.events if event["kind"] == "kernel"]
print("greater" in " ".join(name for name in kernels if name.endswith("partition")))
"""


@pytest.mark.cupola_only
@pytest.mark.parametrize("device", ["cpu:0-1", "cpu:2,0,1", "cpu:0-3"])
def test_long_rows_of_several_devices(device: str) -> None:
    assert run_on_set(LONG_ROWS, CUPOLA_DEVICE=device).strip() == "True"


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_rows_of_many_megabytes(dtype: str) -> None:
    a = values_of(np.dtype(dtype), 8 * 1024 * 1024 // np.dtype(dtype).itemsize + 3)
    assert_same(cp.argsort(from_numpy(a)), stable_argsort(a))
    assert_same(cp.sort(from_numpy(a)), stable_sort(a))
