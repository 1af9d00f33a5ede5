"""
Conjugate gradients without a matrix
====================================

The temperature of a plate that is held cold at its edge and heated in places: Poisson's equation on
a grid of 160 x 160, whose matrix would have 655 million elements. Conjugate gradients need only
products with it, and these are a stencil.
"""

# %%
# The product with the matrix. ``cp.pad`` puts the cold edge around the plate.

import matplotlib.pyplot as plt
import numpy as np

import cupola as cp

N = 160


def product(field):
    """Four times each value, less its neighbours: the negative Laplacian, edges being zero."""
    ring = cp.pad(field, 1)
    return 4 * field - ring[:-2, 1:-1] - ring[2:, 1:-1] - ring[1:-1, :-2] - ring[1:-1, 2:]


# %%
# The method. All numbers stay on the device; the host looks at one of them every 20 steps.


def solve(b, tolerance=1e-8, most=2000):
    """x with product(x) = b, and the residual's norms that were looked at."""
    x = cp.zeros_like(b)
    residual = b.copy()
    direction = residual.copy()
    square = (residual * residual).sum()
    looked_at = []
    for step in range(most):
        if step % 20 == 0:
            looked_at.append((step, float(cp.sqrt(square))))
            if looked_at[-1][1] <= tolerance * looked_at[0][1]:
                break
        image = product(direction)
        length = square / (direction * image).sum()
        x = x + length * direction
        residual = residual - length * image
        following = (residual * residual).sum()
        direction = residual + following / square * direction
        square = following
    return x, looked_at


heat = cp.zeros((N, N))
heat[30:40, 30:60] = 1.0
heat[100:130, 110:118] = 2.0
heat[70:75, 120:150] = -1.5
temperature, norms = solve(heat)
print(f"{norms[-1][0]} steps, residual {norms[-1][1]:.1e}")

# %%
# The temperature.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
picture = left.imshow(cp.asnumpy(temperature), cmap="coolwarm")
left.contour(cp.asnumpy(temperature), 12, colors="k", linewidths=0.4)
left.axis("off")
figure.colorbar(picture, ax=left, label="temperature")
right.semilogy(*zip(*norms, strict=True), "o-")
right.set(xlabel="step", ylabel="norm of the residual")
plt.show()

# %%
# It solves the equation, and a direct solver of a small plate agrees.

assert float(cp.abs(product(temperature) - heat).max()) < 1e-6
size = 12
unit = cp.eye(size * size).reshape(-1, size, size)
matrix = np.stack([cp.asnumpy(product(unit[i])).ravel() for i in range(size * size)])
small = cp.asarray(np.random.default_rng(0).random((size, size)))
direct = np.linalg.solve(matrix, cp.asnumpy(small).ravel())
assert np.allclose(cp.asnumpy(solve(small, 1e-12)[0]).ravel(), direct)
