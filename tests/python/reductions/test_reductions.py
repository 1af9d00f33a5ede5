"""sum prod min max any all mean var std count_nonzero argmin argmax over any layout."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.axes import axes_of
from support.compare import UNSIGNED_ZERO, Tolerance, agree, assert_same
from support.dtypes import (
    ALL_DTYPES,
    NUMPY_DTYPES,
    bfloat16,
    epsilon,
    name,
    real_dtype,
)
from support.operands import operands, shapes
from support.samples import mixed_values, ordinary_values, small_values
from support.sums import sum_tolerance

EXACT = ["sum", "prod", "min", "max", "any", "all", "count_nonzero"]
REAL = [t for t in NUMPY_DTYPES if t.kind != "c"]


@pytest.mark.parametrize("function", EXACT)
@given(data=st.data())
def test_exact_reductions(function: str, data: st.DataObject) -> None:
    """Of small integers in any dtype, which no order of summation changes."""
    a = data.draw(operands(NUMPY_DTYPES, fill="small"))
    axis = data.draw(axes_of(a.in_numpy().ndim))
    keepdims = data.draw(st.booleans())
    view = a.in_numpy()
    if function == "prod" and view.dtype.kind in "fc" and view.size > 12:
        return
    agree(
        lambda xp, x: getattr(xp, function)(x, axis=axis, keepdims=keepdims),
        a,
        what=f"{function}({a}, axis={axis}, keepdims={keepdims})",
    )


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("function", [*EXACT, "mean", "var", "std", "argmin", "argmax", "ptp"])
def test_dtypes_of_results(function: str, dtype: np.dtype) -> None:
    a = small_values(dtype, (2, 5), 3)
    tolerance = Tolerance(4) if function in ("mean", "var", "std") else Tolerance()
    for axis in (None, 0, 1):
        agree(lambda xp, x: getattr(xp, function)(x, axis=axis), a, tolerance=tolerance)


@pytest.mark.parametrize("function", ["sum", "prod", "mean", "min", "max", "any", "argmax"])
def test_bfloat16(function: str) -> None:
    """In float32, rounded once."""
    a = small_values(bfloat16, (3, 40), 3) + small_values(bfloat16, (3, 40), 4)
    if function == "prod":
        a = a[:, :6]
    want = getattr(np, function)(a.astype(np.float32), axis=1)
    if want.dtype == np.float32:
        want = want.astype(bfloat16)
    got = getattr(cp, function)(from_numpy(a), axis=1)
    assert_same(got, want, Tolerance(1), what=function)


@pytest.mark.parametrize("dtype", [t for t in NUMPY_DTYPES if t.kind in "fc"], ids=name)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((70001,), None), ((37, 1011), 0), ((37, 1011), 1), ((37, 1011), None), ((9, 130, 11), 1)],
)
def test_sums_of_many_elements(dtype: np.dtype, shape: tuple, axis: Any) -> None:
    """Within the bound of a tree of additions in the result's type, float16 in float32."""
    if IS_NUMPY and dtype == np.float16:
        pytest.skip("NumPy adds in float16 along some axes")
    a = ordinary_values(dtype, shape, 8)
    wide = np.clongdouble if dtype.kind == "c" else np.longdouble
    inner = np.dtype(np.float32) if dtype == np.float16 else dtype
    tolerance = sum_tolerance(a, axis, inner)
    rounding = Tolerance(1 if dtype == np.float16 else tolerance.ulps, tolerance.absolute)
    exact = a.astype(wide)
    assert_same(cp.sum(from_numpy(a), axis=axis), exact.sum(axis=axis).astype(dtype), rounding)
    count = a.size if axis is None else a.shape[axis]
    smaller = Tolerance(2, rounding.absolute / count)
    assert_same(cp.mean(from_numpy(a), axis=axis), exact.mean(axis=axis).astype(dtype), smaller)
    variance = exact.var(axis=axis).astype(real_dtype(dtype))
    loose = Tolerance(2, 64 * epsilon(inner) * np.asarray(variance, np.float64) + 1e-300)
    assert_same(cp.var(from_numpy(a), axis=axis), variance, loose)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_integer_sums_of_many_elements(dtype: type) -> None:
    """Exact, with wrap-around."""
    a = ordinary_values(np.dtype(dtype), (301, 257), 2)
    for axis in (None, 0, 1):
        agree(lambda xp, x: xp.sum(x, axis=axis), a)
        agree(lambda xp, x: xp.sum(x[::-2, ::3], axis=axis), a)
        agree(lambda xp, x: xp.sum(x.T, axis=axis), a)
        agree(lambda xp, x: xp.max(x, axis=axis), a)
        agree(lambda xp, x: xp.mean(x.astype(xp.int16), axis=axis), a, tolerance=Tolerance(8, 1e-9))
    agree(lambda xp, x: xp.prod(x), a[:1, :9])


@given(data=st.data())
def test_mean_var_std(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([t for t in NUMPY_DTYPES if t != np.float16]))
    a = data.draw(operands(dtype, fill="small"))
    view = a.in_numpy()
    axis = data.draw(axes_of(view.ndim))
    keepdims, ddof = data.draw(st.booleans()), data.draw(st.sampled_from([0, 0, 1, 2.5]))
    tolerance = Tolerance(8, 30 * epsilon(np.dtype(dtype if dtype.kind in "fc" else float)))
    what = f"{a} axis={axis} keepdims={keepdims} ddof={ddof}"
    agree(lambda xp, x: xp.mean(x, axis=axis, keepdims=keepdims), a, tolerance=tolerance, what=what)
    for function in ("var", "std"):
        agree(
            lambda xp, x, f=function: getattr(xp, f)(x, axis=axis, ddof=ddof, keepdims=keepdims),
            a,
            tolerance=tolerance,
            what=f"{function} {what}",
        )


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", ["b", "u8", "f", "d"])
@pytest.mark.parametrize("shape", [(2, 40), (70, 33), (700, 300), (3, 90, 20)])
def test_variances_of_columns_are_the_same_bits_where_rows_have_gaps(
    dtype: str, shape: tuple[int, ...]
) -> None:
    a = np.abs(np.random.default_rng(7).standard_normal(shape) * 50).astype(dtype)
    wide = cp.zeros((*shape[:-1], 2 * shape[-1]), dtype=dtype)
    wide[..., ::2] = cp.asarray(a)
    for function in (cp.var, cp.std):
        for axis in range(a.ndim - 1):
            together = function(cp.asarray(a), axis=axis).get()
            assert together.tobytes() == function(wide[..., ::2], axis=axis).get().tobytes()
            np.testing.assert_allclose(
                together, getattr(np, function.__name__)(a, axis=axis), rtol=1e-3
            )


def test_moments_options() -> None:
    a = small_values(np.dtype(np.float64), (4, 6), 2)
    mask = small_values(np.dtype(bool), (4, 6), 3)
    tolerance = Tolerance(8, 1e-14)
    agree(lambda xp, x: xp.var(x, axis=1, correction=1), a, tolerance=tolerance)
    agree(
        lambda xp, x: xp.std(x, mean=xp.mean(x, axis=1, keepdims=True), axis=1),
        a,
        tolerance=tolerance,
    )
    agree(
        lambda xp, x, m: [xp.mean(x, where=m), xp.var(x, axis=0, where=m)],
        a,
        mask,
        tolerance=tolerance,
    )
    agree(lambda xp, x: xp.mean(x, dtype=xp.float32), a, tolerance=Tolerance(2))
    agree(
        lambda xp, x: xp.mean(x.astype(xp.int8), dtype=xp.float32, axis=0),
        a,
        tolerance=Tolerance(2),
    )
    agree(lambda xp, x: xp.mean(x, axis=0, out=xp.zeros(6)), a, tolerance=tolerance)
    agree(lambda xp, x: xp.var(x, axis=0, out=xp.zeros(6)), a, tolerance=tolerance)
    agree(lambda xp, x: [x.mean(), x.var(0), x.std(1)], a, tolerance=tolerance)
    agree(
        lambda xp, x: [xp.average(x), xp.average(x, axis=1, weights=abs(x) + 1)],
        a,
        tolerance=tolerance,
    )


@pytest.mark.parametrize("function", ["sum", "prod", "min", "max", "any", "all"])
@given(data=st.data())
def test_options(function: str, data: st.DataObject) -> None:
    """dtype, where, initial and out together."""
    shape = data.draw(shapes(min_rank=1, max_rank=3))
    a = data.draw(operands([np.dtype(np.int16), np.dtype(np.float64)], shape, "small"))
    mask = data.draw(operands(np.dtype(bool), shape))
    axis = data.draw(axes_of(len(shape)))
    keywords: dict[str, Any] = {"axis": axis}
    if function not in ("any", "all"):
        keywords["initial"] = data.draw(st.sampled_from([0, 3, -2]))
    if function in ("sum", "prod") and data.draw(st.booleans()):
        keywords["dtype"] = data.draw(st.sampled_from([np.int8, np.int64, np.float64]))
    what = f"{function}({a}, {keywords})"
    agree(lambda xp, x, m: getattr(xp, function)(x, where=m, **keywords), a, mask, what=what)
    outer = np.sum(np.zeros(shape), axis=axis).shape
    out_dtype = np.bool_ if function in ("any", "all") else np.float64

    def with_out(xp: Any, x: Any) -> Any:
        out = xp.ones(outer, out_dtype)
        result = getattr(xp, function)(x, out=out, **keywords)
        assert result is out
        return out

    agree(with_out, a, what=f"{what} with out")


@pytest.mark.parametrize(
    "function",
    [
        "sum",
        "prod",
        "min",
        "max",
        "any",
        "all",
        "mean",
        "var",
        "std",
        "argmin",
        "argmax",
        "count_nonzero",
        "ptp",
    ],
)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty(function: str, shape: tuple[int, ...]) -> None:
    """The identity, NaN or ValueError, as NumPy."""
    for axis in (None, *range(len(shape))):
        agree(
            lambda xp, x: getattr(xp, function)(x, axis=axis),
            np.empty(shape, np.float32),
            what=f"{function} {shape} {axis}",
        )


@pytest.mark.parametrize("function", ["min", "max", "argmin", "argmax", "sum", "mean", "any"])
@pytest.mark.parametrize("dtype", [t for t in NUMPY_DTYPES if t.kind in "fc"], ids=name)
def test_special_values(function: str, dtype: np.dtype) -> None:
    """NaN wins, infinities stay, zeros keep their sign."""
    rows = np.array(
        [
            [1, np.nan, 3],
            [np.nan, np.nan, 0],
            [np.inf, -np.inf, 1],
            [-0.0, -0.0, -0.0],
            [1, 2, np.inf],
        ]
    ).astype(dtype)
    tolerance = UNSIGNED_ZERO if function in ("min", "max") else Tolerance()
    agree(lambda xp, x: getattr(xp, function)(x, axis=1), rows, tolerance=tolerance)
    agree(lambda xp, x: getattr(xp, function)(x[:, ::-1], axis=1), rows, tolerance=tolerance)
    agree(lambda xp, x: getattr(xp, function)(x, axis=0), rows, tolerance=tolerance)


@pytest.mark.parametrize("function", ["argmin", "argmax"])
@given(data=st.data())
def test_first_of_equals(function: str, data: st.DataObject) -> None:
    """The first of equal extremes, in logical order; the first NaN."""
    dtype = data.draw(st.sampled_from(NUMPY_DTYPES))
    fill = data.draw(st.sampled_from(["small", "mixed"]))
    a = data.draw(operands(dtype, fill=fill))
    rank = a.in_numpy().ndim
    axis = data.draw(st.one_of(st.none(), st.integers(-rank, rank - 1)) if rank else st.none())
    keepdims = data.draw(st.booleans())
    agree(
        lambda xp, x: getattr(xp, function)(x, axis=axis, keepdims=keepdims),
        a,
        what=f"{function}({a}, axis={axis}, keepdims={keepdims})",
    )


def test_first_of_equals_in_large_arrays() -> None:
    a = np.zeros((3, 70001), np.float32)
    a[0, [5, 40000, 70000]] = 1
    a[1, [69999, 70000]] = -1
    a[2, [300, 50000]] = np.nan
    for function in ("argmin", "argmax"):
        agree(lambda xp, x: getattr(xp, function)(x, axis=1), a)
        agree(lambda xp, x: getattr(xp, function)(x, axis=0), a)
        agree(lambda xp, x: getattr(xp, function)(x[:2].T, axis=0), a)
        agree(lambda xp, x: getattr(xp, function)(x), a[:2])
    agree(lambda xp, x: x.argmax(axis=1, out=xp.zeros(3, xp.int64)), a)


def test_methods_match_functions() -> None:
    a = small_values(np.dtype(np.int32), (3, 4), 2)
    for function in ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax"):
        agree(lambda xp, x: getattr(x, function)(), a)
        agree(lambda xp, x: getattr(x, function)(axis=1), a)
        agree(lambda xp, x: getattr(x, function)(0, keepdims=True), a)
    agree(lambda xp, x: [xp.amin(x), xp.amax(x, axis=0), xp.ptp(x, axis=1)], a)
    agree(lambda xp, x: [xp.sum([1, 2, 3])], a)


def test_refused() -> None:
    a = np.ones((2, 3))
    agree(lambda xp, x: xp.sum(x, axis=2), a)
    agree(lambda xp, x: xp.sum(x, axis=(0, 0)), a)
    agree(lambda xp, x: xp.sum(x, axis=1.5), a)
    agree(lambda xp, x: xp.sum(x, axis=0, out=xp.zeros(4)), a)
    agree(lambda xp, x: xp.max(x, axis=0, out=xp.zeros(3, xp.int8)), a)
    agree(lambda xp, x: xp.argmax(x, axis=-3), a)
    agree(lambda xp, x: xp.argmax(x, axis=0, out=xp.zeros(3)), a)
    agree(lambda xp, x: xp.mean(x, axis="0"), a)
    agree(lambda xp, x: xp.mean(x, axis=(0, 5)), a)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=name)
def test_minimum_and_maximum_with_specials(dtype: np.dtype) -> None:
    a = mixed_values(dtype, (12, 33), 4)
    if dtype == bfloat16:
        a = a.astype(np.float32)
    if dtype.kind == "c":
        # NaN wins, but which of several, and so the other part, depends on the order.
        a = np.where(np.isnan(a), dtype.type(complex(np.nan, np.nan)), a)
    for function in ("min", "max", "any", "all", "count_nonzero"):
        agree(lambda xp, x: getattr(xp, function)(x, axis=1), a, tolerance=UNSIGNED_ZERO)
        agree(lambda xp, x: getattr(xp, function)(x.T[::-1], axis=1), a, tolerance=UNSIGNED_ZERO)


MEANS: list[Any] = [2, -1, 1.5, 1j, True, None, [1, 2], [1, 2, 3], [[1], [2]], np.float64(2)]
MEANS += [np.float32(1.5), [[1.5], [2]], np.int8(2), [], 256]


@pytest.mark.parametrize("mean", MEANS, ids=repr)
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f2", "f4", "f8", "c8"])
def test_moments_around_a_given_mean(dtype: str, mean: Any) -> None:
    """The squares have the shape and the type of the deviations."""
    if dtype == "f2" and mean == 256:
        return  # its square is beyond float16, not beyond float32, in which it is computed
    a = np.array([1, 2, 4], dtype)
    for function in ("var", "std", "nanvar", "nanstd"):
        for options in ({}, {"axis": 0}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"ddof": 1}):
            if mean is None and "axis" in options:
                continue  # two mistakes
            agree(
                lambda xp, x, n=function, o=options: getattr(xp, n)(x, mean=mean, **o),
                a,
                tolerance=Tolerance(16, 1e-3 if dtype == "f2" else 1e-6),
                what=f"{function} {dtype} {mean} {options}",
            )


@pytest.mark.parametrize("dtype", [None, "?", "i4", "u2", "f4", "c16"])
@pytest.mark.parametrize("out", [None, "?", "i4", "f4", "f8", "c8"])
def test_moments_in_integers(dtype: Any, out: Any) -> None:
    """The root of integers is none; the moments themselves are cast."""
    for shape, axis in (((3,), None), ((3, 2), 0)):
        a = np.arange(np.prod(shape)).reshape(shape)

        def run(xp: Any, x: Any, function: str, axis: Any = axis) -> Any:
            target = None if out is None else xp.zeros(x.shape[1:], out)
            return getattr(xp, function)(x, axis=axis, dtype=dtype, out=target)

        for function in ("mean", "var", "std", "nanvar", "nanstd"):
            agree(
                lambda xp, x, n=function, r=run: r(xp, x, n),
                a,
                tolerance=Tolerance(4, 1e-6),
                what=f"{function} {shape} {dtype} {out}",
            )


@pytest.mark.parametrize("where", ["x", "", {}, None, [None], ["a"], (), [True, False, True]])
def test_where_of_moments(where: Any) -> None:
    for function in ("mean", "var", "std"):
        agree(
            lambda xp, x, n=function: getattr(xp, n)(x, where=where),
            np.array([1.0, 2, 3]),
            what=f"{function} where={where!r}",
        )


INITIALS: list[Any] = [300, -1, 300.5, -1.9, 2**63, 1e30, np.float64(300.5), np.float64(-1)]
INITIALS += [np.int64(300), np.int64(-1), np.uint64(2**64 - 1), float("nan"), float("inf")]
INITIALS += [np.float64("nan"), np.float32("inf"), True, 1j, np.bool_(True), np.complex64(2)]


@pytest.mark.parametrize("initial", INITIALS, ids=repr)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "u8", "f4", "c8"])
def test_initial_is_stored_as_an_element(dtype: str, initial: Any) -> None:
    if dtype[0] == "u" and isinstance(initial, np.floating) and not np.isfinite(initial):
        return  # of no value that is defined
    for values in ([1, 0, 1], []):
        a = np.array(values, dtype)
        for function in ("max", "min", "sum", "any"):
            agree(
                lambda xp, x, n=function: (
                    getattr(xp, n)(x, initial=initial)
                    if n != "any"
                    else xp.logical_or.reduce(x, initial=initial)
                ),
                a,
                tolerance=Tolerance(2),
                what=f"{function} {dtype} {initial!r}",
            )
        agree(lambda xp, x: xp.add.reduce(x, dtype=dtype, initial=initial), a)


REDUCTIONS: dict[str, Any] = {
    f"{ufunc}.reduce": lambda xp, a, ufunc=ufunc, **keywords: getattr(xp, ufunc).reduce(
        a, **keywords
    )
    for ufunc in ("add", "multiply", "maximum", "logical_and", "bitwise_or", "gcd", "hypot")
} | {
    name: lambda xp, a, name=name, **keywords: getattr(xp, name)(a, **keywords)
    for name in ("sum", "prod", "max", "min", "nansum", "nanprod", "nanmax", "nanmin")
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_no_initial_value_beside_a_mask(name: str) -> None:
    """Whoever leaves elements out needs a value to start from, and None is none."""
    tolerance = Tolerance(ulps=4 if name == "hypot.reduce" else 0)
    for shape in ((4,), (2, 3), (0,), (3, 0), ()):
        a = np.ones(shape, "i4")
        for where in (a > 0, False, True):
            for axis in (None, 0) if shape else (None,):

                def run(xp: Any, x: Any, where: Any = where, axis: Any = axis) -> Any:
                    mask = where if isinstance(where, bool) else xp.asarray(where)
                    return REDUCTIONS[name](xp, x, axis=axis, initial=None, where=mask)

                agree(run, a, tolerance=tolerance, what=f"{shape} {where} {axis}")


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar", "average"])
def test_moments_along_axes_of_a_scalar(name: str) -> None:
    for dtype in ("f4", "i4", "c8", "?"):
        for axis in (None, 0, -1, 1, (), (0,)):
            agree(lambda xp, x, a=axis: getattr(xp, name)(x, axis=a), np.ones((), dtype))


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.filterwarnings("ignore")
def test_moments_along_axes_of_a_scalar_where_a_mask_says(name: str) -> None:
    """A mask is summed, for which axes of a scalar are none."""
    for where in (True, False, np.array(True), np.array(False)):
        for axis in (None, 0, -1, 1):
            agree(
                lambda xp, x, a=axis, w=where: getattr(xp, name)(x, axis=a, where=w),
                np.array(7, "u1"),
            )
