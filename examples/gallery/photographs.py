"""
Photographs: edges and histogram equalisation
=============================================

A photograph goes to the device once; a chain of operations on its pixels is one pass over memory,
computed when the picture is drawn.
"""

# %%
# The photograph
# --------------
# Two photographs come with scikit-learn. ``cp.asarray`` copies one to the current device.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

import cupola as cp

pixels = cp.asarray(load_sample_image("china.jpg"))
grey = pixels.astype("float32") @ cp.asarray([0.299, 0.587, 0.114], dtype="float32")
print(pixels.shape, pixels.dtype, "on", pixels.device)

# %%
# Edges
# -----
# The length of the gradient. Nothing is computed here: ``cp.explain`` says what would be.

across = (grey[1:-1, 2:] - grey[1:-1, :-2]) * 0.5
down = (grey[2:, 1:-1] - grey[:-2, 1:-1]) * 0.5
edges = cp.sqrt(across**2 + down**2)
print(cp.explain(edges))

# %%
# Equalisation
# ------------
# Each grey level becomes the share of the pixels that are not brighter.

levels = grey.astype("uint8")
counts = cp.bincount(levels.ravel(), minlength=256)
shares = cp.cumsum(counts) / levels.size
equalised = shares[levels]

# %%
# The pictures, and NumPy's result beside it.

figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
shown = (
    ("photograph", pixels, None),
    ("edges", edges, "inferno"),
    ("grey levels", grey, "gray"),
    ("equalised", equalised, "gray"),
)
for place, (title, picture, colours) in zip(axes.flat, shown, strict=True):
    place.imshow(cp.asnumpy(picture), cmap=colours)
    place.set_title(title)
    place.axis("off")
plt.show()

host = cp.asnumpy(levels)
expected = (np.cumsum(np.bincount(host.ravel(), minlength=256)) / host.size)[host]
assert np.array_equal(cp.asnumpy(equalised), expected)
assert cp.asnumpy(edges).max() > 50
