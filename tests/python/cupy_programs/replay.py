"""An iteration that is captured once and launched many times."""

import cupy as cp
import numpy as np

n = 64
host = np.random.default_rng(12).random(n)
x = cp.asarray(host)
smoothed = cp.empty(n)
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    stream.begin_capture()
    assert stream.is_capturing()
    smoothed[...] = 0.5 * x + 0.25 * (cp.roll(x, 1) + cp.roll(x, -1))
    x[...] = smoothed
    graph = stream.end_capture()
for _ in range(30):
    graph.launch(stream)
stream.synchronize()
for _ in range(30):
    host = 0.5 * host + 0.25 * (np.roll(host, 1) + np.roll(host, -1))
np.testing.assert_allclose(x.get(), host, rtol=1e-12)
print("ok")
