"""
An array larger than a device
=============================

Several devices as one: ``with cp.all_devices()`` a new array lies on all of them, and each computes
the part that it holds. Here CPU devices take the part of four GPUs with little memory.
"""

# %%
# Four small devices. The variables are read at the first import; on a machine with several GPUs
# these are used instead.

import os

os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")

import matplotlib.pyplot as plt
import numpy as np

import cupola as cp

everywhere = cp.all_devices()
if len(everywhere.members) == 1:
    everywhere = cp.all_devices("cpu")
pool = cp.get_default_memory_pool()
LIMIT = 48 << 20  # bytes that arrays may take of each device
for device in everywhere.members:
    with device:
        pool.set_limit(size=LIMIT)

# %%
# One array of 96 MiB. No device may give so much.

SIDE = 5016
too_large = False
try:
    cp.empty((SIDE, SIDE), "float32", device=everywhere.members[0])
except cp.errors.OutOfMemoryError as error:
    too_large = True
    print(str(error).splitlines()[0][:90])

with everywhere:
    field = cp.empty((SIDE, SIDE), "float32")
print(f"{field.nbytes >> 20} MiB on {field.device}")
for part in field.placement:
    print(part.device, f"{(part.bytes[1] - part.bytes[0]) >> 20} MiB, rows {part.elements}")

# %%
# It is an array like any other: written in place, reduced, sliced. Members work at the same time on
# the rows that they hold.

with everywhere:
    x = cp.linspace(-6, 6, SIDE, dtype="float32")
    y = cp.linspace(-6, 6, SIDE, dtype="float32")[:, None]
    radius = x * x + y * y
    field[...] = cp.cos(radius) * cp.exp(-radius / 18)
total, highest = float(field.sum(dtype="float64")), float(field.max())
print(f"sum {total:.3f}, highest {highest:.6f}")

# %%
# A small part of it comes to the host: every 16th element, and where each row lies.

shown = cp.asnumpy(field[::16, ::16])
figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 5), width_ratios=(5, 1), sharey=True, layout="constrained"
)
left.imshow(shown, cmap="twilight", extent=(0, SIDE, SIDE, 0))
left.set(title=f"one array of {field.nbytes >> 20} MiB", ylabel="row")
for number, part in enumerate(field.placement):
    first, end = part.elements
    right.bar(0, end - first, bottom=first, color=f"C{number}", label=str(part.device))
right.set(title="lies on", xticks=[])
right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02))
plt.show()

# %%
# NumPy computes the same.

a = np.linspace(-6, 6, SIDE, dtype="float32")
rows = a[::16, None] * a[::16, None] + a[::16] * a[::16]
assert np.allclose(shown, np.cos(rows) * np.exp(-rows / 18), atol=1e-5)
assert highest == 1.0 or abs(highest - 1) < 1e-4
assert too_large
del field, radius, x, y
for device in everywhere.members:
    with device:
        pool.set_limit(size=0)
        pool.free_all_blocks()
