"""Kernels as CUDA's users write them: shared memory, barriers, warps and atomics, beside NumPy."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

pytestmark = pytest.mark.cupola_only

MATRIX_PRODUCT = r"""
#define TILE 16
extern "C" __global__ void __launch_bounds__(TILE * TILE)
product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
        int n, int k) {
  __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += TILE) {
    const int i = first + threadIdx.x, j = first + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : 0.0f;
    right[threadIdx.y][threadIdx.x] = column < n && j < k ? __ldg(b + j * n + column) : 0.0f;
    __syncthreads();
#pragma unroll
    for (int p = 0; p < TILE; ++p) sum += left[threadIdx.y][p] * right[p][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
"""

BLOCK_SUM = r"""
extern __shared__ double partial[];
extern "C" __global__ void block_sum(const double* x, double* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0.0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
"""

HISTOGRAM = r"""
extern "C" __global__ void histogram(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int own[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
  __syncthreads();
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) atomicAdd(&own[x[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(counts + i, own[i]);
}
"""

SCAN = r"""
template <typename T>
__device__ T warp_scan(T value) {
  for (int distance = 1; distance < warpSize; distance *= 2) {
    T before = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x % warpSize >= distance) value += before;
  }
  return value;
}
template <typename T>
__global__ void scan(const T* x, T* out, int n) {
  __shared__ T warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T value = threadIdx.x < n ? x[threadIdx.x] : T(0);
  value = warp_scan(value);
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  if (warp == 0) warps[lane] = warp_scan(lane < blockDim.x / 32 ? warps[lane] : T(0));
  __syncthreads();
  if (warp > 0) value += warps[warp - 1];
  if (threadIdx.x < n) out[threadIdx.x] = value;
}
"""

STENCIL = r"""
#define RADIUS 3
__constant__ float weights[2 * RADIUS + 1];
extern "C" __global__ void stencil(const float* x, float* out, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + RADIUS;
  tile[at] = i < n ? x[i] : 0;
  if (threadIdx.x < RADIUS) {
    tile[at - RADIUS] = i >= RADIUS ? x[i - RADIUS] : 0;
    tile[at + blockDim.x] = i + blockDim.x < n ? x[i + blockDim.x] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += weights[k + RADIUS] * tile[at + k];
  if (i < n) out[i] = sum;
}
"""


def random(shape: Any, dtype: str) -> np.ndarray:
    """Numbers between 0 and 1."""
    return np.random.default_rng(7).random(shape).astype(dtype)


def test_tiled_matrix_product() -> None:
    m, n, k = 50, 70, 45
    a, b = random((m, k), "float32"), random((k, n), "float32")
    c = cp.zeros((m, n), "float32")
    kernel = cp.RawKernel(MATRIX_PRODUCT, "product")
    grid = ((n + 15) // 16, (m + 15) // 16)
    kernel(grid, (16, 16), (cp.asarray(a), cp.asarray(b), c, m, n, k))
    np.testing.assert_allclose(c.get(), a @ b, rtol=1e-5)


@pytest.mark.parametrize("block", [64, 256, 1024])
def test_block_reduction(block: int) -> None:
    x = random(5000, "float64")
    blocks = -(-x.size // block)
    sums = cp.zeros(blocks)
    kernel = cp.RawKernel(BLOCK_SUM, "block_sum")
    kernel((blocks,), (block,), (cp.asarray(x), sums, x.size), shared_mem=8 * block)
    padded = np.concatenate([x, np.zeros(blocks * block - x.size)]).reshape(blocks, block)
    np.testing.assert_allclose(sums.get(), padded.sum(axis=1), rtol=1e-13)


def test_histogram_by_atomics() -> None:
    x = np.random.default_rng(3).integers(0, 256, 20000, dtype="uint8")
    counts = cp.zeros(256, "uint32")
    cp.RawKernel(HISTOGRAM, "histogram")((8,), (128,), (cp.asarray(x), counts, x.size))
    assert_same(counts, np.bincount(x, minlength=256).astype("uint32"))


@pytest.mark.parametrize(("kind", "dtype"), [("int", "i4"), ("double", "f8"), ("long long", "i8")])
def test_scan_by_shuffles(kind: str, dtype: str) -> None:
    module = cp.RawModule(
        code=SCAN, name_expressions=["scan<int>", "scan<double>", "scan<long long>"]
    )
    x = np.random.default_rng(5).integers(-9, 9, 500).astype(dtype)
    out = cp.zeros(x.size, dtype)
    module.get_function(f"scan<{kind}>")((1,), (512,), (cp.asarray(x), out, x.size))
    assert_same(out, np.cumsum(x, dtype=dtype))


def test_stencil_with_halos() -> None:
    module = cp.RawModule(code=STENCIL)
    weights = np.array([1, -2, 3, 4, 3, -2, 1], "float32")
    module.get_global("weights").copy_from_host(weights, weights.nbytes)
    x = np.random.default_rng(5).integers(-9, 9, 1000).astype("float32")
    out = cp.zeros(x.size, "float32")
    kernel = module.get_function("stencil")
    kernel((8,), (128,), (cp.asarray(x), out, x.size), shared_mem=4 * (128 + 6))
    assert_same(out, np.convolve(x, weights[::-1], "same").astype("float32"))
