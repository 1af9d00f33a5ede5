"""Arrays, the current device, transfers, and code for both libraries."""

import cupy as cp
import numpy as np

x_gpu = cp.array([1, 2, 3])
assert isinstance(x_gpu, cp.ndarray)
l2_cpu = np.linalg.norm(np.array([1, 2, 3]))
l2_gpu = cp.linalg.norm(x_gpu)
assert isinstance(l2_gpu, cp.ndarray)
np.testing.assert_allclose(float(l2_gpu), l2_cpu)

# The current device is the one that new arrays are made on.
x_on_gpu0 = cp.array([1, 2, 3, 4, 5])
last = cp.cuda.runtime.getDeviceCount() - 1
with cp.cuda.Device(last):
    x_on_last = cp.array([1, 2, 3, 4, 5])
    assert x_on_last.device == cp.cuda.Device(last)
assert x_on_gpu0.device == cp.cuda.Device(0)
cp.cuda.Device(0).use()
assert cp.cuda.get_device_id() == 0

# To a device, between devices and back.
x_cpu = np.array([1, 2, 3])
x_gpu = cp.asarray(x_cpu)
with cp.cuda.Device(last):
    x_moved = cp.asarray(x_gpu)
    np.testing.assert_array_equal(x_moved.get(), x_cpu)
    for moved in (x_moved, cp.array(x_gpu), cp.copy(x_gpu), x_gpu.copy(), cp.asanyarray(x_gpu)):
        assert moved.device == cp.cuda.Device(last)
    assert cp.asarray(x_gpu, dtype="f").device == cp.cuda.Device(last)
    target = cp.empty_like(x_gpu)
    assert target.device == cp.zeros_like(a=x_gpu).device == cp.cuda.Device(last)
    assert cp.full_like(x_gpu, 3, device=0).device == cp.cuda.Device(0)
assert cp.asarray(x_gpu) is x_gpu
cp.copyto(target, x_gpu)
np.testing.assert_array_equal(target.get(), x_cpu)
assert isinstance(cp.asnumpy(x_gpu), np.ndarray)
assert isinstance(x_gpu.get(), np.ndarray)
assert cp.asnumpy(x_cpu) is x_cpu

# Memory is managed by a pool; functions take arrays of their library.
assert cp.get_default_memory_pool().used_bytes() > 0


def softplus(x):
    xp = cp.get_array_module(x)
    return xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x)))


host = np.linspace(-3, 3, 20)
np.testing.assert_allclose(softplus(cp.asarray(host)).get(), softplus(host), rtol=1e-14)
assert isinstance(softplus(host), np.ndarray)
try:
    x_gpu + x_cpu
except TypeError:
    pass
else:
    raise AssertionError("arrays of both libraries were added")
np.testing.assert_array_equal(cp.asnumpy(x_gpu) + x_cpu, 2 * x_cpu)
np.testing.assert_array_equal((x_gpu + cp.asarray(x_cpu)).get(), 2 * x_cpu)
print("ok")
