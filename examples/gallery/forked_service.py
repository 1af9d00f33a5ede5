"""
A service of several processes
==============================

``cupola.multiprocessing`` has the names of the standard library's module. Its workers get a device
each, and arrays in arguments and results stay on their device: no copy to the host and back.
"""

# %%
# What a worker does: the natural modes of a membrane, for one shape of it.

import os

os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")

import matplotlib.pyplot as plt
import numpy as np

import cupola as cp
from cupola.multiprocessing import Pool

GRID = 18


def modes(shape):
    """The four lowest frequencies of a membrane, its third mode, and where that was computed.

    ``shape`` is an array of booleans: where the membrane is. It lies in memory that the processes
    share, on the device of the one that made it, and is copied to the worker's own.
    """
    shape = cp.to_device(shape, cp.current_device())
    inside = cp.flatnonzero(shape)
    number = cp.full(shape.size, -1)
    number[inside] = cp.arange(inside.size)
    matrix = 4.0 * cp.eye(inside.size)
    for step in (-1, 1, -GRID, GRID):
        neighbour = number[inside + step]
        there = neighbour >= 0
        matrix[cp.flatnonzero(there), neighbour[there]] -= 1
    squares, vectors = cp.linalg.eigh(matrix)
    field = cp.zeros(shape.size)
    field[inside] = vectors[:, 2]
    return cp.sqrt(squares[:4]), field.reshape(shape.shape), str(cp.current_device()), os.getpid()


# %%
# Four shapes, as arrays on the device of this process, and a pool of workers.


def shapes():
    """A square, a disc, an L and a ring, with nothing at their edges."""
    y, x = cp.meshgrid(*[cp.linspace(-1.1, 1.1, GRID)] * 2, indexing="ij")
    square = (cp.abs(x) < 1) & (cp.abs(y) < 1)
    radius = x * x + y * y
    return [square, radius < 1, square & ((x < 0) | (y < 0)), (radius < 1) & (radius > 0.12)]


# %%
# The pool. A result is an array on the device of its worker.

if __name__ == "__main__":
    made = shapes()
    with Pool(4, devices="all") as pool:
        results = pool.map(modes, made)
    for frequencies, _, device, pid in results:
        print(f"worker {pid} on {device}:", np.round(cp.asnumpy(frequencies), 3))

    # The third mode of each shape.
    figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained")
    for place, shape, (frequencies, field, device, _) in zip(axes, made, results, strict=True):
        picture = np.where(cp.asnumpy(shape), cp.asnumpy(field), np.nan)
        place.imshow(picture, cmap="PuOr")
        place.set_title(f"{float(frequencies[2]):.3f} on {device}")
        place.axis("off")
    plt.show()

    # This process computes the same, and a square has two modes of one frequency.
    for shape, (frequencies, _, _, pid) in zip(made, results, strict=True):
        assert np.allclose(cp.asnumpy(modes(shape)[0]), cp.asnumpy(frequencies))
        assert pid != os.getpid()
    assert np.isclose(*cp.asnumpy(results[0][0][1:3]))
