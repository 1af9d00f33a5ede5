"""Values that are computed late, and nobody notices."""

import gc
import threading
from typing import Any

import numpy as np
import pytest
from support.streams import held_back

import cupola as cp
from cupola import _cupola

pytestmark = pytest.mark.usefixtures("deferred")

COUNT = 50_000


@pytest.fixture
def host() -> np.ndarray:
    return np.random.default_rng(7).random(COUNT).astype(np.float32)


def is_pending(array: Any) -> bool:
    return bool(_cupola.is_pending(array))


def price(xp: Any, spot: Any, strike: Any, years: Any) -> Any:
    """An option's price by Black and Scholes, with the logistic curve for the normal one."""
    rate, volatility = xp.float32(0.02), xp.float32(0.3)
    root = volatility * xp.sqrt(years)
    first = (xp.log(spot / strike) + (rate + volatility * volatility / 2) * years) / root
    second = first - root
    near, far = (1 / (1 + xp.exp(-xp.float32(1.702) * x)) for x in (first, second))
    return spot * near - strike * xp.exp(-rate * years) * far


def eagerly(function: Any) -> np.ndarray:
    cp.config.eager = True
    try:
        return cp.asnumpy(function())
    finally:
        cp.config.eager = False


def test_a_chain_waits_for_its_reader(host: np.ndarray) -> None:
    a = cp.asarray(host)
    result = price(cp, a + 1, a + 2, a + 3)
    assert is_pending(result)
    assert result.shape == (COUNT,)
    assert result.strides == (4,)
    assert is_pending(result)
    expected = eagerly(lambda: price(cp, a + 1, a + 2, a + 3))
    assert np.array_equal(cp.asnumpy(result), expected)
    assert np.allclose(expected, price(np, host + 1, host + 2, host + 3), rtol=1e-4)
    assert not is_pending(result)


@pytest.mark.parametrize(
    "program",
    [
        lambda a, b: ((a - b) ** 2).mean(),
        lambda a, b: ((a - b) ** 2).reshape(100, -1).mean(axis=1),
        lambda a, b: (a * b).sum() / a.sum(),
        lambda a, b: cp.where(a > b, a * 2, b - 1).max(),
        lambda a, b: (a.reshape(100, 500) - a.reshape(100, 500).mean(0)).std(1),
        lambda a, b: cp.clip(a * 3, 0.5, 1.5).astype(np.float64).sum(),
        lambda a, b: (a + b).T + (a[::-1] * b),
        lambda a, b: cp.exp(a[:500, None] - b[None, :100]).sum(1),
        lambda a, b: (a > 0.5).astype(np.int32).sum() + 1,
        lambda a, b: cp.argmax(a * b) + cp.argmin(a - b),
        lambda a, b: cp.sqrt((a * a).mean()) * (b.max() - b.min()),
    ],
)
def test_the_bits_are_those_of_eager_evaluation(program: Any, host: np.ndarray) -> None:
    a, b = cp.asarray(host), cp.asarray(host[::-1].copy())
    expected = eagerly(lambda: program(a, b))
    found = cp.asnumpy(program(a, b))
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


def permuted_in_memory(host: np.ndarray, order: tuple[int, ...]) -> cp.ndarray:
    """The same values; memory holds the dimensions in another order."""
    return cp.asarray(np.ascontiguousarray(host.transpose(order))).transpose(np.argsort(order))


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_combination_does_not_depend_on_what_is_fused(seed: int) -> None:
    random = np.random.default_rng(seed)
    largest = 300 if seed % 8 == 0 else 40
    shape = tuple(random.integers(1, largest, size=3))
    arrays = [
        permuted_in_memory(random.random(shape, dtype=np.float32), random.permutation(3))
        for _ in range(2)
    ]
    if seed % 3 == 0:
        arrays[1] = arrays[1][:1]
    if seed % 4 == 1:
        arrays[0] = arrays[0][:, ::-1]
    for axis in (None, (0, 1), (1, 2), (0, 2), 0, 1, 2):
        sums = []
        for eager in (True, False):
            cp.config.eager = eager
            sums.append(cp.asnumpy((arrays[0] * arrays[1] + 1).sum(axis=axis)))
        np.testing.assert_array_equal(*sums, err_msg=f"{shape} {axis}")


def test_writes_come_after_earlier_readers(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled, view = a * 2, a[10:]
    shifted = view + doubled[10:]
    view[...] = 0
    a[:5] = 7
    assert np.array_equal(cp.asnumpy(doubled), host * 2)
    assert np.array_equal(cp.asnumpy(shifted), host[10:] + host[10:] * 2)
    expected = np.zeros(COUNT, np.float32)
    expected[:10] = host[:10]
    expected[:5] = 7
    assert np.array_equal(cp.asnumpy(a), expected)


def test_in_place_operations_on_pending_arrays(host: np.ndarray) -> None:
    a = cp.asarray(host)
    x = a + 1
    y = x * 2
    x += 5
    x *= x
    assert np.array_equal(cp.asnumpy(y), (host + 1) * 2)
    assert np.array_equal(cp.asnumpy(x), (host + 1 + 5) ** 2)
    z = y - x
    y[y > 3] = 0
    assert np.array_equal(cp.asnumpy(z), (host + 1) * 2 - (host + 1 + 5) ** 2)


def test_out_that_overlaps_the_inputs_of_a_pending_array(host: np.ndarray) -> None:
    a = cp.asarray(host)
    mirrored = a[::-1] + a
    cp.multiply(a[1:], 2, out=a[:-1])
    expected = host.copy()
    expected[:-1] = host[1:] * 2
    assert np.array_equal(cp.asnumpy(mirrored), host[::-1] + host)
    assert np.array_equal(cp.asnumpy(a), expected)


def test_host_copies_write_after_readers(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    a.set(np.zeros_like(host))
    assert np.array_equal(cp.asnumpy(doubled), host * 2)


def test_eval_and_eager(host: np.ndarray) -> None:
    a = cp.asarray(host)
    x, y = a + 1, a - 1
    cp.eval(x, y)
    assert not is_pending(x)
    assert not is_pending(y)
    cp.eval()
    with pytest.raises(TypeError, match="list"):
        cp.eval([x])  # type: ignore[arg-type]
    cp.config.eager = True
    assert not is_pending(a + 1)
    assert not is_pending(a.sum())
    assert "eager=True" in repr(cp.config)


def test_observing_a_stream_computes(host: np.ndarray) -> None:
    a = cp.asarray(host)
    stream = cp.Stream()
    with stream:
        x = a + 1
    y = a + 2
    stream.synchronize()
    assert not is_pending(x)
    assert is_pending(y)
    cp.cuda.Device().synchronize()
    assert not is_pending(y)
    z = a + 3
    cp.cuda.Event().record()
    assert not is_pending(z)


def test_a_held_stream_holds_what_was_asked_for_on_it(host: np.ndarray) -> None:
    a = cp.asarray(host)
    stream = cp.Stream()
    with held_back(stream) as gate:
        with stream:
            x = a + 1
        cp.eval(x)
        assert not stream.done
        gate.set()
    assert np.array_equal(cp.asnumpy(x), host + 1)


def test_exported_memory_is_read_at_the_call(host: np.ndarray) -> None:
    a = cp.asarray(host)
    before = a + 1
    assert a.data.ptr
    assert not is_pending(before)
    assert not is_pending(a + 1)
    assert is_pending(cp.asarray(host) + 1)


def test_long_chains(host: np.ndarray) -> None:
    a = cp.asarray(host[:100])
    total = a
    for _ in range(2000):
        total = total + a
    expected = host[:100].copy()
    for _ in range(2000):
        expected = expected + host[:100]
    assert np.array_equal(cp.asnumpy(total), expected)
    del total
    gc.collect()


def test_threads_share_pending_arrays(host: np.ndarray) -> None:
    a = cp.asarray(host)
    for _ in range(20):
        x = a * 3
        y = x - a
        z = (x + y).sum()
        found: list[Any] = [None] * 6
        arrays = [x, y, z]

        def read(i: int, arrays: list[Any] = arrays, found: list[Any] = found) -> None:
            found[i] = cp.asnumpy(arrays[i % 3])

        threads = [threading.Thread(target=read, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        del x, y, z
        for thread in threads:
            thread.join()
        assert np.array_equal(found[0], host * 3)
        assert np.array_equal(found[1], host * 3 - host)
        assert np.array_equal(found[2], found[5])


def test_sizes_are_checked_at_the_call() -> None:
    column = cp.broadcast_to(cp.ones(1), (2**40,))
    with pytest.raises(ValueError, match="too big"):
        column[:, None] + column[None, :]
    with pytest.raises(ValueError, match="broadcast"):
        cp.ones(3) + cp.ones(4)


def test_indexing_with_positions_is_a_part_of_the_kernel(host: np.ndarray) -> None:
    a, weights = cp.asarray(host), cp.asarray(host + 1)
    positions = np.random.default_rng(8).integers(-COUNT, COUNT, COUNT)
    index = cp.asarray(positions)
    result = a[index] * weights + a[index + 0]
    assert is_pending(result)
    expected = host[positions] * (host + 1) + host[positions]
    a[:100] = -1  # the result has what was there before
    index[:] = 0
    np.testing.assert_array_equal(cp.asnumpy(result), expected)
    assert not cp.asnumpy(a[index] + 1).any()  # a[0] is -1


def test_what_positions_gather_is_held_and_overwritten(host: np.ndarray) -> None:
    a = cp.asarray(host)
    index = cp.asarray(np.arange(COUNT)[::-1].copy())
    turned = a[index]
    total = turned + 1
    a[...] = a[index] * 2
    np.testing.assert_array_equal(cp.asnumpy(a), host[::-1] * 2)
    np.testing.assert_array_equal(cp.asnumpy(total), host[::-1] + 1)
    turned[0] = 7
    np.testing.assert_array_equal(cp.asnumpy(turned)[1:], host[::-1][1:])
    rows = cp.asarray(host).reshape(-1, 100)
    np.testing.assert_allclose(
        cp.asnumpy(rows[index[-3:]].sum(1)), host[:300].reshape(3, 100)[::-1].sum(1), rtol=1e-5
    )


def test_the_results_of_one_operation_are_computed_together(host: np.ndarray) -> None:
    a = cp.asarray(host)
    fraction, whole = cp.modf(a * 2.5)
    assert all(_cupola.is_pending(x) for x in (fraction, whole))
    assert len(cp.explain(fraction).kernels) == 1
    total = whole * 2 + fraction
    assert len(cp.explain(total, fraction).kernels) == 1
    cp.eval(fraction)
    assert not _cupola.is_pending(whole)
    expected = np.modf(host * np.float32(2.5))
    np.testing.assert_array_equal(cp.asnumpy(fraction), expected[0])
    np.testing.assert_array_equal(cp.asnumpy(whole), expected[1])
    np.testing.assert_array_equal(cp.asnumpy(total), expected[1] * 2 + expected[0])


def test_results_that_nobody_holds_are_not_computed(host: np.ndarray) -> None:
    a = cp.asarray(host)
    quotient = cp.divmod(a, 0.75)[0]
    doubled = quotient * 2
    del quotient
    (kernel,) = cp.explain(doubled).kernels
    assert kernel.bytes_written == doubled.nbytes
    np.testing.assert_array_equal(cp.asnumpy(doubled), np.divmod(host, np.float32(0.75))[0] * 2)


def test_siblings_of_which_one_was_overwritten(host: np.ndarray) -> None:
    a = cp.asarray(host)
    mantissa, exponent = cp.frexp(a + 1)
    exponent += 1
    a[:] = 0
    expected = np.frexp(host + np.float32(1))
    np.testing.assert_array_equal(cp.asnumpy(mantissa), expected[0])
    np.testing.assert_array_equal(cp.asnumpy(exponent), expected[1] + 1)
