"""A matrix product by tiles in shared memory, and a sum of blocks by warps."""

import cupy as cp
import numpy as np

TILE = 8
product = cp.RawKernel(
    r"""
    extern "C" __global__ void product(const double* a, const double* b, double* c, int n) {
      __shared__ double left[TILE][TILE], right[TILE][TILE];
      const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
      double sum = 0;
      for (int first = 0; first < n; first += TILE) {
        const int i = first + threadIdx.x, j = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < n && i < n ? a[row * n + i] : 0.0;
        right[threadIdx.y][threadIdx.x] = column < n && j < n ? b[j * n + column] : 0.0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
      }
      if (row < n && column < n) c[row * n + column] = sum;
    }
    """,
    "product",
    options=(f"-DTILE={TILE}",),
)
warp_sum = cp.RawKernel(
    r"""
    extern "C" __global__ void warp_sum(const double* x, double* total, int n) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      double value = i < n ? x[i] : 0.0;
      for (int step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffff, value, step);
      }
      if (threadIdx.x % 32 == 0) atomicAdd(total, value);
    }
    """,
    "warp_sum",
)

n = 21
a, b = cp.random.RandomState(3).rand(2, n, n)
c = cp.empty((n, n))
blocks = (n + TILE - 1) // TILE
product((blocks, blocks), (TILE, TILE), (a, b, c, np.int32(n)))
np.testing.assert_allclose(c.get(), a.get() @ b.get(), rtol=1e-12)
total = cp.zeros(1)
warp_sum((4,), (128,), (c, total, c.size))
np.testing.assert_allclose(float(total[0]), c.get().sum(), rtol=1e-12)
print("ok")
