"""Where CuPy differs from NumPy: casts, duplicates, scalars, types, seeds, empty reductions."""

import cupy as cp
import numpy as np

# Out of range casts are the device's: no assertion but that they are integers.
assert cp.array([-1], dtype=np.float32).astype(np.uint32).dtype == np.uint32

# Random methods take a dtype.
assert cp.random.randn(3, dtype=np.float32).dtype == np.float32

# Assignment to duplicate indices: the last one is kept here, as NumPy does.
a = cp.zeros((2,))
i = cp.arange(10000) % 2
v = cp.arange(10000).astype(np.float64)
a[i] = v
assert set(a.tolist()) <= set(map(float, range(10000)))
assert a.tolist() == [9998.0, 9999.0]

# Reductions give arrays without dimensions, which stay on the device.
total = cp.sum(cp.arange(3))
assert type(total) is cp.ndarray
assert total.ndim == 0
assert int(total) == 3
assert type(total.item()) is int

# Only numbers: no objects, texts, dates or records.
for bad in (["a"], [None], np.array(["2020-01-01"], "M8[D]")):
    try:
        cp.array(bad)
    except (TypeError, ValueError):
        continue
    raise AssertionError(f"{bad} became an array")

# A seed is an integer or an array.
cp.random.seed(np.int64(3))
cp.random.seed(3)

# NaN with an array's minimum and maximum.
assert np.isnan(float(cp.max(cp.array([0.5, np.nan]))))
assert int(cp.argmax(cp.array([0.5, np.nan]))) == 1

# float16 is computed in wider numbers, and bounds of indices are checked here.
half = cp.arange(5, dtype=np.float16)
np.testing.assert_array_equal((half / 3).get(), (half.get() / np.float16(3)))
try:
    cp.arange(3)[5]
except IndexError:
    pass
else:
    raise AssertionError("an index out of bounds was taken")
assert cp.take(cp.arange(3), cp.array([5]), mode="wrap").tolist() == [2]
print("ok")
