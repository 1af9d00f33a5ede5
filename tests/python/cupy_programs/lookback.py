"""A scan in one pass: each block waits for the sum of the blocks before it in volatile memory."""

import cupy
import numpy

SCAN = r"""
#include <cupy/carray.cuh>

extern "C" __global__ void scan(CArray<int, 1> x, CArray<int, 1> sums, volatile int* before,
                                volatile int* ready) {
    __shared__ int values[64];
    __shared__ int start;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < x.size() ? x[i] : 0;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        const int other = threadIdx.x >= step ? values[threadIdx.x - step] : 0;
        __syncthreads();
        values[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        start = 0;
        if (blockIdx.x > 0) {
            while (ready[blockIdx.x - 1] == 0) { }
            start = before[blockIdx.x - 1];
        }
        before[blockIdx.x] = start + values[blockDim.x - 1];
        __threadfence();
        ready[blockIdx.x] = 1;
    }
    __syncthreads();
    if (i < x.size()) sums[i] = start + values[threadIdx.x];
}
"""

values = numpy.random.default_rng(5).integers(-9, 9, 2 * 5000).astype(numpy.int32)
x = cupy.asarray(values)[::2]  # CArray takes strides
sums = cupy.empty(x.size, cupy.int32)
blocks = -(-x.size // 64)
before, ready = cupy.zeros((2, blocks), cupy.int32)
cupy.RawKernel(SCAN, "scan")((blocks,), (64,), (x.cstruct, sums.cstruct, before, ready))
numpy.testing.assert_array_equal(sums.get(), values[::2].cumsum())
print("ok")
