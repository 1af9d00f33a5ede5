"""Pools, their statistics and limits, other allocators, hooks, what is freed when."""

import cupy as cp
import numpy as np
from cupy.cuda import memory_hooks

mempool = cp.get_default_memory_pool()
pinned_mempool = cp.get_default_pinned_memory_pool()
mempool.free_all_blocks()
before = mempool.used_bytes()
a_cpu = np.ndarray(100, dtype=np.float32)
a = cp.array(a_cpu)
assert mempool.used_bytes() - before >= a.nbytes
assert mempool.total_bytes() >= mempool.used_bytes()
a = None
cp.cuda.Device().synchronize()
assert mempool.used_bytes() == before
assert mempool.n_free_blocks() >= 0
mempool.free_all_blocks()
pinned_mempool.free_all_blocks()
assert pinned_mempool.n_free_blocks() == 0

# A limit in bytes or as a part of the device's memory.
with cp.cuda.Device(0):
    pool = cp.cuda.MemoryPool()
    pool.set_limit(size=1 << 30)
    assert pool.get_limit() == 1 << 30
    pool.set_limit(fraction=0.5)
    free, total = cp.cuda.Device(0).mem_info
    assert abs(pool.get_limit() - total / 2) <= 1
    pool.set_limit(size=0)

# Other allocators: managed memory, the platform's own, none.
default = cp.cuda.get_allocator()
cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc)
assert int(cp.arange(10).sum()) == 45
cp.cuda.set_allocator(cp.cuda.MemoryAsyncPool().malloc)
assert int(cp.arange(10).sum()) == 45
cp.cuda.set_allocator(None)
assert int(cp.arange(10).sum()) == 45
cp.cuda.set_allocator(default)
cp.cuda.set_pinned_memory_allocator(None)
np.testing.assert_array_equal(cp.arange(3).get(), np.arange(3))
cp.cuda.set_pinned_memory_allocator(pinned_mempool.malloc)

hook = memory_hooks.LineProfileHook()
with hook:
    b = cp.zeros(1000)
    b += 1
hook.print_report()
with memory_hooks.DebugPrintHook():
    c = cp.ones(10)
assert float(b.sum() + c.sum()) == 1010
print("ok")
