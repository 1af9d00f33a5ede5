"""
A service of several processes
==============================

``cupola.multiprocessing`` has the names of the standard library's module. Its workers get a device
each, and arrays in arguments and results stay on their device: no copy to the host and back.
"""

# %%
# What a worker does, ``modes``, lies in a module that its process imports: the natural modes of a
# membrane, for one shape of it. It begins with
# ``shape = cp.to_device(shape, cp.current_device())``, as the shape lies on the device of the
# process that made it.

import os

os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")

import matplotlib.pyplot as plt
import numpy as np
from _membrane import GRID, modes

import cupola as cp
from cupola.multiprocessing import Pool

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
