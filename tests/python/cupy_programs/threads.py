"""Threads that compute at once, each on a stream of its own."""

from concurrent.futures import ThreadPoolExecutor

import cupy as cp
import numpy as np


@cp.memoize(for_each_device=True)
def weights(n):
    return cp.linspace(0, 1, n)


def work(seed):
    with cp.cuda.Stream(non_blocking=True) as stream:
        x = cp.asarray(np.random.default_rng(seed).random(200))
        y = (cp.convolve(x, weights(7), mode="same") * x).sum()
        stream.synchronize()
    return float(y)


def expected(seed):
    x = np.random.default_rng(seed).random(200)
    return (np.convolve(x, np.linspace(0, 1, 7), mode="same") * x).sum()


with ThreadPoolExecutor(4) as pool:
    np.testing.assert_allclose(list(pool.map(work, range(12))), [expected(n) for n in range(12)])
cp.clear_memo()
print("ok")
