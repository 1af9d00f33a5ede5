"""A raw kernel and a raw module, beside NumPy."""

import cupy as cp
import numpy as np

SAXPY = cp.RawKernel(
    r"""
    extern "C" __global__ void saxpy(const float a, const float* x, float* y, const int n) {
      const int i = blockDim.x * blockIdx.x + threadIdx.x;
      if (i < n) y[i] = a * x[i] + y[i];
    }
    """,
    "saxpy",
)
MODULE = cp.RawModule(
    code=r"""
    template <typename T>
    __global__ void scale(T* x, T factor) { x[threadIdx.x] *= factor; }
    """,
    name_expressions=["scale<float>", "scale<double>"],
)

n = 1000
x = cp.arange(n, dtype=cp.float32)
y = cp.ones(n, dtype=cp.float32)
wanted = 2 * x.get() + y.get()
SAXPY(((n + 127) // 128,), (128,), (cp.float32(2), x, y, cp.int32(n)))
np.testing.assert_array_equal(y.get(), wanted)
for kind in ("float", "double"):
    z = cp.arange(32, dtype="f4" if kind == "float" else "f8")
    MODULE.get_function(f"scale<{kind}>")((1,), (32,), (z, z.dtype.type(3)))
    np.testing.assert_array_equal(z.get(), np.arange(32) * 3)
print("ok")
