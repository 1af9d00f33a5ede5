"""
The Mandelbrot set
==================

A loop of elementwise operations over a plane of complex numbers. ``cp.vectorize`` makes one kernel
of a Python function with a loop that ends early.
"""

# %%
# One function of one number, as one would write it.

import time

import matplotlib.pyplot as plt
import numpy as np

import cupola as cp

MOST = 120


@cp.vectorize
def escape_time(x, y):
    """Steps until the point leaves the circle of radius 2."""
    real = 0.0
    imaginary = 0.0
    steps = 0
    while steps < MOST and real * real + imaginary * imaginary < 4.0:
        real, imaginary = real * real - imaginary * imaginary + x, 2.0 * real * imaginary + y
        steps += 1
    return steps


# %%
# Over a plane: the whole function is one kernel.

x = cp.linspace(-2.1, 0.6, 900)
y = cp.linspace(-1.2, 1.2, 800)[:, None]
start = time.perf_counter()
steps = cp.asnumpy(escape_time(x, y))
print(f"{steps.size:,} points in {time.perf_counter() - start:.2f} s, the compiler included")

# %%
# The same by whole arrays: a point that has left keeps its value.

plane = x[None, ::6] + 1j * y[::6]
z = cp.zeros_like(plane)
count = cp.zeros(plane.shape, "int64")
for _ in range(MOST):
    inside = z.real**2 + z.imag**2 < 4
    z = cp.where(inside, z * z + plane, z)
    count += inside

# %%
# The picture.

figure, axes = plt.subplots(figsize=(8, 6.4), layout="constrained")
axes.imshow(np.log1p(steps), cmap="twilight_shifted", extent=(-2.1, 0.6, -1.2, 1.2))
axes.axis("off")
plt.show()

# %%
# Both ways agree but for points where the last bit decides.

same = (cp.asnumpy(count) == steps[::6, ::6]).mean()
print(f"{same:.2%} of the points agree")
assert same > 0.995
assert (steps == MOST).any()
