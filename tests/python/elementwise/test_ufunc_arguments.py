"""out=, where=, dtype=, casting= and order= of ufuncs."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.compare import agree, assert_same
from support.dtypes import INTEGERS, NUMPY_DTYPES, SOME_DTYPES
from support.operands import broadcast_shapes, operands, shapes
from support.samples import small_values

CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]


@given(st.data())
def test_out(data: st.DataObject) -> None:
    """The result is cast to out, which is returned; out may be a view."""
    first, second = data.draw(broadcast_shapes(2, max_rank=3))
    shape = np.broadcast_shapes(first, second)
    a = data.draw(operands(NUMPY_DTYPES, first, "small"))
    b = data.draw(operands(NUMPY_DTYPES, second, "small"))
    out = data.draw(operands(NUMPY_DTYPES, shape, "small", broadcast=False))

    def run(xp: Any, x: Any, y: Any, target: Any) -> Any:
        result = xp.multiply(x, y, out=target)
        assert result is target
        return target

    agree(run, a, b, out, what=f"multiply({a}, {b}, out={out})")


@given(st.data())
def test_where(data: st.DataObject) -> None:
    """Elements where the mask is false keep what out holds."""
    first, second, third = data.draw(broadcast_shapes(3, max_rank=3))
    shape = np.broadcast_shapes(first, second, third)
    dtype = data.draw(st.sampled_from(SOME_DTYPES))
    a = data.draw(operands(dtype, first, "small"))
    b = data.draw(operands(dtype, second, "small"))
    mask = data.draw(operands(np.dtype(bool), third))
    out = data.draw(operands(dtype, shape, "small", broadcast=False))

    def run(xp: Any, x: Any, y: Any, m: Any, target: Any) -> Any:
        return xp.add(x, y, out=target, where=m)

    agree(run, a, b, mask, out, what=f"add({a}, {b}, where={mask}, out={out})")


def test_where_with_two_outputs_and_scalars() -> None:
    a = np.array([1.5, -2.25, np.inf, 4.0])
    mask = np.array([True, False, True, False])

    def run(xp: Any, x: Any, m: Any) -> Any:
        whole, part = xp.zeros(4), xp.ones(4)
        xp.modf(x, out=(part, whole), where=m)
        return whole, part

    agree(run, a, mask)
    agree(lambda xp, x: xp.sqrt(x, out=xp.ones(4), where=False), a)
    agree(lambda xp, x: xp.negative(x, out=xp.ones(4), where=True), a)


def test_outs_of_two_output_ufuncs() -> None:
    def run(xp: Any, x: Any) -> Any:
        exponent = xp.zeros(3, xp.int64)
        mantissa, other = xp.frexp(x, out=(None, exponent))
        assert other is exponent
        return mantissa, exponent

    agree(run, np.array([1.0, -0.0, 1e300]))


@pytest.mark.parametrize("casting", CASTINGS)
def test_casting_of_out(casting: str) -> None:
    for source in SOME_DTYPES:
        for target in NUMPY_DTYPES:
            a, out = small_values(source, (3,), 1), np.zeros(3, target)
            agree(
                lambda xp, x, o: xp.add(x, x, out=o, casting=casting),
                *(a, out),
                what=f"add {source} to {target}, casting={casting}",
            )


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize("function", ["add", "divide", "logical_and", "bitwise_or", "less"])
def test_dtype_and_casting(function: str, casting: str) -> None:
    """dtype= chooses the loop; its inputs must be castable."""
    for source in SOME_DTYPES:
        for target in [np.dtype(t) for t in "?bHlfdD"]:
            agree(
                lambda xp, x: getattr(xp, function)(x, x, dtype=target, casting=casting),
                small_values(source, (3,), 1) + np.ones(1, source),
                what=f"{function}({source}, dtype={target}, casting={casting})",
            )


@pytest.mark.parametrize("source", INTEGERS, ids=lambda t: t.name)
def test_dtype_of_floating_functions(source: np.dtype) -> None:
    a = np.array([0, 1, 4], source)
    for dtype in (np.float32, np.float64):
        agree(lambda xp, x: xp.sqrt(x, dtype=dtype), a)
        agree(lambda xp, x: xp.true_divide(x, 3, dtype=dtype), a)


@pytest.mark.parametrize("order", ["C", "F", "K", "A"])
@given(case=shapes(min_rank=1, max_rank=4), permute=st.randoms(use_true_random=False))
def test_order(order: str, case: tuple[int, ...], permute: Any) -> None:
    """The layout of a new result, as strides."""
    axes = list(range(len(case)))
    permute.shuffle(axes)
    a = small_values(np.dtype(np.float32), case, 1)

    def run(xp: Any, x: Any) -> Any:
        result = xp.add(x.transpose(axes), 1.0, order=order)
        strides = result.strides if 0 not in case and 1 not in case else None
        return result, result.flags.c_contiguous, result.flags.f_contiguous, list(strides or ())

    agree(run, a, what=f"{case} {axes} {order}")


@given(st.data())
def test_layout_of_results_follows_the_operands(data: st.DataObject) -> None:
    """order='K': the strides of the result follow those of the inputs."""
    shape = tuple(data.draw(st.integers(2, 4)) for _ in range(data.draw(st.integers(1, 4))))
    first = data.draw(st.permutations(range(len(shape))))
    second = data.draw(st.permutations(range(len(shape))))
    a = small_values(
        np.dtype(np.float32), tuple(shape[first.index(i)] for i in range(len(shape))), 1
    )
    b = small_values(
        np.dtype(np.float32), tuple(shape[second.index(i)] for i in range(len(shape))), 2
    )

    def run(_: Any, x: Any, y: Any) -> Any:
        x, y = (v.transpose(p) for v, p in ((x, [*first]), (y, [*second])))
        return [list((x * 2).strides), list((x[::-1] * 2).strides), list((x + x).strides)]

    agree(run, a, b)


def test_out_as_tuple_and_positional() -> None:
    a = np.array([1.0, 2.0])

    def run(xp: Any, x: Any) -> Any:
        first, second = xp.empty(2), xp.empty(2)
        xp.add(x, x, first)
        xp.add(x, x, out=(second,))
        return first, second

    agree(run, a)


def test_scalar_outputs() -> None:
    """A 0-d out is filled; results of 0-d operands have rank 0."""
    agree(lambda xp, x: xp.add(x, 1, out=xp.zeros(())), np.array(2.0))
    agree(lambda xp, x: xp.add(x, x), np.array(3, np.int8))
    agree(lambda xp: xp.add(2, 3))
    agree(lambda xp: xp.multiply(2, 3.5))
    agree(lambda xp: xp.sqrt(2))
    agree(lambda xp: xp.logical_and(True, 0))


def test_in_place_operators() -> None:
    a = np.array([[1, 2], [3, 4]], np.int32)
    steps = {
        "+=": lambda x: x.__iadd__(2),
        "-=": lambda x: x.__isub__(x.T),
        "*=": lambda x: x.__imul__(x[0]),
        "//=": lambda x: x.__ifloordiv__(2),
        "%=": lambda x: x.__imod__(3),
        "<<=": lambda x: x.__ilshift__(1),
        ">>=": lambda x: x.__irshift__(1),
        "&=": lambda x: x.__iand__(3),
        "|=": lambda x: x.__ior__(8),
        "^=": lambda x: x.__ixor__(5),
        "**=": lambda x: x.__ipow__(2),
    }
    for name, step in steps.items():
        agree(lambda xp, x, s=step: s(x), a, what=name)
    agree(lambda xp, x: x.__itruediv__(2), a, what="/= of integers")
    agree(lambda xp, x: x.__iadd__(1.5), a, what="+= 1.5 of integers")
    agree(lambda xp, x: x.__itruediv__(4), a.astype(np.float32), what="/=")


def test_operators() -> None:
    a, b = np.array([7, -3, 2], np.int64), np.array([2, 5, -4], np.int64)
    agree(lambda xp, x, y: [x + y, x - y, x * y, x / y, x // y, x % y, x ** abs(y)], a, b)
    agree(
        lambda xp, x, y: [x & y, x | y, x ^ y, x << abs(y), x >> abs(y), ~x, -x, +x, abs(x)], a, b
    )
    agree(lambda xp, x, y: [x == y, x != y, x < y, x <= y, x > y, x >= y, *divmod(x, y)], a, b)
    agree(lambda xp, x: [2 + x, 2 - x, 2 * x, 2 / x, 20 // x, 20 % x, 2 ** abs(x)], a)
    agree(lambda xp, x: [6 & x, 6 | x, 6 ^ x, 6 << abs(x), 600 >> abs(x), *divmod(20, x)], a)
    agree(lambda xp, x: [1 < x, 1 <= x, 1 > x, 1 >= x, 1 == x, 1 != x], a)
    agree(lambda xp, x: [x == "a", x != None], a)  # noqa: E711


@pytest.mark.cupola_only
def test_nothing_changes_when_the_call_fails() -> None:
    out = from_numpy(np.arange(4.0))
    attempts = [
        lambda: cp.add(cp.zeros(3), cp.zeros(2), out=out),
        lambda: cp.add(cp.zeros(3), 1.0, out=out),
        lambda: cp.add(cp.zeros(4, "complex128"), 1.0, out=out),
        lambda: cp.add(cp.zeros(4), 1.0, out=out, casting="nonsense"),
        lambda: cp.power(cp.arange(4), cp.full(4, -1), out=out, casting="unsafe"),
        lambda: out.__iadd__(cp.zeros((2, 4))),
    ]
    for attempt in attempts:
        with pytest.raises((ValueError, TypeError)):
            attempt()
    assert_same(to_numpy(out), np.arange(4.0))


@pytest.mark.cupola_only
def test_calls_give_what_operators_give() -> None:
    x, y = from_numpy(np.arange(4.0)), from_numpy(np.arange(1.0, 5.0))
    names = {"".join(["o", "ut"]): from_numpy(np.zeros(4))}  # no word that Python has once
    assert cp.add(x, y, **names) is names["out"]
    results = [cp.add(x, y), names["out"], cp.add.__call__(x, y), cp.ufunc.__call__(cp.add, x, y)]
    for result in results:
        assert_same(to_numpy(result), np.arange(4.0) + np.arange(1.0, 5.0))
    assert_same(to_numpy(cp.subtract(10, x)), 10 - np.arange(4.0))
    for wrong in ((x,), (x, y, None, x)):
        with pytest.raises(TypeError, match="positional arguments"):
            cp.add(*wrong)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        cp.add(x, y, nothing=1)
