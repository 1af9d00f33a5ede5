"""Python functions that become kernels: fuse, vectorize and a generalised ufunc."""

import cupy as cp
import cupyx
import numpy as np


@cp.fuse(kernel_name="gelu")
def gelu(x):
    return 0.5 * x * (1 + cp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


@cp.fuse()
def normalised(x, mean, deviation):
    return (x - mean) / (deviation + 1e-6)


@cp.vectorize
def leaky(x, slope):
    if x > 0:
        return x
    return x * slope


def gelu_of_numpy(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


host = np.random.default_rng(11).standard_normal((20, 30))
x = cp.asarray(host)
np.testing.assert_allclose(gelu(x).get(), gelu_of_numpy(host), rtol=1e-12, atol=1e-15)
mean, deviation = x.mean(axis=0), x.std(axis=0)
np.testing.assert_allclose(
    normalised(x, mean, deviation).get(),
    (host - host.mean(axis=0)) / (host.std(axis=0) + 1e-6),
    rtol=1e-10,
)
np.testing.assert_array_equal(leaky(x, 0.1).get(), np.where(host > 0, host, host * 0.1))

row_ranges = cupyx.GeneralizedUFunc(lambda a: a.max(axis=-1) - a.min(axis=-1), "(n)->()")
np.testing.assert_array_equal(row_ranges(x).get(), np.ptp(host, axis=-1))
np.testing.assert_allclose(cupyx.rsqrt(x * x + 1).get(), 1 / np.sqrt(host * host + 1), rtol=1e-12)
print("ok")
