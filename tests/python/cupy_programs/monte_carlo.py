"""Random numbers: pi by points in a square, an option by paths, and a state that is kept."""

import cupy as cp
import numpy as np

rng = cp.random.default_rng(2)
points = rng.random((2, 200_000))
inside = cp.count_nonzero((points**2).sum(axis=0) < 1)
assert abs(4 * int(inside) / points.shape[1] - np.pi) < 0.02

state = cp.random.RandomState(5, method=161)
steps = state.normal(0, 0.01, size=(1000, 50), dtype=cp.float32)
paths = 100 * cp.exp(cp.cumsum(steps, axis=1))
payoff = cp.maximum(paths[:, -1] - 100, 0)
host = 100 * np.exp(np.cumsum(steps.get(), axis=1))
np.testing.assert_allclose(payoff.get(), np.maximum(host[:, -1] - 100, 0), rtol=1e-4, atol=1e-3)

cp.random.seed(7)
first = cp.random.permutation(10)
cp.random.seed(7)
cp.testing.assert_array_equal(first, cp.random.permutation(10))
assert sorted(first.tolist()) == list(range(10))
old = cp.random.get_random_state()
cp.random.set_random_state(state)
assert cp.random.get_random_state() is state
cp.random.set_random_state(old)
print("ok")
