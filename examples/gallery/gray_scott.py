"""
Gray-Scott: patterns of two chemicals
=====================================

Two substances diffuse and react; spots grow and divide. The Laplacian is four shifted views of the
array, and each step is a few kernels.
"""

# %%
# The Laplacian by slices, on arrays that have one ring more than the pattern.

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import cupola as cp

N, STEPS = 160, 2500
FEED, KILL = 0.035, 0.062


def laplacian(field):
    """Of the inner part, by its four neighbours."""
    neighbours = field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]
    return neighbours - 4 * field[1:-1, 1:-1]


def wrap(field):
    """The ring repeats the other side."""
    field[0], field[-1] = field[-2], field[1]
    field[:, 0], field[:, -1] = field[:, -2], field[:, 1]


# %%
# The start: one substance everywhere, some of the other in squares.

u = cp.ones((N + 2, N + 2), "float32")
v = cp.zeros_like(u)
rng = np.random.default_rng(3)
for row, column in rng.integers(10, N - 20, (12, 2)):
    u[row : row + 10, column : column + 10] = 0.5
    v[row : row + 10, column : column + 10] = 0.25

# %%
# The steps.

for _ in tqdm(range(STEPS), unit="step"):
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
    reaction = inner_u * inner_v * inner_v
    change_u = 0.16 * laplacian(u) - reaction + FEED * (1 - inner_u)
    change_v = 0.08 * laplacian(v) + reaction - (FEED + KILL) * inner_v
    cp.eval(change_u, change_v)
    inner_u += change_u
    inner_v += change_v
    wrap(u)
    wrap(v)

# %%
# The pattern.

pattern = cp.asnumpy(v[1:-1, 1:-1])
figure, axes = plt.subplots(figsize=(5.5, 5), layout="constrained")
picture = axes.imshow(pattern, cmap="magma")
axes.axis("off")
figure.colorbar(picture, label="concentration")
plt.show()

# %%
# Concentrations stay between 0 and 1, and there is a pattern.

assert np.isfinite(pattern).all()
assert pattern.min() >= 0
assert pattern.max() < 1
assert pattern.std() > 0.05
