"""
Fitting by gradient descent
===========================

A neural network with one hidden layer learns a picture: from a place to its brightness. Gradients
are written out; the parameters are updated in place, with Adam's steps.
"""

# %%
# The picture, and places as sines and cosines of several frequencies, which a network learns fine
# detail from.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image
from tqdm import tqdm

import cupola as cp

HIDDEN, STEPS, BATCH, SPEED = 96, 300, 1024, 6e-3
picture = load_sample_image("flower.jpg")[40:360:4, 160:560:4].mean(axis=2) / 255
height, width = picture.shape
rng = np.random.default_rng(0)
places = np.stack(np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j], -1).reshape(-1, 2)
waves = 2 * np.pi * places @ rng.normal(0, 4, (2, 48))
inputs = cp.asarray(np.hstack([np.sin(waves), np.cos(waves)]), dtype="float32")
wanted = cp.asarray(picture.reshape(-1, 1), dtype="float32")

# %%
# The network and its gradients.


def forward(x, w1, b1, w2, b2):
    """The hidden layer, and what the network says."""
    hidden = cp.maximum(x @ w1 + b1, 0)
    return hidden, hidden @ w2 + b2


def gradients(x, y, w1, b1, w2, b2):
    """Of the mean square error, and that itself."""
    hidden, answer = forward(x, w1, b1, w2, b2)
    error = answer - y
    back = 2 * error / len(x)
    below = back @ w2.T * (hidden > 0)
    slopes = x.T @ below, below.sum(axis=0), hidden.T @ back, back.sum(axis=0)
    return slopes, (error**2).mean()


# %%
# The descent. The error stays on the device: only some of them are read, at the end.

sizes = ((inputs.shape[1], HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,))
parameters = [cp.asarray(rng.normal(0, 0.1, size), dtype="float32") for size in sizes]
means = [cp.zeros_like(p) for p in parameters]
squares = [cp.zeros_like(p) for p in parameters]
errors = []
order = cp.asarray(rng.integers(0, len(inputs), (STEPS, BATCH)))
for step in tqdm(range(1, STEPS + 1), unit="step"):
    batch = order[step - 1]
    slopes, error = gradients(inputs[batch], wanted[batch], *parameters)
    errors.append(error)
    for p, slope, mean, square in zip(parameters, slopes, means, squares, strict=True):
        mean += 0.1 * (slope - mean)
        square += 0.01 * (slope * slope - square)
        p -= SPEED * (mean / (1 - 0.9**step)) / (cp.sqrt(square / (1 - 0.99**step)) + 1e-8)
errors = cp.asnumpy(cp.stack(errors))

# %%
# What was learnt.

learnt = cp.asnumpy(forward(inputs, *parameters)[1]).reshape(height, width)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
axes[0].imshow(picture, cmap="gray", vmin=0, vmax=1)
axes[0].set_title("wanted")
axes[1].imshow(learnt, cmap="gray", vmin=0, vmax=1)
axes[1].set_title("learnt")
axes[2].semilogy(errors)
axes[2].set(xlabel="step", ylabel="mean square error")
for place in axes[:2]:
    place.axis("off")
plt.show()

# %%
# The error has become small, and a gradient is what differences say.

final = ((learnt - picture) ** 2).mean()
print(f"mean square error: {final:.2e}; variance of the picture: {picture.var():.2e}")
assert final < 0.1 * picture.var()
exact = [p.astype("float64") for p in parameters]
x64, y64 = inputs[:64].astype("float64"), wanted[:64].astype("float64")
slopes, at = gradients(x64, y64, *exact)
moved = [*exact[:3], exact[3] + 1e-5]
slope = (float(gradients(x64, y64, *moved)[1]) - float(at)) / 1e-5
assert abs(slope - float(slopes[3][0])) < 1e-4
