"""Chunks of a matrix on several devices: products, sums and extremes of the whole."""

import cupy
import numpy
from cupyx.distributed.array import REPLICA, SUM, distributed_array, make_2d_index_map

count = min(cupy.cuda.runtime.getDeviceCount(), 2)
rng = numpy.random.default_rng(3)
left, right = rng.random((8, 6)), rng.random((6, 10))

a = distributed_array(left, make_2d_index_map([0, 8], [0, 2, 6], [[{0}, {count - 1}]]))
b = distributed_array(
    cupy.asarray(right),
    make_2d_index_map([0, 2, 6], [0, 5, 10], [[{0}, {0}], [{count - 1}, {count - 1}]]),
)
product = a @ b
assert product.mode == SUM
numpy.testing.assert_allclose(product.get(), left @ right)

rows = product.reshard({device: slice(device, None, count) for device in range(count)})
scaled = cupy.sqrt(rows.change_mode(REPLICA)) * 2
numpy.testing.assert_allclose(scaled.get(), numpy.sqrt(left @ right) * 2)
numpy.testing.assert_allclose(scaled.max(axis=0).get(), (numpy.sqrt(left @ right) * 2).max(axis=0))
numpy.testing.assert_allclose(cupy.sum(scaled, axis=1).get(), scaled.get().sum(axis=1))
print("ok")
