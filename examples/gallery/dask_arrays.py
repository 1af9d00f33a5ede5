"""
Dask: arrays in chunks
======================

Dask cuts an array into chunks and runs a graph of tasks over them. Its chunks may be arrays of
Cupola: the graph is Dask's, the work on a chunk is done by a device.
"""

# %%
# Dask makes its chunks here once its backend is chosen.

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

import cupola as cp

dask.config.set({"array.backend": "cupola", "scheduler": "threads"})
x = (da.arange(1200, chunks=300) - 599.5) / 200
y = (da.arange(900, chunks=300)[:, None] - 449.5) / 150
field = da.sin(x**2 + y) * da.exp(-(x**2 + y**2) / 6)
print(field)
print("a chunk is a", type(field.blocks[0, 0].compute()).__module__, "array")

# %%
# Means by rows, a histogram of all values, and a low-rank approximation: tasks over chunks.

noisy = field + 0.1 * da.random.RandomState(4).standard_normal(field.shape, chunks=300)
u, s, v = da.linalg.svd_compressed(noisy, k=6, n_power_iter=2, seed=da.random.RandomState(1))
smooth = (u * s) @ v
means, found, singular = dask.compute(field.mean(axis=1), smooth, s)
print("singular values:", np.round(cp.asnumpy(singular), 1))

# %%
# What was there, what was measured, and what six of 900 singular values keep.

original, measured = (cp.asnumpy(each) for each in dask.compute(field, noisy))
smoothed = cp.asnumpy(found)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
for place, title, picture in zip(
    axes, ("field", "with noise", "rank 6"), (original, measured, smoothed), strict=True
):
    place.imshow(picture, cmap="viridis", vmin=-1, vmax=1)
    place.set_title(title)
    place.axis("off")
plt.show()

# %%
# Noise is gone, and NumPy computes the same field.

left = np.sqrt(((smoothed - original) ** 2).mean())
before = np.sqrt(((measured - original) ** 2).mean())
print(f"error {before:.3f} before, {left:.3f} after")
assert left < 0.35 * before
a, b = (np.arange(1200) - 599.5) / 200, (np.arange(900)[:, None] - 449.5) / 150
expected = np.sin(a**2 + b) * np.exp(-(a**2 + b**2) / 6)
assert np.allclose(original, expected)
assert np.allclose(cp.asnumpy(means), expected.mean(axis=1))
dask.config.set({"array.backend": "numpy"})
