"""Arrays in chunks on several devices: `cupyx.distributed.array`."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.device_sets import COUNT, PLATFORM

pytestmark = [
    pytest.mark.cupola_only,
    pytest.mark.skipif(COUNT < 3, reason="needs several devices"),
]

if hasattr(cp, "errors"):
    from cupola.cupyx.distributed import array as distributed
    from cupola.cupyx.distributed.array import distributed_array, make_2d_index_map

MAPS: list[dict[int, Any]] = [
    {0: slice(None)},
    {0: [(slice(2), slice(2)), slice(None, None, 2)], 1: (slice(1, None), 2), 2: slice(1, 3)},
    {1: [slice(0, 4, 3), slice(1, None)], 0: slice(None, None, 2)},
    make_2d_index_map([0, 2, 4], [0, 3, 5], [[{0}, {1}], [{2}, {0, 1}]])
    if hasattr(cp, "errors")
    else {},
    {2: [(slice(0, 4), slice(1, 5, 2))], 0: [-1, 0, 1, 2], 1: (slice(0, 4), slice(0, 5, 3))},
]
VALUES = (np.arange(20).reshape(4, 5) * 7 % 11) - 4
MODES = ["replica", "min", "max", "sum", "prod"]


def covered(index_map: dict[int, Any]) -> np.ndarray:
    """Which elements some chunk has."""
    found = np.zeros(VALUES.shape, bool)
    for given in index_map.values():
        for index in given if isinstance(given, list) else [given]:
            found[index] = True
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", range(len(MAPS)))
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_values_in_every_mode_and_placement(number: int, mode: str, dtype: str) -> None:
    values, index_map = VALUES.astype(dtype), MAPS[number]
    a = distributed_array(values, index_map, mode)
    assert a.mode == mode
    assert (a.shape, a.dtype, a.ndim, a.size) == ((4, 5), np.dtype(dtype), 2, 20)
    assert set(a.devices) == set(index_map)
    known = covered(index_map)
    np.testing.assert_array_equal(a.get()[known], values[known])
    for device, chunks in a.all_chunks().items():
        assert {chunk.device.id for chunk in chunks} == {device}
        shapes = [values[index].shape for index in a.index_map[device]]
        assert [chunk.shape for chunk in chunks] == shapes
    for other_mode in MODES:
        changed = a.change_mode(other_mode)
        assert changed.mode == other_mode
        np.testing.assert_array_equal(changed.get()[known], values[known])
        for other in MAPS:
            moved = changed.reshard(other)
            both = known & covered(other)
            np.testing.assert_array_equal(moved.get()[both], values[both])
            assert moved.mode == other_mode
    np.testing.assert_array_equal(a.get()[known], values[known])  # nobody has changed it


def test_elements_count_once_in_sums() -> None:
    a = distributed_array(VALUES, MAPS[1]).change_mode("sum")
    total = np.zeros_like(VALUES)
    for device, chunks in a.all_chunks().items():
        for index, chunk in zip(a.index_map[device], chunks, strict=True):
            total[index] += to_numpy(chunk)
    known = covered(MAPS[1])
    np.testing.assert_array_equal(total, np.where(known, VALUES, 0))


def test_arrays_of_devices_and_of_sets_are_distributed() -> None:
    for device in (f"{PLATFORM}:1", f"{PLATFORM}:0-2"):
        source = cp.asarray(VALUES, device=device)
        a = distributed_array(source, MAPS[3])
        np.testing.assert_array_equal(a.get(), VALUES)
        source[...] = 0
        np.testing.assert_array_equal(a.get(), VALUES)
        whole = a.to_device(f"{PLATFORM}:0-2")
        assert whole.device == cp.Device(f"{PLATFORM}:0-2")
        np.testing.assert_array_equal(to_numpy(whole), VALUES)
    assert distributed_array(a, MAPS[3]).index_map == a.index_map
    np.testing.assert_array_equal(distributed_array(a, MAPS[0], "max").get(), VALUES)
    np.testing.assert_array_equal(distributed_array([1, 2, 3], {1: slice(None)}).get(), [1, 2, 3])
    np.testing.assert_array_equal(cp.asnumpy(a), VALUES)


@pytest.mark.parametrize("mode", MODES)
def test_elementwise(mode: str) -> None:
    a = distributed_array(VALUES, MAPS[3], mode)
    same = distributed_array(VALUES * 2.0, MAPS[3])
    other = distributed_array(VALUES + 30, {2: slice(2), 1: slice(1, 4)}, "sum")
    for b, values in ((same, VALUES * 2.0), (other, VALUES + 30)):
        results = [(a + b, VALUES + values), (cp.arctan2(a, b), np.arctan2(VALUES, values))]
        results += [(np.maximum(a, b), np.maximum(VALUES, values)), (b - 1, values - 1)]
        results += [(2 * a < b, 2 * VALUES < values), (-a, -VALUES), (cp.abs(a), np.abs(VALUES))]
        for found, expected in results:
            assert found.mode == "replica"
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found.get(), expected, rtol=1e-14)
    assert (a + same).index_map == a.index_map
    quotients, rests = cp.divmod(a, 3)
    np.testing.assert_array_equal(quotients.get(), VALUES // 3)
    np.testing.assert_array_equal(rests.get(), VALUES % 3)
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * 10 + y", "joined")
    np.testing.assert_array_equal(kernel(a, other).get(), VALUES * 10 + VALUES + 30)
    a += other
    np.testing.assert_array_equal(a.get(), VALUES * 2 + 30)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", [0, 3, 4])
def test_reductions(number: int, mode: str) -> None:
    a = distributed_array(VALUES, MAPS[number], mode)
    known = covered(MAPS[number])
    assert known.all()
    for name in ("max", "min", "sum", "prod"):
        for axis in (0, 1, -1, None, (0, 1)):
            for keepdims in (False, True):
                found = getattr(a, name)(axis=axis, keepdims=keepdims)
                expected = getattr(VALUES, name)(axis=axis, keepdims=keepdims)
                assert found.mode == name
                assert found.dtype == expected.dtype
                np.testing.assert_array_equal(found.get(), expected)
    assert a.sum(axis=0, dtype="float32").dtype == np.float32
    np.testing.assert_array_equal(np.sum(a, axis=0).get(), VALUES.sum(0))
    np.testing.assert_array_equal(a.sum(axis=1).max(axis=0).get(), VALUES.sum(1).max())


def test_matrix_products() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(-9, 9, (2, 3)), rng.integers(-9, 9, (3, 4))
    rows = make_2d_index_map([0, 2], [0, 1, 3], [[{0}, {1, 2}]])
    columns = make_2d_index_map([0, 1, 3], [0, 2, 4], [[{0}, {0}], [{1}, {2}]])
    product = distributed_array(x, rows) @ distributed_array(y, columns)
    assert product.mode == "sum"
    np.testing.assert_array_equal(product.get(), x @ y)
    chunks = {device: [to_numpy(each) for each in those] for device, those in _chunks_of(product)}
    np.testing.assert_array_equal(chunks[0][1], x[:, :1] @ y[:1, 2:])
    np.testing.assert_array_equal(chunks[1][0], x[:, 1:] @ y[1:, :2])
    np.testing.assert_array_equal(chunks[2][0], x[:, 1:] @ y[1:, 2:])
    apart = distributed_array(y, {1: slice(0, 1), 0: slice(1, 3)}, "sum")
    copied = distributed.matmul(distributed_array(x, rows), apart)
    np.testing.assert_array_equal(copied.get(), x @ y)
    weighted = np.matmul(product, product.sum(axis=0))
    np.testing.assert_array_equal(weighted.get(), x @ y @ (x @ y).sum(0))
    stack = rng.random((2, 3, 3))
    a = distributed_array(stack, {0: 0, 1: 1})
    np.testing.assert_allclose((a @ a).get(), stack @ stack, rtol=1e-12)
    line = distributed_array(stack[0, 0], {2: slice(None)})
    np.testing.assert_allclose((line @ line).get(), stack[0, 0] @ stack[0, 0], rtol=1e-12)


def _chunks_of(a: Any) -> Any:
    return a.all_chunks().items()


def test_what_is_refused() -> None:
    a = distributed_array(VALUES, MAPS[3])
    with pytest.raises(RuntimeError, match="Mixing a distributed array"):
        a + from_numpy(VALUES)
    with pytest.raises(RuntimeError, match="Mixing a distributed array"):
        a @ from_numpy(VALUES)
    with pytest.raises(ValueError, match="do not match"):
        a + distributed_array(VALUES.T, {0: slice(None)})
    with pytest.raises(ValueError, match="incompatible"):
        a @ a
    with pytest.raises(RuntimeError, match="Inconsistent index mapping"):
        distributed_array(VALUES, {0: [slice(3), slice(2, 4)]}) @ distributed_array(
            VALUES.T, {0: slice(None)}
        )
    with pytest.raises(RuntimeError, match="mode"):
        a.change_mode("mean")
    with pytest.raises(TypeError, match="have an order"):
        distributed_array(VALUES.astype(complex), MAPS[3]).change_mode("max")
    for index, error in ((9, IndexError), (slice(2, 2), ValueError), ("x", ValueError)):
        with pytest.raises(error):
            distributed_array(VALUES, {0: index})
    with pytest.raises(ValueError, match="positive"):
        distributed_array(VALUES, {0: slice(None, None, -1)})
    with pytest.raises(NotImplementedError, match="does not support mean"):
        a.mean()
    with pytest.raises(NotImplementedError, match="indexing"):
        a[0]
    with pytest.raises(TypeError, match=r"\.get\(\)"):
        np.asarray(a)
    with pytest.raises(ValueError, match="rise from 0"):
        make_2d_index_map([1, 2], [0, 1], [[{0}]])


def test_what_it_has_not_is_told() -> None:
    a = distributed_array(cp.arange(4), {0: slice(None)})
    assert not hasattr(a, "transpose")
    with pytest.raises(NotImplementedError, match="transpose"):
        a.transpose()
