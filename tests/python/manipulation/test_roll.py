"""Rolled arrays are read where their elements lie, inside the kernels that use them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola import _cupola

pytestmark = pytest.mark.usefixtures("deferred")


@contextmanager
def evaluated_at_once() -> Iterator[None]:
    cp.config.eager = True
    try:
        yield
    finally:
        cp.config.eager = False


def some(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 5) -> np.ndarray:
    return (np.random.default_rng(seed).random(shape) * 200 - 100).astype(dtype)


def laplacian(xp: Any, a: Any) -> Any:
    return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1) - 4 * a


def assert_same(function: Any, *host: np.ndarray) -> None:
    expected = function(np, *host)
    for at_once in (False, True):
        device = [cp.asarray(each) for each in host]
        if at_once:
            with evaluated_at_once():
                found = cp.asnumpy(function(cp, *device))
        else:
            found = cp.asnumpy(function(cp, *device))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float16, np.int32, np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(1,), (7,), (1000,), (1, 9), (33, 1), (40, 300), (3, 4, 5, 6)])
@pytest.mark.parametrize("shift", [0, 1, -1, 3, 1000003])
def test_values_along_every_axis(dtype: Any, shape: tuple[int, ...], shift: int) -> None:
    host = some(shape, dtype)
    for axis in range(-len(shape), len(shape)):
        assert_same(lambda xp, a, axis=axis: xp.roll(a, shift, axis), host)
        assert_same(lambda xp, a, axis=axis: xp.where(xp.roll(a, shift, axis), a, a[::-1]), host)
    assert_same(lambda xp, a: xp.roll(a, shift), host)
    assert_same(lambda xp, a: xp.roll(a, (shift, 2), (0, -1)), host)


@pytest.mark.parametrize("seed", range(60))
def test_random_rolls_of_any_layout(seed: int) -> None:
    random = np.random.default_rng(seed)
    rank = int(random.integers(1, 5))
    most = (2000, 90, 16, 8)[rank - 1]
    host = some(tuple(int(n) for n in random.integers(0 if seed % 9 == 0 else 1, most, rank)))
    order = tuple(int(axis) for axis in random.permutation(rank))
    step = int(random.choice([-2, -1, 1, 1, 1, 3]))
    rolls = []
    for _ in range(3):
        count = int(random.integers(1, rank + 1))
        shifts = tuple(int(n) for n in random.integers(-99, 99, count))
        rolls.append((shifts, tuple(int(axis) for axis in random.permutation(rank)[:count])))

    def program(xp: Any, a: Any) -> Any:
        a = a.transpose(order)[::step]
        first, second = xp.roll(a, *rolls[0]), xp.roll(a + 1, *rolls[1])
        third = xp.roll(first, *rolls[2])
        return xp.maximum(first, second) - third[::-1] + xp.roll(second.T, 1, 0).T

    assert_same(program, host)


def on_one_device(host: np.ndarray) -> Any:
    """Sets copy what is rolled."""
    device = cp.empty(0).device
    return cp.asarray(host, device=device[0] if device.is_set else device)


def test_a_sum_of_rolls_is_one_kernel() -> None:
    host = some((64, 80))
    a = on_one_device(host)
    result = laplacian(cp, a)
    assert _cupola.is_pending(result)
    (kernel,) = cp.explain(result).kernels
    assert kernel.operations.count("roll") == 4
    np.testing.assert_array_equal(cp.asnumpy(result), laplacian(np, host))


def test_steps_of_a_simulation_are_a_kernel_each() -> None:
    host = some((64, 80), np.float64)
    field, expected = on_one_device(host), host
    for _ in range(2):
        field = field + 0.1 * laplacian(cp, field)
        expected = expected + 0.1 * laplacian(np, expected)
    assert len(cp.explain(field).kernels) == 2
    np.testing.assert_array_equal(cp.asnumpy(field), expected)


def test_the_source_is_computed_once() -> None:
    host = some((64, 80))
    a = on_one_device(host)
    source = cp.sqrt(cp.abs(a)) * 3
    result = source + cp.roll(source, 1, 0) - cp.roll(source, 1, 1)
    del source
    assert len(cp.explain(result).kernels) == 2
    root = np.sqrt(np.abs(host)) * np.float32(3)
    np.testing.assert_array_equal(
        cp.asnumpy(result), root + np.roll(root, 1, 0) - np.roll(root, 1, 1)
    )


def test_what_cannot_read_it_in_place_has_it_stored() -> None:
    host = some((48, 48), np.float64)
    a = cp.asarray(host)
    turned = np.roll(host, 5, 1)
    np.testing.assert_allclose(cp.asnumpy(cp.roll(a, 5, 1) @ a), turned @ host)
    np.testing.assert_array_equal(cp.asnumpy(cp.sort(cp.roll(a, 5, 1))), np.sort(turned))
    np.testing.assert_allclose(cp.asnumpy(cp.roll(a, 5, 1).cumsum(0)), turned.cumsum(0))
    np.testing.assert_allclose(cp.asnumpy((cp.roll(a, 5, 1) * a).sum(1)), (turned * host).sum(1))
    np.testing.assert_array_equal(
        cp.asnumpy(cp.roll(a, 5, 1)[cp.roll(a, 5, 1) > 0]), turned[turned > 0]
    )
    rolled = cp.roll(a, 5, 1)
    assert float(rolled[2, 3]) == turned[2, 3]


def test_views_of_it_share_its_memory() -> None:
    host = some((20, 30))
    rolled = cp.roll(cp.asarray(host), 4, 0)
    view, flipped = rolled[2:5], rolled.T[::-1]
    view += 1
    expected = np.roll(host, 4, 0)
    expected[2:5] += 1
    np.testing.assert_array_equal(cp.asnumpy(flipped), expected.T[::-1])
    np.testing.assert_array_equal(cp.asnumpy(rolled), expected)


def test_writes_to_the_source_come_afterwards() -> None:
    host = some((100, 70))
    a = cp.asarray(host)
    stored, pending = cp.roll(a, 3, 0), cp.roll(a + 0, 3, 0) * 2
    a[...] = 0
    np.testing.assert_array_equal(cp.asnumpy(stored), np.roll(host, 3, 0))
    np.testing.assert_array_equal(cp.asnumpy(pending), np.roll(host, 3, 0) * 2)
    source = cp.asarray(host) + 1
    rolled = cp.roll(source, -1, 1)
    source *= 2
    np.testing.assert_array_equal(cp.asnumpy(rolled), np.roll(host + 1, -1, 1))
    np.testing.assert_array_equal(cp.asnumpy(source), (host + 1) * 2)


def test_writes_of_it_to_its_source() -> None:
    host = some((100, 70))
    a, b = cp.asarray(host), cp.asarray(host)
    a[...] = cp.roll(a, 1, 1)
    np.testing.assert_array_equal(cp.asnumpy(a), np.roll(host, 1, 1))
    b += cp.roll(b, 2, 0) * 3
    np.testing.assert_array_equal(cp.asnumpy(b), host + np.roll(host, 2, 0) * np.float32(3))
    b[10:20] = cp.roll(b[11:21], 1, 0)
    want = host + np.roll(host, 2, 0) * np.float32(3)
    want[10:20] = np.roll(want[11:21], 1, 0)
    np.testing.assert_array_equal(cp.asnumpy(b), want)
    cp.add(a, cp.roll(a, 1, 0), out=a)
    want = np.roll(host, 1, 1)
    np.testing.assert_array_equal(cp.asnumpy(a), want + np.roll(want, 1, 0))


def test_a_rolled_row_is_broadcast() -> None:
    row, host = some((300,)), some((200, 300))
    assert_same(lambda xp, a, b: a * xp.roll(b, 7) + xp.roll(b, -7), host, row)
    big = some((1000, 300))
    assert_same(lambda xp, a, b: a * xp.roll(b + 1, 7), big, row)


def test_errors_are_numpys() -> None:
    a = cp.zeros((3, 4))
    with pytest.raises(np.exceptions.AxisError):
        cp.roll(a, 1, 2)
    with pytest.raises(np.exceptions.AxisError):
        cp.roll(a, (1, 1), (0, -3))
    with pytest.raises(ValueError):
        cp.roll(a, (1, 2, 3), (0, 1))


@pytest.mark.parametrize("axis", [[True, False], True, [0.0], 1.0])
def test_arrays_of_axes_hold_integers(axis: Any) -> None:
    a = cp.ones((2, 3))
    for given in (np.array(axis), cp.asarray(axis)):
        with pytest.raises(TypeError):
            cp.roll(a, 1, given)
    assert (cp.roll(a, 1, cp.asarray([0, 1])) == a).all()
    assert cp.roll(a, 1, True).shape == (2, 3)


def test_rolls_are_their_own_arrays() -> None:
    a = cp.asarray(some((5, 6)))
    for shift in (0, 2):
        rolled = cp.roll(a, shift, 1)
        assert not cp.shares_memory(rolled, a)
        assert rolled.flags.c_contiguous
        assert rolled.strides == (24, 4)
    turned = cp.roll(a.T, 1, 0)
    assert turned.strides == np.roll(cp.asnumpy(a).T, 1, 0).strides
