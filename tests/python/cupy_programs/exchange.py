"""Arrays handed to other libraries and taken from them; files, random numbers and timing."""

import io

import cupy as cp
import numpy as np
from cupyx.profiler import benchmark, time_range

a = cp.arange(6, dtype=cp.float32).reshape(2, 3)
b = cp.from_dlpack(a)
b[0, 0] = 10
assert float(a[0, 0]) == 10
c = cp.fromDlpack(a.toDlpack())
assert c.data.ptr == a.data.ptr
np.testing.assert_array_equal(np.from_dlpack(cp.asnumpy(a)), a.get())
memory = io.BytesIO()
cp.savez(memory, a=a, b=cp.ones(2))
memory.seek(0)
loaded = cp.load(memory)
cp.testing.assert_array_equal(loaded["a"], a)
rng = cp.random.default_rng(7)
x = rng.standard_normal((1000,), dtype=cp.float32)
assert abs(float(x.mean())) < 0.2
cp.random.seed(3)
first = cp.random.randn(4)
cp.random.seed(3)
cp.testing.assert_array_equal(cp.random.randn(4), first)
with time_range("work"):
    result = benchmark(cp.tanh, (x,), n_repeat=5, n_warmup=1)
assert result.gpu_times.shape == (1, 5)
squares = cp.vectorize(lambda v: v * v + 1)
assert squares(cp.arange(3)).tolist() == [1, 2, 5]
print("ok")
