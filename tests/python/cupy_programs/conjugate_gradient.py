"""A linear system by conjugate gradients, timed by events and by the benchmark."""

import cupy as cp
import cupyx
import numpy as np
from cupyx.profiler import benchmark

n = 200
rng = np.random.default_rng(6)
square = rng.random((n, n))
matrix = square @ square.T + n * np.eye(n)
right = rng.random(n)


def solve(a, b, tolerance=1e-10):
    x = cp.zeros_like(b)
    residual = b - a @ x
    direction = residual.copy()
    size = residual @ residual
    for _ in range(2 * len(b)):
        moved = a @ direction
        alpha = size / (direction @ moved)
        x += alpha * direction
        residual -= alpha * moved
        after = residual @ residual
        if cp.sqrt(after) < tolerance:
            break
        direction = residual + after / size * direction
        size = after
    return x


a, b = cp.asarray(matrix), cp.asarray(right)
begin, end = cp.cuda.Event(), cp.cuda.Event()
begin.record()
x = solve(a, b)
end.record()
end.synchronize()
assert cp.cuda.get_elapsed_time(begin, end) > 0
np.testing.assert_allclose(x.get(), np.linalg.solve(matrix, right), rtol=1e-8)
times = benchmark(solve, (a, b), n_repeat=2, n_warmup=0)
assert times.cpu_times.shape == (2,)
inverse = cupyx.linalg.invh(a)
np.testing.assert_allclose((inverse @ b).get(), x.get(), rtol=1e-6)
print("ok")
