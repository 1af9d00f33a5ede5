"""Norms by a reduction kernel, and statistics, beside NumPy's."""

import cupy
import numpy

l2norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")

x = cupy.arange(60, dtype=cupy.float32).reshape(3, 4, 5)
host = x.get()
numpy.testing.assert_allclose(l2norm(x).get(), numpy.sqrt((host**2).sum()), rtol=1e-6)
for axis in (0, 1, 2, (0, 2)):
    wanted = numpy.sqrt((host**2).sum(axis))
    numpy.testing.assert_allclose(l2norm(x, axis=axis).get(), wanted, rtol=1e-6)
    assert l2norm(x, axis=axis, keepdims=True).ndim == 3
cupy.testing.assert_allclose(x.std(axis=1), host.std(axis=1), rtol=1e-6)
assert cupy.get_array_module(x) is cupy
assert cupy.get_array_module(host) is numpy
assert float(x.ptp()) == 59
print("ok")
