"""Raw kernels and modules: launches, dtypes, complex numbers, templates, constants, attributes."""

import io

import cupy as cp
import numpy as np

add_kernel = cp.RawKernel(
    r"""
    extern "C" __global__
    void my_add(const float* x1, const float* x2, float* y) {
      int tid = blockDim.x * blockIdx.x + threadIdx.x;
      y[tid] = x1[tid] + x2[tid];
    }
    """,
    "my_add",
)
x1 = cp.arange(25, dtype=cp.float32).reshape(5, 5)
x2 = cp.arange(25, dtype=cp.float32).reshape(5, 5)
y = cp.zeros((5, 5), dtype=cp.float32)
add_kernel((5,), (5,), (x1, x2, y))
np.testing.assert_array_equal(y.get(), x1.get() + x2.get())

complex_kernel = cp.RawKernel(
    r"""
    #include <cupy/complex.cuh>
    extern "C" __global__
    void my_func(const complex<float>* x1, const complex<float>* x2, complex<float>* y, float a) {
      int tid = blockDim.x * blockIdx.x + threadIdx.x;
      y[tid] = x1[tid] + a * x2[tid];
    }
    """,
    "my_func",
)
z1 = cp.arange(25, dtype=cp.complex64).reshape(5, 5)
z2 = 1j * cp.arange(25, dtype=cp.complex64).reshape(5, 5)
z = cp.zeros((5, 5), dtype=cp.complex64)
complex_kernel((5,), (5,), (z1, z2, z, cp.float32(2.0)))
np.testing.assert_array_equal(z.get(), z1.get() + 2 * z2.get())
assert add_kernel.attributes["max_threads_per_block"] >= 25
assert complex_kernel.name == "my_func"

# A module with several kernels, with options of the compiler.
module = cp.RawModule(
    code=r"""
    extern "C" {
    __global__ void test_sum(const float* x1, const float* x2, float* y, unsigned int n) {
      unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
      if (tid < n) y[tid] = SCALE * (x1[tid] + x2[tid]);
    }
    __global__ void test_multiply(const float* x1, const float* x2, float* y, unsigned int n) {
      unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
      if (tid < n) y[tid] = x1[tid] * x2[tid];
    }
    }
    """,
    options=("-DSCALE=2",),
)
module.compile(log_stream=io.StringIO())
n = 10
x1 = cp.arange(n**2, dtype=cp.float32).reshape(n, n)
x2 = cp.ones((n, n), dtype=cp.float32)
y = cp.zeros((n, n), dtype=cp.float32)
module.get_function("test_sum")((n,), (n,), (x1, x2, y, n**2))
np.testing.assert_array_equal(y.get(), 2 * (x1.get() + 1))
module.get_function("test_multiply")((n,), (n,), (x1, x2, y, cp.uint32(n**2)))
np.testing.assert_array_equal(y.get(), x1.get())

# Templates by name expressions.
names = ["fx3<int>", "fx3<double>"]
templates = cp.RawModule(
    code=r"""
    template <typename T>
    __global__ void fx3(T* arr, int n) {
      unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
      if (tid < n) arr[tid] = arr[tid] * 3;
    }
    """,
    options=("-std=c++17",),
    name_expressions=names,
)
for name, dtype in zip(names, ("i4", "f8"), strict=True):
    a = cp.arange(10, dtype=dtype)
    templates.get_function(name)((1,), (10,), (a, 10))
    np.testing.assert_array_equal(a.get(), np.arange(10) * 3)

# Constant and global memory of a module.
constants = cp.RawModule(
    code=r"""
    extern "C" {
    __constant__ float factors[4];
    __device__ int launches;
    __global__ void scale(float* x) {
      if (threadIdx.x == 0) atomicAdd(&launches, 1);
      x[threadIdx.x] *= factors[threadIdx.x % 4];
    }
    }
    """
)
kernel = constants.get_function("scale")
factors = cp.ndarray((4,), cp.float32, constants.get_global("factors"))
factors[...] = cp.array([1, 2, 3, 4], cp.float32)
x = cp.ones(8, cp.float32)
kernel((1,), (8,), (x,))
kernel((1,), (8,), (x,))
np.testing.assert_array_equal(x.get(), np.tile([1, 4, 9, 16], 2))
assert int(cp.ndarray((), cp.int32, constants.get_global("launches"))) == 2

# Dynamic shared memory, a stream, and text that does not compile.
reverse = cp.RawKernel(
    r"""
    extern "C" __global__ void reverse(int* x, int n) {
      extern __shared__ int held[];
      held[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = held[n - 1 - threadIdx.x];
    }
    """,
    "reverse",
)
numbers = cp.arange(64, dtype=cp.int32)
with cp.cuda.Stream(non_blocking=True) as stream:
    reverse((1,), (64,), (numbers, 64), shared_mem=64 * 4)
    stream.synchronize()
np.testing.assert_array_equal(numbers.get(), np.arange(64)[::-1])
message = ""
try:
    cp.RawKernel('extern "C" __global__ void f() { nonsense; }', "f").compile()
except cp.cuda.compiler.CompileException as error:
    message = str(error)
assert "nonsense" in message
print("ok")
