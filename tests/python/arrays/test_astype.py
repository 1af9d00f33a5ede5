"""Casts between all pairs of dtypes, every casting rule, copies and layouts."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.compare import agree, assert_same
from support.dtypes import ALL_DTYPES, INTEGERS, NUMPY_DTYPES, bfloat16, is_inexact, name
from support.operands import operands
from support.samples import mixed_values, special_values


def castable_values(source: np.dtype, target: np.dtype) -> np.ndarray:
    """Values of the source; only those that C defines when floats become integers."""
    values = np.concatenate([special_values(source), mixed_values(source, (50,), 3)])
    if not is_inexact(source) or target.kind not in "iu":
        return values
    low, high = np.iinfo(target).min, np.iinfo(target).max
    real = values.real.astype(np.float64)
    inside = np.isfinite(values) & (real > float(low) - 1) & (real < float(high) * (1 - 2**-52))
    return values[inside]


@pytest.mark.parametrize("source", ALL_DTYPES, ids=name)
def test_every_pair(source: np.dtype) -> None:
    for target in ALL_DTYPES:
        values = castable_values(source, target)
        if bfloat16 in (source, target) and source != target:
            # By way of float32, which holds every bfloat16; wider sources round twice in
            # ml_dtypes, so only values that float32 holds are asked for.
            if source == np.float64 or source == np.complex128 or source.kind in "iu":
                values = values[:11].astype(np.float32).astype(source)
            want = values.astype(np.float32 if target == bfloat16 else target)
            want = want.astype(target)
            if source == bfloat16:
                want = values.astype(np.float32).astype(target)
        else:
            want = values.astype(target)
        with np.errstate(all="ignore"):
            assert_same(from_numpy(values).astype(target), want, what=f"{source} to {target}")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_rules(casting: str) -> None:
    for source in NUMPY_DTYPES:
        for target in NUMPY_DTYPES:
            agree(
                lambda xp, x: x.astype(target, casting=casting),
                np.ones(2, source),
                what=f"{source} to {target}, casting={casting}",
            )
    agree(lambda xp, x: x.astype(xp.int8, casting="nonsense"), np.ones(2))


@pytest.mark.cupola_only
def test_casting_rules_of_bfloat16() -> None:
    """bfloat16 stands beside float16."""
    a = from_numpy(np.ones(2, bfloat16))
    assert a.astype(np.float32, casting="safe").dtype == np.float32
    assert cp.ones(2, np.uint8).astype(bfloat16, casting="safe").dtype == bfloat16
    assert cp.ones(2).astype(bfloat16, casting="same_kind").dtype == bfloat16
    for refused in (np.float16, np.int8):
        with pytest.raises(TypeError):
            a.astype(refused, casting="safe")
    with pytest.raises(TypeError):
        a.astype(np.int8, casting="same_kind")


@pytest.mark.parametrize("target", INTEGERS, ids=name)
def test_integers_wrap(target: np.dtype) -> None:
    for source in INTEGERS:
        agree(lambda xp, x: x.astype(target), special_values(source))


def test_rounding_to_half() -> None:
    """Ties to even, denormals, overflow to infinity; float64 is rounded once."""
    values = np.array(
        [1 + 2**-11, 1 + 3 * 2**-11, 65519.99, 65520, 2**-24, 2**-25, 2**-25 * 1.0001, 6e-8, -1e-8,
         1 + 2**-11 + 2**-40, 2049, 2051]
    )  # fmt: skip
    for dtype in (np.float64, np.float32):
        agree(lambda xp, x: x.astype(xp.float16), values.astype(dtype))
    agree(lambda xp, x: x.astype(xp.float16), np.array([2049, 2051, 65519, 65520, -70000]))


@given(st.data())
def test_layouts(data: st.DataObject) -> None:
    """Values from any layout, strides by `order`."""
    a = data.draw(operands([np.dtype(np.int16), np.dtype(np.float32)], fill="small"))
    target = data.draw(st.sampled_from([np.dtype(t) for t in "?bld"]))
    order = data.draw(st.sampled_from(["K", "C", "F", "A"]))

    def run(_: Any, x: Any) -> Any:
        result = x.astype(target, order=order)
        strides = list(result.strides) if all(n > 1 for n in x.shape) else []
        return [result, strides, result.flags.c_contiguous, result.flags.f_contiguous]

    agree(run, a, what=f"{a} {target} {order}")


def test_copy_semantics() -> None:
    """copy=False gives the array itself where nothing changes."""

    def run(xp: Any, x: Any) -> Any:
        same = [x.astype(x.dtype, copy=False) is x, x.astype(x.dtype) is x]
        same.append(x.astype(xp.float32, copy=False) is x)
        same.append(x.T.astype(x.dtype, copy=False, order="C") is x)
        copy = x.astype(x.dtype)
        copy[...] = 0
        return [same, x]

    agree(run, np.arange(6.0).reshape(2, 3))


@pytest.mark.skipif(IS_NUMPY, reason="float16 and bfloat16 in ml_dtypes")
def test_bfloat16_to_float16_and_back() -> None:
    values = special_values(bfloat16)
    with np.errstate(all="ignore"):
        want = values.astype(np.float32).astype(np.float16)
        assert_same(from_numpy(values).astype(np.float16), want)
        back = want.astype(np.float32).astype(bfloat16)
        assert_same(from_numpy(want).astype(bfloat16), back)


def test_result_types() -> None:
    """result_type, promote_types and can_cast are NumPy's."""
    for first in NUMPY_DTYPES:
        for second in NUMPY_DTYPES:
            assert cp.promote_types(first, second) == np.promote_types(first, second)
            for casting in ("safe", "same_kind"):
                assert cp.can_cast(first, second, casting) == np.can_cast(first, second, casting)
    assert cp.result_type(np.float32, 2) == np.float32
    assert cp.result_type(cp.zeros(1, np.int8), 2.5) == np.float64
    assert cp.finfo(np.float32).eps == np.finfo(np.float32).eps
    assert cp.iinfo(np.int16).max == 32767


def boundary_values(source: np.dtype, target: np.dtype) -> np.ndarray:
    """Values of the source, and around the ends of both dtypes."""
    values = [special_values(source), mixed_values(source, (20,), 3)]
    ends: list[int] = []
    for dtype in (source, target):
        if dtype.kind in "iu":
            ends += [np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).max + 1]
    with np.errstate(all="ignore"):
        for end in ends:
            near = [end - 1, end, end + 1]
            if source.kind in "iu":
                near = [n for n in near if np.iinfo(source).min <= n <= np.iinfo(source).max]
            values.append(np.array([float(n) if source.kind == "f" else n for n in near], source))
    values.append(np.array([0, 1, 2, 3]).astype(source))
    if source.kind == "c":
        values.append(np.array([1 + 1j, 2 + 0j, np.nan + 0j, 1 + 1j * np.nan], source))
    return np.concatenate(values)


@pytest.mark.parametrize("source", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("target", NUMPY_DTYPES, ids=name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
def test_same_value(source: np.dtype, target: np.dtype) -> None:
    """Each element by itself: whether NumPy keeps it, but for -0.0, which is no 0 for its half."""
    values = boundary_values(source, target)
    if np.float16 in (source, target):
        values = values[~(np.signbit(values.imag) & (values.imag == 0))]
        values = values[~(np.signbit(values.real) & (values.real == 0))]
    for value in values:
        array = np.array([value, value], source)
        try:
            want = array.astype(target, casting="same_value")
        except ValueError as error:
            if "casting must be" in str(error):
                pytest.skip("NumPy before 2.4 has no such rule")
            with pytest.raises(ValueError, match=r"could not cast 'same_value'"):
                from_numpy(array).astype(target, casting="same_value")
            continue
        assert_same(from_numpy(array).astype(target, casting="same_value"), want)
