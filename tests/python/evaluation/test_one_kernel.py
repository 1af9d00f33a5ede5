"""What is one kernel where kernels that pick elements are preferred: on one GPU.

Both forms are compared with NumPy on every platform; the launches of the one are counted.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, to_numpy

pytestmark = pytest.mark.cupola_only

if not IS_NUMPY:
    from cupola import _cupola
    from cupola._functions.mathematics import convolution, differences

DTYPES = ["float64", "float32", "float16", "complex64", "int32", "uint8"]
RNG = np.random.default_rng(7)


@pytest.fixture(params=[False, True], ids=["pieces", "one kernel"])
def form(request: Any, monkeypatch: pytest.MonkeyPatch) -> bool:
    for module in (convolution, differences):
        monkeypatch.setattr(module, "prefers_gathers", lambda array: request.param)
    return bool(request.param)


def launches(function: Callable[[], Any]) -> int:
    function()  # what is only made once
    before = _cupola.counters()["launches"]
    _cupola.evaluate(function())
    return int(_cupola.counters()["launches"] - before)


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    values = RNG.standard_normal(shape) * 20
    if dtype == "uint8":
        return np.abs(values).astype(dtype)
    return values.astype(dtype)


def same(found: Any, expected: Any, close: float | None = None) -> None:
    found = to_numpy(found)
    assert found.dtype == expected.dtype
    if close is None:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=close, atol=close * 1000)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("shape", [(3,), (17,), (4, 5), (3, 4, 6)])
@pytest.mark.usefixtures("form")
def test_gradient(shape: tuple[int, ...], order: int, dtype: str) -> None:
    host = numbers(shape, dtype)
    array = cp.asarray(host)
    coordinates = [np.cumsum(RNG.uniform(0.5, 2, extent)) for extent in shape]
    for axis in range(len(shape)):
        for spacing in (1.0, 0.25, 3, np.float32(0.5), coordinates[axis]):
            options: dict[str, Any] = {"axis": axis, "edge_order": order}
            given = cp.asarray(spacing) if isinstance(spacing, np.ndarray) else spacing
            expected = np.gradient(host, spacing, **options)
            # Sums of three products are rounded in another order by neither.
            same(cp.gradient(array, given, **options), expected)
        turned = cp.gradient(array[::-1].T, axis=axis, edge_order=order)
        same(turned, np.gradient(host[::-1].T, axis=axis, edge_order=order))


@pytest.mark.usefixtures("form")
def test_gradient_of_two() -> None:
    for spacing in ([], [2.0], [np.asarray([1.0, 4.0])]):
        expected = np.gradient(np.asarray([1.0, 7.0]), *spacing)
        given = [cp.asarray(each) if isinstance(each, np.ndarray) else each for each in spacing]
        same(cp.gradient(cp.asarray([1.0, 7.0]), *given), expected)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("count", [1, 2, 3, 8, 24])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.usefixtures("form")
def test_convolve(mode: Any, count: int, dtype: str) -> None:
    for size in (count, count + 1, 100):
        host, weights = numbers((size,), dtype), numbers((count,), dtype)
        close = {"float16": 5e-2, "float32": 1e-5, "complex64": 1e-5, "float64": 1e-13}.get(dtype)
        a, v = cp.asarray(host), cp.asarray(weights)
        same(cp.convolve(a, v, mode), np.convolve(host, weights, mode), close)
        same(cp.correlate(a, v, mode), np.correlate(host, weights, mode), close)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.usefixtures("form")
def test_infinities_stay_where_they_are(mode: Any) -> None:
    host = np.asarray([np.inf, 1.0, 2.0, np.nan, 3.0, 4.0, -np.inf])
    weights = np.asarray([0.5, 2.0, -1.0])
    same(cp.convolve(cp.asarray(host), cp.asarray(weights), mode), np.convolve(host, weights, mode))


def line_is_divided() -> bool:
    return bool(cp.zeros(5000).device.is_set)


@pytest.mark.usefixtures("deferred")
def test_launches(form: bool) -> None:
    if not form or line_is_divided():
        pytest.skip("counted of one kernel on one device")
    line = cp.asarray(RNG.standard_normal(9000))
    plane = cp.asarray(RNG.standard_normal((100, 90)))
    _cupola.evaluate(line, plane)
    for order in (1, 2):
        assert launches(lambda: cp.gradient(line, 0.5, edge_order=order)) == 1
        for axis in (0, 1):
            assert launches(lambda: cp.gradient(plane, axis=axis, edge_order=order)) == 1
    for count in (2, 5, 24):
        weights = cp.asarray(RNG.standard_normal(count))
        for mode in ("full", "same", "valid"):
            assert launches(lambda: cp.convolve(line, weights, mode)) == 1
            assert launches(lambda: cp.correlate(line, weights, mode)) == 1
