"""`jit.thrust`: algorithms over iterators, in the threads of a kernel."""

import doctest
import inspect
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same
from support.compilers import skip_without_compiler

from cupola.cupyx import jit

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

thrust = jit.thrust
seq = jit.thrust.seq


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


def rows(dtype: str, columns: int = 137, values: int = 50) -> np.ndarray:
    """Rows of numbers of which many are equal."""
    return np.random.default_rng(5).integers(0, values, (8, columns)).astype(dtype)


@pytest.mark.parametrize(
    ("dtype", "order"),
    [
        ("int32", "C"),
        ("int32", "F"),
        ("uint8", "F"),
        ("float16", "F"),
        ("float64", "C"),
        ("complex64", "C"),
        ("bool", "C"),
    ],
)
def test_sorts(dtype: str, order: Any) -> None:
    @jit.rawkernel()
    def kernel(x, is_sorted, until):
        i = jit.grid(1)
        row = x[i]
        is_sorted[i, 0] = thrust.is_sorted(seq, row.begin(), row.end())
        until[i, 0] = thrust.is_sorted_until(seq, row.begin(), row.end()) - row.begin()
        thrust.sort(thrust.device, row.begin(), row.end())
        is_sorted[i, 1] = thrust.is_sorted(seq, row.begin(), row.end())
        until[i, 1] = thrust.is_sorted_until(seq, row.begin(), row.end()) - row.begin()

    x = rows(dtype)
    ours = cp.asarray(x, order=order)
    flags, until = cp.zeros((8, 2), bool), cp.zeros((8, 2), "int64")
    kernel[1, 8](ours, flags, until)
    assert_same(ours, np.sort(x, axis=1))
    assert flags.tolist() == [[False, True]] * 8
    first_down = [next(i for i in range(1, 137) if row[i] < row[i - 1]) for row in x]
    assert until.tolist() == [[i, 137] for i in first_down]


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 33, 1000])
def test_sorts_by_key_keep_the_order_of_equal_keys(n: int) -> None:
    @jit.rawkernel()
    def kernel(keys, places, values):
        i = jit.grid(1)
        thrust.sort_by_key(seq, keys[i].begin(), keys[i].end(), places[i].begin())
        thrust.stable_sort(seq, values[i].begin(), values[i].end())

    keys = rows("int16", n, 7)
    places = np.broadcast_to(np.arange(n, dtype="int32"), (8, n))
    ours, its_places, values = (
        cp.asarray(keys),
        cp.asarray(places.copy()),
        cp.asarray(keys[:, ::-1]),
    )
    kernel[1, 8](ours, its_places, values)
    assert_same(ours, np.sort(keys, axis=1))
    assert_same(its_places, np.argsort(keys, axis=1, kind="stable").astype("int32"))
    assert_same(values, np.sort(keys, axis=1))


def test_searches_of_values_and_of_ranges() -> None:
    @jit.rawkernel()
    def kernel(x, values, one, many):
        i = jit.threadIdx.x
        v = values[i]
        one[0, i] = thrust.lower_bound(seq, x.begin(), x.end(), v) - x.begin()
        one[1, i] = thrust.upper_bound(seq, x.begin(), x.end(), v) - x.begin()
        one[2, i] = thrust.binary_search(seq, x.begin(), x.end(), v)
        first, last = thrust.equal_range(seq, x.begin(), x.end(), v)
        one[3, i] = last - first
        found = thrust.find(seq, x.begin(), x.end(), v)
        one[4, i] = found - x.begin() if found != x.end() else -1
        one[5, i] = thrust.count(seq, x.begin(), x.end(), v)
        if i == 0:
            begin, end = values.begin(), values.end()
            end_of = thrust.lower_bound(seq, x.begin(), x.end(), begin, end, many[0].begin())
            one[6, 0] = end_of - many[0].begin()
            thrust.upper_bound(seq, x.begin(), x.end(), begin, end, many[1].begin())
            thrust.binary_search(seq, x.begin(), x.end(), begin, end, many[2].begin())

    x = np.sort(np.random.default_rng(2).integers(0, 20, 40)).astype("float32")
    values = np.arange(-1, 22, dtype="float32")
    one, many = cp.zeros((7, 23), "int32"), cp.zeros((3, 23), "int64")
    kernel[1, 23](cp.asarray(x), cp.asarray(values), one, many)
    lower, upper = np.searchsorted(x, values), np.searchsorted(x, values, "right")
    counts = upper - lower
    found = np.where(counts > 0, lower, -1)
    expected = np.array([lower, upper, counts > 0, counts, found, counts])
    assert_same(one[:6], expected.astype("int32"))
    assert int(one[6, 0]) == 23
    assert_same(many, np.array([lower, upper, counts > 0]).astype("int64"))


def test_values_are_compared_in_a_common_dtype() -> None:
    @jit.rawkernel()
    def kernel(x, y):
        y[0] = thrust.count(seq, x.begin(), x.end(), 300)
        y[1] = thrust.count(seq, x.begin(), x.end(), 2.5)
        y[2] = thrust.count(seq, x.begin(), x.end(), 44)

    y = cp.zeros(3, "int32")
    kernel[1, 1](cp.full(5, 44, "uint8"), y)
    assert y.tolist() == [0, 0, 5]


def test_ranges_beside_each_other() -> None:
    @jit.rawkernel()
    def kernel(x, y, places, same):
        i = jit.grid(1)
        a, b = thrust.mismatch(seq, x[i].begin(), x[i].end(), y[i].begin())
        places[i, 0] = a - x[i].begin()
        places[i, 1] = b - y[i].begin()
        same[i] = thrust.equal(seq, x[i].begin(), x[i].end(), y[i].begin())

    x = rows("float32")
    y = np.asfortranarray(x)
    for i in range(7):
        y[i, i * 10] = -1
    places, same = cp.zeros((8, 2), "int32"), cp.zeros(8, bool)
    kernel[1, 8](cp.asarray(x), cp.asarray(y, order="F"), places, same)
    assert places.tolist() == [[i * 10] * 2 for i in range(7)] + [[137] * 2]
    assert same.tolist() == [False] * 7 + [True]


def test_copies() -> None:
    @jit.rawkernel()
    def kernel(x, map, y, ends):
        begin, end = x.begin(), x.end()
        ends[0] = thrust.copy(seq, begin, end, y[0].begin()) - y[0].begin()
        thrust.reverse_copy(seq, begin, end, y[1].begin())
        thrust.gather(seq, map.begin(), map.end(), begin, y[2].begin())
        thrust.scatter(seq, begin, end, map.begin(), y[3].begin())
        thrust.fill(seq, y[4].begin(), y[4].end(), 7)
        thrust.sequence(seq, y[5].begin(), y[5].end())
        thrust.sequence(seq, y[6].begin(), y[6].end(), 3, step=2)
        ends[1] = thrust.remove_copy(seq, begin, end, y[7].begin(), 2) - y[7].begin()
        thrust.replace_copy(seq, begin, end, y[8].begin(), 2, 9)
        thrust.copy(seq, begin, end, y[9].begin())
        thrust.replace(seq, y[9].begin(), y[9].end(), 1, 8)
        thrust.reverse(seq, y[9].begin(), y[9].end())
        thrust.copy(seq, begin, end, y[10].begin())
        ends[2] = thrust.remove(seq, y[10].begin(), y[10].end(), 0) - y[10].begin()
        thrust.swap_ranges(seq, y[0].begin(), y[0].end(), y[1].begin())

    x = np.array([2, 0, 1, 2, 2, 5, 0], "int32")
    map_ = np.array([6, 0, 3, 1, 2, 5, 4])
    y, ends = cp.full((11, 7), -1, "int32"), cp.zeros(3, "int64")
    kernel[1, 1](cp.asarray(x), cp.asarray(map_), y, ends)
    scattered = np.empty(7, "int32")
    scattered[map_] = x
    assert ends.tolist() == [7, 4, 5]
    rows_ = y.get()
    assert_same(y[:2], np.array([x[::-1], x]))
    assert_same(y[2:4], np.array([x[map_], scattered]))
    assert rows_[4:7].tolist() == [[7] * 7, list(range(7)), list(range(3, 17, 2))]
    assert rows_[7, :4].tolist() == [0, 1, 5, 0]
    assert rows_[7, 4:].tolist() == [-1] * 3
    assert_same(y[8], np.where(x == 2, 9, x).astype("int32"))
    assert_same(y[9], np.where(x == 1, 8, x)[::-1].astype("int32"))
    assert rows_[10, :5].tolist() == [2, 1, 2, 2, 5]


@pytest.mark.parametrize("dtype", ["int32", "float32", "float16"])
def test_sums(dtype: str) -> None:
    @jit.rawkernel()
    def kernel(x, y, numbers):
        begin, end = x.begin(), x.end()
        thrust.adjacent_difference(seq, begin, end, y[0].begin())
        thrust.inclusive_scan(seq, begin, end, y[1].begin())
        thrust.exclusive_scan(seq, begin, end, y[2].begin())
        thrust.exclusive_scan(seq, begin, end, y[3].begin(), 5)
        thrust.copy(seq, begin, end, y[4].begin())
        thrust.exclusive_scan(seq, y[4].begin(), y[4].end(), y[4].begin())
        thrust.copy(seq, begin, end, y[5].begin())
        thrust.adjacent_difference(seq, y[5].begin(), y[5].end(), y[5].begin())
        numbers[0] = thrust.reduce(seq, begin, end)
        numbers[1] = thrust.reduce(seq, begin, end, np.float64(0.5))
        numbers[2] = thrust.inner_product(seq, begin, end, begin, np.float64(1))
        numbers[3] = thrust.reduce(seq, begin, begin)

    x = np.random.default_rng(4).integers(0, 6, 20).astype(dtype)
    y, numbers = cp.zeros((6, 20), dtype), cp.zeros(4, "float64")
    kernel[1, 1](cp.asarray(x), y, numbers)
    inclusive = np.cumsum(x, dtype=dtype)
    exclusive = np.concatenate([[0], inclusive[:-1]]).astype(dtype)
    differences = np.diff(x, prepend=0).astype(dtype)
    five = np.array(5, dtype)
    expected = [differences, inclusive, exclusive, exclusive + five, exclusive, differences]
    assert_same(y, np.array(expected).astype(dtype))
    assert numbers.tolist() == [x.sum(), x.sum() + 0.5, (x * x).sum() + 1, 0]


def test_groups_of_equal_keys() -> None:
    @jit.rawkernel()
    def kernel(keys, x, y, kept_keys, kept, ends):
        begin, end = keys.begin(), keys.end()
        thrust.inclusive_scan_by_key(seq, begin, end, x.begin(), y[0].begin())
        thrust.exclusive_scan_by_key(seq, begin, end, x.begin(), y[1].begin())
        thrust.exclusive_scan_by_key(seq, begin, end, x.begin(), y[2].begin(), 10)
        a, b = thrust.reduce_by_key(
            seq, begin, end, x.begin(), kept_keys[0].begin(), kept[0].begin()
        )
        ends[0] = a - kept_keys[0].begin()
        ends[1] = b - kept[0].begin()
        thrust.copy(seq, begin, end, kept_keys[1].begin())
        thrust.copy(seq, x.begin(), x.end(), kept[1].begin())
        _, d = thrust.unique_by_key(seq, kept_keys[1].begin(), kept_keys[1].end(), kept[1].begin())
        ends[2] = d - kept[1].begin()
        thrust.copy(seq, begin, end, kept_keys[2].begin())
        ends[3] = (
            thrust.unique(seq, kept_keys[2].begin(), kept_keys[2].end()) - kept_keys[2].begin()
        )

    keys = np.array([4, 4, 4, 1, 1, 4, 2], "int16")
    x = np.array([1.0, 2, 3, 4, 5, 6, 7])
    y, ends = cp.zeros((3, 7)), cp.zeros(4, "int64")
    kept_keys, kept = cp.zeros((3, 7), "int16"), cp.zeros((2, 7))
    kernel[1, 1](cp.asarray(keys), cp.asarray(x), y, kept_keys, kept, ends)
    assert y.tolist() == [
        [1, 3, 6, 4, 9, 6, 7],
        [0, 1, 3, 0, 4, 0, 0],
        [10, 11, 13, 10, 14, 10, 10],
    ]
    assert ends.tolist() == [4, 4, 4, 4]
    assert kept_keys[:, :4].tolist() == [[4, 1, 4, 2]] * 3
    assert kept[:, :4].tolist() == [[6, 9, 6, 7], [1, 4, 6, 7]]


def multiset(a: np.ndarray, b: np.ndarray, count: Any) -> list[int]:
    """Each number as often as `count` of its counts in both."""
    numbers = range(10)
    times = [count(int((a == i).sum()), int((b == i).sum())) for i in numbers]
    return [i for i, n in zip(numbers, times, strict=True) for _ in range(n)]


COUNTS = {
    "union": max,
    "intersection": min,
    "difference": lambda m, n: max(m - n, 0),
    "symmetric_difference": lambda m, n: abs(m - n),
}


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("sizes", [(12, 9), (0, 5), (5, 0), (7, 30)])
def test_sorted_ranges_as_sets(name: str, sizes: tuple[int, int]) -> None:
    operation = getattr(thrust, f"set_{name}")
    by_key = getattr(thrust, f"set_{name}_by_key")

    @jit.rawkernel()
    def kernel(a, b, result, end):
        last = operation(seq, a.begin(), a.end(), b.begin(), b.end(), result.begin())
        end[0] = last - result.begin()

    @jit.rawkernel()
    def keyed(a, b, v, w, keys, values, end):
        last, _ = by_key(
            seq, a.begin(), a.end(), b.begin(), b.end(), v.begin(), w.begin(), keys.begin(),
            values.begin(),
        )  # fmt: skip
        end[1] = last - keys.begin()

    @jit.rawkernel()
    def keyed_once(a, b, v, keys, values, end):
        _, end_of = by_key(
            seq, a.begin(), a.end(), b.begin(), b.end(), v.begin(), keys.begin(), values.begin()
        )
        end[1] = end_of - values.begin()

    random = np.random.default_rng(8)
    a, b = (np.sort(random.integers(0, 10, n)).astype("int32") for n in sizes)
    result, end = cp.zeros(sum(sizes), "int32"), cp.zeros(2, "int64")
    kernel[1, 1](cp.asarray(a), cp.asarray(b), result, end)
    expected = multiset(a, b, COUNTS[name])
    assert result[: int(end[0])].tolist() == expected

    keys, values = cp.zeros(sum(sizes), "int32"), cp.zeros(sum(sizes))
    v, w = cp.asarray(a) + 0.25, cp.asarray(b) + 0.5
    if name == "intersection":
        keyed_once[1, 1](cp.asarray(a), cp.asarray(b), v, keys, values, end)
    else:
        keyed[1, 1](cp.asarray(a), cp.asarray(b), v, w, keys, values, end)
    n = int(end[1])
    assert keys[:n].tolist() == expected
    parts = values[:n].get() - expected
    assert set(parts.tolist()) <= {0.25, 0.5}
    from_a = [i for i, part in zip(expected, parts, strict=True) if part == 0.25]
    if name in ("difference", "intersection"):
        assert from_a == expected
    elif name == "union":
        assert from_a == a.tolist()


def test_iterators_without_memory_and_of_broadcast_rows() -> None:
    @jit.rawkernel()
    def kernel(x, y, n):
        first = thrust.make_counting_iterator(5)
        y[0] = thrust.reduce(seq, first, first + n)
        y[1] = thrust.count(seq, thrust.make_counting_iterator(n), first + 20, 12)
        threes = thrust.make_constant_iterator(3)
        y[2] = thrust.reduce(seq, threes, threes + n)
        thrust.copy(seq, first, first + 3, y.begin() + 3)
        row = x[jit.threadIdx.x]
        y[6] = thrust.reduce(seq, row.begin(), row.end())
        y[7] = row.end() - row.begin()
        y[8] = (row.begin() + 1)[0]

    x = np.broadcast_to(np.array([[7]], "int32"), (1, 6))
    y = cp.zeros(9, "int32")
    kernel[1, 1](cp.broadcast_to(cp.asarray(x[:, :1]), (1, 6)), y, 4)
    assert y.tolist() == [5 + 6 + 7 + 8, 1, 12, 5, 6, 7, 42, 6, 7]


def test_shared_memory_is_a_range() -> None:
    @jit.rawkernel()
    def kernel(x, y):
        tid = jit.threadIdx.x
        shared = jit.shared_memory(np.int32, 32)
        shared[tid] = x[tid]
        jit.syncthreads()
        y[tid] = thrust.count(thrust.device, shared, shared + 32, tid)

    x = np.random.default_rng(1).integers(0, 32, 32).astype("int32")
    y = cp.zeros(32, "int32")
    kernel[1, 32](cp.asarray(x), y)
    assert_same(y, np.bincount(x, minlength=32).astype("int32"))


def launch(function: Any, *args: Any) -> None:
    jit.rawkernel()(function)[1, 1](*args)


def test_what_is_refused() -> None:
    def of_array(x):
        thrust.sort(seq, x, x)

    def with_order(x):
        thrust.sort(seq, x.begin(), x.end(), 1)

    def without_policy(x):
        thrust.sort(x.begin(), x.end())

    def on_host(x):
        thrust.sort(thrust.host, x.begin(), x.end())

    def other_dtype(x, y):
        thrust.copy(seq, x.begin(), x.end(), y.begin())

    def real_into_integers(x):
        thrust.fill(seq, x.begin(), x.end(), 2.5)

    def real_places(x, y):
        thrust.gather(seq, y.begin(), y.end(), x.begin(), x.begin())

    def of_matrix(x):
        thrust.sort(seq, x.begin(), x.end())

    x, y, z = cp.zeros(4, "int32"), cp.zeros(4, "float32"), cp.zeros(4, "complex64")
    for function, args, error, text in (
        (of_array, (x,), TypeError, r"sort: first must be an iterator, as array.begin\(\)"),
        (with_order, (x,), NotImplementedError, "sort: comp has no translation"),
        (without_policy, (x,), TypeError, "missing a required argument: 'last'|exec_policy must"),
        (on_host, (x,), TypeError, "thrust.host is not for kernels; use thrust.seq"),
        (other_dtype, (z, y), TypeError, "result is a pointer to float32, .* must be complex64"),
        (real_into_integers, (x,), TypeError, "fill: value is int32, which a value of float32"),
        (real_places, (x, y), TypeError, "map_first must have integers, not float32"),
        (of_matrix, (cp.zeros((3, 4), order="F"),), ValueError, "not C-contiguous; copy it"),
    ):
        with pytest.raises(error, match=text):
            launch(function, *args)
    with pytest.raises(ValueError, match="sort: first is read-only"):
        launch(of_matrix, cp.broadcast_to(cp.zeros(1), (4,)))
    with pytest.raises(
        RuntimeError, match=r"is called in functions that jit\.rawkernel translates"
    ):
        thrust.sort(seq)


def test_iterators_of_memory_at_strides_are_not_copied_as_bytes() -> None:
    def kernel(x, y):
        group = jit.cg.this_thread_block()
        jit.cg.memcpy_async(group, y.begin(), 0, x[0].begin(), 0, 8)

    with pytest.raises(TypeError, match="memcpy_async of a strided iterator of int32"):
        launch(kernel, cp.zeros((3, 4), "int32", order="F"), cp.zeros(4, "int32"))


@pytest.mark.parametrize("name", thrust.__all__)
def test_algorithms_are_documented(name: str) -> None:
    text = inspect.getdoc(getattr(thrust, name))
    assert text
    if name not in ("seq", "device", "host"):
        for section in ("Parameters", "Returns", "Raises", "Examples"):
            assert f"\n{section}\n{'-' * len(section)}\n" in text
        given = set(inspect.signature(getattr(thrust, name)).parameters) - {"args", "kwargs"}
        assert [each for each in given if f"\n{each} : " not in text] == []


def test_every_algorithm_of_the_table_has_its_name() -> None:
    from cupola.cupyx.jit.thrust._table import OVERLOADED, ROWS

    names = {row.name for row in (*ROWS, *(rows[0] for rows in OVERLOADED))}
    assert names < set(thrust.__all__)
    assert all(getattr(thrust, name).__name__ == name for name in names)


def test_examples_run() -> None:
    run = 0
    for name in thrust.__all__:
        text = getattr(thrust, name).__doc__
        test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
        result = doctest.DocTestRunner().run(test)
        assert result.failed == 0
        run += result.attempted > 0
    assert run == len(thrust.__all__) - 3  # policies


def test_algorithms_compile_for_gpus() -> None:
    @jit.rawkernel()
    def kernel(x, y, keys):
        i = jit.grid(1)
        row = x[i]
        thrust.sort_by_key(seq, row.begin(), row.end(), y[i].begin())
        a, _ = thrust.unique_by_key(seq, row.begin(), row.end(), y[i].begin())
        thrust.inclusive_scan_by_key(seq, keys.begin(), keys.end(), row.begin(), y[i].begin())
        thrust.set_union(seq, row.begin(), a, y[i].begin(), y[i].end(), row.begin())
        thrust.fill(seq, a, row.end(), thrust.reduce(seq, y[i].begin(), y[i].end()))
        thrust.binary_search(seq, row.begin(), row.end(), row[0])

    kernel[1, 1](cp.zeros((4, 4), "float16", "F"), cp.zeros((4, 4), "float16"), cp.zeros(4, "int8"))
    compiled = cp.RawKernel(kernel.cached_code, "kernel_kernel", options=("--std=c++20",))
    compiled.compile()


def test_results_are_converted_to_the_type_of_their_array() -> None:
    @jit.rawkernel()
    def kernel(x, at, wide, real, narrow, places, values):
        first, last = x.begin(), x.end()
        thrust.copy(seq, first, last, wide[0].begin())
        thrust.gather(seq, at.begin(), at.end(), first, wide[1].begin())
        thrust.scatter(seq, first, last, at.begin(), wide[2].begin())
        thrust.inclusive_scan(seq, first, last, real[0].begin())
        thrust.exclusive_scan(seq, first, last, real[1].begin())
        thrust.adjacent_difference(seq, first, last, real[2].begin())
        thrust.reverse_copy(seq, first, last, narrow[0].begin())
        thrust.replace_copy(seq, first, last, narrow[1].begin(), 3, 5)
        thrust.remove_copy(seq, first, last, narrow[2].begin(), 3)
        thrust.set_union(seq, first, last, first, last, wide[3].begin())
        thrust.inclusive_scan_by_key(seq, first, last, first, real[3].begin())
        thrust.unique_by_key(seq, places.begin(), places.end(), values.begin())

    host, order = np.arange(6, dtype="int32"), np.array([3, 0, 1, 5, 4, 2], dtype="int32")
    x, at = cp.asarray(host), cp.asarray(order)
    wide, real, narrow = cp.zeros((4, 6), "int64"), cp.zeros((4, 6), "f4"), cp.zeros((3, 6), "int8")
    places, values = cp.zeros(6, "int32"), cp.arange(6.0)
    kernel[1, 1](x, at, wide, real, narrow, places, values)
    scattered = np.zeros(6, int)
    scattered[order] = host
    assert wide.tolist() == [host.tolist(), host[order].tolist(), scattered.tolist(), host.tolist()]
    sums = host.cumsum()
    assert real.tolist() == [sums.tolist(), [0, *sums[:-1]], [0, 1, 1, 1, 1, 1], host.tolist()]
    assert narrow.tolist() == [[5, 4, 3, 2, 1, 0], [0, 1, 2, 5, 4, 5], [0, 1, 2, 4, 5, 0]]

    @jit.rawkernel()
    def loses(z, y):
        thrust.copy(seq, z.begin(), z.end(), y.begin())

    with pytest.raises(TypeError, match="whose elements must be complex64"):
        loses[1, 1](cp.zeros(2, "c8"), cp.zeros(2, "f4"))
