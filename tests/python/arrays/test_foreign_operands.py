"""Other libraries' objects beside arrays: who decides what an operation means, and `==`."""

import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, on_cuda, to_numpy

BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lshift",
    "rshift",
    "and_",
    "or_",
    "xor",
    "matmul",
]
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"]


class Deciding:
    """Takes every universal function over."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        kinds = ["own" if isinstance(each, Deciding) else "array" for each in inputs]
        return ufunc.__name__, method, kinds, sorted(kwargs)


class Refusing:
    """Has a universal function computed by nobody, and its own operators."""

    __array_ufunc__ = None

    def __radd__(self, other: Any) -> Any:
        return "radd"

    def __eq__(self, other: object) -> Any:
        return "eq"


class Preferred:
    """The older way."""

    __array_priority__ = 1000.0

    def __radd__(self, other: Any) -> Any:
        return "radd"

    def __rmatmul__(self, other: Any) -> Any:
        return "rmatmul"

    def __lt__(self, other: Any) -> Any:
        return "lt"

    def __gt__(self, other: Any) -> Any:
        return "gt"


class PreferredList(list):  # type: ignore[type-arg]
    __array_priority__ = 1000.0

    def __radd__(self, other: Any) -> Any:
        return "radd"


class Plain:
    pass


class Equal:
    def __eq__(self, other: object) -> Any:
        return "eq"

    def __ne__(self, other: object) -> Any:
        return "ne"


def pair() -> tuple[Any, np.ndarray]:
    host = np.arange(4)
    return from_numpy(host), host


def outcome(function: Any, *args: Any) -> Any:
    """What a call gives, or "error": NumPy's arrays of objects have errors of their own."""
    try:
        value = function(*args)
    except (TypeError, ValueError):
        return "error"
    return to_numpy(value).tolist() if hasattr(value, "dtype") else value


@pytest.mark.parametrize("name", [*BINARY, *COMPARE, "divmod"])
@pytest.mark.parametrize("kind", [Deciding, Refusing, Preferred, Plain])
def test_operators_with_other_objects(name: str, kind: type) -> None:
    function = divmod if name == "divmod" else getattr(operator, name)
    ours, host = pair()
    if name in ("eq", "ne") and kind in (Plain, Preferred):
        return
    assert outcome(function, ours, kind()) == outcome(function, host, kind())
    assert outcome(function, kind(), ours) == outcome(function, kind(), host)


@pytest.mark.parametrize("name", ["iadd", "imul", "ipow", "imatmul", "ifloordiv", "ior"])
@pytest.mark.parametrize("kind", [Deciding, Refusing, Plain])
def test_in_place_operators_with_other_objects(name: str, kind: type) -> None:
    function = getattr(operator, name)
    ours, host = pair()
    found, expected = outcome(function, ours, kind()), outcome(function, host, kind())
    if isinstance(found, tuple):  # NumPy has further arguments for imatmul
        found, expected = found[:3], expected[:3]
    assert found == expected


def test_sequences_with_a_priority() -> None:
    ours, host = pair()
    for values in (PreferredList([1, 2, 3, 4]), [1, 2, 3, 4]):
        assert outcome(operator.add, ours, values) == outcome(operator.add, host, values)


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", ["add", "sin", "multiply", "divmod"])
def test_universal_functions_of_other_objects(name: str) -> None:
    ours, host = pair()
    other = (Deciding(),) if name == "sin" else (Deciding(), 1)
    assert getattr(cp, name)(*other) == getattr(np, name)(*other)
    if name != "sin":
        expected = getattr(np, name)(host, Deciding())
        assert getattr(cp, name)(ours, Deciding()) == expected
        assert getattr(np, name)(ours, Deciding()) == expected
    assert np.add(ours, ours, out=Deciding())[0] == "add"


OTHERS = [
    None, "x", b"x", np.str_("x"), Plain(), {}, set(), {1: 2}, Ellipsis, NotImplemented, int, len,
    Fraction(1), Fraction(1, 2), Decimal(2), Decimal("0.5"), np.datetime64("2020"), range(4),
    [0, 1, 2, 4], (0, 1, 2, 3), 1, 2.0, 1j, True,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("other", OTHERS, ids=lambda other: type(other).__name__)
@pytest.mark.parametrize("name", ["eq", "ne"])
def test_equality_with_other_objects(name: str, other: Any) -> None:
    function = getattr(operator, name)
    ours, host = pair()
    result = function(ours, other)
    assert to_numpy(result).dtype == bool
    assert to_numpy(result).tolist() == function(host, other).tolist()
    assert to_numpy(function(other, ours)).tolist() == function(other, host).tolist()


@pytest.mark.cupola_only
def test_equality_of_classes_that_define_it() -> None:
    ours, _ = pair()
    assert (ours == Equal()) == "eq"
    assert (ours != Equal()) == "ne"


@pytest.mark.cupola_only
@pytest.mark.parametrize(
    "other",
    [np.arange(4), memoryview(b"abcd"), np.ma.ones(4)],
    ids=lambda other: type(other).__name__,
)
def test_memory_of_the_host_is_not_compared_unasked(other: Any) -> None:
    ours, _ = pair()
    for function in (operator.eq, operator.ne, operator.add):
        with pytest.raises(TypeError):
            function(ours, other)


def test_equality_with_sequences_of_another_length() -> None:
    for module_array in pair():
        with pytest.raises(ValueError, match="broadcast"):
            _ = module_array == [1, 2]


METHODS = [
    lambda xp, a, b: xp.add.reduce(b),
    lambda xp, a, b: xp.add.reduce(b, axis=1, keepdims=True),
    lambda xp, a, b: xp.add.reduce(a, out=b),
    lambda xp, a, b: xp.add.accumulate(b, 1),
    lambda xp, a, b: xp.add.reduceat(b, [0, 1], dtype="f8"),
    lambda xp, a, b: xp.multiply.outer(a, b),
    lambda xp, a, b: xp.multiply.outer(b, a, dtype="f8"),
    lambda xp, a, b: xp.add(a, a, out=b),
    lambda xp, a, b: xp.add(a, a, out=(b,)),
    lambda xp, a, b: xp.divmod(a, a, out=(None, b)),
    lambda xp, a, b: xp.matmul(a, b),
    lambda xp, a, b: xp.matmul(b, a),
    lambda xp, a, b: xp.vecdot(a, b, axis=0),
    lambda xp, a, b: xp.matvec(b, a),
    lambda xp, a, b: xp.vecmat(a, b, dtype="f8"),
]


@pytest.mark.parametrize("number", range(len(METHODS)))
def test_methods_and_products_are_taken_over(number: int) -> None:
    ours, host = pair()
    expected = METHODS[number](np, host, Deciding())
    found = METHODS[number](cp, ours, Deciding())
    assert found[:3] == expected[:3]
    assert set(found[3]) <= set(expected[3])
    with pytest.raises(TypeError):
        METHODS[number](cp, ours, Refusing())


def test_elements_of_others_are_left_to_them() -> None:
    called = []

    class Target:
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> None:
            called.append((ufunc.__name__, method, len(inputs)))

    ours, _ = pair()
    cp.add.at(Target(), [0], 1)
    cp.negative.at(Target(), [0])
    cp.add.at(ours, [0], Target())
    assert called == [("add", "at", 3), ("negative", "at", 2), ("add", "at", 3)]


class Lent:
    """An array of another library that lends its memory on a GPU."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


@pytest.mark.skipif(not on_cuda(), reason="only arrays on CUDA devices have the interface")
def test_memory_lent_on_a_gpu_is_an_operand() -> None:
    a = from_numpy(np.arange(5.0))
    lent = Lent(from_numpy(np.arange(5.0)[::-1].copy()))
    np.testing.assert_array_equal(to_numpy(cp.add(a, lent)), np.full(5, 4.0))
    np.testing.assert_array_equal(to_numpy(cp.sqrt(lent)), np.sqrt(np.arange(5.0)[::-1]))
    triple = cp.ElementwiseKernel("float64 x", "float64 y", "y = 3 * x", "triple_of_lent")
    np.testing.assert_array_equal(to_numpy(triple(lent)), 3 * np.arange(5.0)[::-1])


@pytest.mark.skipif(on_cuda(), reason="arrays on CPU devices do not have the interface")
def test_memory_that_is_said_to_be_on_a_gpu_is_refused() -> None:
    lent = type("Lent", (), {})()
    lent.__cuda_array_interface__ = {
        "shape": (3,),
        "typestr": "<f8",
        "version": 3,
        "data": (np.zeros(3).ctypes.data, False),
    }
    with pytest.raises((ValueError, RuntimeError)):
        cp.add(from_numpy(np.arange(3.0)), lent)
