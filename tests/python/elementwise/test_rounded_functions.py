"""CUDA's functions with a direction of rounding in their names, against exact fractions."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support.compilers import skip_without_compiler
from support.scalar_functions import DIRECTIONS, directed, values_of

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]
FORMATS = {"float32": (24, -149, 128), "float64": (53, -1074, 1024)}


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


# ---- what is expected


def to_whole(value: Fraction, direction: str) -> int:
    if direction == "rn":
        return round(value)
    if direction == "rz":
        return math.trunc(value)
    return math.ceil(value) if direction == "ru" else math.floor(value)


def rounded(value: Fraction, dtype: str, direction: str) -> float:
    """The number of a format that is nearest to `value`, which is not zero, in a direction."""
    digits, lowest, highest = FORMATS[dtype]
    size, sign = abs(value), 1 if value > 0 else -1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = max(exponent - digits + 1, lowest)
    result = to_whole(value / Fraction(2) ** unit, direction) * Fraction(2) ** unit
    if abs(result) < Fraction(2) ** highest:
        return math.copysign(float(result), sign)
    stays = {"rn": False, "rz": True, "ru": value < 0, "rd": value > 0}[direction]
    largest = Fraction(2) ** highest - Fraction(2) ** (highest - digits)
    return math.copysign(float(largest) if stays else math.inf, sign)


def signed_zero(terms: tuple[float, ...], direction: str) -> float:
    """An exact sum of zero."""
    signs = {math.copysign(1, term) for term in terms}
    if len(signs) == 1:
        return 0.0 * signs.pop()
    return -0.0 if direction == "rd" else 0.0


def root_of(value: float, dtype: str, direction: str) -> float:
    """By a square of many digits, and a digit for what is beyond."""
    if value == 0:
        return value
    fraction = Fraction(value) * Fraction(4) ** 1200
    whole = math.isqrt(int(fraction))
    rest = Fraction(1, 4) if whole * whole != fraction else Fraction(0)
    return rounded((whole + rest) / Fraction(2) ** 1200, dtype, direction)


def combined(name: str, values: tuple[float, ...], dtype: str, direction: str) -> float:
    """The result of one function for finite arguments; a quotient's divisor is not zero."""
    if name == "sqrt":
        return root_of(values[0], dtype, direction)
    if name in ("mul", "div", "rcp"):
        a, b = values if name != "rcp" else (1.0, values[0])
        exact = Fraction(a) * Fraction(b) if name == "mul" else Fraction(a) / Fraction(b)
        sign = math.copysign(1, a) * math.copysign(1, b)
        return rounded(exact, dtype, direction) if exact else sign * 0.0
    terms: tuple[float, ...]
    if name == "fma":
        exact = Fraction(values[0]) * Fraction(values[1]) + Fraction(values[2])
        sign = math.copysign(1, values[0]) * math.copysign(1, values[1])
        terms = (sign, values[2])
    else:
        terms = (values[0], values[1] if name == "add" else -values[1])
        exact = sum(map(Fraction, terms), Fraction(0))
    return rounded(exact, dtype, direction) if exact else signed_zero(terms, direction)


# ---- arguments


def numbers(dtype: str, seed: int, count: int) -> np.ndarray:
    """Of all sizes: the smallest and largest, near each other and far from each other."""
    digits, lowest, highest = FORMATS[dtype]
    source = random.Random(seed)
    edges = [0.0, -0.0, 1.0, -1.0, 3.0, 2.0**lowest, -(2.0**lowest), 2.0 ** (lowest + digits - 1)]
    edges += [float(np.finfo(dtype).max), float(np.finfo(dtype).min), 1 + 2.0 ** (1 - digits)]
    values = []
    for _ in range(count):
        kind = source.random()
        spread = 3 if kind < 0.4 else 60 if kind < 0.7 else highest
        exponent = source.randint(max(-spread, lowest), min(spread, highest - 1))
        sign = source.choice((1.0, -1.0))
        significand = 1 + source.getrandbits(digits - 1) * 2.0 ** (1 - digits)
        few_bits = source.choice((1.0, 1.5, 1.25, significand, significand))
        number = math.ldexp(sign * few_bits, exponent)
        values.append(source.choice(edges) if kind > 0.93 else number)
    with np.errstate(all="ignore"):
        return np.array(values).astype(dtype)


def same_bits(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    unsigned = f"u{actual.dtype.itemsize}"
    return actual.view(unsigned) == expected.view(unsigned)


def check(names: dict[str, str], arguments: dict[str, np.ndarray], dtype: str) -> None:
    """Calls each with all directions; values of `names` are those of combined()."""
    calls = [f"{call}({', '.join(arguments)})" for name in names for call in directed(name)]
    results = values_of(calls, arguments, dtype)
    rows = list(zip(*(array.tolist() for array in arguments.values()), strict=True))
    wanted = [(name, direction) for name in names.values() for direction in DIRECTIONS]
    for call, (name, direction), actual in zip(calls, wanted, results, strict=True):
        usable = [
            k
            for k, row in enumerate(rows)
            if np.isfinite(row).all()
            and not (name == "div" and row[1] == 0)
            and not (name == "rcp" and row[0] == 0)
            and not (name == "sqrt" and row[0] < 0)
        ]
        expected = np.array([combined(name, rows[k], dtype, direction) for k in usable], dtype)
        wrong = np.flatnonzero(~same_bits(actual[usable], expected))
        shown = [(rows[usable[k]], actual[usable][k], expected[k]) for k in wrong[:3]]
        assert not shown, (call, shown)
        assert len(usable) > len(rows) // 3


@pytest.mark.parametrize(("dtype", "letter"), [("float32", "f"), ("float64", "d")])
def test_arithmetic(dtype: str, letter: str) -> None:
    a, b = numbers(dtype, 1, 3000), numbers(dtype, 2, 3000)
    a[:50] = -b[:50]
    names = {f"__{letter}{name}_*": name for name in ("add", "sub", "mul", "div")}
    check(names, {"a": a, "b": b}, dtype)
    check({f"__{letter}{name}_*": name for name in ("rcp", "sqrt")}, {"a": a}, dtype)


@pytest.mark.parametrize(
    ("dtype", "names"),
    [("float32", ("__fmaf_*", "__fmaf_ieee_*")), ("float64", ("__fma_*",))],
)
def test_multiply_add(dtype: str, names: tuple[str, ...]) -> None:
    a, b, c = (numbers(dtype, seed, 4000) for seed in range(3))
    with np.errstate(all="ignore"):
        product = a * b
        c[:1500] = -product[:1500]  # what remains is the product's error
        c[1500:1600] = np.nextafter(-product[1500:1600], np.array(0, dtype))
    check(dict.fromkeys(names, "fma"), {"a": a, "b": b, "c": c}, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_infinities_and_nans_are_those_of_the_operations(dtype: str) -> None:
    edges = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan], dtype)
    a, b = (each.ravel() for each in np.meshgrid(edges, edges))
    letter = {"float32": "f", "float64": "d"}[dtype]
    fma = {"float32": "__fmaf_*", "float64": "__fma_*"}[dtype]
    functions: dict[str, Callable[[Any, Any], Any]] = {
        f"__{letter}add_*(a, b)": np.add,
        f"__{letter}sub_*(a, b)": np.subtract,
        f"__{letter}mul_*(a, b)": np.multiply,
        f"__{letter}div_*(a, b)": np.divide,
        f"__{letter}sqrt_*(a)": lambda a, _: np.sqrt(a),
        f"{fma}(a, b, b)": lambda a, b: a * b + b,
    }
    calls = [call for pattern in functions for call in directed(pattern)]
    results = values_of(calls, {"a": a, "b": b}, dtype)
    with np.errstate(all="ignore"):
        expected = np.repeat([function(a, b) for function in functions.values()], 4, axis=0)
    np.testing.assert_array_equal(results, expected)


def test_reciprocal_root() -> None:
    a = abs(numbers("float32", 5, 3000))
    a = a[(a > 0) & np.isfinite(a)]
    (result,) = values_of(["__frsqrt_rn(a)"], {"a": a}, "float32")
    for value, root in zip(a.tolist(), result.tolist(), strict=True):
        # No number is nearer: the root lies between the middles to its neighbours.
        below, above = (
            (Fraction(root) + Fraction(float(np.nextafter(np.float32(root), np.float32(to))))) / 2
            for to in (0, np.inf)
        )
        assert below**2 * Fraction(value) < 1 < above**2 * Fraction(value)


# ---- conversions

INTEGERS = {"int": ("int32", 4), "uint": ("uint32", 4), "ll": ("int64", 8), "ull": ("uint64", 8)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", INTEGERS)
def test_numbers_to_integers(dtype: str, name: str) -> None:
    integer, size = INTEGERS[name]
    limits = np.iinfo(integer)
    source = random.Random(name)
    near = [Fraction(k, 4) for k in range(-12, 13)] + [2**31, 2**32, 2**63, 2**64, 2**24 + 1]
    near += [-(2**31), -(2**63), limits.max, limits.max - 127, Fraction(limits.min) - 1]
    near += [Fraction(source.getrandbits(70), 1 << source.randint(0, 70)) for _ in range(500)]
    values = np.array([float(each) for each in near], dtype)
    values = np.concatenate([values, -values, np.array([np.inf, -np.inf, np.nan], dtype)])
    real = {"float32": "float", "float64": "double"}[dtype]
    calls = directed(f"__{real}2{name}_*(a)")
    results = values_of(calls, {"a": values}, integer)
    top_bit = 1 << (8 * size - 1)
    for direction, row in zip(DIRECTIONS, results, strict=True):
        for value, result in zip(values[:-3].tolist(), row[:-3].tolist(), strict=True):
            whole = to_whole(Fraction(value), direction)
            assert result == max(limits.min, min(whole, limits.max)), (direction, value)
        assert row[-3:-1].tolist() == [limits.max, limits.min]
        of_nan = top_bit if dtype == "float64" or size == 8 else 0
        assert int(row[-1]) % (1 << (8 * size)) == of_nan


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_to_numbers(name: str) -> None:
    integer, _ = INTEGERS[name]
    limits = np.iinfo(integer)
    source = random.Random(name)
    numbers = [limits.min, limits.max, limits.max - 1, 0, 1, (1 << 24) + 1, (1 << 25) + 3]
    numbers += [source.randint(limits.min, limits.max) >> source.randint(0, 40) for _ in range(800)]
    arguments = {"a": np.array(numbers, integer)}
    for real, dtype in (("float", "float32"), ("double", "float64")):
        is_exact = real == "double" and integer.endswith("32")
        directions = ("rn",) if is_exact else DIRECTIONS
        calls = [f"__{name}2{real}_{direction}(a)" for direction in directions]
        for direction, row in zip(directions, values_of(calls, arguments, dtype), strict=True):
            expected = [
                rounded(Fraction(each), dtype, direction) if each else 0.0 for each in numbers
            ]
            assert row.tolist() == expected


def test_double_to_float() -> None:
    a = np.concatenate([numbers("float64", 7, 3000), numbers("float32", 8, 500).astype("f8")])
    a = np.concatenate([a, np.array([1e-46, 2e-46, 1e-320, 3.4028235677973366e38, 1.0])])
    results = values_of(directed("__double2float_*(a)"), {"a": a}, "float32")
    for direction, row in zip(DIRECTIONS, results, strict=True):
        expected = [rounded(Fraction(x), "float32", direction) if x else x for x in a.tolist()]
        assert same_bits(row, np.array(expected, "float32")).all(), direction
