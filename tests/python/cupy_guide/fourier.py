"""Transforms, their normalisation and types, plans and their cache."""

import cupy as cp
import numpy as np

a = cp.random.random(100).astype(cp.complex64)
np.testing.assert_allclose(cp.fft.fft(a).get(), np.fft.fft(a.get()), rtol=1e-4, atol=1e-4)
assert cp.fft.fft(a).dtype == np.complex64
real = cp.random.random((8, 9, 10))
np.testing.assert_allclose(
    cp.fft.irfftn(cp.fft.rfftn(real), real.shape, axes=(0, 1, 2)).get(), real.get(), atol=1e-12
)
for norm in ("ortho", "forward", "backward", None):
    np.testing.assert_allclose(
        cp.fft.fftn(real, axes=(0, 2), norm=norm).get(),
        np.fft.fftn(real.get(), axes=(0, 2), norm=norm),
        atol=1e-10,
    )

cache = cp.fft.config.get_plan_cache()
cp.fft.config.clear_plan_cache()
assert cache.get_curr_size() == 0
cp.fft.fft(real, axis=0).get()
assert cache.get_curr_size() >= 1
cp.fft.config.show_plan_cache_info()
size = cache.get_size()
cache.set_size(0)
cp.fft.fft(real, axis=0).get()
cache.clear()
assert cache.get_curr_size() == 0
cache.set_size(size)
assert cache.get_memsize() == -1

# Programs that choose devices for transforms; arrays on several devices use all of them.
cp.fft.config.enable_nd_planning = False
cp.fft.config.use_multi_gpus = True
if cp.cuda.runtime.getDeviceCount() > 1:
    cp.fft.config.set_cufft_gpus([0, 1])
np.testing.assert_allclose(cp.fft.fft(a).get(), np.fft.fft(a.get()), rtol=1e-4, atol=1e-4)
cp.fft.config.use_multi_gpus = False
cp.fft.config.enable_nd_planning = True
print("ok")
