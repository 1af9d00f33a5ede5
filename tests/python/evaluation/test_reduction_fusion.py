"""ReductionKernels fuse with what surrounds them."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compilers import skip_without_compiler
from support.fake_cuda import needs_fake_cuda, needs_nvrtc, output_with_nvrtc
from support.reduction_fusion_cases import CASES, A, B, of_cupola, of_numpy

import cupola as cp
from cupola import _cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.usefixtures("deferred")]

needs_cuda = pytest.mark.skipif(
    not str(cp.empty(0).device).startswith("cuda"), reason="many elements"
)
AXES = [None, 0, 1, 2, (0, 1), (1, 2), (0, 2), (0, 1, 2), ()]
SHAPES = [(7, 33, 50), (2, 1, 70_000), (70_000, 3, 2), (1, 5, 1), (40, 300, 64), (3, 4097, 33)]


@pytest.fixture(scope="module")
def kernels() -> Any:
    skip_without_compiler()
    return of_cupola(cp)


def compute(kernels: Any, name: str) -> Any:
    return CASES[name][0](cp, kernels, cp.asarray(A), cp.asarray(B))


def launches() -> int:
    return int(_cupola.counters()["launches"])


def bits(array: Any) -> tuple[Any, ...]:
    host = cp.asnumpy(array)
    return host.dtype, host.shape, host.tobytes()


def noise(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal(shape) * 3
    if np.dtype(dtype).kind == "c":
        values = values + 1j * values[::-1]
    if np.dtype(dtype).kind == "u":
        values = abs(values)
    return values.astype(dtype)


@pytest.mark.parametrize("name", CASES)
def test_values(kernels: Any, name: str) -> None:
    """NumPy's, and the same bits when each operation is computed at the call."""
    late = compute(kernels, name)
    late = cp.asnumpy(late)
    cp.config.eager = True
    early = cp.asnumpy(compute(kernels, name))
    cp.config.eager = False
    assert late.dtype == early.dtype
    assert late.tobytes() == early.tobytes()
    expected = CASES[name][0](np, of_numpy(), A, B)
    assert late.shape == np.shape(expected)
    np.testing.assert_allclose(late, expected, rtol=1e-6)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1]])
def test_kernels(kernels: Any, name: str) -> None:
    result = compute(kernels, name)
    assert _cupola.is_pending(result)
    assert len(cp.explain(result).kernels) == CASES[name][1]
    before = launches()
    cp.eval(result)
    assert launches() == before + CASES[name][1]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "c8", "c16", "i1", "i4", "u8"])
def test_the_bits_of_stored_inputs(kernels: Any, dtype: str, axis: Any) -> None:
    """What waits in front of a reduction changes nothing but the number of kernels."""
    for shape, keepdims in itertools.product(SHAPES[:2] + SHAPES[3:4], (False, True)):
        a, b = (cp.asarray(noise(shape, dtype, seed)) for seed in (1, 2))
        for function in (
            lambda x, y: x - y,
            lambda x, y: (x * y)[::-1] + x[::-1],
            lambda x, y: (x + y).transpose(2, 0, 1),
            lambda x, y: x[:, :, ::3] * y[:1, :, ::3],
        ):
            stored = function(a, b)
            cp.eval(stored)
            expected = kernels.sumsq(stored, axis=axis, keepdims=keepdims)
            found = kernels.sumsq(function(a, b), axis=axis, keepdims=keepdims)
            assert len(cp.explain(found).kernels) == 1
            assert bits(found) == bits(expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_the_order_is_that_of_sums(kernels: Any, dtype: str, shape: tuple[int, ...]) -> None:
    a = cp.asarray(noise(shape, dtype))
    for axis, view in itertools.product(AXES, (a, a.transpose(1, 2, 0), a[::-1, :, ::2])):
        assert bits(kernels.total(view * 3, axis=axis)) == bits((view * 3).sum(axis))
    rows = a.reshape(-1, shape[2])
    assert bits(kernels.total(rows - 1, axis=0)) == bits((rows - 1).sum(0))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["i4", "i8", "u2", "f4", "f8", "?"])
def test_numbers_of_all_types(kernels: Any, dtype: str, shape: tuple[int, ...]) -> None:
    """Exact ones against NumPy."""
    host = (np.arange(np.prod(shape)).reshape(shape) % 3).astype(dtype)
    a = cp.asarray(host)
    one = host.dtype.type(1)
    for axis, keepdims in itertools.product(AXES, (False, True)):
        where = {"axis": axis, "keepdims": keepdims}
        result = kernels.largest(cp.maximum(a, one), **where)
        np.testing.assert_array_equal(cp.asnumpy(result), np.maximum(host, one).max(**where))
        if dtype == "?":
            continue
        result = kernels.total(a + one, **where)
        np.testing.assert_array_equal(
            cp.asnumpy(result), (host + one).sum(dtype=host.dtype, **where)
        )


def test_calls_that_say_where_have_the_same_bits(kernels: Any) -> None:
    a, b = (cp.asarray(noise((300, 1000), "f4", seed)) for seed in (1, 2))
    for axis in (None, 0, 1):
        waiting = kernels.norm(a - b, axis=axis)
        assert _cupola.is_pending(waiting)
        elsewhere = kernels.norm(a - b, axis=axis, stream=cp.cuda.Stream())
        assert not _cupola.is_pending(elsewhere)
        given = cp.zeros(waiting.shape, "f4")
        assert kernels.norm(a - b, axis=axis, out=given) is given
        apart = cp.zeros((*waiting.shape, 2), "f4")[..., 0]
        kernels.norm(a - b, apart, axis=axis, stream=cp.cuda.Stream())
        assert bits(waiting) == bits(elsewhere) == bits(given) == bits(apart)


def test_given_outputs_may_be_read(kernels: Any) -> None:
    x = cp.asarray(A)
    kernels.sumsq(x - 1, axis=1, out=x[:, 0])
    expected = A.copy()
    expected[:, 0] = ((A - 1) ** 2).sum(1)
    np.testing.assert_array_equal(cp.asnumpy(x), expected)


def test_what_changes_later_is_read_before(kernels: Any) -> None:
    a = cp.asarray(A)
    result = kernels.sumsq(a - 1, axis=0)
    a += 1
    np.testing.assert_array_equal(cp.asnumpy(result), ((A - 1) ** 2).sum(0))


def test_a_held_input_is_stored_once(kernels: Any) -> None:
    a = cp.asarray(A)
    difference = a - 1
    result = kernels.sumsq(difference, axis=1)
    before = launches()
    cp.eval(result)
    assert launches() == before + 2
    assert not _cupola.is_pending(difference)
    np.testing.assert_array_equal(cp.asnumpy(difference), A - 1)
    np.testing.assert_array_equal(cp.asnumpy(result), ((A - 1) ** 2).sum(1))


def test_reductions_of_the_same_rows_are_one_launch(kernels: Any) -> None:
    a = cp.asarray(noise((500, 1000), "f4"))
    for axis in (0, 1, None):
        results = [kernels.sumsq(a, axis=axis), a.sum(axis), kernels.largest(a, axis=axis)]
        expected = [bits(kernels.sumsq(a, axis=axis)), bits(a.sum(axis)), bits(a.max(axis))]
        before = launches()
        cp.eval(*results)
        assert launches() == before + 1
        assert [bits(each) for each in results] == expected


def test_outputs_of_one_call_are_one_launch(kernels: Any) -> None:
    a = cp.asarray(A)
    for axis in (None, 0, 1):
        before = launches()
        y, z = kernels.ends(a + 1, axis=axis)
        assert launches() == before
        cp.eval(y)
        assert launches() == before + 1
        assert not _cupola.is_pending(z)
        np.testing.assert_array_equal(cp.asnumpy(y), (A + 1).sum(axis))
        np.testing.assert_array_equal(cp.asnumpy(z), (A + 1).sum(axis).astype("i8") + 1)
        only = kernels.ends(a + 1, axis=axis)[1]
        np.testing.assert_array_equal(cp.asnumpy(only), (A + 1).sum(axis).astype("i8") + 1)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_no_elements(kernels: Any, shape: tuple[int, int]) -> None:
    a = cp.zeros(shape, "f4")
    for axis in (None, 0, 1):
        result = cp.asnumpy(kernels.total(a + 1, axis=axis))
        np.testing.assert_array_equal(result, np.zeros(shape, "f4").sum(axis))
        expected: Any
        try:
            expected = np.zeros(shape, "f4").max(axis).shape
        except ValueError:
            with pytest.raises(ValueError, match="no identity"):
                kernels.largest(a + 1, axis=axis)
        else:
            assert kernels.largest(a + 1, axis=axis).shape == expected


ARGMAX = """
struct Best { float value; long long at; __device__ Best() {}
  __device__ Best(float v, long long k) : value(v), at(k) {} };
__device__ Best better(const Best& a, const Best& b) {
  if (a.value == b.value) return a.at < b.at ? a : b;
  return a.value > b.value ? a : b;
}"""


def test_others_are_kernels_of_their_own() -> None:
    """Their pending inputs are stored first."""
    skip_without_compiler()
    a, w = cp.asarray(A), cp.arange(96, dtype="f4")
    kernel = cp.ReductionKernel
    place = np.arange(96, dtype="f4")[:, None]
    weighted = kernel("T x, raw T w", "T y", "x * w[_J]", "a + b", "y = a", "0", "weighted")
    defined = kernel("T x", "T y", "x * F", "a + b", "y = a", "0", "defined", options=("-DF=2",))
    best = kernel(
        "float32 x", "int64 y", "Best(x, _J)", "better(a, b)", "y = a.at", None, "best", "Best",
        preamble=ARGMAX,
    )  # fmt: skip
    counted = kernel("T x", "T y", "x", "a + b", "y = a / _in_ind.size()", "0", "counted")
    numbered = kernel("T x", "T y", "x * _j", "a + b", "y = a", "0", "numbered")
    left = kernel("T x", "T y", "x", "a + b", "if (a > 0) y = a", "0", "left")
    given = cp.full(100, -5, "f4")
    for result, expected in (
        (weighted(a + 1, w + 1, axis=0), ((A + 1) * (place + 1)).sum(0)),
        (defined(a + 1, axis=0), 2 * (A + 1).sum(0)),
        (best(a + 1, axis=0), (A + 1).argmax(0)),
        (counted((a + 1)[:32], axis=0), (A[:32] + 1).sum(0) / 3200),
        (numbered((a + 1)[:3, :1]), ((A + 1)[:3, :1] * place[:3]).sum()),
        (left(a - 1, given, axis=0), np.where((A - 1).sum(0) > 0, (A - 1).sum(0), -5)),
    ):
        assert not _cupola.is_pending(result)
        np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=1e-6)


def test_one_rounding() -> None:
    """No multiplication is contracted with the addition behind it."""
    squares = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a * a - a", "0", "squares")
    for shape, axis in (((1000, 9), 1), ((9, 1000), 0)):
        a = cp.asarray(noise(shape, "f4"))
        total = (a * a).sum(axis)
        product = total * total
        cp.eval(total, product)
        assert bits(squares(a * 1, axis=axis)) == bits(product - total)


@needs_cuda
def test_more_elements_than_32_bits_count(kernels: Any) -> None:
    """A broadcast row of few bytes, as so many elements."""
    columns, rows = 1 << 16, (1 << 15) + 3
    host = (np.arange(columns) % 251).astype("u1")
    wide = cp.broadcast_to(cp.asarray(host), (rows, columns))
    count = cp.ReductionKernel("uint8 x", "int64 y", "x", "a + b", "y = a", "0", "count")
    expected = int(host.sum(dtype="i8"))
    assert int(count(wide | 0)) == expected * rows
    by_row = count(wide ^ cp.zeros((rows, 1), "u1"), axis=1)
    assert int(by_row.min()) == int(by_row.max()) == expected
    by_column = cp.asnumpy(count(wide | 0, axis=0))
    np.testing.assert_array_equal(by_column, host.astype("i8") * rows)


@needs_cuda
def test_memory_beyond_32_bits_is_reached(kernels: Any) -> None:
    count = (1 << 32) + 5
    if cp.cuda.runtime.memGetInfo()[0] < 3 * count:
        pytest.skip("needs 13 GB")
    a = cp.zeros(count, "u1")
    a[-1], a[1 << 31] = 7, 5
    count_all = cp.ReductionKernel("uint8 x", "int64 y", "x", "a + b", "y = a", "0", "count")
    assert int(count_all(a + a)) == 24
    assert int(kernels.largest((a + a)[1:])) == 14


def test_errors_come_at_the_call() -> None:
    skip_without_compiler()
    wrong = cp.ReductionKernel("T x", "T y", "unknown_name", "a + b", "y = a", "0", "wrong")
    with pytest.raises(cp.errors.CompileError, match=r"\d+ \| unknown_name"):
        wrong(cp.ones(3) + 1)


ON_FAKE_DRIVER = """
import sys
sys.path.insert(0, {folder!r})
from support.reduction_fusion_cases import CASES, A, B, of_cupola
from support.user_fusion_cases import wrong_counts
kernels = of_cupola(cp)
a, b = cp.asarray(A), cp.asarray(B)
for wrong in wrong_counts(cp, CASES, kernels, a, b):
    print(wrong)
def launched(compute):
    before = cp._cupola.counters()["launches"]
    cp.eval(*compute())
    return cp._cupola.counters()["launches"] - before
assert launched(lambda: kernels.ends(a - b, axis=0)) == 1
assert launched(lambda: [kernels.sumsq(a, axis=1), a.sum(1)]) == 1
text = str(cp.explain(kernels.sumsq(a - b) * 2))
assert "subtract, sumsq, multiply" in text, text
assert "x * x" in kernels.sumsq.cached_code
try:
    cp.ReductionKernel("T x", "T y", "unknown_name", "a + b", "y = a", "0", "wrong")(a)
except cp.errors.CompileError as error:
    assert "| unknown_name" in str(error), error
else:
    raise AssertionError("compiled")
pending = cp._cupola.is_pending
assert pending(kernels.sumsq(a)) and not pending(kernels.sumsq(a, stream=cp.cuda.Stream()))
out = cp.zeros(96, "f4")
assert kernels.sumsq(a - b, axis=1, out=out) is out and not pending(out)
place = cp.ReductionKernel("T x", "T y", "x * _J", "a + b", "y = a", "0", "place")
assert not pending(place(a + b))
assert not pending(kernels.total(a[:0] + 1))
before = cp._cupola.counters()["compilations"]
cp.eval(kernels.sumsq(b - a))
print("done", cp._cupola.counters()["compilations"] - before)
"""


@needs_fake_cuda
@needs_nvrtc
def test_without_a_gpu() -> None:
    code = ON_FAKE_DRIVER.format(folder=str(Path(__file__).parents[1]))
    assert output_with_nvrtc(code) == "done 0"
