"""NumPy arrays in pinned memory, and pinning of memory that exists."""

import gc
from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola import _cupola as core

pytestmark = pytest.mark.cupola_only


def kind_of(array: np.ndarray) -> str:
    """What the platform knows of the array's address."""
    return str(core.pointer_kind(array.ctypes.data))


@pytest.mark.parametrize("shape", [(), 5, (3, 4), (0, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["f8", "i2", bool, np.complex64, float])
@pytest.mark.parametrize("order", ["C", "F"])
def test_new_arrays(shape: Any, dtype: Any, order: Any) -> None:
    for make, value in ((cp.zeros_pinned, 0), (cp.ones_pinned, 1)):
        a = make(shape, dtype, order)
        expected = np.full(shape, value, dtype, order=order)
        assert type(a) is np.ndarray
        assert a.dtype == expected.dtype
        assert a.flags.f_contiguous == expected.flags.f_contiguous
        np.testing.assert_array_equal(a, expected)
        if a.size:
            assert kind_of(a) == "pinned"
    assert cp.empty_pinned(shape, dtype, order).shape == np.empty(shape).shape
    full = cp.full_pinned(shape, 3, dtype, order)
    np.testing.assert_array_equal(full, np.full(shape, 3, dtype))
    assert cp.full_pinned(shape, 2.5).dtype == np.float64


def test_arrays_like_others() -> None:
    a = np.asfortranarray(np.arange(12, dtype="i4").reshape(3, 4))
    for other in (a, cp.asarray(a)):
        like = cp.zeros_like_pinned(other)
        assert like.flags.f_contiguous
        assert like.dtype == np.int32
        assert like.shape == (3, 4)
        assert not like.any()
    assert cp.empty_like_pinned(a, order="C").flags.c_contiguous
    assert cp.empty_like_pinned(a, dtype="f8", shape=(2,)).shape == (2,)
    assert cp.empty_like_pinned([1.0, 2.0]).dtype == np.float64


def test_bad_shapes() -> None:
    with pytest.raises(ValueError, match="negative"):
        cp.empty_pinned((2, -1))
    with pytest.raises(ValueError, match="negative"):
        cp.cuda.alloc_pinned_memory(-5)


def test_memory_goes_back_when_the_last_view_is_gone() -> None:
    pool = cp.get_default_pinned_memory_pool()
    before = pool.used_bytes()
    a = cp.empty_pinned(100_000)
    view = a[10:20].reshape(2, 5)
    assert pool.used_bytes() > before
    del a
    gc.collect()
    assert pool.used_bytes() > before
    view[...] = 1
    del view
    gc.collect()
    assert pool.used_bytes() == before
    assert pool.free_bytes() > 0
    assert pool.n_free_blocks() > 0
    address = cp.empty_pinned(100_000).ctypes.data
    assert cp.empty_pinned(100_000).ctypes.data == address
    assert pool.free_all_blocks() > 0


def test_round_trip_through_a_device() -> None:
    a = cp.empty_pinned((300, 1000), "f4")
    a[...] = np.arange(300_000, dtype="f4").reshape(300, 1000)
    b = cp.asarray(a) * 2
    out = cp.empty_like_pinned(a)
    b.get(out=out)
    np.testing.assert_array_equal(out, a * 2)


def test_pointers_lend_buffers() -> None:
    memory = cp.cuda.alloc_pinned_memory(1000)
    assert memory.size() == 1000
    assert memory.mem.size == 1000
    assert int(memory) == memory.ptr
    a = np.frombuffer(memory, "f8", 10)
    a[...] = 7
    part = memory + 72
    assert part.size() == 928
    assert np.frombuffer(part, "f8", 1)[0] == 7
    assert (part - 72).ptr == memory.ptr
    with pytest.raises(ValueError, match="not within"):
        memory + 1001
    with pytest.raises(ValueError, match="not within"):
        memory - 1


def test_pools_and_allocators() -> None:
    pool = cp.cuda.PinnedMemoryPool()
    cp.cuda.set_pinned_memory_allocator(pool.malloc)
    try:
        a = cp.ones_pinned(1000)
        assert pool.used_bytes() == 8192
        del a
        gc.collect()
        assert pool.used_bytes() == 0
        assert pool.n_free_blocks() >= 1
        pool.free_all_blocks()
        assert pool.free_bytes() == 0
        cp.cuda.set_pinned_memory_allocator()
        unpooled = cp.ones_pinned(1000)
        assert kind_of(unpooled) == "pinned"
        assert pool.used_bytes() == 0
    finally:
        cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)
    with pytest.raises(TypeError, match="callable"):
        cp.cuda.set_pinned_memory_allocator(3)  # type: ignore[arg-type]


def test_pool_over_a_function() -> None:
    calls = []

    def malloc(size: int) -> Any:
        calls.append(size)
        return cp.cuda.PinnedMemory(size)

    pool = cp.cuda.PinnedMemoryPool(malloc)
    for _ in range(5):
        np.frombuffer(pool.malloc(1000), "u1")[...] = 1
    assert len(calls) == 1


def test_pinning_an_existing_array() -> None:
    a = np.arange(100_000.0)
    with cp.pin(a) as pinned:
        assert pinned is a
        assert kind_of(a) == "pinned"
        assert float(cp.asarray(a).sum()) == a.sum()
        with pytest.raises(ValueError, match="pinned already"):
            cp.pin(a[100:200])
    assert kind_of(a) == "unknown"
    held = cp.pin(a)
    assert held.is_pinned
    assert "pinned" in repr(held)
    held.unpin()
    held.unpin()
    assert not held.is_pinned
    cp.pin(a)  # dropped at once
    gc.collect()
    assert kind_of(a) == "unknown"
    cp.pin(np.empty(0)).unpin()


def test_what_cannot_be_pinned() -> None:
    for other in ([1, 2], cp.ones(3), 5, None):
        with pytest.raises(TypeError, match=r"numpy\.ndarray"):
            cp.pin(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [object, "O", [("a", "f8"), ("b", object)]])
def test_python_objects_are_refused(dtype: Any) -> None:
    with pytest.raises(TypeError, match="Python objects"):
        cp.empty_pinned(64, dtype)
    with pytest.raises(TypeError, match="Python objects"):
        cp.zeros_like_pinned(np.empty(3), dtype)
    with pytest.raises(TypeError, match="Python objects"):
        cp.full_pinned(3, None)
