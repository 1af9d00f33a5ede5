"""The nan- forms of the reductions, cumsum and cumprod."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.axes import axes_of
from support.compare import Tolerance, agree, assert_same
from support.dtypes import NUMPY_DTYPES, bfloat16, epsilon, name
from support.operands import operands, shapes
from support.samples import ordinary_values, small_values
from support.sums import sum_tolerance

NAN_FORMS = ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"]
NAN_ARG_FORMS = ["nanargmin", "nanargmax"]


def with_nans(dtype: np.dtype, shape: tuple[int, ...], seed: int, share: float) -> np.ndarray:
    a = np.asarray(small_values(dtype, shape, seed))
    if dtype.kind not in "fc":
        return a
    holes = np.random.default_rng(seed).random(shape) < share
    return np.where(holes, np.array(np.nan, dtype), a)


@pytest.mark.parametrize("function", NAN_FORMS)
@given(data=st.data())
def test_nan_forms(function: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([np.dtype(t) for t in "ildfD"]))
    shape = data.draw(shapes(max_rank=3))
    share = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    a = with_nans(dtype, shape, data.draw(st.integers(0, 99)), share)
    axis = data.draw(axes_of(len(shape)))
    keepdims = data.draw(st.booleans())
    loose = dtype.kind in "fc" and function != "nanprod"
    tolerance = Tolerance(8, 30 * epsilon(dtype)) if loose else Tolerance(8, 1e-14)
    agree(
        lambda xp, x: getattr(xp, function)(x, axis=axis, keepdims=keepdims),
        a,
        tolerance=tolerance if function not in ("nanmin", "nanmax") else Tolerance(),
        what=f"{function}({dtype}{shape}, axis={axis}, keepdims={keepdims})",
    )


@pytest.mark.parametrize("function", NAN_ARG_FORMS)
@given(data=st.data())
def test_nan_argument_forms(function: str, data: st.DataObject) -> None:
    """ValueError where a slice is all NaN."""
    shape = data.draw(shapes(min_rank=1, max_rank=3))
    share = data.draw(st.sampled_from([0.2, 0.2, 0.8]))
    a = with_nans(np.dtype(np.float32), shape, data.draw(st.integers(0, 99)), share)
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    agree(lambda xp, x: getattr(xp, function)(x, axis=axis), a, what=f"{a!r} axis={axis}")


def test_options_of_nan_forms() -> None:
    a = with_nans(np.dtype(np.float64), (4, 5), 3, 0.3)
    mask = small_values(np.dtype(bool), (4, 5), 1)
    tolerance = Tolerance(8, 1e-14)
    agree(lambda xp, x: xp.nanvar(x, axis=0, ddof=1), a, tolerance=tolerance)
    agree(lambda xp, x: xp.nansum(x, axis=0, dtype=xp.float32), a)
    agree(lambda xp, x, m: xp.nansum(x, axis=0, where=m, initial=3), a, mask)
    agree(lambda xp, x: xp.nanmean(x, axis=0, out=xp.zeros(5)), a, tolerance=tolerance)
    agree(lambda xp, x: xp.nanmax(x, axis=(0, 1), initial=-9), a)
    agree(lambda xp, x: [xp.nancumsum(x, axis=1), xp.nancumprod(x, axis=0)], a)
    agree(lambda xp, x: [xp.nan_to_num(x), xp.nan_to_num(x * xp.inf, nan=2.0, posinf=9.0)], a)


@pytest.mark.parametrize("function", ["cumsum", "cumprod"])
@given(data=st.data())
def test_scans(function: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([t for t in NUMPY_DTYPES if t.kind in "?iu"]))
    a = data.draw(operands([dtype, np.dtype(np.float64)], fill="small"))
    rank = a.in_numpy().ndim
    if function == "cumprod" and a.in_numpy().size > 30 and a.base.dtype == np.float64:
        return
    axis = data.draw(st.one_of(st.none(), st.integers(-rank, rank - 1)) if rank else st.none())
    agree(lambda xp, x: getattr(xp, function)(x, axis=axis), a, what=f"{function}({a}, {axis})")


@pytest.mark.parametrize("dtype", [t for t in NUMPY_DTYPES if t.kind in "fc"], ids=name)
@pytest.mark.parametrize(("shape", "axis"), [((30011,), 0), ((50, 700), 0), ((50, 700), 1)])
def test_long_floating_scans(dtype: np.dtype, shape: tuple[int, ...], axis: int) -> None:
    """Each prefix within the bound of its sum."""
    a = ordinary_values(dtype, shape, 5)
    wide = np.clongdouble if dtype.kind == "c" else np.longdouble
    inner = np.dtype(np.float32) if dtype == np.float16 else dtype
    bound = sum_tolerance(a, axis, inner, factor=4).absolute
    bound = np.max(bound) + (
        4 * epsilon(dtype) * np.max(bound) / epsilon(inner) if dtype == np.float16 else 0
    )
    want = np.cumsum(a.astype(wide), axis=axis).astype(dtype)
    if dtype == np.float16:
        # NumPy rounds after each addition, so only the size of the error can be asked for.
        bound = float(epsilon(dtype) * np.max(np.abs(want.astype(np.float64))) * np.sqrt(a.size))
    assert_same(cp.cumsum(from_numpy(a), axis=axis), want, Tolerance(2, bound))


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 1023, 1025, 65537, 200003])
def test_integer_scans_of_all_sizes(size: int) -> None:
    a = small_values(np.dtype(np.int32), (size,), size)
    agree(lambda xp, x: xp.cumsum(x), a)
    agree(lambda xp, x: xp.cumsum(x[::-2]), a)
    agree(lambda xp, x: xp.cumsum(x > 0), a)
    agree(lambda xp, x: xp.cumprod(x | 1), a)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_dtypes_of_scans(dtype: np.dtype) -> None:
    a = small_values(dtype, (2, 4), 3)
    for axis in (None, 0, 1):
        agree(lambda xp, x: [xp.cumsum(x, axis=axis), xp.cumprod(x, axis=axis)], a)
    agree(lambda xp, x: xp.cumsum(x, dtype=xp.float64), a)
    agree(lambda xp, x: xp.cumsum(x, axis=1, out=xp.zeros((2, 4), xp.complex128)), a)
    agree(lambda xp, x: [x.cumsum(), x.cumprod(axis=-1)], a)


def test_bfloat16_scan() -> None:
    a = small_values(bfloat16, (40,), 3)
    want = np.cumsum(a.astype(np.float32)).astype(bfloat16)
    assert_same(cp.cumsum(from_numpy(a)), want)


def test_special_values_in_scans() -> None:
    a = np.array([1.0, np.inf, -np.inf, 2.0, np.nan, 3.0])
    agree(lambda xp, x: [xp.cumsum(x), xp.cumprod(x), xp.cumsum(x[::-1])], a)


def test_refused() -> None:
    a = np.ones((2, 3))
    agree(lambda xp, x: xp.cumsum(x, axis=2), a)
    agree(lambda xp, x: xp.cumsum(x, axis=0, out=xp.zeros((3, 2))), a)
    agree(lambda xp, x: xp.nanargmax(x * xp.nan), a)


def test_differences() -> None:
    a = small_values(np.dtype(np.int64), (4, 6), 2)

    def run(xp: Any, x: Any) -> Any:
        return [xp.diff(x), xp.diff(x, n=2, axis=0), xp.ediff1d(x), xp.diff(x, prepend=0)]

    agree(run, a)
