"""
A threaded image service
========================

Sixteen threads answer requests for image statistics. Each has a default stream of its own and picks
a device in turn: threads overlap without being asked to, and their results are exact.
"""

# %%
# The requests: crops of a photograph.

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_images

import cupola as cp

THREADS, REQUESTS, SIZE = 16, 400, 128
photographs = [image.astype("float32").mean(axis=2) for image in load_sample_images().images]
rng = np.random.default_rng(2)
crops = []
for i in range(REQUESTS):
    image = photographs[i % 2]
    row, column = (int(rng.integers(extent - SIZE)) for extent in image.shape)
    crops.append(image[row : row + SIZE, column : column + SIZE])

# %%
# What a request does: to the device, four numbers, back. No thread chooses a stream or waits for
# one.

devices = cp.all_devices().members
log = []
start = time.perf_counter()


def answer(number):
    """Mean, deviation, and the mean strength of edges across and down."""
    begun = time.perf_counter() - start
    with devices[number % len(devices)]:
        picture = cp.asarray(crops[number])
        across = cp.abs(picture[:, 1:] - picture[:, :-1]).mean()
        down = cp.abs(picture[1:] - picture[:-1]).mean()
        values = cp.asnumpy(cp.stack([picture.mean(), picture.std(), across, down]))
    log.append((threading.get_ident(), number % len(devices), begun, time.perf_counter() - start))
    return values


with ThreadPoolExecutor(THREADS) as threads:
    answers = np.stack(list(threads.map(answer, range(REQUESTS))))
seconds = time.perf_counter() - start
print(f"{REQUESTS} requests by {THREADS} threads on {len(devices)} devices: {seconds:.2f} s")

# %%
# Which thread worked when and on which device, and what the crops look like.

names = {name: i for i, name in enumerate(dict.fromkeys(entry[0] for entry in log))}
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for name, device, begun, ended in log:
    left.barh(names[name], ended - begun, left=begun, color=f"C{device}", height=0.8)
left.set(xlabel="seconds", ylabel="thread", title="requests, coloured by device")
dots = right.scatter(answers[:, 0], answers[:, 1], c=answers[:, 2] + answers[:, 3], s=12)
right.set(xlabel="mean", ylabel="deviation", title="crops")
figure.colorbar(dots, label="edges")
plt.show()

# %%
# NumPy gives the same answers.

for crop, found in zip(crops, answers, strict=True):
    edges = [np.abs(np.diff(crop, axis=axis)).mean() for axis in (1, 0)]
    assert np.allclose(found, [crop.mean(), crop.std(), *edges], rtol=1e-4)
assert len(names) > 1
