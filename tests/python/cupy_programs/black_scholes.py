"""Prices of options by an elementwise kernel, beside NumPy's."""

import cupy as cp
import numpy as np

call_price = cp.ElementwiseKernel(
    "T s, T k, T t, T rate, T volatility",
    "T price",
    """
    const T root = sqrt(t);
    const T d1 = (log(s / k) + (rate + volatility * volatility / 2) * t) / (volatility * root);
    const T d2 = d1 - volatility * root;
    price = s * normal(d1) - k * exp(-rate * t) * normal(d2);
    """,
    "call_price",
    preamble="""
    template <typename T>
    __device__ T normal(T x) { return T(0.5) * erfc(-x * T(0.70710678118654752)); }
    """,
)


def expected(s, k, t, rate, volatility):
    from math import erfc, exp, log, sqrt

    d1 = (log(s / k) + (rate + volatility**2 / 2) * t) / (volatility * sqrt(t))
    d2 = d1 - volatility * sqrt(t)
    normal = [0.5 * erfc(-d * sqrt(0.5)) for d in (d1, d2)]
    return s * normal[0] - k * exp(-rate * t) * normal[1]


rng = np.random.default_rng(1)
spot, strike, time = (rng.uniform(low, high, 500) for low, high in ((5, 30), (1, 100), (0.2, 10)))
prices = call_price(cp.asarray(spot), cp.asarray(strike), cp.asarray(time), 0.02, 0.3)
assert isinstance(prices, cp.ndarray)
wanted = [expected(*each, 0.02, 0.3) for each in zip(spot, strike, time, strict=True)]
np.testing.assert_allclose(cp.asnumpy(prices), wanted, rtol=1e-10)
print("ok")
