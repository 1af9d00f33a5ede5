"""Fourier transforms: the functions of numpy.fft."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, on_cuda, to_numpy
from support.compare import Tolerance, assert_same, outcome
from support.dtypes import NUMPY_DTYPES, bfloat16, name
from support.samples import small_values
from support.subprocesses import output_of

COMPLEX = ["fft", "ifft", "irfft", "hfft"]
REAL = ["rfft", "ihfft"]
ALONG_AXIS = [*COMPLEX, *REAL]
ALONG_AXES = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"]


def made(shape: Any, dtype: Any = "complex128", seed: int = 0) -> np.ndarray:
    """Normally distributed numbers."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def tolerance_of(want: np.ndarray, *operands: np.ndarray) -> Tolerance:
    """Rounding errors grow with the passes, and are of the size of the largest results.

    Of float16 operands NumPy rounds the factor to float16.
    """
    if want.dtype.kind not in "fc":
        return Tolerance()
    size = float(np.abs(want).max()) if want.size else 0.0
    halves = any(each.dtype == np.float16 for each in operands)
    epsilon = float(np.finfo(np.float16 if halves else want.dtype).eps)
    return Tolerance(0, size * epsilon * (4 + np.log2(want.size + 1)))


def agree(call: Callable[..., Any], *arrays: np.ndarray, what: str = "") -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        want = call(np, *arrays)
        got = call(cp, *[from_numpy(a) for a in arrays])
    assert_same(got, want, tolerance_of(want, *arrays), what=what)


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64", "float32"])
@pytest.mark.parametrize("function", ALONG_AXIS)
def test_every_small_length(function: str, dtype: str) -> None:
    if function in REAL and dtype.startswith("complex"):
        dtype = {"complex128": "int64", "complex64": "float16"}[dtype]
    lengths = [*range(1, 65), 97, 125, 143, 169, 256, 257, 343, 360, 512, 1000, 1001, 1009, 1331]
    for n in lengths:
        a = made(n, dtype, n) if dtype != "int64" else np.arange(n) % 7 - 3
        agree(lambda xp, x, n=n: getattr(xp.fft, function)(x, n), a, what=f"{function} {n}")


@pytest.mark.parametrize("n", [4096, 4095, 6561, 65536, 100003, 30030, 2 * 100003, 1 << 20])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_long_rows(n: int, dtype: str) -> None:
    a = made(n, dtype)
    agree(lambda xp, x: xp.fft.fft(x), a)
    agree(lambda xp, x: xp.fft.ifft(x), a)
    agree(lambda xp, x: xp.fft.rfft(x), a.real.copy())
    agree(lambda xp, x: xp.fft.irfft(x, n), a)


@pytest.mark.parametrize("shape", [(1, 300), (3, 4096), (17, 64), (40, 97), (33, 1000), (16, 4095)])
def test_many_rows(shape: tuple[int, int]) -> None:
    a = made(shape)
    for dtype in ("complex128", "complex64"):
        agree(lambda xp, x: xp.fft.fft(x), a.astype(dtype))
        agree(lambda xp, x: xp.fft.ifft(x), a.astype(dtype))
        agree(lambda xp, x: xp.fft.rfft(x), a.astype(dtype).real.copy())
        agree(lambda xp, x: xp.fft.irfft(x), a.astype(dtype))


@pytest.mark.cupola_only  # NumPy's errors are larger at 100003
@pytest.mark.parametrize("n", [64, 1000, 4096, 100003, 1 << 18])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_rounding_errors(n: int, dtype: str) -> None:
    """On the average of all results, they grow with the passes only; cuFFT's are larger."""
    a = made(n, dtype)
    exact = np.fft.fft(a.astype(np.clongdouble))
    error = np.linalg.norm((to_numpy(cp.fft.fft(from_numpy(a))) - exact).astype("complex128"))
    size = np.linalg.norm(exact.astype("complex128"))
    larger = 2 if on_cuda() else 1
    assert error <= larger * (1 + 0.1 * np.log2(n)) * np.finfo(dtype).eps * size


def same_bits_alone(n: int, dtype: str, count: int) -> None:
    """Of `count` rows some of them, and the first half."""
    rows = from_numpy(made((count, n), dtype))
    together = to_numpy(cp.fft.fft(rows))
    for i in (0, 7, count - 1):
        assert np.array_equal(to_numpy(cp.fft.fft(rows[i])), together[i])
    assert np.array_equal(to_numpy(cp.fft.fft(rows[: count // 2])), together[: count // 2])


# On CUDA devices such rows go to the library in one call, and those of several devices in parts.
@pytest.mark.parametrize("n", [2, 3, 5, 64, 97, 360, 1001, 1024, 2187, 4096])
def test_a_short_row_has_the_same_bits_alone(n: int) -> None:
    for dtype in ("complex64", "complex128"):
        same_bits_alone(n, dtype, (9 << 20) // n if on_cuda() and n in (64, 4096) else 21)


@pytest.mark.skipif(on_cuda(), reason="cuFFT chooses its way by the number of rows")
def test_a_long_row_has_the_same_bits_alone() -> None:
    for dtype in ("complex64", "complex128"):
        same_bits_alone(1 << 16, dtype, 21)


BITS = """
import hashlib, sys
import numpy as np
import cupola as cp
digest = hashlib.md5()
random = np.random.default_rng(1)
for n in (5, 64, 97, 360, 1001, 4096):
    for dtype in ("float32", "float64"):
        a = cp.asarray(random.standard_normal((19, n)).astype(dtype))
        for value in (cp.fft.fft(a), cp.fft.rfft(a), cp.fft.irfft(a)):
            digest.update(cp.asnumpy(value).tobytes())
print(digest.hexdigest())
"""


@pytest.mark.cupola_only
def test_the_same_bits_with_all_vector_instructions() -> None:
    sets = ("baseline", "avx2", "avx512")
    bits = {output_of(BITS, CUPOLA_PLATFORM="cpu", CUPOLA_CPU_INSTRUCTIONS=each) for each in sets}
    assert len(bits) == 1


@pytest.mark.parametrize("function", ALONG_AXIS)
def test_axes_lengths_and_norms(function: str) -> None:
    a = made((4, 6, 5))
    if function in REAL:
        a = a.real.copy()
    for axis in (0, 1, 2, -1, -2, -3):
        for n in (None, 1, 3, 8, 11):
            for norm in (None, "backward", "ortho", "forward"):
                agree(
                    lambda xp, x, n=n, axis=axis, norm=norm: getattr(xp.fft, function)(
                        x, n, axis, norm
                    ),
                    a,
                    what=f"{function} n={n} axis={axis} norm={norm}",
                )


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    a = small_values(dtype, (3, 8), 1)
    for function in COMPLEX if dtype.kind == "c" else ALONG_AXIS:
        agree(lambda xp, x, function=function: getattr(xp.fft, function)(x), a, what=function)
    for function in ("fftn", "ifftn", "irfftn"):
        agree(lambda xp, x, function=function: getattr(xp.fft, function)(x), a, what=function)


@pytest.mark.cupola_only
def test_bfloat16() -> None:
    a = small_values(bfloat16, (3, 8), 1)
    want = np.fft.fft(a.astype("float32"))
    assert_same(cp.fft.fft(from_numpy(a)), want, tolerance_of(want))
    real = cp.fft.irfft(from_numpy(a))
    assert real.dtype == bfloat16
    wide = np.fft.irfft(a.astype("float32")).astype(bfloat16)
    assert np.allclose(to_numpy(real).astype("float32"), wide.astype("float32"), rtol=0.02)


@pytest.mark.parametrize("function", ALONG_AXES)
def test_several_axes(function: str) -> None:
    a = made((4, 5, 6))
    if function.startswith("r"):
        a = a.real.copy()
    choices: list[dict[str, Any]] = [{}, {"norm": "ortho"}, {"norm": "forward"}]
    choices += [{"axes": axes} for axes in ((0, 1), (2, 0), (-1, -3), (1, 2))]
    choices += [{"s": s, "axes": (0, 2)} for s in ((3, 8), (7, 4), (-1, 5))]
    choices += [{"s": (3, 4), "axes": (1, 1)}] if function.endswith("fftn") else []
    for choice in choices:
        agree(
            lambda xp, x, choice=choice: getattr(xp.fft, function)(x, **choice),
            a,
            what=f"{function} {choice}",
        )


def test_lengths_without_axes() -> None:
    a = made((4, 5, 6))
    with pytest.warns(DeprecationWarning, match="axes"):
        got = cp.fft.fftn(from_numpy(a), s=(3, 4))
    assert_same(got, np.fft.fftn(a, s=(3, 4), axes=(-2, -1)), tolerance_of(a * 9))


def test_axes_of_none() -> None:
    agree(lambda xp, x: xp.fft.fftn(x, axes=()), made((3, 4)))
    agree(lambda xp, x: xp.fft.fftn(x), made(()))
    a = from_numpy(made((3, 4)))
    for function in (cp.fft.fftn, cp.fft.ifft2):
        assert function(a, axes=()) is a
        assert function(a, axes=[], norm="none", out=cp.zeros((3, 4), "c16")) is a
    assert cp.fft.fftn(a[0, 0]).shape == ()
    with pytest.raises(IndexError):
        cp.fft.rfftn(a, axes=())


def test_no_rows() -> None:
    for shape in ((0, 4), (2, 0, 5), (0, 1)):
        for function in ALONG_AXIS:
            agree(lambda xp, x, f=function: getattr(xp.fft, f)(x, 4), np.zeros(shape))
    agree(lambda xp, x: xp.fft.fft(x, 4), np.zeros((3, 0)))  # only zeros
    agree(lambda xp, x: xp.fft.rfftn(x, axes=(1, 2)), np.zeros((0, 3, 4)))


def test_layouts() -> None:
    a = made((8, 9, 10))
    for call in (
        lambda xp, x: xp.fft.fft(x.T),
        lambda xp, x: xp.fft.fft(x[::-1, 1::2]),
        lambda xp, x: xp.fft.fft(x[..., ::-3]),
        lambda xp, x: xp.fft.ifft(x.transpose(1, 0, 2)[2:7], axis=0),
        lambda xp, x: xp.fft.fft(xp.broadcast_to(x[:1], (4, 9, 10))),
        lambda xp, x: xp.fft.rfft(x.real),
        lambda xp, x: xp.fft.rfft(x.imag[:, :, 2:9], 5, axis=1),
        lambda xp, x: xp.fft.irfft(x[:, 3:], 7, axis=1),
        lambda xp, x: xp.fft.fftn(x.T, axes=(0, 2)),
    ):
        agree(call, a)


def test_pending_operands_and_results() -> None:
    a, b = made((5, 12)), made((5, 12), seed=1)
    agree(lambda xp, x, y: xp.fft.fft(x * y), a, b)
    agree(lambda xp, x, y: xp.fft.fft((x * y).T, 7), a, b)
    agree(lambda xp, x, y: xp.fft.rfft(xp.abs(x) + 1), a, b)
    agree(lambda xp, x, y: xp.fft.ifft(xp.fft.fft(x) * xp.fft.fft(y)) + x, a, b)
    agree(lambda xp, x, y: xp.fft.ifft(x, norm="ortho").real.sum(axis=0), a, b)
    agree(lambda xp, x, y: xp.fft.irfft(xp.fft.rfft(x.real) * 2, 12), a, b)


def test_operands_stay_as_they_are() -> None:
    a = made((3, 9))
    x = from_numpy(a)
    for function in COMPLEX:
        to_numpy(getattr(cp.fft, function)(x))
    assert np.array_equal(to_numpy(x), a)


def test_imaginary_parts_that_do_not_count() -> None:
    """Of results that are their own conjugates."""
    for n in (8, 9):
        a = made((2, 5)) + 3j
        agree(lambda xp, x, n=n: xp.fft.irfft(x, n), a)
        agree(lambda xp, x, n=n: xp.fft.hfft(x, n), a)


def test_a_write_after_a_transform() -> None:
    x = from_numpy(made((3, 16)))
    before = to_numpy(x).copy()
    result = cp.fft.ifft(x)
    x[...] = 0
    want = np.fft.ifft(before)
    assert_same(result, want, tolerance_of(want))


def test_out() -> None:
    a = made((4, 6))
    for function, shape, dtype, array in (
        ("fft", (4, 6), "complex128", a),
        ("fft", (4, 6), "complex64", a),
        ("ifft", (4, 6), "complex128", a),
        ("rfft", (4, 4), "complex128", a.real.copy()),
        ("irfft", (4, 10), "float64", a),
        ("irfft", (4, 10), "complex64", a),
        ("ihfft", (4, 4), "complex128", a.real.copy()),
        ("fftn", (4, 6), "complex128", a),
        ("ifftn", (4, 6), "complex128", a),
    ):
        out = cp.zeros(shape, dtype)
        assert getattr(cp.fft, function)(from_numpy(array), out=out) is out
        want = getattr(np.fft, function)(array).astype(dtype)
        assert_same(out, want, tolerance_of(want), what=function)
    strided = cp.zeros((6, 4), "complex128").T
    cp.fft.fft(from_numpy(a), axis=0, out=strided)
    want = np.fft.fft(a, axis=0)
    assert_same(strided, want, tolerance_of(want))


def test_out_is_the_operand() -> None:
    a = made((4, 6))
    for axis in (0, 1):
        x = from_numpy(a.copy())
        cp.fft.fft(x, axis=axis, out=x)
        want = np.fft.fft(a, axis=axis)
        assert_same(x, want, tolerance_of(want))


@pytest.mark.cupola_only
def test_out_of_hfft_is_written() -> None:
    a, out = made(5), cp.zeros(8)
    assert cp.fft.hfft(from_numpy(a), out=out) is out
    want = np.fft.hfft(a)
    assert_same(out, want, tolerance_of(want))


ERRORS = [
    "fft(xp.asarray(3.0))",
    "fft(xp.asarray(3.0), 4)",
    "fft(xp.zeros(0))",
    "fft(xp.zeros(2), 0)",
    "fft(xp.zeros(2), -3)",
    "fft(xp.zeros(2), 2.5)",
    "fft(xp.zeros(2), axis=1)",
    "fft(xp.zeros(2), 2, axis=1)",
    "ifft(xp.zeros(2), norm='x')",
    "irfft(xp.zeros(1))",
    "hfft(xp.zeros(1))",
    "irfftn(xp.zeros((2, 1)))",
    "fft(xp.zeros((0, 3)), axis=0)",
    "rfft(xp.zeros(2, complex))",
    "rfft(xp.zeros(3, complex))",
    "ihfft(xp.zeros(2, complex))",
    "rfftn(xp.zeros((2, 2), complex))",
    "fft(xp.zeros(2), out=xp.zeros(3, complex))",
    "fft(xp.zeros(2), out=xp.zeros((2, 2), complex))",
    "fft(xp.zeros(2), out=xp.zeros(2))",
    "irfft(xp.zeros(3), out=xp.zeros(4, int))",
    "fftn(xp.zeros(2), s=(2,), axes=(0, 1))",
    "fftn(xp.zeros(2), s=3, axes=(0,))",
    "fftfreq(4.0)",
    "fftfreq(0)",
    "fftfreq(-2)",
    "rfftfreq(0)",
    "fftfreq(4, 0)",
    "fftshift(xp.zeros(3), axes=1)",
]


@pytest.mark.parametrize("code", ERRORS)
def test_errors_are_numpys(code: str) -> None:
    def call(xp: Any) -> Any:
        return eval(f"xp.fft.{code}", {"xp": xp})

    _, want = outcome(lambda: call(np))
    _, got = outcome(lambda: call(cp))
    assert want is not None
    assert got is not None, want
    expected = next(
        kind for kind in type(want).__mro__ if kind.__module__ != "numpy._core._exceptions"
    )
    assert isinstance(got, expected), (want, got)
    assert str(got) == str(want)


def test_axes_that_are_none_of_the_array() -> None:
    for code in ("fftn(x, axes=(1,))", "fft2(x)", "rfftn(x, axes=())", "irfftn(x, axes=())"):
        with pytest.raises(IndexError):
            eval(f"cp.fft.{code}", {"x": cp.zeros(2), "cp": cp})


def test_frequencies() -> None:
    for n in (1, 2, 3, 8, 9, 100):
        for d in (1.0, 0.1, 3):
            assert_same(cp.fft.fftfreq(n, d), np.fft.fftfreq(n, d), Tolerance(1))
            assert_same(cp.fft.rfftfreq(n, d), np.fft.rfftfreq(n, d), Tolerance(1))
    assert_same(cp.fft.rfftfreq(-3), np.fft.rfftfreq(-3))


def test_shifts() -> None:
    a = made((4, 5, 3))
    for axes in (None, 0, -1, (0, 2), (1,), (0, 0)):
        agree(lambda xp, x, axes=axes: xp.fft.fftshift(x, axes), a)
        agree(lambda xp, x, axes=axes: xp.fft.ifftshift(x, axes), a)
    agree(lambda xp, x: xp.fft.ifftshift(xp.fft.fftshift(xp.fft.fftfreq(9))), a)


@pytest.mark.cupola_only
def test_numpys_functions_hand_over() -> None:
    a = made((3, 4))
    got = np.fft.fft2(from_numpy(a))
    assert isinstance(got, cp.ndarray)
    want = np.fft.fft2(a)
    assert_same(got, want, tolerance_of(want))
    with pytest.raises(TypeError, match="asarray"):
        cp.fft.fft(a)


def test_lists() -> None:
    want = np.fft.fft([1, 2, 3])
    assert_same(cp.fft.fft([1, 2, 3]), want, tolerance_of(want))


def test_all_of_numpys_names() -> None:
    names = {each for each in dir(np.fft) if not each.startswith("_")} - {"helper", "test"}
    assert names <= set(dir(cp.fft))
