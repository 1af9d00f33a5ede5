"""What NumPy computes of few elements is what kernels compute, and nobody waits for it."""

import os
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp
from support.marks import one_device

pytestmark = pytest.mark.cupola_only

if not IS_NUMPY:
    from cupola._functions import few_elements

RNG = np.random.default_rng(3)
DTYPES = ["float64", "float32", "float16", "int8", "uint16", "int64", "bool", "complex64"]

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "percentile": lambda x, y: cp.percentile(x, [5, 50.5, 95]),
    "percentile of rows": lambda x, y: cp.percentile(x.reshape(4, 6), 30, axis=1, keepdims=True),
    "percentile, method": lambda x, y: cp.percentile(x, 40, method="hazen"),
    "percentile at an array": lambda x, y: cp.percentile(x, y[:3] * 0 + 50),
    "quantile": lambda x, y: cp.quantile(x, 0.25, axis=0),
    "quantile, weights": lambda x, y: cp.quantile(
        x, 0.25, weights=abs(y) + 1, method="inverted_cdf"
    ),
    "quantile of none": lambda x, y: cp.quantile(x[:0], 0.5),
    "histogram": lambda x, y: cp.histogram(x, 5),
    "histogram, weights": lambda x, y: cp.histogram(x, 4, weights=y),
    "histogram, edges": lambda x, y: cp.histogram(x, [0, 1, 7.5, 20], density=True),
    "histogram2d": lambda x, y: cp.histogram2d(x, y, 3),
    "histogramdd": lambda x, y: cp.histogramdd(x.reshape(12, 2), 3),
    "det": lambda x, y: cp.linalg.det(x[:9].reshape(3, 3)),
    "det of a stack": lambda x, y: cp.linalg.det(x[:16].reshape(4, 2, 2)),
    "det of no matrix": lambda x, y: cp.linalg.det(x),
    "interp": lambda x, y: cp.interp(x, cp.arange(5.0), y[:5], left=-1, period=None),
    "interp, period": lambda x, y: cp.interp(x, cp.arange(5.0), y[:5], period=4),
    "gradient": lambda x, y: cp.gradient(x),
    "gradient of rows": lambda x, y: cp.gradient(x.reshape(4, 6), 0.5, edge_order=2),
    "gradient, coordinates": lambda x, y: cp.gradient(x.reshape(4, 6), cp.arange(4.0) ** 2, axis=0),
    "gradient of one": lambda x, y: cp.gradient(x[:1]),
    "median": lambda x, y: cp.median(x),
    "median of columns": lambda x, y: cp.median(x.reshape(4, 6), axis=0, keepdims=True),
    "median of none": lambda x, y: cp.median(x[:0]),
    "pad": lambda x, y: cp.pad(x, (1, 2)),
    "pad, edges": lambda x, y: cp.pad(x.reshape(4, 6), ((1, 0), (2, 2)), "edge"),
    "pad, reflected": lambda x, y: cp.pad(x.reshape(4, 6).T, 3, "reflect", reflect_type="odd"),
    "pad, means": lambda x, y: cp.pad(x[:16].reshape(4, 4), 1, "mean", stat_length=2),
    "pad, less than nothing": lambda x, y: cp.pad(x, -1),
    "triu of a number": lambda x, y: cp.triu(x[0]),
    "unique": lambda x, y: cp.unique(x.reshape(4, 6)),
    "unique, counts": lambda x, y: cp.unique(x, return_index=True, return_counts=True),
    "unique, inverse": lambda x, y: cp.unique(x.reshape(4, 6), return_inverse=True),
    "unique rows": lambda x, y: cp.unique(x.reshape(6, 4) // 6, axis=0, return_inverse=True),
    "lexsort": lambda x, y: cp.lexsort((x, y)),
    "lexsort of rows": lambda x, y: cp.lexsort(x.reshape(4, 6)),
    "argpartition": lambda x, y: cp.sort(x[cp.argpartition(x, 3)[:4]]),
    "argpartition out of range": lambda x, y: cp.argpartition(x, 99),
    "insert": lambda x, y: cp.insert(x, 3, y[0]),
    "insert many": lambda x, y: cp.insert(x.reshape(4, 6), [1, -1], 1, axis=1),
    "insert an array": lambda x, y: cp.insert(x, cp.array([1, 3]), y[:2]),
    "delete": lambda x, y: cp.delete(x, 3),
    "delete a row": lambda x, y: cp.delete(x.reshape(4, 6).T, 2, axis=0),
    "delete a slice": lambda x, y: cp.delete(x, slice(1, 9, 2)),
    "delete by a mask": lambda x, y: cp.delete(x, x > 1),
    "packbits": lambda x, y: cp.packbits(x > 1, bitorder="little"),
    "packbits of rows": lambda x, y: cp.packbits(x.reshape(4, 6), axis=0),
    "unpackbits": lambda x, y: cp.unpackbits(x.astype("uint8"), count=77),
    "unpackbits of rows": lambda x, y: cp.unpackbits(x.reshape(4, 6).astype("uint8"), axis=1),
}


def numbers(dtype: str) -> Any:
    values = RNG.integers(0, 12, 24)
    values = values + 1j * values[::-1] if dtype.startswith("complex") else values
    return cp.asarray(values.astype(dtype))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, numpy_computes: None) -> list[str]:
    """Which of NumPy's functions gave results."""
    names: list[str] = []
    inner = few_elements._by_numpy

    def noted(function: Any, *arguments: Any) -> Any:
        result = inner(function, *arguments)
        if result is not None:
            names.append(function.__name__)
        return result

    monkeypatch.setattr(few_elements, "_by_numpy", noted)
    return names


def outcome(call: Callable[[], Any]) -> Any:
    """The result, or the type of the error and what it says."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return call()
    except Exception as error:
        return type(error).__name__, str(error)


def parts(result: Any) -> Iterator[Any]:
    if isinstance(result, (tuple, list)):
        yield type(result).__name__, len(result)
        for each in result:
            yield from parts(each)
    elif isinstance(result, cp.ndarray):
        yield result.dtype, result.shape, result.strides, result.device
    else:
        yield type(result)


def arrays(result: Any) -> Iterator[np.ndarray]:
    for each in result if isinstance(result, (tuple, list)) else (result,):
        if isinstance(each, cp.ndarray):
            yield cp.asnumpy(each)
        elif isinstance(each, (tuple, list)):
            yield from arrays(each)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_the_results_are_those_of_kernels(
    name: str, dtype: str, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    x, y = numbers(dtype), numbers(dtype)
    few = outcome(lambda: CALLS[name](x, y))
    monkeypatch.setattr(few_elements, "asks_numpy", False)
    is_error = isinstance(few, tuple) and isinstance(few[0], str)
    is_for_numpy = x.device.platform == "cpu" and x.dtype.kind != "c"  # of those NumPy warns
    # Where work is late on purpose, some is still under way, which nobody waits for.
    if is_for_numpy and "CUPOLA_ADVERSARY" not in os.environ and name != "delete a slice":
        assert bool(asked) != is_error
    count = len(asked)
    kernels = outcome(lambda: CALLS[name](x, y))
    assert len(asked) == count, "kernels ask nobody"
    assert list(parts(few)) == list(parts(kernels))
    precision = 1e-2 if dtype == "float16" else 1e-5
    for one, other in zip(arrays(few), arrays(kernels), strict=True):
        np.testing.assert_allclose(one, other, rtol=precision, atol=precision)
    if is_error:
        assert few == kernels


def test_numpy_is_asked_for_few_elements_only(asked: list[str]) -> None:
    x = cp.arange(100.0)
    cp.synchronize()  # of work that is under way NumPy is not asked
    cp.percentile(x, 5)
    on_cpu = x.device.platform == "cpu"
    assert asked == ["percentile"] * on_cpu
    cp.percentile(cp.arange(10_000.0), 5)
    cp.percentile(x, 5, out=cp.zeros(()))
    assert asked == ["percentile"] * on_cpu


def test_an_output_is_written(numpy_computes: None) -> None:
    x, out = cp.arange(101.0), cp.zeros(())
    assert cp.percentile(x, 5, None, out) is out
    assert out == 5
    several = cp.zeros(2)
    cp.percentile(x, [5, 50], None, several)
    assert several.tolist() == [5, 50]
    cp.quantile(x, [0.5, 0.9], out=several)
    assert several.tolist() == [50, 90]


def test_arguments_stay_as_they_are(numpy_computes: None) -> None:
    x = cp.array([3.0, 1.0, 2.0])
    cp.percentile(x, 50, overwrite_input=True)
    cp.insert(x, [0], 9.0)[1] = 5
    assert sorted(x.tolist()) == [1, 2, 3]


def test_dtypes_that_numpy_lacks_are_left_to_kernels(asked: list[str]) -> None:
    x = cp.arange(8, dtype="bfloat16")
    assert cp.delete(x, 3).dtype == x.dtype
    assert asked == []


@one_device
def test_nobody_waits_for_work_that_is_under_way(asked: list[str]) -> None:
    x = cp.arange(24.0, device="cpu:0")
    begun, may_end, has_ended = threading.Event(), threading.Event(), threading.Event()

    def hold(_: Any) -> None:
        begun.set()
        may_end.wait(60)
        has_ended.set()

    stream = cp.cuda.Stream(device="cpu:0")
    with stream:
        stream.launch_host_func(hold, None)
        assert begun.wait(60)
        packed = cp.packbits(x > 3)
    assert asked == []
    assert not has_ended.is_set()
    may_end.set()
    stream.synchronize()
    assert packed.tolist() == np.packbits(np.arange(24.0) > 3).tolist()


@one_device
def test_a_capture_records_kernels(asked: list[str]) -> None:
    x = cp.arange(24.0)
    cp.packbits(x > 3)
    asked.clear()
    stream = cp.cuda.Stream()
    with stream:
        stream.begin_capture()
        cp.packbits(x > 3)
        stream.end_capture()
    assert asked == []
