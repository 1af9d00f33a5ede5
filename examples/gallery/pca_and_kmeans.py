"""
Principal components and k-means of handwritten digits
======================================================

1,797 digits of 8 x 8 pixels: projected onto the directions in which they differ most, and sorted
into clusters by Lloyd's algorithm.
"""

# %%
# Principal components
# --------------------
# They are the right singular vectors of the centred samples.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import cupola as cp

digits = load_digits()
samples = cp.asarray(digits.data)
centred = samples - samples.mean(axis=0)
_, singular, components = cp.linalg.svd(centred, full_matrices=False)
plane = centred @ components[:2].T
explained = singular**2 / (singular**2).sum()
print(f"two of 64 components explain {float(explained[:2].sum()):.0%} of the variance")

# %%
# Clusters
# --------
# Squared distances of all samples to all centres come from one matrix product. The loop ends when
# no sample changes its cluster.


def distances(points, centres):
    """Squared, of each point to each centre."""
    return (points**2).sum(axis=1)[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1)


rng = np.random.default_rng(1)
centres = samples[cp.asarray(rng.choice(len(samples), 10, replace=False))]
clusters = cp.full(len(samples), -1)
rounds = 0
while True:
    nearest = distances(samples, centres).argmin(axis=1)
    if bool((nearest == clusters).all()):
        break
    rounds += 1
    clusters = nearest
    members = clusters == cp.arange(10)[:, None]
    centres = members.astype("float64") @ samples / members.sum(axis=1)[:, None]
print(f"{rounds} rounds")

# %%
# The plane of the two components, coloured by cluster, and the centres as digits.

figure = plt.figure(figsize=(10, 5), layout="constrained")
left, right = figure.subfigures(1, 2)
axes = left.subplots()
places = cp.asnumpy(plane)
axes.scatter(places[:, 0], places[:, 1], c=cp.asnumpy(clusters), cmap="tab10", s=6)
axes.set(xlabel="first component", ylabel="second component")
for place, centre in zip(right.subplots(2, 5).flat, cp.asnumpy(centres), strict=True):
    place.imshow(centre.reshape(8, 8), cmap="gray_r")
    place.axis("off")
right.suptitle("centres of the clusters")
plt.show()

# %%
# A cluster is as good as its most frequent digit: together they name most samples.

names = cp.asnumpy(clusters)
right_ones = sum(np.bincount(digits.target[names == k]).max() for k in range(10))
print(f"{right_ones / len(names):.0%} of the samples are the digit of their cluster")
assert right_ones / len(names) > 0.6
assert np.allclose(cp.asnumpy(singular), np.linalg.svd(cp.asnumpy(centred), compute_uv=False))
