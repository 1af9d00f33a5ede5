"""
Kernels of one's own
====================

Three ways to write what no function of NumPy does: an expression, a CUDA kernel as text, and one in
Python. On CPU devices they run too, with blocks, shared memory and barriers.
"""

# %%
# An expression
# -------------
# ``ElementwiseKernel`` takes what happens to one element, in C++. It fuses with the operations
# around it.

import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

import cupola as cp
from cupola.cupyx import jit

soft_step = cp.ElementwiseKernel(
    "T x, T width", "T y", "y = x < 0 ? 0 : x > width ? 1 : x / width", "soft_step"
)
ramp = cp.linspace(-1, 2, 7)
print(soft_step(ramp, 1.0))

# %%
# A CUDA kernel
# -------------
# A block of threads takes a tile and the ring around it into shared memory; then each thread finds
# the median of nine pixels.

median = cp.RawKernel(
    r"""
#define TILE 16
extern "C" __global__
void median3(const float* in, float* out, int height, int width) {
    __shared__ float tile[TILE + 2][TILE + 2];
    int left = blockIdx.x * TILE - 1, top = blockIdx.y * TILE - 1;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int row = min(max(top + i / (TILE + 2), 0), height - 1);
        int column = min(max(left + i % (TILE + 2), 0), width - 1);
        tile[i / (TILE + 2)][i % (TILE + 2)] = in[row * width + column];
    }
    __syncthreads();
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row >= height || column >= width) return;
    float nine[9];
    for (int i = 0; i < 9; ++i) nine[i] = tile[threadIdx.y + i / 3][threadIdx.x + i % 3];
    for (int i = 0; i < 5; ++i)  // the five smallest, in order
        for (int j = i + 1; j < 9; ++j)
            if (nine[j] < nine[i]) { float t = nine[i]; nine[i] = nine[j]; nine[j] = t; }
    out[row * width + column] = nine[4];
}
""",
    "median3",
)


def filtered(picture):
    """Each pixel becomes the median of the nine around it."""
    height, width = picture.shape
    result = cp.empty_like(picture)
    blocks = (-(-width // 16), -(-height // 16))
    median(blocks, (16, 16), (picture, result, np.int32(height), np.int32(width)))
    return result


# %%
# A kernel in Python
# ------------------
# ``jit.rawkernel`` translates a function; here each thread counts the pixels of its strip into
# bins that all threads share, by atomic additions.


@jit.rawkernel()
def count_levels(picture, bins, size):
    """A histogram of 64 bins."""
    first = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    for i in range(first, size, jit.gridDim.x * jit.blockDim.x):
        level = min(int(picture[i] * 64), 63)
        jit.atomic_add(bins, level, 1)


# %%
# All three on a picture with noise.

y, x = cp.meshgrid(cp.linspace(-3, 3, 240), cp.linspace(-4, 4, 320), indexing="ij")
clean = (0.5 + 0.5 * cp.sin(x * x + y * y) * cp.exp(-(x * x + y * y) / 12)).astype("float32")
generator = cp.random.default_rng(1)
salt = generator.random(clean.shape)
noisy = cp.where(salt < 0.04, 0, cp.where(salt > 0.96, 1, clean)).astype("float32")
restored = filtered(noisy)
stepped = soft_step(restored - 0.4, cp.float32(0.2))
bins = cp.zeros(64, "int32")
count_levels[8, 64](restored.ravel(), bins, restored.size)

figure, axes = plt.subplots(2, 2, figsize=(9, 6.6), layout="constrained")
shown = (("with noise", noisy), ("median of nine", restored), ("soft step", stepped))
for place, (title, picture) in zip(axes.flat, shown, strict=False):
    place.imshow(cp.asnumpy(picture), cmap="viridis", vmin=0, vmax=1)
    place.set_title(title)
    place.axis("off")
axes[1, 1].bar(np.arange(64) / 64, cp.asnumpy(bins), width=1 / 64)
axes[1, 1].set_title("grey levels")
plt.show()

# %%
# SciPy and NumPy agree.

host = cp.asnumpy(restored)
assert np.array_equal(host, ndimage.median_filter(cp.asnumpy(noisy), 3, mode="nearest"))
expected = np.bincount(
    np.minimum((host * np.float32(64)).astype("int64"), 63).ravel(), minlength=64
)
assert np.array_equal(cp.asnumpy(bins), expected)
assert np.abs(host - cp.asnumpy(clean)).mean() < 0.2 * np.abs(cp.asnumpy(noisy - clean)).mean()
