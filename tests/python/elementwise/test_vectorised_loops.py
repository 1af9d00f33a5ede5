"""Values of loops that are vectorised by other means than the compiler's, beside NumPy's."""

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, on_cuda, to_numpy

INTEGERS = "bBhHiIqQ"
DIVISIONS = ("floor_divide", "remainder", "fmod", "divmod")


def edges(dtype: str) -> np.ndarray:
    limits = np.iinfo(dtype)
    bits = limits.bits - (limits.min < 0)
    powers = [2**k + d for k in range(bits) for d in (-1, 0, 1)]
    numbers = {limits.min, limits.min + 1, limits.max - 1, limits.max, *powers}
    if limits.min < 0:
        numbers |= {-number for number in powers}
    return np.array([n for n in sorted(numbers) if limits.min <= n <= limits.max], dtype)


def check(name: str, *operands: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*operands)
    got = getattr(cp, name)(*(from_numpy(operand) for operand in operands))
    if not isinstance(expected, tuple):
        expected, got = (expected,), (got,)
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(to_numpy(ours), theirs)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", DIVISIONS)
def test_division_by_others_each_time(name: str, dtype: str) -> None:
    numbers = edges(dtype)
    check(name, np.repeat(numbers, len(numbers)), np.tile(numbers, len(numbers)))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", DIVISIONS)
def test_division_by_one_number(name: str, dtype: str) -> None:
    random = np.random.default_rng(7)
    limits = np.iinfo(dtype)
    whole = random.integers(limits.min, limits.max, 600, dtype, endpoint=True)
    numbers = np.concatenate([whole, edges(dtype)])
    divisors = edges(dtype)
    # Rows longer than a block of the loop, each of one divisor.
    check(name, np.tile(numbers, len(divisors)), np.repeat(divisors, len(numbers)))


@pytest.mark.parametrize("dtype", "bB")
@pytest.mark.parametrize("name", DIVISIONS)
def test_division_of_all_small_integers(name: str, dtype: str) -> None:
    numbers = np.arange(256).astype(dtype)
    check(name, np.repeat(numbers, 256), np.tile(numbers, 256))
    check(name, np.tile(numbers, 1024), np.repeat(numbers, 1024))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", DIVISIONS[:3])
def test_division_in_place(name: str, dtype: str, place: int) -> None:
    numbers = edges(dtype)
    operands = [np.repeat(numbers, len(numbers)), np.tile(numbers, len(numbers))]
    ours = [from_numpy(operand) for operand in operands]
    with np.errstate(all="ignore"):
        getattr(np, name)(*operands, out=operands[place])
    getattr(cp, name)(*ours, out=ours[place])
    np.testing.assert_array_equal(to_numpy(ours[place]), operands[place])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bit_counts(dtype: str) -> None:
    check("bitwise_count", np.concatenate([edges(dtype)] * 9))
    check("bitwise_count", np.concatenate([edges(dtype)] * 137))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_common_divisors_and_multiples(name: str, dtype: str) -> None:
    numbers = edges(dtype)
    numbers = numbers[numbers != np.iinfo(dtype).min] if dtype in "bhil" else numbers
    check(name, np.repeat(numbers, len(numbers)), np.tile(numbers, len(numbers)))
    random = np.random.default_rng(4)
    for count in (1, 31, 511, 513, 2000):
        check(name, *random.integers(0, 100, (2, count)).astype(dtype))
        check(name, random.permutation(np.resize(numbers, count)), np.resize(numbers, count))


@pytest.mark.skipif(on_cuda(), reason="CUDA devices multiply in another order")
@pytest.mark.parametrize("dtype", "FD")
def test_running_products_of_complex_numbers(dtype: str) -> None:
    """Down to numbers that are not normal, and zeros of both signs."""
    random = np.random.default_rng(3)
    part = np.dtype(dtype).char.lower()
    rows = np.empty((5, 700), dtype)
    rows.real, rows.imag = random.uniform(-0.9, 0.9, (2, *rows.shape)).astype(part)
    rows[3, 40:].real = -0.0
    rows[4, 9:].imag = -0.0
    rows[4, 500] = np.inf
    for sample in (rows, rows[:, :1], rows[:, 5:8]):
        got = to_numpy(cp.cumprod(from_numpy(np.ascontiguousarray(sample)), axis=1))
        with np.errstate(all="ignore"):
            expected = np.cumprod(sample, axis=1)
        np.testing.assert_array_equal(got, expected)
        for of in (np.real, np.imag):
            signs = np.signbit(of(got)) == np.signbit(of(expected))
            assert np.all(signs | np.isnan(of(expected)))


@pytest.mark.parametrize("dtype", "?" + INTEGERS + "efd")
@pytest.mark.parametrize("count", [1, 511, 512, 513, 4097])
def test_extremes_and_their_places(dtype: str, count: int) -> None:
    random = np.random.default_rng(count)
    samples = [
        random.integers(0, 2, count).astype(dtype),
        random.integers(0, 100, count).astype(dtype),
        np.zeros(count, dtype),
        np.ones(count, dtype),
        np.arange(count).astype(dtype),
        np.arange(count)[::-1].astype(dtype),
        (np.arange(count) == count - 1).astype(dtype),
    ]
    if dtype in "efd":
        samples += [-sample for sample in samples]
        for where in (0, count // 2, count - 1):
            with_nan = samples[1].copy()
            with_nan[where] = np.nan
            samples.append(with_nan)
    for sample in samples:
        array = from_numpy(sample)
        columns = from_numpy(np.stack([sample, sample[::-1]]))
        for name in ("argmax", "argmin", "max", "min", "any", "all"):
            expected = getattr(np, name)(sample)
            np.testing.assert_array_equal(to_numpy(getattr(cp, name)(array)), expected)
            expected = getattr(np, name)(np.stack([sample, sample[::-1]]), axis=0)
            np.testing.assert_array_equal(to_numpy(getattr(cp, name)(columns, axis=0)), expected)


@pytest.mark.parametrize("dtype", "?bhilBHILefdFD")
@pytest.mark.parametrize("count", [7, 8, 31, 33, 64, 129, 500, 1023, 1025, 2047, 2050, 5000])
def test_places_in_rows(dtype: str, count: int) -> None:
    """Equal ones, both zeros and NaN among a row that registers, or blocks of them, hold."""
    random = np.random.default_rng(count)
    rows = np.zeros((40, count + 1), dtype)[:, 1:]
    rows[:10] = random.integers(0, 2 if dtype == "?" else 100, (10, count))
    for row in rows[10:30]:
        row[random.integers(0, count, 3)] = 1
    if dtype in "efd":
        rows[30:40, ::2] = -0.0
    if dtype in "efdFD":
        for row in rows[[*range(5), 25, 29, 39]]:
            row[random.integers(0, count, 2)] = np.nan
    for sample in (rows, rows == 0 if dtype == "?" else -rows):
        array = from_numpy(np.ascontiguousarray(sample))
        for name in ("argmax", "argmin"):
            expected = getattr(np, name)(sample, axis=1)
            np.testing.assert_array_equal(to_numpy(getattr(cp, name)(array, axis=1)), expected)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", "?efd")
def test_larger_and_smaller(name: str, dtype: str) -> None:
    numbers = np.array([0, 1, 2, 3] if dtype == "?" else [np.nan, -np.inf, -1, 0, 1, np.inf], dtype)
    check(name, np.repeat(numbers, len(numbers) * 3), np.tile(numbers, len(numbers) * 3))


@pytest.mark.parametrize("scale", [1, 1e-155, 1e-200, 1e-310, 1e153, 1e200, 1e308])
def test_sizes_of_complex_numbers(scale: float) -> None:
    random = np.random.default_rng(3)
    numbers = scale * (random.uniform(-1, 1, 700) + 1j * random.uniform(-1, 1, 700))
    numbers[:70] *= 1e-4
    exact = np.hypot(numbers.real.astype(np.longdouble), numbers.imag.astype(np.longdouble))
    got = to_numpy(abs(from_numpy(numbers)))
    assert (np.abs(got - exact) <= 1.5 * np.spacing(got)).all()


def test_sizes_of_special_complex_numbers() -> None:
    parts = [0, -0.0, 1, -np.inf, np.inf, np.nan, 5e-324, 1e308]
    numbers = np.array([complex(re, im) for re in parts for im in parts])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(to_numpy(abs(from_numpy(numbers))), np.abs(numbers))


OPERATORS = (
    *("add", "subtract", "multiply", "maximum", "fmin", "less", "equal", "logical_xor", "divide"),
    *("power", "copysign", "arctan2", "bitwise_and", "left_shift", "floor_divide", "hypot"),
)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("dtype", "bBhHiIlLefdFD")
def test_one_operand_that_is_the_same_everywhere(dtype: str, side: int) -> None:
    random = np.random.default_rng(5)
    numbers = random.integers(1, 6, 9001).astype(dtype)  # more than the values that stand for all
    for name in OPERATORS:
        if not any(kinds.startswith(dtype * 2) for kinds in getattr(np, name).types):
            continue
        operands = [numbers, numbers.dtype.type(3)]
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(*operands[:: 1 - 2 * side])
        ours = [from_numpy(numbers), numbers.dtype.type(3)]
        got = to_numpy(getattr(cp, name)(*ours[:: 1 - 2 * side]))
        assert got.dtype == expected.dtype
        if expected.dtype.kind in "fc":
            np.testing.assert_allclose(got, expected, rtol=4 * np.finfo(expected.dtype).eps)
        else:
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", "bhlfdD")
def test_steps_of_operands_that_are_the_same_everywhere(dtype: str) -> None:
    numbers = (np.arange(20_003) % 5).astype(dtype)
    array, three, half = from_numpy(numbers), from_numpy(numbers[3:4]), from_numpy(numbers[2:3])
    got = cp.where(array > half, (array + three) * half, three - half) + cp.where(
        array == 1, half, 0
    )
    three, half = numbers[3:4], numbers[2:3]
    expected = np.where(numbers > half, (numbers + three) * half, three - half)
    expected = expected + np.where(numbers == 1, half, numbers.dtype.type(0))
    np.testing.assert_array_equal(to_numpy(got), expected)
    table = from_numpy(numbers)
    np.testing.assert_array_equal(
        to_numpy(cp.where(table > 1, three[0], 2)), np.where(numbers > 1, three[0], 2)
    )


def floats(dtype: str, random: np.random.Generator) -> np.ndarray:
    info = np.finfo(dtype)
    exponents = random.integers(info.minexp - info.nmant - 3, info.maxexp + 1, 20_000)
    with np.errstate(all="ignore"):
        numbers = np.ldexp(random.uniform(-1, 1, 20_000), exponents).astype(dtype)
    edges = [0, -0.0, np.inf, -np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max, -1, 1]
    return np.concatenate([numbers, np.array(edges, dtype)])


def same_bits(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert ours.dtype == theirs.dtype
    bits = f"u{theirs.dtype.itemsize}"
    equal = (ours.view(bits) == theirs.view(bits)) | (np.isnan(ours) & np.isnan(theirs))
    assert equal.all()


@pytest.mark.parametrize("dtype", "fd")
def test_mantissas_and_exponents(dtype: str) -> None:
    numbers = floats(dtype, np.random.default_rng(1))
    numbers = numbers[np.isfinite(numbers)]
    for ours, theirs in zip(cp.frexp(from_numpy(numbers)), np.frexp(numbers), strict=True):
        np.testing.assert_array_equal(to_numpy(ours), theirs)
    special = from_numpy(np.array([np.inf, -np.inf, np.nan, -0.0], dtype))
    mantissas, exponents = cp.frexp(special)
    np.testing.assert_array_equal(to_numpy(mantissas), to_numpy(special))
    np.testing.assert_array_equal(to_numpy(exponents), np.zeros(4, "i"))


@pytest.mark.parametrize("name", ["frexp", "modf"])
@pytest.mark.parametrize("dtype", "fd")
def test_two_results_together_or_alone(name: str, dtype: str) -> None:
    """Of many numbers, of rows, each by itself, and stored where the numbers were."""
    function = getattr(cp, name)
    host = floats(dtype, np.random.default_rng(4))
    both = function(from_numpy(host))
    first, second = (to_numpy(result) for result in both)
    for i in range(len(host) - 40, len(host)):
        alone = function(from_numpy(host[i : i + 1]))
        for ours, expected in zip(alone, (first, second), strict=True):
            np.testing.assert_array_equal(to_numpy(ours), expected[i : i + 1])
    np.testing.assert_array_equal(to_numpy(function(from_numpy(host))[0]), first)
    np.testing.assert_array_equal(to_numpy(function(from_numpy(host))[1]), second)
    table = from_numpy(host[:20_000].reshape(200, 100))[::2, ::3]
    for ours, expected in zip(function(table), (first, second), strict=True):
        part = expected[:20_000].reshape(200, 100)[::2, ::3]
        np.testing.assert_array_equal(to_numpy(ours), part)
    numbers = from_numpy(host)
    others = cp.zeros(2 * len(host), dtype=second.dtype)[::2]
    function(numbers, out=(numbers, others))
    same_bits(to_numpy(numbers), first)
    np.testing.assert_array_equal(to_numpy(others), second)


@pytest.mark.parametrize("name", ["log", "log2", "log10", "cbrt", "exp2"])
def test_functions_of_halves_are_rounded_functions_of_floats(name: str) -> None:
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    function = getattr(cp, name)
    with np.errstate(all="ignore"):
        expected = to_numpy(function(from_numpy(halves.astype("f")))).astype("e")
    same_bits(to_numpy(function(from_numpy(halves))), expected)
    for count in (1, 15, 33):
        same_bits(to_numpy(function(from_numpy(halves[15000:][:count]))), expected[15000:][:count])


@pytest.mark.parametrize("exponents", "il")
@pytest.mark.parametrize("dtype", "fd")
def test_scaling_by_powers(dtype: str, exponents: str) -> None:
    random = np.random.default_rng(2)
    numbers = floats(dtype, random)
    limit = 3 * np.finfo(dtype).maxexp
    powers = random.integers(-limit, limit, len(numbers)).astype(exponents)
    powers[:2] = [np.iinfo(exponents).max, np.iinfo(exponents).min]
    with np.errstate(all="ignore"):
        expected = np.ldexp(numbers, powers)
    same_bits(to_numpy(cp.ldexp(from_numpy(numbers), from_numpy(powers))), expected)


@pytest.mark.parametrize("dtype", "efd")
def test_remainders_and_whole_quotients(dtype: str) -> None:
    random = np.random.default_rng(3)
    wild = floats(dtype, random)
    pairs = [
        (random.integers(-50, 50, 9000), random.integers(-9, 9, 9000)),
        (random.integers(-50, 50, 9000) / 7, random.integers(-9, 9, 9000) / 3),
        (random.permutation(wild), random.permutation(wild)),
        (np.arange(1, 9000) * 0.1, np.full(8999, 0.1)),
    ]
    for a, b in pairs:
        operands = (a.astype(dtype), b.astype(dtype))
        ours = [from_numpy(operand) for operand in operands]
        for name in ("remainder", "floor_divide", "divmod"):
            with np.errstate(all="ignore"):
                expected = getattr(np, name)(*operands)
            got = getattr(cp, name)(*ours)
            if not isinstance(expected, tuple):
                got, expected = (got,), (expected,)
            for one, other in zip(got, expected, strict=True):
                same_bits(to_numpy(one), other)


@pytest.mark.parametrize("dtype", "efd")
def test_cube_roots(dtype: str) -> None:
    numbers = floats(dtype, np.random.default_rng(4))
    with np.errstate(all="ignore"):
        exact = np.cbrt(numbers.astype(np.longdouble))
    got = to_numpy(cp.cbrt(from_numpy(numbers)))
    plain = np.isfinite(exact) & (exact != 0)
    error = np.abs(got[plain] - exact[plain]) / np.spacing(np.abs(got[plain]))
    assert error.max() < 4
    np.testing.assert_array_equal(got[~plain], np.cbrt(numbers[~plain]))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 100])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers_by_one_exponent(dtype: str, exponent: int) -> None:
    numbers = np.concatenate([edges(dtype)] * 9)
    with np.errstate(all="ignore"):
        expected = numbers ** numbers.dtype.type(exponent)
    got = to_numpy(from_numpy(numbers) ** numbers.dtype.type(exponent))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_by_one_number_of_bits(dtype: str) -> None:
    numbers = np.concatenate([edges(dtype)] * 9)
    for bits in (0, 1, 3, np.iinfo(dtype).bits - 1, np.iinfo(dtype).bits, 100):
        by = numbers.dtype.type(bits)
        for name in ("left_shift", "right_shift"):
            expected = getattr(np, name)(numbers, by)
            got = to_numpy(getattr(cp, name)(from_numpy(numbers), by))
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", "?bhlefdFD")
@pytest.mark.parametrize("count", [1, 3, 64, 20_001])
def test_moved_and_repeated(dtype: str, count: int) -> None:
    numbers = (np.arange(count) % 100).astype(dtype)
    array = from_numpy(numbers)
    for shift in (1, 3, 63, -5):
        np.testing.assert_array_equal(to_numpy(cp.roll(array, shift)), np.roll(numbers, shift))
    for times in (2, 3, 16, 17):
        np.testing.assert_array_equal(to_numpy(cp.repeat(array, times)), np.repeat(numbers, times))
    if count == 20_001:
        pairs = numbers[:20_000].reshape(5, 2000, 2)
        ours = array[:20_000].reshape(5, 2000, 2)
        for axes in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
            transposed = to_numpy(ours.transpose(axes).copy())
            np.testing.assert_array_equal(transposed, pairs.transpose(axes))
    np.testing.assert_array_equal(to_numpy(cp.full(count, 3, dtype)), np.full(count, 3, dtype))


@pytest.mark.parametrize("to", "?bBhHiIlLefdFD")
def test_casts_of_booleans(to: str) -> None:
    bools = np.random.default_rng(6).random(1501) < 0.5
    expected = bools.astype(to)
    np.testing.assert_array_equal(to_numpy(from_numpy(bools).astype(to)), expected)


@pytest.mark.parametrize("dtype", "?bhl")
@pytest.mark.parametrize("count", [5, 1000, 70_001])
def test_scans_and_reductions_of_whole_numbers(dtype: str, count: int) -> None:
    numbers = np.random.default_rng(8).integers(0, 2 if dtype == "?" else 100, (3, count))
    numbers = numbers.astype(dtype)
    array = from_numpy(numbers)
    for name in ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "cumsum"):
        for axis in (None, 0, 1):
            expected = getattr(np, name)(numbers, axis=axis)
            got = to_numpy(getattr(cp, name)(array, axis=axis))
            np.testing.assert_array_equal(got, expected)
