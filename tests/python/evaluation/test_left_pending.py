"""Large results on the way of a kernel stay pending where to compute them again costs no more."""

from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola import _cupola

pytestmark = pytest.mark.usefixtures("deferred")

LARGE = 1 << 18  # elements


@pytest.fixture
def host() -> np.ndarray:
    return np.random.default_rng(3).random(LARGE).astype(np.float32)


def is_pending(array: Any) -> bool:
    return bool(_cupola.is_pending(array))


def test_a_result_on_the_way_is_left_once(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    cp.eval(more := doubled + 1)
    assert is_pending(doubled)
    cp.eval(again := doubled - 1)
    assert not is_pending(doubled)
    assert np.array_equal(cp.asnumpy(doubled), host * 2)
    assert np.array_equal(cp.asnumpy(more), host * 2 + 1)
    assert np.array_equal(cp.asnumpy(again), host * 2 - 1)


def test_small_results_are_stored(host: np.ndarray) -> None:
    doubled = cp.asarray(host[:1000]) * 2
    cp.eval(doubled + 1)
    assert not is_pending(doubled)


def test_explain_tells_the_same(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    result = doubled + 1
    (kernel,) = cp.explain(result).kernels
    assert len(kernel.outputs) == 1
    assert is_pending(doubled)


def test_it_has_the_values_from_before_a_write(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    cp.eval(doubled + 1)
    a += 1
    assert np.array_equal(cp.asnumpy(doubled), host * 2)


def test_it_keeps_what_it_is_made_of(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    cp.eval(doubled + 1)
    del a
    assert np.array_equal(cp.asnumpy(doubled), host * 2)


def test_a_synchronisation_computes_it(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    cp.eval(doubled + 1)
    a.device.synchronize()
    assert not is_pending(doubled)


def test_reading_more_than_a_store_and_a_load_is_not_worth_it(host: np.ndarray) -> None:
    a, b, c = (cp.asarray(host + i) for i in range(3))
    total = a + b + c
    cp.eval(total * 2)
    assert not is_pending(total)


def test_neither_are_random_numbers_nor_gathers(host: np.ndarray) -> None:
    a = cp.asarray(host)
    numbers = cp.random.default_rng(1).random(LARGE, dtype=np.float32)
    turned = a[cp.asarray(np.arange(LARGE)[::-1].copy())]
    cp.eval(numbers + a, turned + a)
    assert not is_pending(numbers)
    assert not is_pending(turned)


def test_reductions_leave_what_they_are_made_of(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    total = float(doubled.sum())
    assert is_pending(doubled)
    assert total == float(cp.asarray(host * 2).sum())


def test_rows_leave_what_they_are_made_of(host: np.ndarray) -> None:
    a = cp.asarray(host.reshape(256, -1))
    shifted = a - a.max(1, keepdims=True)
    cp.eval(shares := shifted / shifted.sum(1, keepdims=True))
    assert is_pending(shifted)
    expected = a - a.max(1, keepdims=True)
    cp.eval(expected)
    assert np.array_equal(cp.asnumpy(shifted), cp.asnumpy(expected))
    assert np.array_equal(cp.asnumpy(shares), cp.asnumpy(expected / expected.sum(1, keepdims=True)))


def test_a_write_computes_and_leaves_what_its_source_is_made_of(host: np.ndarray) -> None:
    a = cp.asarray(host)
    doubled = a * 2
    target = cp.zeros(LARGE, np.float32)
    target[...] = doubled + 1
    assert is_pending(doubled)
    assert np.array_equal(cp.asnumpy(target), host * 2 + 1)
    assert np.array_equal(cp.asnumpy(doubled), host * 2)
