"""Measuring, ranges for profilers, what the first call costs, and accelerated functions."""

import time

import cupy as cp
import cupyx
from cupyx.profiler import benchmark, profile, time_range


def my_func(a):
    return cp.sqrt(cp.sum(a**2, axis=-1))


a = cp.random.random((256, 64))
result = benchmark(my_func, (a,), n_repeat=10, n_warmup=2)
assert result.name == "my_func"
assert result.cpu_times.shape == (10,)
assert result.gpu_times.shape == (1, 10)
assert (result.gpu_times >= 0).all()
assert "my_func" in str(result)
print(result)

# By hand: events around the work, and the host's clock around its launch.
start_gpu, end_gpu = cp.cuda.Event(), cp.cuda.Event()
start_gpu.record()
start_cpu = time.perf_counter()
out = my_func(a)
end_cpu = time.perf_counter()
end_gpu.record()
end_gpu.synchronize()
assert cp.cuda.get_elapsed_time(start_gpu, end_gpu) >= 0
assert end_cpu > start_cpu

with profile(), time_range("my_func", color_id=0):
    my_func(a)
cp.cuda.nvtx.RangePush("again")
my_func(a)
cp.cuda.nvtx.RangePop()


@time_range()
def named(x):
    return x.sum()


assert abs(float(named(a)) - float(a.sum())) == 0

# Kernels that are compiled once are found again, in the process and on the disk.
kernel = cp.ElementwiseKernel("T x", "T y", "y = x * x * x", "cubed")
first = kernel(a)
assert kernel.cached_code
cp.testing.assert_array_equal(first, kernel(a))
with cupyx.optimizing.optimize():
    my_func(a)
print("ok")
