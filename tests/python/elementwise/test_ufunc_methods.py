"""reduce, accumulate, outer, at and reduceat."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.axes import axes_of
from support.compare import Tolerance, agree, assert_same, assert_same_error, outcome
from support.dtypes import NUMPY_DTYPES, SOME_DTYPES, is_inexact
from support.operands import operands, shapes
from support.samples import small_values
from support.ufuncs import METHOD_NAMES, UNARY_NAMES, loops

# Small integers go through these exactly, in any order of combination.
EXACT = ["add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or"]
EXACT += ["logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "gcd"]
ORDERED = ["subtract", "floor_divide", "remainder", "left_shift"]
# On CPUs with AVX-512 NumPy itself gives wrong results along a contiguous axis.
WRONG_IN_NUMPY = {"arctan2", "power"}


def without_signs(a: np.ndarray) -> np.ndarray:
    """Magnitudes of real numbers; complex ones stay as they are, whole numbers."""
    return a if a.dtype.kind == "c" else np.abs(a)


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_reduce_of_every_ufunc(name: str) -> None:
    """Each loop type: the values of a short reduction, or NumPy's refusal."""
    for dtypes in loops(name):
        if len(set(dtypes)) > 1 or dtypes[0] not in NUMPY_DTYPES:
            continue
        if name in WRONG_IN_NUMPY and is_inexact(dtypes[0]):
            continue
        a = without_signs(small_values(dtypes[0], (3, 5), 3))
        loose = name not in EXACT and a.dtype.kind in "fc"
        tolerance = Tolerance(16, 1e-3 if a.dtype.itemsize == 2 else 0) if loose else Tolerance()
        if name in ("add", "multiply") and is_inexact(dtypes[0]):
            tolerance = Tolerance(5)  # one rounding per element, in an order of our own
        if name.endswith("power") and a.dtype.kind == "c":
            # Each exponent multiplies the relative error of what was computed before.
            tolerance = Tolerance(16 * np.maximum(np.abs(a[:, 1:]).prod(axis=1), 1))
        agree(
            lambda xp, x: getattr(xp, name).reduce(x, axis=1),
            a,
            tolerance=tolerance,
            what=f"{name}.reduce {dtypes[0]}",
        )


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_empty_reductions_of_every_ufunc(name: str) -> None:
    """The identity, or ValueError where there is none."""
    if name == "ldexp":
        pytest.skip("its operands differ in type")
    for dtype in (np.dtype(np.int32), np.dtype(np.float64), np.dtype(bool)):
        a = np.empty((0, 2), dtype)
        agree(lambda xp, x: getattr(xp, name).reduce(x), a, what=f"{name} {dtype}")
        agree(lambda xp, x: getattr(xp, name).reduce(x, axis=1), a, what=f"{name} {dtype}, axis 1")


@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
def test_reduce(name: str, data: st.DataObject) -> None:
    a = data.draw(operands(SOME_DTYPES, fill="small"))
    axis = data.draw(axes_of(a.in_numpy().ndim))
    keepdims = data.draw(st.booleans())
    agree(
        lambda xp, x: getattr(xp, name).reduce(x, axis=axis, keepdims=keepdims),
        a,
        what=f"{name}.reduce({a}, axis={axis}, keepdims={keepdims})",
    )


@given(data=st.data(), name=st.sampled_from(["add", "multiply", "maximum", "logical_and"]))
def test_reduce_where_initial_out(data: st.DataObject, name: str) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=3))
    a = data.draw(operands([np.dtype(np.int32), np.dtype(np.float64)], shape, "small"))
    mask = data.draw(operands(np.dtype(bool), shape))
    axis = data.draw(axes_of(len(shape)))
    initial = data.draw(st.sampled_from([0, 1, 5, -7]))
    agree(
        lambda xp, x, m: getattr(xp, name).reduce(x, axis=axis, where=m, initial=initial),
        *(a, mask),
        what=f"{name}.reduce({a}, axis={axis}, initial={initial}, where={mask})",
    )
    target = np.add.reduce(np.zeros(shape), axis=axis)

    def with_out(xp: Any, x: Any) -> Any:
        out = xp.full(target.shape, 9.0)
        result = getattr(xp, name).reduce(x, axis=axis, out=out, initial=initial)
        assert result is out
        return out

    agree(with_out, a, what=f"{name}.reduce({a}, axis={axis}, out=)")


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_or"])
def test_reduce_dtype(name: str) -> None:
    for source in SOME_DTYPES:
        for target in [np.dtype(t) for t in "?bHlfdD"]:
            if name == "logical_or" and target != bool:
                continue  # NumPy's answer depends on the source
            agree(
                lambda xp, x: getattr(xp, name).reduce(x, dtype=target),
                small_values(source, (2, 3), 1),
                what=f"{name}.reduce({source}, dtype={target})",
            )


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_accumulate_of_every_ufunc(name: str) -> None:
    for dtypes in loops(name):
        if len(set(dtypes)) > 1 or dtypes[0] not in NUMPY_DTYPES:
            continue
        if name in WRONG_IN_NUMPY and is_inexact(dtypes[0]):
            continue
        a = without_signs(small_values(dtypes[0], (3, 4), 3))
        loose = name not in EXACT and a.dtype.kind in "fc"
        tolerance = Tolerance(32, 1e-3 if a.dtype.itemsize == 2 else 0) if loose else Tolerance()
        agree(
            lambda xp, x: getattr(xp, name).accumulate(x, axis=1),
            a,
            tolerance=tolerance,
            what=f"{name}.accumulate {dtypes[0]}",
        )


@given(data=st.data(), name=st.sampled_from([*EXACT[:6], *ORDERED]))
def test_accumulate(data: st.DataObject, name: str) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=3))
    dtype = data.draw(st.sampled_from([np.dtype(np.int64), np.dtype(np.int16)]))
    a = data.draw(operands(dtype, shape, "small"))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    agree(lambda xp, x: getattr(xp, name).accumulate(x, axis=axis), a, what=f"{name} {a} {axis}")


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_outer_of_every_ufunc(name: str) -> None:
    dtypes = next(d for d in reversed(loops(name)) if d[0] in NUMPY_DTYPES and d[0].kind != "c")
    a = np.abs(small_values(dtypes[0], (3,), 3)).astype(dtypes[0])
    b = np.abs(small_values(dtypes[1], (2, 2), 4)).astype(dtypes[1])
    agree(lambda xp, x, y: getattr(xp, name).outer(x, y), a, b, tolerance=Tolerance(8, 1e-12))


@given(data=st.data())
def test_outer(data: st.DataObject) -> None:
    a = data.draw(operands(SOME_DTYPES, data.draw(shapes(max_rank=2)), "small"))
    b = data.draw(operands(SOME_DTYPES, data.draw(shapes(max_rank=2)), "small"))
    agree(lambda xp, x, y: xp.multiply.outer(x, y), a, b)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "logical_xor"])
def test_at(name: str) -> None:
    """Repeated indices are applied once each."""
    a = np.arange(1, 11, dtype=np.int64)
    indices = np.array([3, 3, -1, 0, 3, 9, 5])
    values = np.array([2, 3, 4, 5, 6, 7, 8])
    if name == "logical_xor":
        a, values = a > 4, values > 4

    def run(xp: Any, x: Any, i: Any, v: Any) -> Any:
        assert getattr(xp, name).at(x, i, v) is None
        return x

    agree(run, a, indices, values)


def test_at_of_many_repeated_indices() -> None:
    generator = np.random.default_rng(1)
    indices = generator.integers(-50, 50, 5000)
    values = generator.integers(-9, 9, 5000)

    def run(name: str, dtype: type) -> None:
        def call(xp: Any, x: Any, i: Any, v: Any) -> Any:
            getattr(xp, name).at(x, i, v)
            return x

        agree(call, np.zeros(50, dtype), indices, values.astype(dtype), what=f"{name} {dtype}")

    for dtype in (np.int32, np.int64, np.float64, np.float32):
        run("add", dtype)
        run("maximum", dtype)


def test_at_forms() -> None:
    """Unary ufuncs, scalars, rows, masks, broadcast values."""
    matrix = np.arange(12.0).reshape(4, 3)

    def run(step: Any) -> None:
        def call(xp: Any, x: Any) -> Any:
            step(xp, x)
            return x

        agree(call, matrix)

    run(lambda xp, x: xp.negative.at(x, xp.array([0, 2, 0])))
    run(lambda xp, x: xp.add.at(x, xp.array([1, 1]), 2.5))
    run(lambda xp, x: xp.add.at(x, xp.array([1, 1]), xp.array([1.0, 2.0, 3.0])))
    run(lambda xp, x: xp.add.at(x, xp.array([True, False, True, False]), 1))
    run(lambda xp, x: xp.add.at(x[:, ::2], xp.array([3, 0]), 1))
    run(lambda xp, x: xp.add.at(x, xp.array([4]), 1))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_or", "subtract"])
def test_reduceat(name: str) -> None:
    a = small_values(np.dtype(np.int64), (3, 10), 5)
    for indices in ([0, 4, 7], [3, 1, 1, 9], [0], [9, 0, 5, 5]):
        for axis in (0, 1, -1):
            chosen = [i % 3 for i in indices] if axis == 0 else indices
            agree(
                lambda xp, x, i: getattr(xp, name).reduceat(x, i, axis=axis),
                *(a, np.array(chosen)),
                what=f"{name}.reduceat {chosen} axis {axis}",
            )
    agree(lambda xp, x: getattr(xp, name).reduceat(x, xp.array([10]), axis=1), a)


@given(st.data())
def test_reduceat_of_any_segments(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 60))
    indices = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=20))
    a = data.draw(operands([np.dtype(np.int32)], (size,), "small"))
    agree(lambda xp, x, i: xp.add.reduceat(x, i), a, np.array(indices))


@pytest.mark.parametrize("name", UNARY_NAMES)
def test_methods_refuse_unary_ufuncs(name: str) -> None:
    a = np.ones((2, 2), np.int16 if name == "bitwise_count" or name == "invert" else np.float32)
    for method in ("reduce", "accumulate"):
        _, expected = outcome(lambda: getattr(getattr(np, name), method)(a))
        _, error = outcome(lambda: getattr(getattr(cp, name), method)(from_numpy(a)))
        assert_same_error(error, expected, f"{name}.{method}")


def test_reduce_refuses_bad_axes() -> None:
    a = np.ones((2, 3))
    agree(lambda xp, x: xp.add.reduce(x, axis=2), a)
    agree(lambda xp, x: xp.add.reduce(x, axis=(0, 0)), a)
    agree(lambda xp, x: xp.add.reduce(x, axis=(0, -3)), a)
    agree(lambda xp, x: xp.add.accumulate(x, axis=-3), a)
    agree(lambda xp, x: xp.subtract.reduce(x, axis=(0, 1)), a)
    assert_same(cp.subtract.reduce(from_numpy(a), axis=0), np.zeros(3))


def test_outer_of_two_results() -> None:
    a, b = np.array([7, 8, 9]), np.array([[2, 3], [4, 5]])
    agree(lambda xp, x, y: xp.divmod.outer(x, y), a, b)
    agree(lambda xp, x, y: xp.divmod.outer(x, y, dtype="f8"), a, b)

    def into_outputs(xp: Any, x: Any, y: Any) -> Any:
        quotients, remainders = xp.zeros((3, 2, 2), "i8"), xp.zeros((3, 2, 2), "i8")
        first, second = xp.divmod.outer(x, y, out=(quotients, remainders))
        assert first is quotients
        assert second is remainders
        second_only = xp.divmod.outer(x, y, out=(None, remainders))
        assert second_only[1] is remainders
        return quotients, remainders, second_only[0]

    agree(into_outputs, a, b)
    agree(lambda xp, x, y: xp.divmod.outer(x, y, out=xp.zeros((3, 2, 2), "i8")), a, b)
    agree(lambda xp, x, y: xp.add.outer(x, y, out=(None, None)), a, b)


@pytest.mark.parametrize("number", [1, -(2**63), 2**64 - 1, True, 1.5, 2j, np.int8(1), [1]])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f2", "f4", "c8"])
def test_outer_of_numbers(dtype: str, number: Any) -> None:
    """They are arrays, which are not weak."""
    a = np.array([1, 0, 1], dtype)
    for name in ("add", "maximum", "copysign", "right_shift", "less"):
        agree(lambda xp, x, n=name: getattr(xp, n).outer(x, number), a, what=f"{name} {number}")
        agree(lambda xp, x, n=name: getattr(xp, n).outer(number, x), a, what=f"{name} {number}")


def test_outer_refuses() -> None:
    a = np.ones(2)
    agree(lambda xp, x: xp.sqrt.outer(x, x), a)
    agree(lambda xp, x: xp.add.outer(x), a)
    agree(lambda xp, x: xp.add.outer(x, x, x), a)
    agree(lambda xp, x: xp.add.outer(x, x, signature=None), a)
    agree(lambda xp, x: xp.add.outer(x, x, nonsense=1), a)


AXES: list[Any] = [None, (), (0,), (-1,), (1,), (0, 1), (0, 0), (0, -2), 0, 1, 2, "x", 1.0]


@pytest.mark.parametrize("axis", AXES, ids=repr)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (0, 2)])
def test_axes_of_running_methods(shape: Any, axis: Any) -> None:
    """None and tuples are all right where they mean one axis."""
    a = np.ones(shape, "i4")
    agree(lambda xp, x: xp.add.accumulate(x, axis=axis), a)
    agree(lambda xp, x: xp.add.reduceat(x, xp.zeros(2, "i8"), axis=axis), a)
    agree(lambda xp, x: xp.add.accumulate(x, axis), a)
    for name in ("isnan", "divmod"):
        agree(lambda xp, x, n=name: getattr(xp, n).accumulate(x, axis=axis), a)
        agree(lambda xp, x, n=name: getattr(xp, n).reduceat(x, [0], axis=axis), a)
        agree(lambda xp, x, n=name: getattr(xp, n).reduce(x, axis=axis), a)


STARTS: list[Any] = [[], (), [0], (1, 2), [1.5], [True], 1, [[0]], ["x"], [None], [3]]


@pytest.mark.parametrize("starts", STARTS, ids=repr)
def test_starts_of_segments(starts: Any) -> None:
    for shape in ((3,), (3, 2), (0,)):
        agree(lambda xp, x: xp.add.reduceat(x, starts), np.ones(shape))


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4"])
def test_starts_of_segments_in_arrays(dtype: str) -> None:
    for starts in ([0, 1], []):
        agree(lambda xp, x, i: xp.add.reduceat(x, i), np.ones(3), np.array(starts, dtype))


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "f8"])
def test_methods_of_power_and_negative_exponents(dtype: str) -> None:
    """Integers are not raised to them; what stands first is no exponent."""
    if dtype == "f8" and np.power.reduce(np.array([2.0, 3, -1, 2])) != 2**-6:
        pytest.skip("NumPy's loops for AVX-512 forget what they have combined")
    for values in ([2, -1], [-1, 2], [2, 3, -1, 2], [-2], []):
        a = np.array(values, dtype)
        for axis in (0, 1, None):
            matrix = a.reshape(1, -1) if axis else a
            agree(lambda xp, x, k=axis: xp.power.accumulate(x, axis=k), matrix)
            agree(lambda xp, x, k=axis: xp.power.reduce(x, axis=k), matrix)
            agree(lambda xp, x, k=axis: xp.power.reduce(x, axis=k, initial=2), matrix)
        agree(lambda xp, x: xp.power.reduce(x, axis=()), a)
        where = np.arange(a.size) % 2 == 0
        agree(lambda xp, x, m: xp.power.reduce(x, where=m, initial=2), a, where)
        agree(lambda xp, x: xp.power.reduceat(x, [0, 1]), a)
        agree(lambda xp, x: xp.power.reduceat(x, [0, 2, 2, 3]), a)
        agree(lambda xp, x: xp.power.reduceat(x, [0]), a)


@pytest.mark.parametrize("to", ["?", "i1", "f4", "c8"])
@pytest.mark.parametrize("own", ["?", "i1", "f4"])
def test_comparisons_into_outputs(own: str, to: str) -> None:
    """Booleans are compared, and cast to what the output is."""
    a = np.array([0, 1, 0], own)
    for name in ("greater_equal", "equal", "logical_or"):
        agree(
            lambda xp, x, n=name: getattr(xp, n).accumulate(x, 0, None, xp.zeros(3, to)),
            a,
            what=f"{name} into {to}",
        )
        agree(
            lambda xp, x, n=name: getattr(xp, n).reduce(x, 0, None, xp.zeros((), to)),
            a,
            what=f"{name} into {to}",
        )


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "greater_equal", "add", "maximum"])
def test_methods_in_booleans(name: str) -> None:
    """dtype= is that of the elements as well, so that comparisons can be combined."""
    for own in ("?", "i1", "f4"):
        a = np.array([[0, 2, 1], [3, 0, 0]], own)
        for method in ("reduce", "accumulate"):
            for dtype in ("?", None):
                agree(
                    lambda xp, x, m=method, t=dtype: getattr(getattr(xp, name), m)(x, 1, t),
                    a,
                    what=f"{name}.{method} of {own} in {dtype}",
                )


OUT_DTYPES = ["i1", "i2", "u1", "u2", "f2", "f4", "?"]
# NumPy's loops of power and arctan2 give other values into an output of another dtype than alone.
STARTERS = ["mod", "floor_divide", "fmod", "divide", "right_shift", "maximum", "fmin", "lcm"]
STARTERS += ["subtract", "copysign", "nextafter", "bitwise_and", "add", "gcd"]


@pytest.mark.parametrize("dtype", ["i2", "i8", "u8", "f4"])
@pytest.mark.parametrize("name", STARTERS)
def test_reductions_start_in_an_output_of_another_dtype(name: str, dtype: str) -> None:
    for values in ([1000, 37, 5], [300, 200, 7], [999]):
        a = np.array(values, dtype)
        for target in OUT_DTYPES:

            def reduced(xp: Any, x: Any, out: Any = target, axis: int = 0) -> Any:
                return getattr(xp, name).reduce(x, axis=axis, out=xp.zeros(x.shape[:-1], out))

            agree(reduced, a, what=f"{name} {values} {target}")
            agree(lambda xp, x, run=reduced: run(xp, x, axis=1), np.stack([a, a + 1]))


def test_at_of_two_outputs_is_refused_first() -> None:
    a = from_numpy(np.arange(4.0))
    for name in ("divmod", "modf", "frexp"):
        for arguments in (([1], [0], 1), (None, "x"), (a, [9], 1), (a, [0])):
            with pytest.raises(ValueError, match="single output"):
                getattr(cp, name).at(*arguments)
