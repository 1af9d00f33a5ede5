"""Many threads over all devices: each sees its own results."""

import threading

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same
from support.devices import all_devices
from support.samples import small_values
from support.threads import THREADS, in_threads

pytestmark = pytest.mark.cupola_only


def test_each_thread_has_its_own_results() -> None:
    devices = all_devices()

    def work(i: int) -> None:
        generator = np.random.default_rng(i)
        with devices[i % len(devices)] as device:
            for _ in range(20):
                image = generator.integers(0, 256, (60 + i, 50)).astype(np.float32)
                a = cp.asarray(image)
                edges = cp.abs(a[:, 1:] - a[:, :-1])
                assert a.device == device
                assert_same(edges.sum(axis=1), np.abs(image[:, 1:] - image[:, :-1]).sum(axis=1))
                assert abs(float(a.mean()) - image.mean()) < 1e-3
                a[a > 128] = 0
                assert_same(a, np.where(image > 128, 0, image).astype(np.float32))

    in_threads(work)


def test_first_use_from_all_threads_at_once() -> None:
    """Operations that nothing has used before."""
    values = small_values(np.dtype(np.uint16), (37, 3), 1)
    expected = np.lcm(values.T, values.T[:, ::-1]) ^ np.uint16(21)

    def work(i: int) -> None:
        a = cp.asarray(values)
        assert_same(cp.lcm(a.T, a.T[:, ::-1]) ^ np.uint16(21), expected)

    in_threads(work, 32)


def test_one_array_read_by_all_threads() -> None:
    """A value that is made in one thread and read in many, pending or not."""
    values = small_values(np.dtype(np.float64), (300, 200), 1)
    shared = cp.asarray(values) * 2 + 1
    sums = in_threads(lambda i: cp.asnumpy((shared + i).sum(axis=0)))
    for i, result in enumerate(sums):
        assert_same(result, (values * 2 + 1 + i).sum(axis=0))


def test_current_device_belongs_to_the_thread() -> None:
    devices = all_devices()

    def work(i: int) -> None:
        for _ in range(50):
            with devices[i % len(devices)] as device:
                assert cp.empty(1).device == device

    before = cp.empty(1).device
    in_threads(work)
    assert cp.empty(1).device == before


def test_disjoint_writes_to_one_array() -> None:
    shared = cp.zeros((THREADS, 1000))

    def work(i: int) -> None:
        row = shared[i]
        for _ in range(20):
            row += i

    in_threads(work)
    assert_same(shared, np.repeat(np.arange(THREADS) * 20.0, 1000).reshape(THREADS, 1000))


def test_handing_arrays_from_thread_to_thread() -> None:
    """Each thread adds to what the one before it made, on its own stream."""
    state = [cp.zeros(2000)]
    turn = threading.Condition()
    position = [0]

    def work(i: int) -> None:
        with turn:
            turn.wait_for(lambda: position[0] == i, 60)
            state[0] = state[0] + i
            state[0][i] = -1
            position[0] += 1
            turn.notify_all()

    in_threads(work)
    want = np.zeros(2000)
    for i in range(THREADS):
        want = want + i
        want[i] = -1
    assert_same(state[0], want)


def test_short_lived_threads() -> None:
    for _ in range(20):
        results = in_threads(lambda i: float((cp.ones(100) * i).sum()), 8)
        assert results == [100.0 * i for i in range(8)]


def test_exceptions_in_threads_stay_there() -> None:
    def work(i: int) -> float:
        if i % 2:
            with pytest.raises(ValueError):
                cp.zeros(3) + cp.zeros(4)
        return float(cp.ones(10).sum())

    assert in_threads(work) == [10.0] * THREADS
