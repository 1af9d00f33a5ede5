"""The same work on every device, and sums of what they give."""

import cupy as cp
import numpy as np

count = cp.cuda.runtime.getDeviceCount()
data = np.random.default_rng(3).random((count, 50, 50))
partial = []
for number in range(count):
    with cp.cuda.Device(number) as device:
        assert cp.cuda.runtime.getDevice() == number
        block = cp.asarray(data[number])
        partial.append(block @ block.T)
        assert partial[-1].device == device
sizes = {cp.cuda.Device(number).mem_info[1] > 0 for number in range(count)}
assert sizes == {True}
with cp.cuda.Device(0):
    total = sum(cp.asarray(each) for each in (cp.asnumpy(part) for part in partial))
np.testing.assert_allclose(total.get(), sum(each @ each.T for each in data), rtol=1e-12)
assert sorted(cp.cuda.Device(n) for n in reversed(range(count)))[0] == cp.cuda.Device(0)
print("ok")
