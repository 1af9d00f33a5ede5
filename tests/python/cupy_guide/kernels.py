"""Kernels for elements and reductions, fused functions."""

import cupy as cp
import numpy as np

squared_diff = cp.ElementwiseKernel(
    "float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff"
)
x = cp.arange(10, dtype=np.float32).reshape(2, 5)
y = cp.arange(5, dtype=np.float32)
np.testing.assert_array_equal(squared_diff(x, y).get(), (x.get() - y.get()) ** 2)
np.testing.assert_array_equal(squared_diff(x, 5).get(), (x.get() - 5) ** 2)
z = cp.empty((2, 5), dtype=np.float32)
assert squared_diff(x, y, z) is z

# Type placeholders: one letter is one type.
squared_diff_generic = cp.ElementwiseKernel(
    "T x, T y",
    "T z",
    """
    T difference = x - y;
    z = difference * difference;
    """,
    "squared_diff_generic",
)
assert squared_diff_generic(x.astype("f8"), y.astype("f8")).dtype == np.float64
super_generic = cp.ElementwiseKernel(
    "X x, Y y", "Z z", "z = (x - y) * (x - y)", "squared_diff_super_generic"
)
assert super_generic(x, y.astype("i4"), cp.empty((2, 5), "f8")).dtype == np.float64

# Raw arguments are indexed by hand.
add_reverse = cp.ElementwiseKernel(
    "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse"
)
a = cp.arange(6, dtype="f4")
np.testing.assert_array_equal(add_reverse(a, a * 10).get(), a.get() + (a.get() * 10)[::-1])
total = cp.ElementwiseKernel(
    "raw T x, int32 bins", "raw T y", "atomicAdd(&y[i % bins], x[i])", "folded"
)
result = cp.zeros(4, dtype="f4")
total(cp.ones(10, dtype="f4"), 4, result, size=10)
assert result.tolist() == [3, 3, 2, 2]

# Reductions: map, reduce, post map, identity.
l2norm_kernel = cp.ReductionKernel(
    "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm", reduce_type="T"
)
np.testing.assert_allclose(l2norm_kernel(x).get(), np.linalg.norm(x.get()), rtol=1e-6)
np.testing.assert_allclose(
    l2norm_kernel(x, axis=1).get(), np.linalg.norm(x.get(), axis=1), rtol=1e-6
)
dot = cp.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
np.testing.assert_allclose(dot(x, y, axis=1).get(), x.get() @ y.get())


@cp.fuse()
def fused_squared_diff(x, y):
    return (x - y) * (x - y)


np.testing.assert_array_equal(fused_squared_diff(x, y).get(), (x.get() - y.get()) ** 2)


@cp.fuse(kernel_name="sum_of_squares")
def sum_of_squares(x, y):
    return cp.sum((x - y) * (x - y))


assert float(sum_of_squares(x, y)) == float(((x.get() - y.get()) ** 2).sum())
np.testing.assert_array_equal(fused_squared_diff(x.get(), y.get()), (x.get() - y.get()) ** 2)
print("ok")
