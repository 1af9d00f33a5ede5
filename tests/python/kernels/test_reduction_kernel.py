"""ReductionKernel against NumPy, on every platform."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same
from support.compilers import skip_without_compiler

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]
Kernel: Any = getattr(cp, "ReductionKernel", None)
errors: Any = getattr(cp, "errors", None)


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


@pytest.fixture(scope="module")
def total() -> Any:
    return Kernel("T x", "T y", "x", "a + b", "y = a", "0", "total")


def sample(*shape: int, dtype: str = "int64") -> np.ndarray:
    return (np.arange(np.prod(shape)).reshape(shape) * 7 % 23 - 5).astype(dtype)


def test_map_reduce_and_post_map() -> None:
    norm = Kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x = sample(2, 5, dtype="float64")
    assert_same(norm(cp.asarray(x), axis=1), np.sqrt((x * x).sum(axis=1)))
    assert_same(norm(cp.asarray(x)), np.asarray(np.sqrt((x * x).sum())))


AXES = [None, 0, 1, 2, -1, (0, 1), (1, 2), (0, 2), (2, 0), (0, 1, 2), ()]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(total: Any, axis: Any, keepdims: bool) -> None:
    host = sample(5, 37, 11)
    for view in (np.s_[:], np.s_[:, ::-2], np.s_[..., 1:8]):
        expected = np.asarray(host[view].sum(axis=axis, keepdims=keepdims))
        result = total(cp.asarray(host)[view], axis=axis, keepdims=keepdims)
        assert_same(result, expected)
    turned = host.transpose(2, 0, 1)
    expected = np.asarray(turned.sum(axis=axis, keepdims=keepdims))
    device = cp.asarray(host).transpose(2, 0, 1)
    assert_same(total(device, axis=axis, keepdims=keepdims), expected)


@pytest.mark.parametrize(
    "shape", [(1,), (1_000_003,), (3, 400_001), (400_001, 3), (70_001, 17), (2, 300_007, 2)]
)
def test_sizes(total: Any, shape: tuple[int, ...]) -> None:
    host = sample(*shape)
    for axis in (None, *range(len(shape))):
        assert_same(total(cp.asarray(host), axis=axis), np.asarray(host.sum(axis=axis)))


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int32", "float16", "float32", "float64", "complex64", "complex128"]
)
def test_types(total: Any, dtype: str) -> None:
    host = (sample(50, 3) % 4).astype(dtype)
    assert_same(total(cp.asarray(host), axis=0), host.sum(axis=0, dtype=dtype))


def test_results_are_the_same_each_time() -> None:
    total = Kernel("T x", "T y", "x", "a + b", "y = a", "0", "float_total")
    x = cp.asarray(np.random.default_rng(3).standard_normal(1_000_000).astype("float32"))
    assert len({float(total(x)) for _ in range(5)}) == 1
    np.testing.assert_allclose(float(total(x)), float(cp.asnumpy(x).sum(dtype="f8")), rtol=1e-4)


def test_no_identity_means_no_start_value() -> None:
    largest = Kernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")
    x = sample(30, 40, dtype="float32") - 100
    assert_same(largest(cp.asarray(x), axis=0), x.max(axis=0))
    for empty, axis in (((0,), None), ((3, 0), 1), ((0, 3), 0)):
        with pytest.raises(ValueError, match=r"zero-size array to reduction operation largest"):
            largest(cp.zeros(empty, "float32"), axis=axis)
    assert largest(cp.zeros((0, 3), "float32"), axis=1).shape == (0,)


def test_empty_reductions_give_the_identity(total: Any) -> None:
    assert_same(total(cp.zeros((3, 0), "int64"), axis=1), np.zeros(3, "int64"))
    product = Kernel("T x", "T y", "x", "a * b", "y = a + 1", 1, "product")
    assert_same(product(cp.zeros(0)), np.asarray(2.0))


def test_several_inputs_broadcast() -> None:
    dot = Kernel("T x, T y, T scale", "T z", "x * y * scale", "a + b", "z = a", "0", "dot")
    x, y = sample(4, 6), sample(6)
    assert_same(dot(cp.asarray(x), cp.asarray(y), 3, axis=1), (x * y * 3).sum(axis=1))


def test_a_reduce_type_of_ones_own() -> None:
    argmax = Kernel(
        "T x",
        "int64 y, T value",
        "Best<T>(x, _J)",
        "better(a, b)",
        "y = a.at; value = a.value",
        None,
        "argmax",
        reduce_type="Best<T>",
        preamble="""
template <typename U> struct Best {
  U value; long long at;
  __device__ Best() {}
  __device__ Best(U v, long long k) : value(v), at(k) {}
};
template <typename U> __device__ Best<U> better(const Best<U>& a, const Best<U>& b) {
  if (a.value == b.value) return a.at < b.at ? a : b;
  return a.value > b.value ? a : b;
}""",
    )
    x = sample(300, 41, dtype="float64")
    for axis in (0, 1, None):
        at, value = argmax(cp.asarray(x), axis=axis)
        assert_same(at, np.asarray(x.argmax(axis=axis)))
        assert_same(value, np.asarray(x.max(axis=axis)))
    huge = sample(2_000_000, dtype="float64")
    huge[1_234_567] = 99
    assert int(argmax(cp.asarray(huge))[0]) == 1_234_567
    wide = Kernel("T x", "T y", "x", "a + b", "y = (T)a", "0", "wide", "float64")
    ones = cp.full(5000, 0.1, "float32")
    assert_same(wide(ones), np.asarray(np.float32(np.full(5000, np.float32(0.1), "f8").sum())))


def test_indexers() -> None:
    mean = Kernel(
        "T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean"
    )
    x = sample(6, 8, dtype="float64")
    assert_same(mean(cp.asarray(x), axis=0), x.sum(axis=0) / 6)
    weighted = Kernel("T x, raw T w", "T y", "x * w[_J]", "a + b", "y = a * w[0]", "0", "weighted")
    w = np.arange(1.0, 7.0)
    expected = (x * w[:, None]).sum(axis=0)
    assert_same(weighted(cp.asarray(x), cp.asarray(w), axis=0), expected)


def test_outputs_can_be_given(total: Any) -> None:
    x = sample(4, 5)
    device, out = cp.asarray(x), cp.zeros(4, "int64")
    assert total(device, axis=1, out=out) is out
    assert_same(out, x.sum(axis=1))
    out = cp.zeros((2, 4), "int64")[:, ::2]
    assert total(cp.asarray(x[:2, :2]), out[:, 0], axis=1) is not None
    assert_same(out[:, 0], x[:2, :2].sum(axis=1))
    with pytest.raises(ValueError, match="both as arguments and by out="):
        total(device, out, out=out)
    with pytest.raises(ValueError, match=r"has the shape \(5,\), but \(4,\)"):
        total(device, axis=1, out=cp.zeros(5, "int64"))
    with pytest.raises(TypeError, match="y is an array of float64"):
        total(device, axis=1, out=cp.zeros(4))
    within = cp.asarray(x)
    total(within, axis=1, out=within[:, 0])
    assert_same(within[:, 0], x.sum(axis=1))


def test_axes_are_checked(total: Any) -> None:
    x = cp.zeros((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        total(x, axis=2)
    with pytest.raises(ValueError, match=r"duplicate|repeated"):
        total(x, axis=(0, 0))


def test_errors_of_the_compiler_show_the_line_of_the_user() -> None:
    kernel = Kernel("T x", "T y", "undefined_name", "a + b", "y = a", "0", "wrong")
    with pytest.raises(errors.CompileError, match=r"\d+ \| undefined_name"):
        kernel(cp.ones(3))


def test_declarations_are_checked() -> None:
    with pytest.raises(ValueError, match="cannot be raw"):
        Kernel("T x", "raw T y", "x", "a + b", "y[0] = a", "0")
    with pytest.raises(ValueError, match="needs an output"):
        Kernel("T x", "", "x", "a + b", "", "0")
    big = Kernel(
        "T x",
        "T y",
        "Big()",
        "a",
        "y = 0",
        "0",
        "big",
        "Big",
        preamble="struct Big { double x[9]; __device__ Big(int = 0) {} };",
    )
    with pytest.raises(errors.CompileError, match="too many bytes"):
        big(cp.ones(3))


def test_attributes(total: Any) -> None:
    assert (total.name, total.nin, total.nout, total.nargs) == ("total", 1, 1, 2)
    assert (total.map_expr, total.reduce_expr, total.post_map_expr) == ("x", "a + b", "y = a")
    assert (total.identity, total.reduce_type) == ("0", None)


def test_streams(total: Any) -> None:
    stream = cp.cuda.Stream()
    x = cp.arange(100_000)
    y = total(x + 1, stream=stream)
    x[:] = 0
    assert int(y) == 100_000 * 100_001 // 2


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16"])
@pytest.mark.parametrize("size", [15, 16, 17, 40, 1000, 100_003])
def test_integers_wrap(total: Any, dtype: str, size: int) -> None:
    host = (np.arange(size) * 37 % 251).astype(dtype)
    array = cp.asarray(host)
    assert_same(total(array), np.asarray(host.sum(dtype=dtype)))
    largest = Kernel("T x", "T y", "x", "max(a, b)", "y = a", "0", "largest")
    assert_same(largest(array), np.asarray(max(host.max(), 0), dtype))
    product = Kernel("T x", "T y", "x", "a * b", "y = a", "1", "product")
    odd = host | 1
    assert_same(product(cp.asarray(odd)), np.asarray(odd.prod(dtype=dtype)))
