"""Loops that take groups of elements at once: every length, and what is rare at every place."""

import numpy as np
import pytest

import cupola as cp

LENGTHS = [*range(1, 20), 31, 32, 33, 63, 64, 65, 100, 257, 600]
WIDE = ["i4", "u4", "i8", "u8", "f4", "f8"]


def values(dtype: str, count: int) -> np.ndarray:
    random = np.random.default_rng(count)
    array = random.integers(0, 5, count).astype(dtype)
    if np.dtype(dtype).kind == "f":
        array[random.random(count) < 0.1] = np.nan
        array[random.random(count) < 0.1] = -0.0
    return array


@pytest.mark.parametrize("dtype", ["i2", "u2", *WIDE])
def test_comparisons(dtype: str) -> None:
    for count in LENGTHS:
        a, b = values(dtype, count), values(dtype, count + 1)[1:]
        own, other = cp.asarray(a), cp.asarray(b)
        for name in ("less", "less_equal", "greater", "equal", "not_equal", "logical_and"):
            expected = getattr(np, name)
            function = getattr(cp, name)
            np.testing.assert_array_equal(function(own, other).get(), expected(a, b))
            np.testing.assert_array_equal(function(own, 2).get(), expected(a, a.dtype.type(2)))
        for name in ("isnan", "isfinite", *(("signbit",) if a.dtype.kind == "f" else ())):
            np.testing.assert_array_equal(getattr(cp, name)(own).get(), getattr(np, name)(a))


@pytest.mark.parametrize("dtype", ["i2", "u2"])
def test_comparisons_at_the_limits(dtype: str) -> None:
    limits = np.iinfo(dtype)
    a = np.array([limits.min, limits.min + 1, -1 % 2**15, 0, 1, limits.max] * 7, dtype)
    b = np.roll(a, 5)
    for name in ("less", "less_equal", "greater", "greater_equal", "equal"):
        found = getattr(cp, name)(cp.asarray(a), cp.asarray(b)).get()
        np.testing.assert_array_equal(found, getattr(np, name)(a, b))


@pytest.mark.parametrize("before", ["f4", "f8"])
def test_large_numbers_without_signs(before: str) -> None:
    for count in (31, 32, 100, 1001):
        array = np.linspace(0, 2**32 - 300, count).astype(before)
        array[::3] += np.dtype(before).type(0.75)
        expected = array.astype("i8").astype("u4")
        np.testing.assert_array_equal(cp.asarray(array).astype("u4").get(), expected)


@pytest.mark.parametrize("before", "fd")
@pytest.mark.parametrize("after", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_neighbours_of_whole_numbers_are_truncated(before: str, after: str) -> None:
    """The last float below a whole number, the number and the next float."""
    largest = min(float(np.iinfo(after).max), 2.0**62)
    whole = np.unique(np.round(np.geomspace(1, largest, 400))).astype(before)
    values = np.concatenate([np.nextafter(whole, -np.inf), whole, np.nextafter(whole, np.inf)])
    values = values[values < largest]
    if np.dtype(after).kind == "i":
        values = np.concatenate([values, -values])
    for array in (values, values[::-1].copy(), values[:64]):
        np.testing.assert_array_equal(cp.asarray(array).astype(after).get(), array.astype(after))


@pytest.mark.parametrize("before", ["i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("after", ["i1", "u1", "i2", "u2", "i4", "u4"])
def test_integers_lose_their_high_bits(before: str, after: str) -> None:
    random = np.random.default_rng(7)
    limits = np.iinfo(before)
    for count in LENGTHS:
        array = random.integers(limits.min, limits.max, count, dtype=before, endpoint=True)
        np.testing.assert_array_equal(cp.asarray(array).astype(after).get(), array.astype(after))


@pytest.mark.parametrize("before", ["f4", "f8"])
@pytest.mark.parametrize("after", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_what_integers_cannot_hold_is_cast_as_if_alone(before: str, after: str) -> None:
    edges = [0.0, -0.5, 0.99, 255.5, -1.0, np.nan, np.inf, -np.inf]
    for power in (15, 16, 31, 32, 53, 62, 63, 64, 65):
        edges += [s * 2.0**power * f for s in (1, -1) for f in (1, 1 - 2**-20, 1 + 2**-20)]
    one_by_one = {edge: cp.full(1, edge, dtype=before).astype(after).get()[0] for edge in edges}
    for count in (1, 33, 64, 130):
        for place, edge in enumerate(edges):
            array = np.linspace(0, 100, count).astype(before)
            expected = array.astype(after)
            array[place % count] = edge
            expected[place % count] = one_by_one[edge]
            np.testing.assert_array_equal(cp.asarray(array).astype(after).get(), expected)
    whole = cp.asarray(np.array(edges * 3, dtype=before)).astype(after).get()
    np.testing.assert_array_equal(whole, [one_by_one[edge] for edge in edges * 3])


@pytest.mark.parametrize("before", ["i8", "u8"])
@pytest.mark.parametrize("after", ["f4", "f8", "c8", "c16"])
def test_long_integers_are_rounded_once(before: str, after: str) -> None:
    random = np.random.default_rng(3)
    limits = np.iinfo(before)
    array = random.integers(limits.min, limits.max, 3000, dtype=before, endpoint=True)
    array >>= random.integers(0, 63, 3000).astype(before)
    halves = (1 << np.arange(30, 62)) + (1 << np.arange(5, 37))  # and their neighbours
    array[: 3 * 32] = np.concatenate([halves - 1, halves, halves + 1])
    array[-2:] = limits.min, limits.max
    for part in (array, np.sort(array), array & array.dtype.type(2**53 - 1)):
        np.testing.assert_array_equal(cp.asarray(part).astype(after).get(), part.astype(after))


@pytest.mark.parametrize("dtype", WIDE)
def test_extremes_and_truth(dtype: str) -> None:
    for count in LENGTHS:
        array = np.ones(count, dtype)
        for place in {0, count // 2, count - 1}:
            for value in (0, 7, np.nan) if np.dtype(dtype).kind == "f" else (0, 7):
                array[place] = value
                own = cp.asarray(array)
                rows = cp.asarray(np.tile(array, (3, 1)))
                for name in ("all", "any", "max", "min", "argmax", "argmin", "sum", "prod"):
                    expected = getattr(np, name)(array)
                    np.testing.assert_array_equal(getattr(cp, name)(own).get(), expected)
                    found = getattr(cp, name)(rows, axis=1).get()
                    np.testing.assert_array_equal(found, np.full(3, expected))
                np.testing.assert_array_equal(cp.max(rows, axis=0).get(), array)
                np.testing.assert_array_equal(cp.all(rows, axis=0).get(), array != 0)
            array[place] = 1


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8"])
def test_limits(dtype: str) -> None:
    for count in LENGTHS:
        array = values(dtype, count)
        own = cp.asarray(array)
        low, high = array.dtype.type(1), array.dtype.type(3)
        expected = np.clip(array, low, high)
        np.testing.assert_array_equal(cp.clip(own, low, high).get(), expected)
        limited = cp.minimum(cp.maximum(own, low), high)
        raised = cp.maximum(own, low)
        both = cp.minimum(raised, high)
        np.testing.assert_array_equal(limited.get(), expected)
        np.testing.assert_array_equal(raised.get(), np.maximum(array, low))
        np.testing.assert_array_equal(both.get(), expected)
        cp.clip(own, low, high, out=own)
        np.testing.assert_array_equal(own.get(), expected)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_limits_keep_the_signs_of_zeros(dtype: str) -> None:
    array = np.array([-0.0, 0.0, -1.0, 1.0, np.nan] * 20, dtype)
    for low, high in ((0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0), (np.nan, 1.0)):
        own = cp.asarray(array)
        limited = cp.minimum(cp.maximum(own, array.dtype.type(low)), array.dtype.type(high))
        raised = cp.maximum(own, array.dtype.type(low))
        apart = cp.minimum(cp.asarray(raised.get()), array.dtype.type(high))
        assert limited.get().tobytes() == apart.get().tobytes()


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u8"])
def test_running_sums_wrap(dtype: str) -> None:
    for count in LENGTHS:
        array = np.full(count, np.iinfo(dtype).max, dtype)
        own = cp.asarray(array)
        np.testing.assert_array_equal(cp.cumsum(own).get(), np.cumsum(array))
        same = cp.cumsum(own, dtype=dtype).get()
        np.testing.assert_array_equal(same, np.cumsum(array, dtype=dtype))


def test_both_results_of_a_function_may_overwrite_its_input() -> None:
    array = np.random.default_rng(5).normal(size=5000)
    mantissas, exponents = np.frexp(array)
    own = cp.asarray(array)
    for found, expected in zip(cp.frexp(own), (mantissas, exponents), strict=True):
        np.testing.assert_array_equal(found.get(), expected)
    powers = cp.empty(5000, dtype=np.int32)
    cp.frexp(own, out=(own, powers))
    np.testing.assert_array_equal(own.get(), mantissas)
    np.testing.assert_array_equal(powers.get(), exponents)
    parts = cp.asarray(array)
    whole = cp.empty_like(parts)
    cp.modf(parts, out=(whole, parts))
    np.testing.assert_array_equal(parts.get(), np.modf(array)[1])
    np.testing.assert_array_equal(whole.get(), np.modf(array)[0])
