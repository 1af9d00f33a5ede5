"""Streams, events and the current stream."""

import cupy as cp
import numpy as np

a_np = np.arange(10)
s = cp.cuda.Stream()
with s:
    a_cp = cp.asarray(a_np)
    b_cp = cp.sum(a_cp)
    assert s == cp.cuda.get_current_stream()
assert int(b_cp) == 45

s = cp.cuda.Stream()
s.use()
b_np = cp.asnumpy(b_cp)
assert s == cp.cuda.get_current_stream()
cp.cuda.Stream.null.use()
assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
assert b_np == 45

e1 = cp.cuda.Event()
e1.record()
a_cp = b_cp * a_cp + 8
e2 = cp.cuda.get_current_stream().record()
s2 = cp.cuda.Stream(non_blocking=True)
s2.wait_event(e2)
with s2:
    c_cp = a_cp * 2
e2.synchronize()
assert cp.cuda.get_elapsed_time(e1, e2) >= 0
s2.synchronize()
assert s2.done
np.testing.assert_array_equal(c_cp.get(), (45 * a_np + 8) * 2)

called = []
with s2:
    cp.ones(100).sum()
    s2.launch_host_func(called.append, 1)
    s2.add_callback(lambda stream, status, data: called.append((status, data)), "data")
s2.synchronize()
assert called == [1, (0, "data")]

begin, end = (cp.cuda.Event(block=True, disable_timing=True) for _ in range(2))
begin.record(s2)
end.record(s2)
end.synchronize()
assert begin.done
assert end.done
print("ok")
