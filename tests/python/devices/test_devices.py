"""Where arrays live and where operations run."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import assert_same
from support.devices import all_devices

pytestmark = pytest.mark.cupola_only


@pytest.fixture
def two_devices() -> tuple[Any, Any]:
    devices = all_devices()
    if len(devices) < 2:
        pytest.skip("one device only")
    return devices[0], devices[-1]


MIXING = {
    "add": lambda a, b: a + b,
    "in place": lambda a, b: a.__iadd__(b),
    "out": lambda a, b: cp.add(a, a, out=b),
    "where": lambda a, b: cp.where(a > 0, a, b),
    "where argument": lambda a, b: cp.add(a, a, out=a, where=b > 0),
    "matmul": lambda a, b: a @ b,
    "solve": lambda a, b: cp.linalg.solve(a, b),
    "concatenate": lambda a, b: cp.concatenate([a, b]),
    "stack": lambda a, b: cp.stack([a, b]),
    "assignment": lambda a, b: a.__setitem__(..., b),
    "index": lambda a, b: a[b.astype(int)],
    "masked assignment": lambda a, b: a.__setitem__(b > 0, 1),
    "reduction out": lambda a, b: cp.sum(a, axis=0, keepdims=True, out=b[:1]),
    "clip": lambda a, b: cp.clip(a, b, None),
    "dot": lambda a, b: cp.dot(a, b),
    "take": lambda a, b: cp.take(a, b.astype(int)),
    "ufunc at": lambda a, b: cp.add.at(a, b.astype(int), 1),
}


@pytest.mark.parametrize("name", MIXING)
def test_operands_on_different_devices(name: str, two_devices: tuple[Any, Any]) -> None:
    """DeviceError with the names of both; nothing is changed."""
    first, second = two_devices
    a, b = cp.ones((3, 3), device=first), cp.ones((3, 3), device=second)
    with pytest.raises(cp.errors.DeviceError) as caught:
        MIXING[name](a, b)
    assert str(first) in str(caught.value)
    assert str(second) in str(caught.value)
    assert_same(a, np.ones((3, 3)))
    assert_same(b, np.ones((3, 3)))


def test_scalars_mix_with_any_device(two_devices: tuple[Any, Any]) -> None:
    a = cp.ones(3, device=two_devices[1])
    for result in (a + 1, 2.0 * a, a + np.float64(3), cp.where(a > 0, a, 0), cp.clip(a, 0, 2)):
        assert result.device == two_devices[1]


RESULTS = {
    "ufunc": lambda a: a + a,
    "reduction": lambda a: a.sum(),
    "scan": lambda a: cp.cumsum(a),
    "view": lambda a: a[::-1],
    "gather": lambda a: a[[1, 0]],
    "mask": lambda a: a[a > 0],
    "like": lambda a: cp.zeros_like(a),
    "cast": lambda a: a.astype(np.float32),
    "product": lambda a: a @ a,
    "nonzero": lambda a: cp.nonzero(a)[0],
    "join": lambda a: cp.concatenate([a, a]),
    "copy": lambda a: a.copy(),
    "pad": lambda a: cp.pad(a, 1),
    "mean": lambda a: cp.mean(a, axis=0),
    "tril": lambda a: cp.tril(a),
    "argmax": lambda a: cp.argmax(a),
    "where": lambda a: cp.where(a > 0, 1, 2),
    "einsum": lambda a: cp.einsum("ij,jk", a, a),
    "outer": lambda a: cp.add.outer(a, 1),
    "roll": lambda a: cp.roll(a, 1),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_live_where_the_operands_live(name: str, two_devices: tuple[Any, Any]) -> None:
    """Whatever the current device is."""
    current, other = two_devices
    a = cp.asarray(np.arange(9.0).reshape(3, 3), device=other)
    with current:
        result = RESULTS[name](a)
        assert result.device == other
        with other:
            expected = RESULTS[name](cp.asarray(np.arange(9.0).reshape(3, 3)))
        assert_same(result, cp.asnumpy(expected))


def test_the_current_device_decides_where_arrays_are_made() -> None:
    for device in all_devices():
        with device:
            made = [cp.zeros(3), cp.arange(3), cp.array([1, 2]), cp.eye(2), cp.full(2, 7)]
            made += [cp.linspace(0, 1, 3), cp.asarray(np.ones(2)), cp.indices((2,))]
            assert all(a.device == device for a in made)
        assert cp.zeros(3, device=device).device == device
        assert cp.zeros(3, device=str(device)).device == device
    nested = all_devices()
    with nested[0]:
        with nested[-1]:
            assert cp.zeros(1).device == nested[-1]
        assert cp.zeros(1).device == nested[0]


def test_device_scope_ends_with_an_exception() -> None:
    before = cp.zeros(1).device
    with pytest.raises(KeyError), all_devices()[-1]:
        raise KeyError
    assert cp.zeros(1).device == before


def test_moves_between_devices(two_devices: tuple[Any, Any]) -> None:
    values = np.arange(12, dtype=np.int16).reshape(3, 4)
    for first in two_devices:
        for second in two_devices:
            a = cp.asarray(values, device=first)
            moved = a[::-1, ::2].to_device(second)
            assert moved.device == second
            assert_same(moved, values[::-1, ::2])
            moved[...] = 0
            if first != second:
                assert_same(a, values)


def test_names_of_devices() -> None:
    devices = all_devices()
    assert len(set(devices)) == len(devices)
    for device in devices:
        assert cp.Device(str(device)) == device
        assert hash(cp.Device(str(device))) == hash(device)
        assert from_numpy(np.ones(1)).to_device(device).device == device
    assert cp.Device("cpu") == cp.Device("cpu:0")


@pytest.mark.parametrize(
    "text", ["", "gpu", "cuda:", "cpu:-1", "cpu:x", "cpu:1.5", "cuda:0x1", "CPU 0"]
)
def test_names_that_are_no_devices(text: str) -> None:
    with pytest.raises(ValueError, match="device"):
        cp.Device(text)


def test_devices_that_do_not_exist() -> None:
    for name in ("cpu:4096", f"{cp.Device().platform}:999"):
        with pytest.raises(cp.errors.DeviceError, match=r"999|4096"):
            cp.zeros(3, device=name)
        with pytest.raises(cp.errors.DeviceError), cp.Device(name):
            pass


def test_emulated_devices_beside_a_gpu() -> None:
    """cpu:0 works on every machine, in the same process."""
    a = cp.asarray(np.arange(5.0), device="cpu:0")
    assert_same(cp.sqrt(a) * 2 + a.sum(), np.sqrt(np.arange(5.0)) * 2 + 10)
