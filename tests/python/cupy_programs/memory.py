"""Pools, their limits, allocators and hooks."""

import cupy as cp
from cupy.cuda import memory_hooks


class Counter(cp.cuda.MemoryHook):
    name = "Counter"

    def __init__(self):
        self.taken = self.given_back = 0

    def malloc_postprocess(self, **kwargs):
        assert kwargs["mem_ptr"]
        self.taken += kwargs["size"]

    def free_postprocess(self, **kwargs):
        self.given_back += 1


mempool = cp.get_default_memory_pool()
pinned_mempool = cp.get_default_pinned_memory_pool()
a = cp.zeros(100_000, dtype=cp.float64)
a += 1
assert float(a.sum()) == 100_000
assert mempool.used_bytes() >= a.nbytes
assert mempool.total_bytes() >= mempool.used_bytes()
del a
mempool.free_all_blocks()
pinned_mempool.free_all_blocks()

pool = cp.cuda.MemoryPool()
with cp.cuda.using_allocator(pool.malloc):
    b = cp.ones(1000)
    b.sum().get()
assert pool.used_bytes() > 0

counter, lines = Counter(), memory_hooks.LineProfileHook()
with counter, lines:
    c = cp.array([1.0, 2.0, 3.0])
    assert c.tolist() == [1, 2, 3]
    del c
    cp.cuda.Device().synchronize()
assert counter.taken >= 24
lines.print_report()
print("ok")
