"""A blur by Fourier transforms, the plans that are kept for it, and its derivative."""

import cupy as cp
import numpy as np
from cupy.fft import config

image = np.random.default_rng(4).random((64, 48)).astype(np.float32)
kernel = np.outer(np.hanning(9), np.hanning(9))
kernel /= kernel.sum()


def blurred(xp, picture, window):
    padded = xp.zeros(picture.shape, window.dtype)
    padded[: window.shape[0], : window.shape[1]] = window
    padded = xp.roll(padded, (-(window.shape[0] // 2), -(window.shape[1] // 2)), (0, 1))
    spectrum = xp.fft.rfft2(picture) * xp.fft.rfft2(padded)
    return xp.fft.irfft2(spectrum, s=picture.shape)


cache = config.get_plan_cache()
cache.clear()
result = blurred(cp, cp.asarray(image), cp.asarray(kernel))
np.testing.assert_allclose(result.get(), blurred(np, image, kernel), atol=1e-6)
assert 0 < cache.get_curr_size() <= cache.get_size()
config.clear_plan_cache()
assert cache.get_curr_size() == 0
dy, dx = cp.gradient(result)
np.testing.assert_allclose(
    cp.hypot(dy, dx).get(), np.hypot(*np.gradient(blurred(np, image, kernel))), atol=1e-6
)
frequencies = cp.fft.fftshift(cp.fft.fftfreq(image.shape[0]))
assert float(frequencies[0]) == -0.5
print("ok")
