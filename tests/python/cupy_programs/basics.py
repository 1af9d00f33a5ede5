"""Code for either library, devices, NumPy's own functions, pickles, pools and a linear model."""

import io
import pickle

import cupy as cp
import numpy as np


def log_sum_exp(x):
    xp = cp.get_array_module(x)
    top = xp.max(x, axis=-1, keepdims=True)
    return xp.log(xp.exp(x - top).sum(-1)) + top[..., 0]


x_gpu = cp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 600.0]])
x_cpu = cp.asnumpy(x_gpu)
assert isinstance(log_sum_exp(x_cpu), np.ndarray)
cp.testing.assert_allclose(log_sum_exp(x_gpu), log_sum_exp(x_cpu), rtol=1e-12)

# NumPy's functions stay on the device.
assert isinstance(np.exp(-x_gpu), cp.ndarray)
assert isinstance(np.concatenate([x_gpu, x_gpu]), cp.ndarray)
assert isinstance(np.linalg.norm(x_gpu), cp.ndarray)
np.testing.assert_allclose(np.mean(x_gpu, axis=0).get(), x_cpu.mean(0))

# Views share memory, copies do not.
y = x_gpu[:, ::2]
y += 1
assert float(x_gpu[0, 0]) == 2.0
assert y.base is not None
assert not cp.shares_memory(x_gpu.copy(), x_gpu)
assert x_gpu.T.flags.f_contiguous
assert x_gpu.reduced_view().shape == (6,)

with cp.cuda.Device(0):
    on_first = cp.ones(3)
assert on_first.device == cp.cuda.Device(0)
x_gpu.set(x_cpu)
host = np.empty_like(x_cpu)
assert x_gpu.get(out=host) is host
np.testing.assert_array_equal(host, x_cpu)
loaded = pickle.loads(pickle.dumps(x_gpu))
assert isinstance(loaded, cp.ndarray)
cp.testing.assert_array_equal(loaded, x_cpu)
file = io.BytesIO()
cp.save(file, x_gpu)
file.seek(0)
np.testing.assert_array_equal(np.load(file), x_cpu)

# Least squares, by normal equations and by a factorisation.
rng = cp.random.RandomState(0)
features = rng.standard_normal((200, 4))
weights = cp.arange(1.0, 5.0)
target = features @ weights
solved = cp.linalg.solve(features.T @ features, features.T @ target)
fitted, *_ = cp.linalg.lstsq(features, target, rcond=None)
cp.testing.assert_allclose(solved, weights, rtol=1e-9)
cp.testing.assert_allclose(fitted, weights, rtol=1e-9)

pool = cp.get_default_memory_pool()
pool.set_limit(size=2**40)
assert pool.get_limit() == 2**40
pool.set_limit(size=0)
for error in (
    cp.cuda.memory.OutOfMemoryError,
    cp.cuda.runtime.CUDARuntimeError,
    cp.cuda.compiler.CompileException,
    cp.linalg.LinAlgError,
):
    assert issubclass(error, Exception)
print("ok")
