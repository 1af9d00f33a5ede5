"""Memory pointers, memory of others, managed arrays."""

import ctypes
import gc
import weakref
from typing import Any

import numpy as np
import pytest

import cupola as cp

pytestmark = pytest.mark.cupola_only


def test_pointer_of_an_array() -> None:
    a = cp.arange(10, dtype="i4")
    pointer = a.data
    assert int(pointer) == pointer.ptr == a.data.mem.ptr
    assert a[3:].data.ptr == pointer.ptr + 12
    assert (pointer + 12) == a[3:].data
    assert (12 + pointer).ptr - 4 == (pointer + 8).ptr
    assert (pointer + 12 - 12) == pointer
    moved = a.data
    moved += 8
    moved -= 4
    assert moved.ptr == pointer.ptr + 4
    assert pointer.device_id == a.device.id
    assert pointer.device == a.device
    assert hash(pointer) == hash(a.data)
    assert repr(pointer).startswith("<MemoryPointer 0x")


def test_array_over_memory() -> None:
    memory = cp.cuda.alloc(1024)
    a = cp.ndarray((16, 8), np.float64, memptr=memory)
    a[...] = cp.arange(128).reshape(16, 8)
    row = cp.ndarray((8,), np.float64, memory + 64)
    np.testing.assert_array_equal(cp.asnumpy(row), np.arange(8, 16))
    column = cp.ndarray((16,), "f8", memory, strides=(64,))
    np.testing.assert_array_equal(cp.asnumpy(column), np.arange(128)[::8])
    fortran = cp.ndarray((8, 16), "f8", memory, order="F")
    np.testing.assert_array_equal(cp.asnumpy(fortran), np.arange(128).reshape(16, 8).T)
    backwards = cp.ndarray((16,), "f8", memory + 15 * 64, strides=(-64,))
    np.testing.assert_array_equal(cp.asnumpy(backwards), np.arange(128)[::8][::-1])
    del memory, a
    gc.collect()
    np.testing.assert_array_equal(cp.asnumpy(row), np.arange(8, 16))


@pytest.mark.parametrize(
    ("shape", "dtype", "offset", "strides"),
    [
        ((129,), "f8", 0, None),
        ((128,), "f8", 8, None),
        ((1,), "f8", -8, None),
        ((2,), "f8", 0, (-8,)),
        ((2,), "f8", 0, (1024,)),
        ((4,), "f8", 4, None),
        ((4,), "f8", 0, (12,)),
        ((4, 2), "f8", 0, (8,)),
        ((-1,), "f8", 0, None),
    ],
)
def test_arrays_beyond_memory(shape: Any, dtype: Any, offset: int, strides: Any) -> None:
    memory = cp.cuda.alloc(1024)
    with pytest.raises(ValueError, match=r"memory|aligned|strides|stride|negative"):
        cp.ndarray(shape, dtype, memory + offset, strides)
    memory.memset(1, 1024)
    assert int(cp.ndarray((1024,), "u1", memory).sum()) == 1024


def test_strides_without_memory_are_laid_over_new_memory() -> None:
    assert cp.ndarray((2, 3), "i4", strides=(4, 8)).strides == (4, 8)
    assert cp.ndarray((2, 3), strides=(0, 8)).flags.writeable
    for strides in ((8, 16), (-4, 8), (4,)):
        with pytest.raises(ValueError, match="strides"):
            cp.ndarray((2, 3), "i4", strides=strides)


def test_copies_between_host_and_memory() -> None:
    memory = cp.cuda.alloc(100)
    source = np.arange(100, dtype="u1")
    memory.copy_from_host(source, 100)
    target = np.zeros(100, "u1")
    memory.copy_to_host(target, 100)
    np.testing.assert_array_equal(target, source)
    (memory + 10).copy_to_host(ctypes.c_void_p(target.ctypes.data), 5)
    np.testing.assert_array_equal(target[:6], [10, 11, 12, 13, 14, 5])
    (memory + 90).copy_from_host(target.ctypes.data, 2)
    stream = cp.cuda.Stream()
    memory.copy_to_host_async(target, 100, stream)
    np.testing.assert_array_equal(target[88:93], [88, 89, 10, 11, 92])
    memory.copy_from_host_async(source[::-1].copy(), 50, stream)
    memory.memset_async(300, 4, stream)
    memory.copy_from((memory + 50), 2)
    memory.copy_to_host(target, 6)
    np.testing.assert_array_equal(target[:6], [50, 51, 44, 44, 95, 94])
    other = cp.cuda.alloc(100)
    other.copy_from_device_async(memory, 100, stream)
    other.copy_to_host(target, 6)
    np.testing.assert_array_equal(target[:6], [50, 51, 44, 44, 95, 94])


def test_copies_that_do_not_fit() -> None:
    memory = cp.cuda.alloc(100)
    host = np.zeros(200, "u1")
    for call in (
        lambda: memory.copy_from_host(host, 101),
        lambda: memory.copy_to_host(host, 101),
        lambda: memory.copy_from_host(host[:50], 60),
        lambda: memory.copy_from_host(host[::2], 60),
        lambda: memory.copy_from_host(0, 60),
        lambda: memory.memset(0, 101),
        lambda: memory.memset(0, -1),
        lambda: (memory - 1).memset(0, 1),
    ):
        with pytest.raises(ValueError, match=r"memory|bytes|contiguous"):
            call()


def test_sizes() -> None:
    with pytest.raises(ValueError, match="negative"):
        cp.cuda.alloc(-1)
    assert cp.cuda.alloc(0).ptr == 0
    with pytest.raises(TypeError):
        cp.cuda.alloc("many")  # type: ignore[arg-type]


class Owner:
    """Can be watched."""


def test_memory_of_others_keeps_its_owner() -> None:
    base = cp.arange(100, dtype="i8")
    owner = Owner()
    watch = weakref.ref(owner)
    memory = cp.cuda.UnownedMemory(base.data.ptr, 800, owner)
    del owner
    a = cp.ndarray((100,), "i8", cp.cuda.MemoryPointer(memory, 0))
    del memory
    gc.collect()
    assert watch() is not None
    np.testing.assert_array_equal(cp.asnumpy(a), np.arange(100))
    a += 1
    assert int(base.sum()) == 5050
    del a
    for _ in range(100_000):
        if watch() is None:
            return
    raise AssertionError("the owner is still kept")


def test_bad_memory_of_others() -> None:
    base = cp.arange(100)
    pointer = base.data.ptr
    with pytest.raises(ValueError, match="null"):
        cp.cuda.UnownedMemory(0, 8, None)
    with pytest.raises(ValueError, match="address"):
        cp.cuda.UnownedMemory(-8, 8, None)
    with pytest.raises(ValueError, match="negative"):
        cp.cuda.UnownedMemory(pointer, -8, None)
    with pytest.raises(cp.errors.DeviceError):
        cp.cuda.UnownedMemory(pointer, 8, None, 99)
    count = len(cp.all_devices())
    if count > 1:
        other = (cp.cuda.runtime.pointerGetAttributes(pointer).device + 1) % count
        with pytest.raises(ValueError, match="is memory of"):
            cp.cuda.UnownedMemory(pointer, 8, None, other)
    assert cp.cuda.UnownedMemory(0, 0, None).size == 0
    assert cp.cuda.UnownedMemory(pointer, 800, base).device_id == base.device.id


class OwnMemory(cp.cuda.BaseMemory):
    """As a program's allocator makes it."""

    def __init__(self, size: int) -> None:
        self.pinned = cp.cuda.malloc_managed(size)
        self.ptr, self.size, self.device_id = self.pinned.ptr, size, 0


def test_memory_classes_of_programs() -> None:
    memory = cp.cuda.MemoryPointer(OwnMemory(800), 0)
    a = cp.ndarray((100,), "f8", memory)
    a[...] = 2
    b = cp.ndarray((100,), "f8", memory)
    assert float(b.sum()) == 200
    with cp.cuda.using_allocator(lambda size: cp.cuda.MemoryPointer(OwnMemory(size), 0)):
        assert float((cp.ones(1000) + a[0]).sum()) == 3000


@pytest.mark.parametrize("kind", [cp.cuda.Memory, cp.cuda.ManagedMemory, cp.cuda.MemoryAsync])
def test_memory_without_a_pool(kind: Any) -> None:
    memory = kind(1000)
    assert memory.size == 1000
    assert memory.ptr % 256 == 0
    a = cp.ndarray((125,), "f8", cp.cuda.MemoryPointer(memory, 0))
    a[...] = 1
    assert float(a.sum()) == 125
    with pytest.raises(MemoryError):
        kind(1 << 60)


def test_managed_arrays_move() -> None:
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        a = cp.arange(100_000)
        pending = a + 1
    a.prefetch("host")
    a.prefetch()
    a[::2].prefetch(a.device)
    for advice in ("read_mostly", "preferred_location", "accessed_by"):
        a.advise(advice)
        a.advise("unset_" + advice)
    a.advise("preferred_location", "host")
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        pending.prefetch()
    assert int(pending.sum()) == 100_000 * 100_001 // 2
    memory = cp.cuda.ManagedMemory(4096)
    memory.advise(1)
    memory.advise(2, memory.device)
    memory.prefetch(cp.cuda.Stream())
    for number in (0, 7):
        with pytest.raises(ValueError, match="advice"):
            memory.advise(number)
    with pytest.raises(ValueError, match="advice"):
        a.advise("quickly")


def test_only_managed_arrays_move() -> None:
    a = cp.ones(1000)
    with pytest.raises(ValueError, match="managed"):
        a.prefetch()
    with pytest.raises(ValueError, match="managed"):
        a.advise("read_mostly")
    assert float(a.sum()) == 1000
