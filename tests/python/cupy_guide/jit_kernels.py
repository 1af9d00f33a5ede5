"""Kernels written in Python: launches, strides over the grid, shared memory, device functions."""

import cupy as cp
import numpy as np
from cupyx import jit


@jit.rawkernel()
def elementwise_copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


size = cp.uint32(2**12)
x = cp.random.normal(size=(int(size),), dtype=cp.float32)
y = cp.empty((int(size),), dtype=cp.float32)
elementwise_copy((16,), (64,), (x, y, size))
cp.testing.assert_array_equal(x, y)
y.fill(0)
elementwise_copy[16, 64](x, y, size)
cp.testing.assert_array_equal(x, y)


@jit.rawkernel(device=True)
def cubed(value):
    return value * value * value


@jit.rawkernel()
def cubes(x, y, n):
    i = jit.grid(1)
    if i < n:
        y[i] = cubed(x[i])


a = cp.arange(100, dtype=cp.float64)
b = cp.zeros(100)
cubes[4, 32](a, b, 100)
np.testing.assert_array_equal(b.get(), np.arange(100.0) ** 3)


@jit.rawkernel()
def block_reverse(x, y):
    held = jit.shared_memory(cp.int32, 64)
    tid = jit.threadIdx.x
    held[tid] = x[jit.blockIdx.x * 64 + tid]
    jit.syncthreads()
    y[jit.blockIdx.x * 64 + tid] = held[63 - tid]


numbers = cp.arange(128, dtype=cp.int32)
turned = cp.empty_like(numbers)
block_reverse[2, 64](numbers, turned)
np.testing.assert_array_equal(turned.get(), np.arange(128).reshape(2, 64)[:, ::-1].ravel())


@jit.rawkernel()
def count(x, bins, n):
    i = jit.grid(1)
    if i < n:
        jit.atomic_add(bins, x[i], 1)


values = np.random.default_rng(1).integers(0, 8, 500)
bins = cp.zeros(8, dtype=cp.int32)
count[4, 128](cp.asarray(values.astype(np.int32)), bins, 500)
np.testing.assert_array_equal(bins.get(), np.bincount(values, minlength=8))
print("ok")
