"""Several streams with transfers from pinned memory, and events between them."""

import cupy as cp
import cupyx
import numpy as np

parts = 4
length = 1000
host = cupyx.empty_pinned((parts, length), np.float32)
host[...] = np.random.default_rng(0).random((parts, length))
results = cupyx.zeros_pinned((parts, length), np.float32)
streams = [cp.cuda.Stream(non_blocking=True) for _ in range(parts)]
finished = []
for stream, piece, result in zip(streams, host, results, strict=True):
    with stream:
        device = cp.empty(length, np.float32)
        device.set(piece, stream=stream)
        device = cp.sqrt(device) * 2
        device.get(stream=stream, out=result, blocking=False)
        finished.append(stream.record())
last = cp.cuda.Stream()
for event in finished:
    last.wait_event(event)
called = []
last.launch_host_func(called.append, "after all")
last.synchronize()
assert all(event.done for event in finished)
assert called == ["after all"]
np.testing.assert_allclose(results, np.sqrt(host) * 2, rtol=1e-6)
start, end = cp.cuda.Event(), cp.cuda.Event()
start.record()
total = cp.arange(1000).sum()
end.record()
end.synchronize()
assert cp.cuda.get_elapsed_time(start, end) >= 0
assert int(total) == 499500
print("ok")
