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


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
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
