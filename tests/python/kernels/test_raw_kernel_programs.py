"""Kernels as CUDA's users write them: shared memory, barriers, warps and atomics, beside NumPy."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

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


def launched(code: str, out: Any, block: int = 32, grid: int = 1, **options: Any) -> np.ndarray:
    """What the kernel `k` of the text makes of `out`."""
    cp.RawKernel(code, "k", **options)((grid,), (block,), (out,))
    return cp.asnumpy(out)


def test_votes_and_lanes() -> None:
    code = r"""
    extern "C" __global__ void k(unsigned* out) {
      const unsigned i = threadIdx.x, all = 0xffffffffu;
      unsigned* row = out + i;
      row[0] = __ballot_sync(all, i % 3 == 0);
      row[32] = __any_sync(all, i == 5);
      row[64] = __all_sync(all, i < 31);
      row[96] = __match_any_sync(all, i % 4);
      if (i % 2) row[128] = __popc(__activemask());
      row[160] = __shfl_xor_sync(all, i, 3);
      row[192] = __shfl_sync(all, i * 10, 3, 8);
      row[224] = __shfl_down_sync(all, i, 2, 4);
      row[256] = __syncthreads_count(i > 10);
      row[288] = 2 * __syncthreads_and(i > 10) + __syncthreads_or(i > 30);
      if (i < 16) row[320] = __shfl_up_sync(0xffffu, i, 1);
    }"""
    out = launched(code, cp.zeros((11, 32), "uint32"))
    i = np.arange(32)
    assert (out[0] == 0x49249249).all()
    assert (out[1] == 1).all()
    assert (out[2] == 0).all()
    assert (out[3] == 0x11111111 << (i % 4)).all()
    assert (out[4, 1::2] <= 16).all()
    assert (out[4, 1::2] >= 1).all()
    assert (out[5] == i ^ 3).all()
    assert (out[6] == (i // 8 * 8 + 3) * 10).all()
    assert (out[7] == np.where(i % 4 < 2, i + 2, i)).all()
    assert (out[8] == 21).all()
    assert (out[9] == 1).all()
    assert (out[10, :16] == np.maximum(i[:16] - 1, 0)).all()


def test_atomic_functions() -> None:
    code = r"""
    __device__ double atomic_max(double* place, double value) {
      unsigned long long* bits = (unsigned long long*)place;
      unsigned long long seen = *bits, expected;
      do {
        expected = seen;
        double next = fmax(value, __longlong_as_double(expected));
        seen = atomicCAS(bits, expected, __double_as_longlong(next));
      } while (seen != expected);
      return __longlong_as_double(seen);
    }
    extern "C" __global__ void k(double* out) {
      __shared__ float sum;
      __shared__ unsigned bits;
      __shared__ long long least;
      if (threadIdx.x == 0) { sum = 0; bits = 0; least = 1 << 20; }
      __syncthreads();
      atomicAdd(&sum, 0.5f);
      atomicOr(&bits, 1u << threadIdx.x % 32);
      atomicMin(&least, 100ll - threadIdx.x);
      __syncthreads();
      atomicAdd(&out[0], threadIdx.x == 0 ? sum : 0.0);
      if (threadIdx.x == 0) { out[1] = bits; out[2] = least; }
      atomic_max(&out[3], (blockIdx.x * 7 + threadIdx.x * 5) % 101);
    }"""
    out = launched(code, cp.zeros(4), block=64, grid=10)
    assert out.tolist() == [320.0, 2.0**32 - 1, 37.0, 100.0]


def test_locks_and_flags_end() -> None:
    code = r"""
    extern "C" __global__ void k(int* out) {
      __shared__ int flag;
      if (threadIdx.x == 0) flag = 0;
      __syncthreads();
      if (threadIdx.x == 0) {
        while (atomicAdd(&flag, 0) == 0) {}
      } else if (threadIdx.x == 40) {
        atomicExch(&flag, 1);
      }
      if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&out[0], 0, 1) != 0) {}
        out[1] += 1;
        __threadfence();
        atomicExch(&out[0], 0);
      }
    }"""
    assert launched(code, cp.zeros(2, "int32"), block=64, grid=12).tolist() == [0, 24]


def test_blocks_and_grids_of_three_dimensions() -> None:
    code = r"""
    extern "C" __global__ void k(int* out) {
      const int x = blockIdx.x * blockDim.x + threadIdx.x;
      const int y = blockIdx.y * blockDim.y + threadIdx.y;
      const int z = blockIdx.z * blockDim.z + threadIdx.z;
      out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = x + 100 * y + 10000 * z;
    }"""
    out = cp.zeros((4, 6, 10), "int32")
    cp.RawKernel(code, "k")((2, 3, 2), (5, 2, 2), (out,))
    z, y, x = np.indices(out.shape)
    assert_same(out, (x + 100 * y + 10000 * z).astype("int32"))


def test_halves() -> None:
    code = r"""
    #include <cuda_fp16.h>
    extern "C" __global__ void k(half* out) {
      const int i = threadIdx.x;
      const __half x = __int2half_rn(i);
      half2 pair = __floats2half2_rn(1.0f, 2.0f);
      pair = __hfma2(pair, pair, pair);
      out[i] = __hadd(__hmul(x, __float2half(0.1f)), __high2half(pair));
      if (__hgt(x, __float2half(4.0f))) out[i] = __hneg(out[i]) * half(2);
    }"""
    i = np.arange(8, dtype="float16")
    wanted = i * np.float16(0.1) + np.float16(6)
    wanted = np.where(i > 4, -wanted * np.float16(2), wanted)
    assert_same(launched(code, cp.zeros(8, "float16"), block=8), wanted.astype("float16"))


def test_complex_numbers_of_cupy_and_of_cuda() -> None:
    code = r"""
    #include <cupy/complex.cuh>
    extern "C" __global__ void k(complex<float>* z) {
      z[threadIdx.x] = z[threadIdx.x] * z[threadIdx.x] + conj(z[threadIdx.x]);
    }"""
    z = (np.arange(6) + 1j * np.arange(6)[::-1]).astype("complex64")
    assert_same(launched(code, cp.asarray(z), block=6), z * z + z.conj())
    code = r"""
    extern "C" __global__ void k(cuDoubleComplex* z) {
      z[threadIdx.x] = cuCmul(z[threadIdx.x], make_cuDoubleComplex(0.0, 1.0));
    }"""
    z = z.astype("complex128")
    assert_same(launched(code, cp.asarray(z), block=6, translate_cucomplex=True), z * 1j)
    code = r"""
    extern "C" __global__ void k(cuComplex* z) {
      cuComplex a = z[threadIdx.x], b = make_cuComplex(cuCabs(a), cuCreal(a) + 1);
      z[threadIdx.x] = cuCfma(cuCdiv(cuCadd(a, b), cuConj(b)), b, cuCsub(a, cuCmul(a, b)));
      z[threadIdx.x].y += cuCimag(a);
    }"""
    z = z.astype("complex64")
    with_one = abs(z) + 1j * (z.real + 1)
    wanted = (z + with_one) / with_one.conj() * with_one + z - z * with_one + 1j * z.imag
    found = launched(code, cp.asarray(z), block=6, translate_cucomplex=True)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_cooperative_groups() -> None:
    code = r"""
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void k(int* out) {
      __shared__ int own;
      cg::thread_block block = cg::this_thread_block();
      if (block.thread_rank() == 0) own = 3 * blockIdx.x;
      block.sync();
      auto tile = cg::tiled_partition<8>(block);
      int sum = tile.thread_rank();
      for (int half = tile.size() / 2; half > 0; half /= 2) sum += tile.shfl_down(sum, half);
      if (tile.thread_rank() == 0) atomicAdd(&out[0], sum);
      cg::this_grid().sync();
      if (block.thread_rank() == 0) out[1 + blockIdx.x] = out[0] + own;
    }"""
    out = launched(code, cp.zeros(7, "int32"), grid=6, enable_cooperative_groups=True)
    assert out.tolist() == [672, *(672 + 3 * i for i in range(6))]


def test_vectors_constants_and_structures() -> None:
    code = r"""
    struct Line { float slope, offset; };
    __constant__ Line lines[2] = {{2.0f, 1.0f}, {-1.0f, 0.5f}};
    __device__ int calls;
    extern "C" __global__ void k(float4* out) {
      const Line a = lines[0], b = lines[1];
      const float x = threadIdx.x;
      out[threadIdx.x] = make_float4(a.slope * x + a.offset, b.slope * x + b.offset, rsqrtf(x + 1),
                                     __fdividef(x, 4));
      atomicAdd(&calls, 1);
    }"""
    module = cp.RawModule(code=code)
    out = cp.zeros((5, 4), "float32")
    module.get_function("k")((1,), (5,), (out,))
    x = np.arange(5, dtype="float32")
    wanted = np.stack([2 * x + 1, 0.5 - x, 1 / np.sqrt(x + 1), x / 4], axis=1)
    np.testing.assert_allclose(out.get(), wanted, rtol=1e-6)
    cp.cuda.Stream.null.synchronize()
    calls = np.zeros(1, "int32")
    module.get_global("calls").copy_to_host(calls, 4)
    assert calls.tolist() == [5]


def test_variables_are_of_one_module() -> None:
    code = '__device__ int n; extern "C" __global__ void k(int* out) { *out = ++n; }'
    first, second = (cp.RawModule(code=code).get_function("k") for _ in range(2))
    out = cp.zeros(1, "int32")
    assert [int(launch_once(f, out)) for f in (first, first, second)] == [1, 2, 1]


def launch_once(function: Any, out: Any) -> Any:
    """What one thread makes of the only element."""
    function((1,), (1,), (out,))
    return out[0]


def test_headers_of_the_standard_library() -> None:
    """CuPy programs include them with jitify=True; a kernel needs no other text here."""
    code = r"""
#include <algorithm>
#include <assert.h>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <limits>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <type_traits>
template <typename T> __device__ T larger(T a, T b) { return std::max(a, b); }
extern "C" __global__ void k(float* out, const std::uint8_t* bytes, uint64_t n) {
  static_assert(std::is_same<int32_t, int>::value, "");
  assert(n == 9);
  out[0] = std::sqrt(4.0f) + larger(1.0f, 2.0f);
  out[1] = bytes[0];
  out[2] = std::numeric_limits<float>::max() == FLT_MAX;
  out[3] = M_PI;
  out[4] = isinf(INFINITY) && std::min(3, 4) == 3;
}"""
    for jitify in (False, True):
        out = cp.zeros(5, "f4")
        kernel = cp.RawKernel(code, "k", jitify=jitify)
        kernel((1,), (1,), (out, cp.full(1, 200, "u1"), np.uint64(9)))
        np.testing.assert_allclose(out.get(), [4, 200, 1, np.pi, 1], rtol=1e-6)


def test_alignment_of_shared_memory_and_tiles_without_their_parent() -> None:
    code = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* sums, unsigned long long* rests) {
  __shared__ alignas(16) unsigned char bytes[64];
  __shared__ alignas(double) char eight[64];
  __shared__ __align__(8) int words[64];
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  bytes[threadIdx.x] = threadIdx.x;
  eight[threadIdx.x] = 1;
  words[threadIdx.x] = 2;
  __syncthreads();
  const int i = 63 - threadIdx.x;
  sums[threadIdx.x] = cg::reduce(tile, bytes[i] + eight[i] + words[i], cg::plus<int>());
  rests[0] = reinterpret_cast<unsigned long long>(bytes) % 16;
  rests[1] = reinterpret_cast<unsigned long long>(eight) % 8;
}"""
    sums, rests = cp.zeros(64, "i4"), cp.ones(2, "u8")
    cp.RawKernel(code, "k")((1,), (64,), (sums, rests))
    bytes_of_warps = np.arange(64)[::-1].reshape(2, 32).sum(1)
    assert sums.tolist() == np.repeat(bytes_of_warps + 3 * 32, 32).tolist()
    assert rests.tolist() == [0, 0]


def test_random_numbers_of_curand() -> None:
    """Its headers, where a toolkit has them, are ordinary C++."""
    code = r"""
#include <curand_kernel.h>
extern "C" __global__ void k(float* out, unsigned long long seed) {
  curandState state;
  curand_init(seed, threadIdx.x + blockIdx.x * blockDim.x, 0, &state);
  out[threadIdx.x + blockIdx.x * blockDim.x] = curand_uniform(&state);
}"""
    out = cp.zeros(2048, "f4")
    try:
        cp.RawKernel(code, "k")((16,), (128,), (out, np.uint64(7)))
    except cp.errors.CompileException as error:
        if "curand_kernel.h" in str(error) and (
            "No such file" in str(error) or "open" in str(error)
        ):
            pytest.skip("no headers of cuRAND")
        raise
    values = out.get()
    assert ((values > 0) & (values <= 1)).all()
    assert abs(values.mean() - 0.5) < 0.05
    assert len(np.unique(values)) > 2000
