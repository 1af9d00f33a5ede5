"""Batches through two pinned buffers: one is copied while the other one is computed on."""

import cupy as cp
import cupyx
import numpy as np

batches = np.random.default_rng(9).random((7, 2000)).astype(np.float32)
buffers = [cupyx.empty_pinned(2000, np.float32) for _ in range(2)]
arrays = [cp.empty(2000, cp.float32) for _ in range(2)]
copying, computing = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
copied = [cp.cuda.Event() for _ in range(2)]
computed = [cp.cuda.Event() for _ in range(2)]
sums = cp.zeros(len(batches), cp.float64)
for number, batch in enumerate(batches):
    slot = number % 2
    copied[slot].synchronize()
    buffers[slot][...] = batch
    copying.wait_event(computed[slot])
    arrays[slot].set(buffers[slot], stream=copying)
    copying.record(copied[slot])
    computing.wait_event(copied[slot])
    with computing:
        sums[number] = (arrays[slot].astype(cp.float64) ** 2).sum()
    computing.record(computed[slot])
computing.synchronize()
np.testing.assert_allclose(sums.get(), (batches.astype(float) ** 2).sum(axis=1), rtol=1e-12)

memory = cp.cuda.alloc_pinned_memory(sums.nbytes)
host = np.frombuffer(memory, np.float64, sums.size)
sums.get(out=host)
np.testing.assert_array_equal(host, sums.get())
cp.get_default_pinned_memory_pool().free_all_blocks()
print("ok")
