"""What random calls beside NumPy have found (tests/calls), each cause once."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree

Case = Callable[[Any], Any]

NUMBERS = {
    "True": True,
    "3": 3,
    "-3": -3,
    "2**63": 2**63,
    "2**70": 2**70,
    "-2**70": -(2**70),
    "2.5": 2.5,
    "1+2j": 1 + 2j,
    "uint8": np.uint8(3),
    "int64": np.int64(3),
    "float32": np.float32(2),
    "bool_": np.bool_(True),
}
ARRAYS = {dtype: np.array([1, 2], dtype) for dtype in ("?", "i1", "u8", "i8", "f4", "f8", "c8")}
KEYWORDS: list[dict[str, Any]] = [
    {},
    {"casting": "no"},
    {"casting": "equiv"},
    {"casting": "safe"},
    {"casting": "unsafe"},
    {"dtype": "f4"},
    {"dtype": "i1"},
    {"dtype": "i8", "casting": "unsafe"},
]


def operand(xp: Any, name: str) -> Any:
    return NUMBERS[name] if name in NUMBERS else xp.asarray(ARRAYS[name])


LARGE = {"2**63", "2**70", "-2**70"}


def is_refused_before(first: str, second: str, name: str, keywords: dict) -> bool:
    """Whether NumPy says of an integer that it is too large, without a look at the rest."""
    try:
        result = getattr(np, name)(operand(np, first), operand(np, second), **keywords)
    except OverflowError as error:
        return "too large" in str(error)
    except TypeError:
        return True
    return not hasattr(result, "dtype")


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
@pytest.mark.parametrize(
    "name", ["add", "divide", "floor_divide", "bitwise_and", "less", "equal", "logical_and"]
)
def test_numbers_as_operands(name: str, keywords: dict) -> None:
    """Alone, beside each other and beside arrays, under each casting rule."""
    for first, second in product([*NUMBERS, *ARRAYS], repeat=2):

        def call(xp: Any, a: str = first, b: str = second) -> Any:
            return getattr(xp, name)(operand(xp, a), operand(xp, b), **keywords)

        if {first, second} <= {"2**70", "-2**70"}:
            continue  # no array holds either
        if {first, second} & LARGE and is_refused_before(first, second, name, keywords):
            continue  # of two mistakes another one is told, or what comes is an object
        agree(call, what=f"{name}({first}, {second}, {keywords})")


@pytest.mark.parametrize("name", ["arctan2", "copysign", "divide", "hypot"])
@pytest.mark.parametrize("number", [2**63, 2**70, -(2**70)], ids=str)
def test_integers_beyond_64_bits_do_not_widen_small_ones(name: str, number: int) -> None:
    for dtype in ("i1", "u1", "i2", "i4", "f2", "f4"):
        result = getattr(cp, name)(from_numpy(np.array([1, 2], dtype)), number)
        assert result.dtype == getattr(np, name)(np.array([1, 2], dtype), number).dtype


BIG = 2**70
BESIDE_FLOATS: dict[str, Case] = {
    "full": lambda xp: [xp.full(3, BIG, dtype=dtype) for dtype in ("f4", "f8", "c16")],
    "full_like": lambda xp: xp.full_like(xp.arange(3.0), -BIG),
    "where": lambda xp: xp.where(xp.arange(3.0) > 1, xp.arange(3.0), BIG),
    "clip": lambda xp: [xp.clip(xp.arange(3.0), 0, BIG), xp.arange(3.0).clip(-BIG, BIG)],
    "nan_to_num": lambda xp: xp.nan_to_num(xp.asarray([1.0, np.inf]), posinf=BIG),
    "select": lambda xp: xp.select([xp.arange(3.0) > 1], [xp.arange(3.0)], BIG),
    "put": lambda xp: put_into(xp.arange(3.0), BIG),
    "initial": lambda xp: [xp.arange(3.0).sum(initial=BIG), xp.max(xp.arange(3.0), initial=BIG)],
    "arange": lambda xp: xp.arange(0, BIG, BIG // 2, dtype=float),
    "union1d": lambda xp: xp.union1d(xp.arange(3, dtype="f4"), -BIG),
    "concatenate": lambda xp: xp.concatenate((xp.arange(3.0), BIG, 2), axis=None),
    "choose": lambda xp: xp.choose([0, 1], [xp.arange(2, dtype="f4"), BIG]),
    "interp": lambda xp: [xp.interp(n, xp.arange(3.0), xp.arange(3.0)) for n in (BIG, -BIG)],
}
COMPARED: dict[str, Any] = {
    "searchsorted": lambda xp, a, n: [xp.searchsorted(a, n, side) for side in ("left", "right")],
    "method": lambda xp, a, n: a.searchsorted(n),
    "digitize": lambda xp, a, n: xp.digitize(n, a),
    "isin": lambda xp, a, n: [xp.isin(a, n), xp.isin(n, a)],
    "array_equal": lambda xp, a, n: [xp.array_equal(a, n), xp.array_equiv(a, n)],
}


def put_into(a: Any, value: Any) -> Any:
    a.put([1], value)
    return a


@pytest.mark.parametrize("name", BESIDE_FLOATS)
def test_floats_take_integers_beyond_64_bits(name: str) -> None:
    agree(BESIDE_FLOATS[name])


@pytest.mark.parametrize(
    "number", [BIG, -BIG, 10**400, [1, BIG], [[-BIG, 2.5]]], ids=lambda n: str(n)[:20]
)
@pytest.mark.parametrize("name", COMPARED)
def test_arrays_are_compared_with_integers_beyond_64_bits(name: str, number: Any) -> None:
    for dtype in ("?", "i1", "u8", "i8", "f2", "f4", "f8"):
        line = np.array([0, 1, 3], dtype)
        agree(lambda xp, a=line: COMPARED[name](xp, xp.asarray(a), number), what=dtype)


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", ["union1d", "append"])
def test_integers_beyond_64_bits_join_no_integers(name: str) -> None:
    with pytest.raises(OverflowError):
        getattr(cp, name)(cp.arange(3), BIG)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.where(xp.asarray([True, False]), xp.arange(2), BIG),
        lambda xp: xp.arange(3) + BIG,
        lambda xp: xp.full(3, BIG, dtype="i8"),
        lambda xp: xp.full(3, 10**400, dtype="f8"),
        lambda xp: put_into(xp.arange(3), BIG),
    ],
)
def test_integers_take_none_beyond_64_bits(call: Case) -> None:
    agree(call)


@pytest.mark.cupola_only
def test_there_is_no_array_of_an_integer_beyond_64_bits() -> None:
    alone = (lambda: cp.absolute(BIG), lambda: cp.sqrt(-BIG, out=cp.zeros(())))
    for call in (*alone, lambda: cp.full(3, BIG), lambda: cp.where(True, BIG, BIG)):
        with pytest.raises(OverflowError):
            call()


def combined_at(xp: Any, name: str, dtype: str, value: Any) -> Any:
    a = xp.asarray([5, 1, 3], dtype=dtype)
    getattr(xp, name).at(a, xp.asarray([0, 0, 2, 0, -1]), value)
    return a


CALLS: dict[str, Case] = {
    "halves added to an integer": lambda xp: combined_at(xp, "add", "i4", 0.5),
    "an integer that is divided": lambda xp: combined_at(xp, "true_divide", "i8", 2),
    "a small integer's neighbours": lambda xp: combined_at(xp, "nextafter", "i1", 1),
    "an integer times a float": lambda xp: combined_at(xp, "multiply", "i2", 1.75),
    "halves added to a float": lambda xp: combined_at(xp, "add", "f4", 0.5),
    "an item of a slice": lambda xp: xp.asarray([[-1, 7]]).item(slice(None), -1),
    "an item of a row": lambda xp: xp.asarray([[-1, 7]]).item(0, -1),
    "a number without zeros along NaN": lambda xp: xp.trim_zeros(xp.asarray(6), axis=float("nan")),
    "a number without zeros along an axis": lambda xp: xp.trim_zeros(xp.asarray(6), axis=0),
    "a running sum in a column": lambda xp: xp.cumulative_sum(
        xp.ones((2, 3), "i2"), axis=1, include_initial=True, out=xp.zeros((2, 4), "f4")
    ),
    "a running product of another length": lambda xp: xp.cumulative_prod(
        xp.ones(3), include_initial=True, out=xp.zeros(3)
    ),
    "a running product in too narrow integers": lambda xp: xp.cumulative_prod(
        xp.ones(3), include_initial=True, out=xp.zeros(4, "i8")
    ),
    "samples along the axis -0.0": lambda xp: xp.geomspace(100.0, xp.ones((1, 2)), 3, axis=-0.0),
    "types before indices": lambda xp: xp.lcm.at(xp.ones((1, 4), "f2"), -2, 1),
    "negative powers at places": lambda xp: picked(xp, "power", "i8", -1),
    "negative powers at all places": lambda xp: xp.power.at(
        xp.ones((2, 3), "i4"), (), xp.asarray(np.array(-2))
    ),
    "negative powers at no places": lambda xp: xp.power.at(xp.ones(3, "i4"), [], -1),
    "a complex limit of what does not converge": lambda xp: xp.linalg.lstsq(
        xp.asarray(np.full((4, 4), np.inf)), xp.ones((4, 4)), rcond=1j
    ),
    "a running sum along a tuple": lambda xp: xp.cumulative_sum(xp.ones((2, 3)), axis=(1,)),
    "a running sum along two axes": lambda xp: xp.cumulative_sum(xp.ones((2, 3)), axis=(0, 1)),
    "rounded quotients without some": lambda xp: xp.floor_divide.reduce(
        xp.asarray(np.array([[1.5, 2.5]])), initial=7.25, where=xp.asarray(np.array([True, False]))
    ),
    "whole quotients without some": lambda xp: xp.floor_divide.reduce(
        xp.asarray(np.array([1, 2, 3])), initial=50, where=xp.asarray(np.array([False, True, True]))
    ),
    "signs of infinities that are repeated": lambda xp: xp.isneginf(
        xp.broadcast_to(xp.asarray(np.array([[4, 6]], "u4")), (2, 2))
    ),
    "a dimension's mode that is a flag": lambda xp: xp.ravel_multi_index(
        xp.asarray(np.array([1, 0])), (1, 2), False
    ),
    "a dimension's mode in bytes": lambda xp: xp.ravel_multi_index(
        xp.asarray(np.array([1, 5])), (3, 4), (b"wrap", np.int8(1))
    ),
    "a dimension's mode that is a float": lambda xp: xp.ravel_multi_index(
        xp.asarray(np.array([1, 0])), (1, 2), (1.0, "clip")
    ),
    "a mode by its number": lambda xp: xp.take(xp.ones(3), [5, -7], mode=1),
    "a mode by an array": lambda xp: xp.asarray(np.array([1])).choose(
        [xp.ones(1), xp.zeros(1)], mode=xp.asarray(np.array(2))
    ),
    "a mode of an unknown number": lambda xp: xp.take(xp.ones(3), [1, -1], mode=-(2**31)),
    "a mode that is a float": lambda xp: xp.take(xp.ones(3), [5, -7], mode=1.0),
    "a mode that is a flag": lambda xp: xp.take(xp.ones(3), [5, -7], mode=True),
    "a mode of many bits": lambda xp: xp.put(xp.ones(3), [5, -7], 1, mode=2**31),
    "a mode in bytes": lambda xp: xp.take(xp.arange(3.0), [5, -7], mode=b"wrap"),
    "the only element": lambda xp: xp.asarray(np.array([[9]])).item(()),
    "an element at an array": lambda xp: xp.asarray(np.arange(3)).item(xp.asarray(np.array(2))),
    "a grid of a text": lambda xp: xp.indices("0"),
    "a grid of floats": lambda xp: xp.indices((2.0, 1)),
    "an axis before a flag": lambda xp: xp.rollaxis(xp.ones((2, 3)), 1, start=True),
    "none of several elements": lambda xp: xp.asarray(np.array([8, 9])).item(()),
    "memory within the same bounds": lambda xp: (
        lambda a: (xp.may_share_memory(a, a, 0), xp.may_share_memory(a, a, False))
    )(xp.ones(600)[::2]),
    "a vector's axis in a tuple": lambda xp: xp.cross(xp.ones(3), xp.ones(3), (0,), 0),
    "a product's axis in a tuple": lambda xp: xp.cross(xp.ones(3), xp.ones(3), axisc=(0,)),
    "transforms along no floats": lambda xp: xp.fft.fft2(xp.ones(3), axes=xp.asarray(np.array([]))),
    "a partition along None": lambda xp: xp.asarray(np.arange(3)).partition(7, axis=None),
    "a line's width in an array": lambda xp: xp.array2string(-1, xp.asarray(np.array(True))),
    "zeros along a list": lambda xp: xp.trim_zeros(xp.asarray(np.eye(3)[1:]), axis=[0]),
    "zeros along nothing": lambda xp: xp.trim_zeros(xp.asarray(np.eye(3)[1:]), axis=""),
    "zeros along an axis twice": lambda xp: xp.trim_zeros(xp.asarray(np.eye(3)), axis=(0, -2)),
    "extents along a list": lambda xp: xp.size(xp.ones((2, 3)), axis=[0, 1]),
    "extents along an axis twice": lambda xp: xp.size(xp.ones((2, 3)), axis=(0, -2)),
    "a view as no type": lambda xp: xp.ones(3).view(type=None),
    "dimensions at a range": lambda xp: xp.expand_dims(xp.asarray(5), range(3)),
    "dimensions at a list": lambda xp: xp.expand_dims(xp.asarray(5), [0, 1]),
    "inverses of no matrices": lambda xp: xp.linalg.pinv(xp.zeros((0, 3, 2), "u1"), rtol=1.5),
    "inverses of matrices without rows": lambda xp: xp.linalg.pinv(xp.zeros((2, 0, 3), "u1")),
    "dot of an integer and a transposed array": lambda xp: xp.dot(2, xp.ones((2, 3), "i4").T),
    "dot of a float and a transposed array": lambda xp: xp.dot(2.5, xp.ones((2, 3), "f4").T),
    "dot to a transposed output": lambda xp: xp.dot(
        2, xp.ones((2, 3), "i4").T, out=xp.zeros((2, 3), "i8").T
    ),
    "dot of floats to a transposed output": lambda xp: xp.dot(
        2.5, xp.ones((3, 2)), out=xp.zeros((2, 3)).T
    ),
    "tile of once": lambda xp: xp.tile(xp.ones((2, 3)).T, (1,)),
    "tile of once, with more dimensions": lambda xp: xp.tile(xp.ones((2, 3)).T, (1, 1, 1)),
    "tile of nothing": lambda xp: xp.tile(xp.ones((2, 3)).T, ()),
    "roll by a complex number": lambda xp: xp.roll(xp.asarray(np.arange(4)), 1j),
    "roll a number": lambda xp: xp.roll(0, 1j),
    "roll along an axis by a complex number": lambda xp: xp.roll(
        xp.asarray(np.arange(6).reshape(2, 3)), 1 + 1j, axis=1
    ),
    "arange of small scalars": lambda xp: xp.arange(np.uint8(1), np.uint8(9), np.uint8(3)),
    "arange of float32": lambda xp: xp.arange(np.float32(0), np.float32(2), np.float32(0.5)),
    "arange of uint64": lambda xp: xp.arange(np.uint64(1), np.uint64(5), np.uint64(2)),
    "a correction beyond counts": lambda xp: xp.var(xp.asarray(np.ones(3)), correction=2**64),
    "a ddof beyond counts": lambda xp: xp.std(xp.asarray(np.ones(3)), ddof=-(10**30)),
    "a correction of a large float": lambda xp: xp.std(xp.asarray(np.ones(3)), correction=1e300),
    "bytes before an array": lambda xp: b"x" + xp.asarray(np.array([1, 2], "u1")),
    "bytes times an array": lambda xp: b"x" * xp.asarray(np.array(2)),
    "a text times an array": lambda xp: "x" * xp.asarray(np.array(2)),
    "cross along a tuple": lambda xp: xp.cross(xp.ones(3), xp.ones(3), axis=(0,)),
    "lognormal of a text": lambda xp: xp.random.lognormal("0"),
    "lstsq of infinities": lambda xp: xp.linalg.lstsq(
        xp.asarray(np.full((3, 3), np.inf)), xp.asarray(np.ones(3)), rcond=None
    ),
    "matrix_power of a transposed stack": lambda xp: xp.linalg.matrix_power(
        xp.asarray(np.ones((3, 3, 5))).T, 0
    ),
    "the step of no numbers": lambda xp: xp.linspace(
        xp.ones(1), xp.zeros(1), num=0, endpoint=False, retstep=True
    ),
    "to_device of nothing": lambda xp: xp.ones(3).to_device(None),
    "a masked number without a neutral element": lambda xp: xp.nextafter.reduce(
        np.float32(2), initial=-1.0, where=False
    ),
    "a number without a neutral element": lambda xp: xp.nextafter.reduce(
        np.float32(2), initial=-1.0, where=True
    ),
    "imag of transposed integers": lambda xp: xp.asarray(np.ones((3, 1, 3), "u2")).T.imag,
    "diff along a tuple": lambda xp: xp.diff(xp.ones(3), axis=(-1,)),
    "an integer alone is one of int64": lambda xp: xp.sign(2**62 + 1, dtype="i2"),
    "a negative integer alone": lambda xp: xp.negative(300, dtype="i1"),
    "bins that are none": lambda xp: xp.histogram(1e300),
    "a ddof that is a text": lambda xp: xp.asarray(np.ones(3)).std(ddof="0"),
    "a complex rcond": lambda xp: xp.linalg.lstsq(
        xp.asarray(np.eye(2)), xp.asarray(np.ones(2)), rcond=1j
    ),
    "insert nothing in two dimensions": lambda xp: xp.insert(
        xp.ones((5, 2)), xp.asarray(np.array([], int)), xp.ones((5, 0))
    ),
    "insert nothing of another extent": lambda xp: xp.insert(
        xp.ones((5, 2)), xp.asarray(np.array([], int)), xp.ones((0, 7))
    ),
    "insert nothing along an axis": lambda xp: xp.insert(
        xp.ones((5, 2)), xp.asarray(np.array([], int)), xp.ones((5, 0)), axis=0
    ),
    "min_scalar_type of an array": lambda xp: xp.min_scalar_type(xp.ones(3, "u8")),
    "min_scalar_type of an array without dimensions": lambda xp: xp.min_scalar_type(
        xp.asarray(np.array(7, "i8"))
    ),
}


def picked(xp: Any, name: str, dtype: str, *operand: Any) -> Any:
    a = xp.asarray(np.array([6, 7, 9], dtype))
    getattr(xp, name).at(a, [0, 1, 1], *operand)
    return a


def masked(xp: Any, value: Any) -> Any:
    a = xp.zeros((0, 3), "u2")
    a[a > 0] = value
    return a


CALLS |= {
    "piecewise of nothing takes numbers that fit": lambda xp: xp.piecewise(
        xp.zeros((0, 3), "u2"), [xp.zeros((0, 3), "?")], [-4, 4]
    ),
    "masks of nothing take numbers that fit": lambda xp: masked(xp, 70000),
    "masks of nothing take numbers": lambda xp: masked(xp, 7),
    "a number is rolled along no axis": lambda xp: xp.roll(5, (), axis=()),
    "a row is rolled along no axis": lambda xp: xp.roll(xp.ones(3), (), axis=()),
    "transforms look at lengths first": lambda xp: xp.fft.fft(xp.ones(3), n=-1, axis=None),
    "real transforms look at lengths first": lambda xp: xp.fft.irfft(xp.ones(3), n=0, axis=5),
    "transforms look at axes before types": lambda xp: xp.fft.rfft(xp.ones(3), n=1.5, axis=5),
    "transforms in a longer stack": lambda xp: xp.fft.fft(
        xp.ones((1, 3)), out=xp.zeros((2, 3), "c16")
    ),
    "transforms in more dimensions": lambda xp: xp.fft.fft(xp.ones(3), out=xp.zeros((2, 3), "c16")),
    "transforms are not repeated themselves": lambda xp: xp.fft.rfft(
        xp.ones((2, 1)), out=xp.zeros((2, 3), "c16")
    ),
    "transforms of all that is along -1": lambda xp: xp.fft.fftn(
        xp.ones((2, 3)), s=(-1, 2), axes=(0, 1)
    ),
    "segments are looked at before types": lambda xp: xp.gcd.reduceat(xp.ones(3), [5]),
    "segments of booleans": lambda xp: xp.subtract.reduceat(xp.ones(3, "?"), [1, -3]),
    "segments of a number": lambda xp: xp.gcd.reduceat(xp.asarray(np.array(1.5)), [5]),
    "exponents are numbers of 32 bits": lambda xp: xp.ldexp(xp.ones(1, "i1"), 2**62),
    "exponents beside a NumPy number": lambda xp: xp.ldexp(np.float32(1), -(2**31) - 1),
    "exponents of numbers": lambda xp: xp.ldexp(1.5, 2**40),
    "exponents in arrays": lambda xp: xp.ldexp(1.5, xp.asarray(np.array([2**40, -3]))),
    "exponents at places": lambda xp: picked(xp, "ldexp", "f4", 2**40),
    "small exponents at places": lambda xp: picked(xp, "ldexp", "f4", 2),
    "parts at booleans": lambda xp: xp.split(xp.ones(4), xp.asarray(np.array([True, False]))),
    "parts at a list of booleans": lambda xp: xp.split(xp.ones(4), [True, False]),
    "parts at no booleans": lambda xp: xp.split(xp.ones(4), xp.asarray(np.array([], "?"))),
    "an order of no dtype": lambda xp: xp.linalg.vector_norm(xp.ones(3), ord=-(10**30)),
    "an order of a matrix's rows": lambda xp: xp.linalg.norm(xp.ones((2, 3)), 2**64, axis=1),
    "an order of uint64": lambda xp: xp.linalg.norm(xp.ones(3), ord=2**64 - 1),
    "limits that are not equivalent": lambda xp: xp.clip(xp.ones(3, "f4"), 0, 3, casting="equiv"),
    "limits that are equivalent": lambda xp: xp.clip(xp.ones(3), 0.5, 3.0, casting="equiv"),
    "limits of integers": lambda xp: xp.clip(xp.ones(3, "i8"), 0, 3, casting="equiv"),
    "limits of other integers": lambda xp: xp.clip(xp.ones(3, "i4"), 0, 3, casting="equiv"),
    "positions in a set": lambda xp: xp.ravel_multi_index(set(), ()),
    "positions in a dictionary": lambda xp: xp.ravel_multi_index({}, ()),
    "positions in a number": lambda xp: xp.ravel_multi_index(5, ()),
    "the lowest ddof": lambda xp: xp.std(xp.asarray(np.array([1.0, 2])), ddof=-(2**63)),
    "the lowest ddof of equal numbers": lambda xp: xp.var(xp.ones(3, "f4"), ddof=-(2**63)),
    "a low ddof": lambda xp: xp.var(xp.asarray(np.array([1.0, 2])), ddof=-(2**62)),
    "products in more dimensions": lambda xp: xp.matmul(
        xp.ones((2, 3)), xp.ones((3, 2)), out=xp.zeros((4, 2, 2))
    ),
    "products in a longer stack": lambda xp: xp.matmul(
        xp.ones((1, 2, 3)), xp.ones((3, 2), "f4"), out=xp.zeros((4, 2, 2), "f4"), casting="unsafe"
    ),
    "a product of vectors in a row": lambda xp: xp.matmul(xp.ones(3), xp.ones(3), out=xp.zeros(4)),
    "matrices are not repeated": lambda xp: xp.matmul(
        xp.ones((2, 3)), xp.ones((3, 1)), out=xp.zeros((2, 2))
    ),
    "stacks are not cut": lambda xp: xp.matmul(
        xp.ones((4, 2, 3)), xp.ones((3, 2)), out=xp.zeros((1, 2, 2))
    ),
    "rows of products": lambda xp: xp.matvec(xp.ones((2, 3)), xp.ones(3), out=xp.zeros((4, 2))),
}
CALLS |= {
    f"{name} along {axes!r}": lambda xp, name=name, axes=axes: getattr(xp, name)(
        xp.asarray(np.arange(6.0).reshape(2, 3)), [0.5], axis=axes
    )
    for name in ("quantile", "percentile", "nanquantile", "nanpercentile")
    for axes in ("", "0", [], [0, 1], range(2), {1}, np.array([0, 1]), np.int8(1), True, 1.0, 1j)
} | {
    f"{name} along {axes!r}": lambda xp, name=name, axes=axes: getattr(xp, name)(
        xp.asarray(np.arange(6.0).reshape(2, 3)), axis=axes
    )
    for name in ("median", "nanmedian")
    for axes in ("", "0", [], [0, 1], range(2), {1}, np.array([0, 1]), np.int8(1), True, 1.0, 1j)
}
CALLS |= {
    f"an integer beyond 64 bits is copied to {dtype}": lambda xp, dtype=dtype: (
        lambda a: (xp.copyto(a, -(2**70)), a)[1]
    )(xp.zeros(3, dtype))
    for dtype in ("f2", "f4", "f8", "c8", "c16", "i8", "?")
} | {
    f"dimensions that are {kind.__name__}": lambda xp, kind=kind: xp.array(
        xp.asarray(np.arange(3)), ndmin=kind(2)
    )
    for kind in (int, float, str, np.int8, np.asarray, np.float64)
}
CALLS["dimensions in an array"] = lambda xp: xp.array(
    xp.asarray(np.arange(3)), ndmin=xp.asarray(np.array(2))
)
# Python's integers that an array does not hold, at places of it.
CALLS |= {
    f"{name} of {number} at places of {dtype}": lambda xp, c=(name, dtype, number): picked(xp, *c)
    for name, dtype, number in [
        ("add", "i1", 200),
        ("add", "u1", -1),
        ("subtract", "i2", 2**40),
        ("multiply", "u8", 2**63),
        ("maximum", "i1", 200),
        ("floor_divide", "u1", -2),
        ("less", "i1", 200),
        ("bitwise_or", "i1", 129),
        ("add", "?", 200),
        ("add", "f4", 2**40),
    ]
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    """Values, dtypes, errors, and the order of elements in memory."""
    call = CALLS[name]
    agree(call, what=name)
    try:
        expected = call(np)
    except Exception:
        return
    if isinstance(expected, np.ndarray) and expected.ndim > 1:
        strides = zip(call(cp).strides, expected.strides, expected.shape, strict=True)
        assert all(own == numpys for own, numpys, extent in strides if extent > 1)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8", "c8"])
def test_none_as_an_element(dtype: str) -> None:
    """NaN or False; no integer."""
    agree(lambda xp: xp.full(3, None, dtype=dtype))
    agree(lambda xp: xp.full_like(xp.ones(3, dtype), None))

    def filled(xp: Any) -> Any:
        a = xp.ones(3, dtype)
        a.fill(None)
        return a

    agree(filled)


NONE: dict[str, Case] = {
    "arange": lambda xp: xp.arange(None),
    "broadcast_to": lambda xp: xp.broadcast_to(xp.ones(3), None),
    "concatenate": lambda xp: xp.concatenate(None),
    "dot": lambda xp: xp.dot(None, xp.ones(3)),
    "expand_dims": lambda xp: xp.expand_dims(xp.ones(3), None),
    "eye": lambda xp: xp.eye(None),
    "fft": lambda xp: xp.fft.fft(xp.ones(3), axis=None),
    "moveaxis": lambda xp: xp.moveaxis(xp.ones((2, 3)), None, 0),
    "reshape": lambda xp: xp.ones(3).reshape(None),
    "searchsorted": lambda xp: xp.searchsorted(xp.ones(3), 1, side=None),
    "swapaxes": lambda xp: xp.swapaxes(xp.ones((2, 3)), None, 0),
    "tensordot": lambda xp: xp.tensordot(xp.ones(3), xp.ones(3), axes=None),
}


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", NONE)
def test_none_is_refused_in_words(name: str) -> None:
    """By an error that says what is wrong, and not by a list of the types that are taken."""
    with pytest.raises((TypeError, ValueError)) as error:
        NONE[name](cp)
    assert "incompatible function arguments" not in str(error.value)


def test_logical_functions_take_operands_by_any_casting() -> None:
    a, b = np.array([-4, 0, 1], "i4"), np.array([[0.0], [-0.75]])
    for casting in ("no", "equiv", "safe"):
        for name in ("logical_and", "logical_or", "logical_xor"):
            found = getattr(cp, name)(from_numpy(a), from_numpy(b), casting=casting)
            expected = getattr(np, name)(a, b, casting=casting)
            np.testing.assert_array_equal(to_numpy(found), expected)


@pytest.mark.parametrize("name", ["min", "max", "sum", "prod", "nanmin", "nanmax", "mean"])
def test_reductions_over_no_axes_are_arrays_of_their_own(name: str) -> None:
    """Otherwise a write to the result changes the operand."""
    for view in (slice(None), slice(None, None, 2)):

        def changed(xp: Any, key: slice = view) -> Any:
            a = xp.asarray(np.arange(4.0))[key]
            result = getattr(xp, name)(a, axis=())
            result[0] = 9
            return a, result

        agree(changed)
        result = getattr(cp, name)(from_numpy(np.arange(4.0))[view], axis=())
        assert result.strides == (8,)


STACKS: dict[str, Case] = {
    "matrices": lambda xp: xp.asarray(np.arange(1.0, 7).reshape(3, 2)),
    "transposed matrices": lambda xp: xp.asarray(np.arange(1.0, 7).reshape(3, 2)).T,
    "reversed matrices": lambda xp: xp.asarray(np.arange(1.0, 7).reshape(3, 2))[::-1],
    "stacks": lambda xp: xp.asarray(np.sqrt(np.arange(1.0, 25)).reshape(2, 4, 3)),
    "transposed stacks": lambda xp: xp.asarray(np.sqrt(np.arange(1.0, 25)).reshape(2, 3, 4)).T,
    "stacks in the middle": lambda xp: xp.asarray(
        np.sqrt(np.arange(1.0, 25)).reshape(2, 3, 4)
    ).swapaxes(0, 1),
    "every other column": lambda xp: xp.asarray(np.sqrt(np.arange(1.0, 25)).reshape(2, 3, 4))[
        :, :, ::2
    ],
    "a matrix repeated": lambda xp: xp.broadcast_to(
        xp.asarray(np.arange(1.0, 7).reshape(3, 2)), (4, 3, 2)
    ),
}


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
@pytest.mark.parametrize("name", STACKS)
def test_triangular_factors_lie_as_the_matrices(name: str, mode: str) -> None:
    def parts(xp: Any) -> tuple:
        found = xp.linalg.qr(STACKS[name](xp), mode=mode)
        return found if isinstance(found, tuple) else (found,)

    for own, numpys in zip(parts(cp), parts(np), strict=True):
        np.testing.assert_allclose(abs(to_numpy(own)), abs(numpys), atol=1e-12)
        strides = zip(own.strides, numpys.strides, numpys.shape, strict=True)
        assert all(mine == theirs for mine, theirs, extent in strides if extent > 1)


@pytest.mark.parametrize("axis", [[0], [0, 1], range(1)], ids=str)
def test_reductions_take_an_axis_or_a_tuple(axis: Any) -> None:
    for name in ("sum", "max", "any", "mean", "nanstd", "count_nonzero", "squeeze"):
        agree(lambda xp, x, name=name: getattr(xp, name)(x, axis=axis), np.ones((1, 3)))


def test_dtypes_of_what_does_not_reduce() -> None:
    for name, dtypes in (("divmod", True), ("absolute", None)):
        with pytest.raises(ValueError, match="not compatible with reduction"):
            getattr(cp, name).resolve_dtypes(dtypes, reduction=True)


REPEATED: dict[str, Case] = {
    "compared with a function": lambda xp: repeated(xp) == len,
    "compared with nothing": lambda xp: repeated(xp) != None,  # noqa: E711
    "polyadd": lambda xp: xp.polyadd(repeated(xp), xp.asarray(np.ones((5, 3, 3))).T),
    "polysub": lambda xp: xp.polysub(xp.asarray(np.ones((3, 5, 3))).swapaxes(1, 2), repeated(xp)),
}


def repeated(xp: Any) -> Any:
    return xp.broadcast_to(xp.asarray(np.array([[1.0], [5], [9]])), (3, 3, 5))


@pytest.mark.parametrize("name", REPEATED)
def test_results_of_what_repeats_lie_as_numpys(name: str) -> None:
    own, numpys = (REPEATED[name](xp) for xp in (cp, np))
    assert own.strides == numpys.strides
    np.testing.assert_array_equal(to_numpy(own), numpys)


@pytest.mark.parametrize("number", [2 - 2.5j, 1j, np.complex64(3 + 4j)], ids=str)
def test_norms_of_complex_numbers_without_dimensions(number: complex) -> None:
    agree(lambda xp: xp.linalg.norm(xp.asarray(number)))


def test_memory_order_of_other_shapes() -> None:
    def strides(xp: Any) -> list[tuple[int, ...]]:
        columns = xp.zeros((2, 2, 1, 5)).T
        likes = [xp.zeros_like(columns, shape=shape) for shape in ((3, 3, 2, 3), (6,), 6)]
        line = xp.broadcast_to(xp.asarray(5), (2,))
        products = [xp.einsum("i,j->ij", x, xp.arange(3), order="A") for x in (line, line + 0)]
        return [each.strides for each in likes + products]

    assert strides(cp) == strides(np)


def test_kinds_of_what_is_no_dtype() -> None:
    agree(lambda xp: xp.isdtype([1, 2], ()))
