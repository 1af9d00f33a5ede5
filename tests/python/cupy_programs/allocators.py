"""Managed memory, memory of others, an allocator written in Python, and a limit."""

import cupy as cp
import numpy as np

with cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
    managed = cp.arange(1000, dtype=cp.float32)
assert float((managed * 2).sum()) == 999_000

owner = cp.arange(10, dtype=cp.int32)
lent = cp.cuda.UnownedMemory(owner.data.ptr, owner.nbytes, owner)
view = cp.ndarray((5,), cp.int32, memptr=cp.cuda.MemoryPointer(lent, 5 * 4))
view += 100
assert owner.tolist() == [0, 1, 2, 3, 4, 105, 106, 107, 108, 109]

blocks = {}


def malloc(size, device):
    memory = cp.cuda.Memory(size)
    blocks[memory.ptr] = memory
    return memory.ptr


def free(pointer, device):
    del blocks[pointer]


allocator = cp.cuda.PythonFunctionAllocator(malloc, free)
with cp.cuda.using_allocator(allocator.malloc):
    block = cp.ones(100)
    assert len(blocks) == 1
    assert float(block.sum()) == 100
del block
cp.cuda.Device().synchronize()

pool = cp.cuda.MemoryPool()
pool.set_limit(size=1 << 20)
with cp.cuda.using_allocator(pool.malloc):
    try:
        cp.zeros(1 << 20)
    except cp.cuda.memory.OutOfMemoryError as error:
        message = str(error)
    small = cp.zeros(1000)
assert "1048576" in message.replace(",", "") or "1 MiB" in message, message
np.testing.assert_array_equal(small.get(), 0)
assert pool.get_limit() == 1 << 20
print("ok")
