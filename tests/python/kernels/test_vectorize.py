"""`vectorize` against numpy.vectorize."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same
from support.compilers import skip_without_compiler
from support.subprocesses import run_python

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]
LIMIT = 2.5


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


def check(function: Callable[..., Any], *args: np.ndarray, **kwargs: Any) -> None:
    """The values and types are NumPy's; numbers may differ in the last place."""
    expected = np.vectorize(function, **kwargs)(*args)
    result = cp.vectorize(function, **kwargs)(*(cp.asarray(each) for each in args))
    if not isinstance(expected, tuple):
        expected, result = (expected,), (result,)
    for one, other in zip(result, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(cp.asnumpy(one), other, rtol=1e-14)


FLOATS = np.linspace(-3, 3, 13)
INTEGERS = np.arange(-6, 7)


def square(a: Any) -> Any:
    return a * a


def sign(x: Any) -> Any:
    """Branches with constants."""
    if x < 0:
        return -1.0
    if x == 0:
        return 0.0
    return 1.0


def limited(x: Any, low: Any = -1.5) -> Any:
    """A default argument and a number from outside."""
    y = x if x < LIMIT else LIMIT
    return low if y < low else y


def collatz(n: Any) -> Any:
    """A loop that ends by the data."""
    steps = 0
    n = abs(n) + 1
    while n != 1:
        if n % 2 == 0:  # noqa: SIM108
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def polynomial(x: Any, c: Any = 2) -> Any:
    """Loops over ranges, break, continue, several results."""
    total = 0.0
    for k in range(1, 9, 2):
        if k == 3:
            continue
        if k > 5:
            break
        total = total * x + c
        c = c + 1
    for k in range(3, 0, -1):
        total -= k
    return total, k, x > 0


def exchanged(x: Any) -> Any:
    """Tuples, chains, logic and other functions."""
    a, b = square(x), x + 1
    a, b = b, a
    near = 0 < x < 2 and not x == 1  # noqa: SIM201
    return a - b if near or a > 7 else max(a, b, 0)


def endless(x: Any) -> Any:
    while True:
        x = abs(x) * 2 + 1
        if x > 100:
            return x


def functions(x: Any) -> Any:
    return math.sin(x) + np.cos(x) * np.exp(x) - math.erf(x) + math.atan2(x, 2) + math.pi


FUNCTIONS = [sign, limited, polynomial, exchanged, functions]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_functions_of_floats(function: Callable[..., Any]) -> None:
    check(function, FLOATS)


@pytest.mark.parametrize("function", [sign, collatz, exchanged, endless, square, functions])
def test_functions_of_integers(function: Callable[..., Any]) -> None:
    check(function, INTEGERS)


def test_operators_are_those_of_python() -> None:
    a, b = INTEGERS[:, None], np.array([-4, -3, 2, 5])
    check(lambda x, y: x // y + x % y * 100, a, b)
    check(lambda x, y: (x & y) | (x ^ 3) + (~y << 2), a, b)
    check(lambda x, y: x / y, a, b)
    check(lambda x: x**2 - -x, a)
    check(lambda x, y: (x / 2) // y + (x / 2) % y, a, b)
    check(lambda x: (int(x) // 2, round(x), math.floor(x), math.ceil(x), float(x)), FLOATS)
    check(lambda z: z.real * z.conjugate() + abs(z) - z.imag, FLOATS + 1j)
    check(lambda x: x if x else 7, INTEGERS)
    check(lambda x, y: (x and y) or 3, a, b)


def test_types_follow_the_arguments() -> None:
    single = cp.asarray(FLOATS.astype("float32"))
    assert_same(cp.vectorize(lambda x: x * 2.5 + 1)(single), FLOATS.astype("f4") * 2.5 + 1)
    half = FLOATS.astype("float16")
    assert_same(cp.vectorize(lambda x: x * x + x)(cp.asarray(half)), half * half + half)
    small = np.array([100, 127], "int8")
    with np.errstate(over="ignore"):
        assert_same(cp.vectorize(lambda x: x + x)(cp.asarray(small)), small + small)
    assert cp.vectorize(lambda x: x > 1)(single).dtype == np.bool_
    wide = cp.vectorize(lambda x, y: y * (1.0 if x > 0 else x))
    assert wide(cp.asarray(FLOATS), single).dtype == np.float64
    assert wide(single, single).dtype == np.float32
    assert cp.vectorize(lambda x, y: x * 1.5 * y)(cp.asarray(FLOATS), single).dtype == np.float64


def test_two_functions_on_one_line() -> None:
    first, second = (lambda x: x + 1), (lambda x: x + 2)
    assert_same(cp.vectorize(second)(cp.arange(2)), np.array([2, 3]))
    assert_same(cp.vectorize(first)(cp.arange(2)), np.array([1, 2]))


def test_numbers_of_the_closure() -> None:
    def scaled(factor: Any) -> Any:
        return cp.vectorize(lambda x: x * factor)

    assert_same(scaled(3)(cp.arange(3)), np.arange(3) * 3)
    assert_same(scaled(np.float32(2))(cp.arange(3)), np.arange(3) * 2.0)


def test_as_a_decorator() -> None:
    @cp.vectorize
    def product(x: Any, y: Any = 3) -> Any:
        """Of two."""
        return x * y

    assert (product.__name__, product.__doc__) == ("product", "Of two.")
    assert_same(product(cp.arange(3)), np.arange(3) * 3)
    assert_same(product(y=cp.arange(3)[:, None], x=[1, 2]), np.arange(3)[:, None] * [1, 2])
    assert_same(product(2), np.asarray(6))

    @cp.vectorize(otypes="f", excluded={"k"}, doc="Given.")
    def repeated(x: Any, k: Any) -> Any:
        for _ in range(k):
            x = x + 1
        return x

    assert repeated.__doc__ == "Given."
    assert_same(repeated(cp.arange(3), 4), np.arange(4, 7, dtype="f4"))
    assert_same(repeated(cp.arange(3), k=5), np.arange(5, 8, dtype="f4"))


def test_otypes() -> None:
    both = cp.vectorize(lambda x: (x, x > 1), otypes=[np.float32, "int8"])
    first, second = both(cp.arange(3))
    assert_same(first, np.arange(3, dtype="f4"))
    assert_same(second, np.array([0, 0, 1], "int8"))
    with pytest.raises(ValueError, match=r"otypes has 1 types, but .* returns 2 values"):
        cp.vectorize(lambda x: (x, x), otypes="f")(cp.arange(3))
    for otypes in (5, True, 1.5):
        with pytest.raises(ValueError, match="Invalid otype"):
            cp.vectorize(lambda x: x, otypes=otypes)
    with pytest.raises(ValueError, match="Invalid otype specified: x"):
        cp.vectorize(lambda x: (x, x), otypes="dx")


def test_empty_arrays() -> None:
    assert cp.vectorize(sign)(cp.zeros((0, 3))).shape == (0, 3)


def swapped_tuples(x: Any, y: Any) -> Any:
    z = w = x, y * 1.5
    z_0 = z_of_0 = x + 7
    for _ in range(3):
        z = z[1], z[-2]
    (a, b), c = z, w[0]
    return a * a + b + c + z_0 * z_of_0


def tuple_of_branches(x: Any, y: Any) -> Any:
    if x > 2:  # noqa: SIM108
        z = x, y
    else:
        z = y, x
    a, b = z
    return a - b, z[0]


def tuple_as_result(x: Any, y: Any) -> Any:
    z = x, y
    return z  # noqa: RET504


def type_with_a_name(x: Any) -> Any:
    single = np.dtype("f").type
    return single(x) + np.dtype("int16").type(3)


def tuple_or_number(x: Any) -> Any:
    z = x, x
    z = x
    return z  # noqa: RET504


def number_or_tuple(x: Any) -> Any:
    z = x
    z = x, x
    return z  # noqa: RET504


def tuple_of_one_branch(x: Any) -> Any:
    if x > 2:
        z = x, x
    a, b = z
    return a + b


def beyond_the_tuple(x: Any) -> Any:
    z = x, x
    return z[2]


def type_of_one_branch(x: Any) -> Any:
    if x > 2:
        single = np.dtype("f").type
    return single(x)


@pytest.mark.parametrize("function", [swapped_tuples, tuple_of_branches, tuple_as_result])
def test_tuples(function: Callable[..., Any]) -> None:
    check(function, INTEGERS, INTEGERS[::-1].copy())
    check(function, FLOATS, FLOATS[::-1].copy())


def test_types_of_numbers_have_names() -> None:
    check(type_with_a_name, INTEGERS)


def no_result(x: Any) -> Any:  # noqa: RET503
    if x > 1:
        return x


def unassigned(x: Any) -> Any:
    if x > 1:
        y = x
    return y


def recursive(x: Any) -> Any:
    return x * recursive(x - 1)


def in_place(x: Any) -> Any:
    x[0] = 1
    return x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: [x], "List has no translation"),
        (lambda x: open(x), r"open\(\) has no translation"),  # noqa: SIM115
        (lambda x: x if x is None else 1, "None"),
        (lambda x: undefined_name + x, "the name undefined_name is not defined"),  # noqa: F821
        (lambda x: x.shape, "x is a number"),
        (lambda x: np.sin(x, out=x), "keyword arguments of np.sin"),
        (lambda x: x / "2", "'2' is no number"),
        (lambda x: x << 1.5, "left_shift"),
        (no_result, "it may end without a return"),
        (unassigned, "y may have no value here"),
        (tuple_or_number, "Data type mismatch of variable: z"),
        (number_or_tuple, "Data type mismatch of variable: z"),
        (tuple_of_one_branch, "z may have no value here"),
        (type_of_one_branch, "is no number but type"),
        (recursive, "it calls itself"),
        (in_place, "only names can be assigned to"),
        (len, "translates functions of Python"),
    ],
)
def test_what_has_no_translation(function: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        cp.vectorize(function)(cp.arange(3))
    if function not in (len, recursive):
        assert "test_vectorize.py:" in str(caught.value)


def test_an_element_beyond_a_tuple() -> None:
    with pytest.raises(IndexError, match="tuple index out of range"):
        cp.vectorize(beyond_the_tuple)(cp.arange(3))


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="takes a function, not int"):
        cp.vectorize(3)
    with pytest.raises(ValueError, match="not a valid gufunc signature"):
        cp.vectorize(square, signature="(n->()")(cp.arange(3))
    with pytest.raises(TypeError, match=r"numpy\.ndarray; cupola\.asarray"):
        cp.vectorize(square)(np.arange(3))
    with pytest.raises(TypeError, match="must be a number"):
        cp.vectorize(limited, excluded={1})(cp.arange(3), cp.arange(3))
    with pytest.raises(TypeError, match="missing a required argument"):
        cp.vectorize(square)()


def test_wrappers_are_not_passed_by() -> None:
    def doubled(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(x: Any) -> Any:
            return 2 * function(x)

        return wrapper

    assert_same(cp.vectorize(doubled(square))(cp.arange(4)), 2 * np.arange(4) ** 2)


def test_functions_without_a_text() -> None:
    result = run_python("import cupola as cp; cp.vectorize(eval('lambda x: x'))(cp.arange(3))")
    assert "vectorize needs the text of <lambda>" in result.stderr


def test_universal_functions_are_applied_as_they_are() -> None:
    check(np.cos, FLOATS)
    check(np.hypot, FLOATS, FLOATS + 1)
    check(math.atan, FLOATS)
    check(np.exp, FLOATS, otypes="f")
    assert_same(cp.vectorize(cp.square)(cp.asarray(FLOATS)), np.square(FLOATS))


def shifted(a: Any, b: Any, c: Any) -> Any:
    return a * 100 + b * 10 + c


def test_partial_functions() -> None:
    check(functools.partial(shifted, 3), FLOATS, INTEGERS)
    check(functools.partial(shifted, 3, 4), INTEGERS)
    check(functools.partial(shifted, c=2), INTEGERS, FLOATS)
    check(functools.partial(shifted, 1, c=2), INTEGERS)


def test_partial_functions_of_arrays_are_refused() -> None:
    with pytest.raises(TypeError, match="must be a number"):
        cp.vectorize(functools.partial(shifted, cp.ones(2)))(1, 2)


def test_a_function_without_parameters() -> None:
    assert cp.vectorize(lambda: 7)().tolist() == 7
    first, second = cp.vectorize(lambda: (7, 2.5))()
    assert (first.shape, first.tolist()) == ((), 7)
    assert (second.shape, second.tolist()) == ((), 2.5)


def test_types_of_results_can_be_set_later() -> None:
    found = cp.vectorize(square)
    assert found.otypes is None
    assert found(cp.asarray(INTEGERS)).dtype == np.int64
    found.otypes = "f"
    assert found(cp.asarray(INTEGERS)).dtype == np.float32
    with pytest.raises(ValueError, match="otypes has 2 types"):
        cp.vectorize(np.sin, otypes="ff")(cp.asarray(FLOATS))
