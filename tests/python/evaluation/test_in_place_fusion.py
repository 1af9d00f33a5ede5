"""Updates in place are one kernel; what the program has of their right-hand sides stays right."""

import contextlib
import os
from collections.abc import Callable

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only

deferred_alone = pytest.mark.skipif(
    "CUPOLA_EAGER" in os.environ or cp.current_device().is_set,
    reason="each operation is a kernel of its own, or each member has some",
)
SIZES = [3, 1000, 300_000]  # of the last, cheap values are left pending


def launches(work: Callable[[], object]) -> int:
    """Of the work, and what it leaves pending, while no thread computes few elements by itself."""
    cp.current_device().synchronize()
    with cp.profile():
        before = cp._cupola.counters()["launches"]
        work()
        cp.current_device().synchronize()
        return cp._cupola.counters()["launches"] - before


def add_twice(a, b):
    b += a * 2


def step_towards(a, b):
    b -= 0.1 * (a - b)


def add_itself(a, b):
    b += b * b


def into_out(a, b):
    xp = cp if isinstance(b, cp.ndarray) else np
    xp.add(b, xp.sqrt(a) * 2, out=b)


def part(a, b):
    b[1:-1] += a[2:] * 0.5


def every_other(a, b):
    b[::2] *= a[::2] + 1


UPDATES = [add_twice, step_towards, add_itself, into_out, part, every_other]


@deferred_alone
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("update", UPDATES)
def test_an_update_is_one_kernel(update: Callable[..., None], size: int) -> None:
    random = np.random.default_rng(size)
    x, y = random.random(size), random.random(size)
    a, b = from_numpy(x), from_numpy(y)
    assert launches(lambda: update(a, b)) == 1
    update(x, y)
    np.testing.assert_allclose(to_numpy(b), y, rtol=1e-15)


def into_third(a, b):
    xp = cp if isinstance(b, cp.ndarray) else np
    xp.multiply(b, a + 1, b)


def raised(a, b):
    b **= (cp if isinstance(a, cp.ndarray) else np).exp(a) + 1


@deferred_alone
@pytest.mark.parametrize(
    "update", [add_twice, into_out, into_third, part, raised], ids=lambda update: update.__name__
)
def test_intermediate_results_of_an_update_are_not_stored(update: Callable[..., None]) -> None:
    size = 20_000  # more than the calling thread computes, fewer than are left because it is cheap
    x, y = np.random.default_rng(size).random((2, size))
    a, b = from_numpy(x), from_numpy(y)
    with cp.profile() as profile:
        update(a, b)
        cp.current_device().synchronize()
    written = sum(each["bytes_written"] for each in profile.events if each["kind"] == "kernel")
    assert written <= y.nbytes
    update(x, y)
    np.testing.assert_allclose(to_numpy(b), y, rtol=1e-13)


def next_row(a, b):
    b[1] = (a[1] - a[0] * b[0]) * b[2]


def last_row(a, b):
    b[2] -= a[2] * b[1]


def other_half(a, b):
    half = b.shape[1] // 2
    b[1, half:] = b[1, :half] + a[0, :half]


@deferred_alone
@pytest.mark.parametrize("size", [1000, 20_000])
@pytest.mark.parametrize(
    "update", [next_row, last_row, other_half], ids=lambda update: update.__name__
)
def test_parts_are_computed_in_place_from_others(update: Callable[..., None], size: int) -> None:
    x, y = np.random.default_rng(size).random((2, 3, size))
    a, b = from_numpy(x), from_numpy(y)
    with cp.profile() as profile:
        update(a, b)
        cp.current_device().synchronize()
    kernels = [each["bytes_written"] for each in profile.events if each["kind"] == "kernel"]
    assert kernels == [size * 4 if update is other_half else size * 8]
    update(x, y)
    np.testing.assert_allclose(to_numpy(b), y, rtol=1e-14)


@pytest.mark.parametrize("size", [5, 1000, 20_000])
def test_parts_that_read_themselves_have_the_values_of_before(size: int) -> None:
    x = np.random.default_rng(size).random((3, size))
    a = from_numpy(x)
    for array in (a, x):
        array[1] = array[0] + array[1]
        array[2, 1:] = array[2, :-1] * array[1, 1:]
        array[:2] = array[1:] + array[0]
    np.testing.assert_array_equal(to_numpy(a), x)


@pytest.mark.parametrize("size", [5, 1000, 20_000])
def test_values_of_other_parts_stay_where_the_program_has_them(size: int) -> None:
    """However often what they read is written to afterwards."""
    x, y = np.random.default_rng(size).random((2, 3, size))
    a, b = from_numpy(x), from_numpy(y)
    held, wanted = a[0] * b[0], x[0] * y[0]
    both, wanted_both = [], []

    def keep(value, kept):
        kept.append(value)
        return value

    b[1] = held
    b[2] = keep(a[1] + b[0], both)
    b[0] = b[2] * b[1]
    y[1] = wanted
    y[2] = keep(x[1] + y[0], wanted_both)
    y[0] = y[2] * y[1]
    np.testing.assert_array_equal(to_numpy(held), wanted)
    np.testing.assert_array_equal(to_numpy(both[0]), wanted_both[0])
    np.testing.assert_array_equal(to_numpy(b), y)


def where_larger(a, b):
    b[a > 0.5] = 0.25


def where_itself(a, b):
    b[b > 0.5] = 0


def where_both(a, b):
    b[(a < 0.3) & (b < 0.7)] = a[5]


@deferred_alone
@pytest.mark.parametrize("size", [1000, 20_000, 300_000])
@pytest.mark.parametrize("update", [where_larger, where_itself, where_both])
def test_one_value_through_a_mask_is_one_kernel(update: Callable[..., None], size: int) -> None:
    x, y = np.random.default_rng(size).random((2, size))
    a, b = from_numpy(x), from_numpy(y)
    assert launches(lambda: update(a, b)) == 1
    update(x, y)
    np.testing.assert_array_equal(to_numpy(b), y)


@pytest.mark.parametrize("size", [1000, 20_000, 300_000])
def test_masks_that_the_program_has_are_those_of_before(size: int) -> None:
    x, y = np.random.default_rng(size).random((2, size))
    a, b = from_numpy(x), from_numpy(y)
    large = b > 0.5
    small = b + a < 0.5
    b[large] = 0.1
    b[small] = 2
    np.testing.assert_array_equal(to_numpy(large), y > 0.5)
    np.testing.assert_array_equal(to_numpy(small), y + x < 0.5)
    wanted = np.where(y + x < 0.5, 2, np.where(y > 0.5, 0.1, y))
    np.testing.assert_array_equal(to_numpy(b), wanted)


@deferred_alone
@pytest.mark.parametrize("call", ["+=", "out=", "out"])
def test_results_with_a_name_are_stored(call: str) -> None:
    x, y = np.random.default_rng(1).random((2, 20_000))
    a, b = from_numpy(x), from_numpy(y)
    named = a * 2
    if call == "+=":
        b += named
    elif call == "out=":
        cp.add(b, named, out=b)
    else:
        cp.add(b, named, b)
    assert not cp._cupola.is_pending(named)
    np.testing.assert_array_equal(to_numpy(named), x * 2)
    np.testing.assert_array_equal(to_numpy(b), y + x * 2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex64"])
@pytest.mark.parametrize("size", SIZES)
def test_values_that_the_program_has_are_those_of_before(size: int, dtype: str) -> None:
    random = np.random.default_rng(size)
    x, y = ((random.random(size) * 50).astype(dtype) for _ in range(2))
    a, b = from_numpy(x), from_numpy(y)
    step = a - b
    twice = step * 2
    also = step + twice
    b += twice
    host_step = x - y
    host_twice = host_step * 2
    host_also = host_step + host_twice
    y += host_twice
    b *= b + step
    y *= y + host_step
    for found, wanted in ((step, host_step), (twice, host_twice), (also, host_also), (b, y)):
        np.testing.assert_allclose(to_numpy(found), wanted, rtol=1e-5)


def test_a_value_that_reads_other_elements_is_computed_before() -> None:
    x = np.arange(1000.0)
    a = from_numpy(x)
    shifted = a * 3
    a[1:] += shifted[:-1]
    expected = x.copy()
    expected[1:] += x[:-1] * 3
    np.testing.assert_array_equal(to_numpy(a), expected)
    np.testing.assert_array_equal(to_numpy(shifted), x * 3)


def test_a_view_that_is_written_to_itself_stays() -> None:
    a = from_numpy(np.arange(10.0))
    pending = a[2:5] + 1
    assert launches(lambda: a.__setitem__(slice(2, 5), a[2:5])) == 0
    np.testing.assert_array_equal(to_numpy(pending), [3, 4, 5])
    frozen = a[2:5]
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen[...] = frozen


@deferred_alone
def test_without_memory_for_what_is_held_nothing_is_written() -> None:
    x, y = np.arange(100_000.0), np.ones(100_000)
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        a, b, full = from_numpy(x), from_numpy(y), [cp.empty(100_000)]
        pool.set_limit(size=pool.total_bytes())
        with contextlib.suppress(cp.errors.OutOfMemoryError):
            while True:
                full.append(cp.empty(100_000))
        step = a - b
        with pytest.raises(cp.errors.OutOfMemoryError):
            b += step
        np.testing.assert_array_equal(to_numpy(b), y)
        full.pop()
        b += step
        np.testing.assert_array_equal(to_numpy(b), x)
        np.testing.assert_array_equal(to_numpy(step), x - y)
