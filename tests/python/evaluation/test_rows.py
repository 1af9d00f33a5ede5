"""Reductions of rows, and what is made of them over the same rows, as one kernel."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola import _cupola

pytestmark = pytest.mark.usefixtures("deferred")

LENGTHS = (1, 2, 31, 33, 64, 1000, 1024, 1025, 4096, 16384, 16385)


def softmax(xp: Any, a: Any) -> Any:
    e = xp.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def standardised(xp: Any, a: Any) -> Any:
    return (a - a.mean(1, keepdims=True)) / a.std(1, keepdims=True)


def standardised_columns(xp: Any, a: Any) -> Any:
    return (a - a.mean(0)) / a.std(0)


def layer_norm(xp: Any, a: Any) -> Any:
    weight = xp.asarray(np.linspace(0.5, 1.5, a.shape[1]).astype(a.dtype))
    mean = a.mean(-1, keepdims=True)
    variance = ((a - mean) ** 2).mean(-1, keepdims=True)
    return (a - mean) / xp.sqrt(variance + a.dtype.type(1e-3)) * weight + weight


def span(xp: Any, a: Any) -> Any:
    return (a.max(1) - a.min(1)) / (1 + abs(a).sum(1))


FUNCTIONS: tuple[Callable[[Any, Any], Any], ...] = (
    softmax,
    standardised,
    standardised_columns,
    layer_norm,
    span,
    lambda xp, a: a.var(1),
    lambda xp, a: a.std(1, keepdims=True),
    lambda xp, a: a.var(0),
    lambda xp, a: xp.var(a),
    lambda xp, a: xp.nanvar(a, axis=1),
    lambda xp, a: xp.nanstd(a, axis=0, keepdims=True),
    lambda xp, a: a - a.sum(),
    lambda xp, a: xp.where(a > a.mean(1, keepdims=True), a, a.min(1, keepdims=True)),
    lambda xp, a: (a / a.sum(1, keepdims=True)).sum(1),
    lambda xp, a: a.max(1, keepdims=True) - a.max(0, keepdims=True),
)


def both_ways(function: Callable[[Any, Any], Any], host: np.ndarray) -> np.ndarray:
    """The value, which is the same bits when every operation is computed at the call."""
    late = cp.asnumpy(function(cp, cp.asarray(host)))
    cp.config.eager = True
    early = cp.asnumpy(function(cp, cp.asarray(host)))
    cp.config.eager = False
    assert late.dtype == early.dtype
    assert late.shape == early.shape
    assert late.tobytes() == early.tobytes()
    return late


def launches() -> int:
    return int(_cupola.counters()["launches"])


def launches_of(compute: Callable[[], Any]) -> int:
    before = launches()
    cp.eval(compute())
    return launches() - before


def sample(shape: tuple[int, ...], dtype: str = "f4", seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(shape) * 3 + 1).astype(dtype)


@pytest.mark.parametrize("length", [1000, 8192])
@pytest.mark.parametrize("function", [softmax, standardised, layer_norm])
def test_plain_code_is_one_launch(function: Callable[[Any, Any], Any], length: int) -> None:
    a = cp.asarray(sample((40, length)))
    assert launches_of(lambda: function(cp, a)) == 1


def test_moments_are_one_launch() -> None:
    a = cp.asarray(sample((40, 1000)))
    assert launches_of(lambda: a.var(1)) == 1
    assert launches_of(lambda: a.std(1, keepdims=True)) == 1
    assert launches_of(lambda: cp.nanstd(a, axis=1)) == 1


def test_results_of_the_same_rows_are_one_launch() -> None:
    host = sample((40, 1000))
    a = cp.asarray(host)
    least, most, mean = a.min(1), a.max(1, keepdims=True), a.mean(1)
    before = launches()
    cp.eval(least, most, mean)
    assert launches() == before + 1
    np.testing.assert_array_equal(cp.asnumpy(least), host.min(1))
    np.testing.assert_array_equal(cp.asnumpy(most), host.max(1, keepdims=True))
    np.testing.assert_allclose(cp.asnumpy(mean), host.mean(1), rtol=1e-5)


def test_several_results_of_one_reduction_are_one_launch() -> None:
    host = sample((40, 1000))
    a = cp.asarray(host)
    for axis in (0, 1, None):
        total = a.max(axis)
        whole, rest = cp.divmod(total, 2)
        double = total * 2
        del total
        before = launches()
        cp.eval(whole, rest, double)
        assert launches() == before + 1
        np.testing.assert_array_equal(cp.asnumpy(whole), host.max(axis) // 2)
        np.testing.assert_array_equal(cp.asnumpy(rest), host.max(axis) % 2)
        np.testing.assert_array_equal(cp.asnumpy(double), host.max(axis) * 2)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "f2"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((5000, 40), 0), ((70_001, 33), 0), ((3, 50_000), 1), ((90, 5), 0)]
)
def test_several_results_have_the_bits_of_each(
    dtype: str, shape: tuple[int, ...], axis: int
) -> None:
    host = sample(shape, dtype)
    a = cp.asarray(host)
    b = a * 2 - 1

    def all_of() -> list[Any]:
        squares = (b * b).sum(axis, keepdims=True)
        return [a.sum(axis), b.max(axis), b.mean(axis), squares, a.min(axis) + 1]

    late = all_of()
    cp.eval(*late)
    for found, alone in zip(late, all_of(), strict=True):
        assert cp.asnumpy(found).tobytes() == cp.asnumpy(alone).tobytes()


def test_variance_along_columns_is_exact() -> None:
    far = (sample((3000, 50)) + 1e6).astype("f4")
    expected = far.astype("f8").var(0)
    np.testing.assert_allclose(cp.asnumpy(cp.asarray(far).var(0)), expected, rtol=1e-6)
    outlier = sample((3000, 50))
    outlier[0] = 1e5
    expected = outlier.astype("f8").var(0)
    np.testing.assert_allclose(cp.asnumpy(cp.asarray(outlier).var(0)), expected, rtol=1e-6)
    assert not cp.asnumpy(cp.full((1000, 50), 0.1, "f4").var(0)).any()
    a = cp.asarray(outlier)
    assert launches_of(lambda: a.std(0)) == 1
    assert launches_of(lambda: standardised_columns(cp, a)) == 2


def test_kept_dimensions_are_deferred() -> None:
    host = sample((3, 4, 5))
    a = cp.asarray(host)
    for axis in (0, 1, 2, (0, 2), None):
        for name in ("sum", "max", "mean", "var", "argmax"):
            if name == "argmax" and isinstance(axis, tuple):
                continue
            result = getattr(a, name)(axis=axis, keepdims=True)
            assert _cupola.is_pending(result)
            expected = getattr(host, name)(axis=axis, keepdims=True)
            assert result.shape == expected.shape
            np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=1e-5)
            out = cp.zeros(expected.shape, expected.dtype)
            assert getattr(a, name)(axis=axis, keepdims=True, out=out) is out
            np.testing.assert_array_equal(cp.asnumpy(out), cp.asnumpy(result))


@pytest.mark.parametrize("length", LENGTHS)
def test_bits_are_those_of_separate_kernels(length: int) -> None:
    for rows in (1, 7, 40):
        host = sample((rows, length), seed=length)
        for function in FUNCTIONS:
            with np.errstate(all="ignore"):
                both_ways(function, host)
    expected = softmax(np, sample((7, length), "f8"))
    found = both_ways(softmax, sample((7, length), "f8"))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("length", [1, 3, 5, 1001, 1023, 1025, 4095, 4097, 16383, 16384])
def test_rows_that_begin_at_any_address(length: int, dtype: str) -> None:
    whole = sample((9, length + 1), dtype, seed=length)

    def with_several_types(xp: Any, a: Any) -> Any:
        return (a.astype(xp.float64) - a.mean(1, keepdims=True)) * (a < a.max(1, keepdims=True))

    with np.errstate(all="ignore"):
        for host in (whole[:, :length], np.ascontiguousarray(whole[:, :length])):
            for function in (softmax, standardised, layer_norm, with_several_types):
                both_ways(function, host)
        part = cp.asarray(whole)[1:, 1:]
        np.testing.assert_array_equal(
            cp.asnumpy(softmax(cp, part)), cp.asnumpy(softmax(cp, part.copy()))
        )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_and_orders(dtype: str, order: str) -> None:
    with np.errstate(all="ignore"):
        for shape in ((50, 70), (5, 300), (300, 5)):
            host = np.asarray(sample(shape, "f8").clip(0, 9).astype(dtype), order=order)  # type: ignore[call-overload]
            functions = FUNCTIONS if host.dtype.kind == "f" else (softmax, standardised)
            if host.dtype.kind == "c":
                functions = (
                    standardised,
                    lambda xp, a: a.var(1),
                    lambda xp, a: a / a.sum(1, keepdims=True),
                )
            for function in functions:
                both_ways(function, host)


def test_special_values() -> None:
    host = sample((9, 500))
    host[1, 3], host[2, 5], host[3] = np.nan, np.inf, -np.inf
    host[4], host[5, 0] = 0.0, -0.0
    with np.errstate(all="ignore"):
        for function in FUNCTIONS:
            both_ways(function, host)
        np.testing.assert_allclose(both_ways(softmax, host), softmax(np, host), rtol=1e-5)
    negative_zeros = np.full((4, 100), -0.0, np.float32)
    total = both_ways(lambda xp, a: a + a.sum(1, keepdims=True), negative_zeros)
    assert not np.signbit(total).any()


def test_what_is_held_is_stored_by_the_same_kernel() -> None:
    host = sample((30, 400))
    a = cp.asarray(host)
    largest = a.max(1, keepdims=True)
    e = cp.exp(a - largest)
    total = e.sum(1, keepdims=True)
    before = launches()
    result = cp.asnumpy(e / total)
    assert launches() == before + 1
    assert not any(_cupola.is_pending(value) for value in (largest, e, total))
    np.testing.assert_array_equal(cp.asnumpy(largest), host.max(1, keepdims=True))
    np.testing.assert_allclose(cp.asnumpy(e), np.exp(host - host.max(1, keepdims=True)), rtol=1e-5)
    np.testing.assert_array_equal(cp.asnumpy(e / total), result)


def test_rows_of_other_axes_and_of_several() -> None:
    host = sample((6, 7, 8))
    for axis in (0, 1, 2, (1, 2), (0, 1), (0, 2), None):
        for order in ((0, 1, 2), (2, 0, 1), (1, 0, 2)):
            shuffled = host.transpose(order)

            def centred(xp: Any, a: Any, axis: Any = axis) -> Any:
                return (a - a.mean(axis, keepdims=True)) / a.std(axis, keepdims=True)

            np.testing.assert_allclose(
                both_ways(centred, shuffled), centred(np, shuffled), rtol=1e-4, atol=1e-5
            )


def test_square_arrays_without_kept_dimensions() -> None:
    host = sample((50, 50))
    a = cp.asarray(host)
    np.testing.assert_allclose(cp.asnumpy(a - a.sum(1)), host - host.sum(1), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(cp.asnumpy(a - a.sum(0)), host - host.sum(0), rtol=1e-4, atol=1e-4)


def test_masks_and_integers() -> None:
    host = np.random.default_rng(3).integers(-5, 5, (20, 60))
    a = cp.asarray(host)
    mask = host > 0
    expected = host - host.sum(1, keepdims=True, where=mask)
    np.testing.assert_array_equal(
        cp.asnumpy(a - a.sum(1, keepdims=True, where=cp.asarray(mask))), expected
    )
    expected = host * (host == host.max(1, keepdims=True)).any(1, keepdims=True)
    np.testing.assert_array_equal(
        cp.asnumpy(a * (a == a.max(1, keepdims=True)).any(1, keepdims=True)), expected
    )
    np.testing.assert_allclose(
        cp.asnumpy(a.mean(1, where=cp.asarray(mask))), host.mean(1, where=mask)
    )


def test_random_programs_over_rows() -> None:
    generator = np.random.default_rng(11)
    reductions = ("sum", "max", "min", "mean", "std")
    for _ in range(60):
        shape = tuple(int(generator.integers(1, 90)) for _ in range(int(generator.integers(1, 4))))
        axis = int(generator.integers(0, len(shape)))
        names = [str(generator.choice(reductions)) for _ in range(int(generator.integers(1, 5)))]
        keep = bool(generator.integers(0, 2))

        def program(
            xp: Any, a: Any, axis: int = axis, names: list[str] = names, keep: bool = keep
        ) -> Any:
            held = []
            value = a
            for name in names:
                reduced = getattr(value, name)(axis=axis, keepdims=True)
                value = value * xp.float32(0.5) - reduced
                if keep:
                    held.append(reduced)
            return value

        host = sample(shape, seed=int(generator.integers(0, 1000)))
        np.testing.assert_allclose(
            both_ways(program, host), program(np, host), rtol=2e-3, atol=2e-3
        )


def test_a_write_waits_for_rows_that_read() -> None:
    host = sample((20, 200))
    a = cp.asarray(host)
    result = softmax(cp, a)
    a[...] = 0
    np.testing.assert_allclose(cp.asnumpy(result), softmax(np, host), rtol=1e-5)


def test_threads_compute_rows_once() -> None:
    host = sample((60, 700))
    a = cp.asarray(host)
    expected = softmax(np, host)
    for _ in range(20):
        e = cp.exp(a - a.max(1, keepdims=True))
        total = e.sum(1, keepdims=True)
        values = [e / total, total, e]
        found: list[np.ndarray] = [np.empty(0)] * 3
        gate = threading.Barrier(3)

        def read(
            i: int,
            values: list[Any] = values,
            found: list[np.ndarray] = found,
            gate: threading.Barrier = gate,
        ) -> None:
            gate.wait()
            found[i] = cp.asnumpy(values[i])

        threads = [threading.Thread(target=read, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_allclose(found[0], expected, rtol=1e-5)
        np.testing.assert_allclose(found[2].sum(1, keepdims=True), found[1], rtol=1e-4)
