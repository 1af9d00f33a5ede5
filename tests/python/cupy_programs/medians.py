"""Algorithms of Thrust in kernels written in Python: medians of windows, and groups by key."""

import cupy
import numpy
from cupyx import jit

RADIUS = 3


@jit.rawkernel()
def medians(image, work, result):
    i = numpy.int64(jit.grid(1))
    if i < image.size:
        window = work[i]
        for k in range(-RADIUS, RADIUS + 1):
            place = min(max(i + k, 0), image.size - 1)
            window[k + RADIUS] = image[place]
        jit.thrust.sort(jit.thrust.seq, window.begin(), window.end())
        result[i] = window[RADIUS]


image = cupy.random.RandomState(3).rand(500).astype(cupy.float32)
result = cupy.empty_like(image)
work = cupy.empty((image.size, 2 * RADIUS + 1), cupy.float32)
medians[4, 128](image, work, result)
padded = numpy.pad(image.get(), RADIUS, mode="edge")
windows = numpy.lib.stride_tricks.sliding_window_view(padded, 2 * RADIUS + 1)
numpy.testing.assert_array_equal(result.get(), numpy.median(windows, axis=1))


@jit.rawkernel()
def sums_by_key(keys, values, kept, sums, counts):
    i = jit.grid(1)
    jit.thrust.sort_by_key(jit.thrust.device, keys[i].begin(), keys[i].end(), values[i].begin())
    pair = jit.thrust.reduce_by_key(
        jit.thrust.device,
        keys[i].begin(),
        keys[i].end(),
        values[i].begin(),
        kept[i].begin(),
        sums[i].begin(),
    )
    counts[i] = pair[0] - kept[i].begin()


random = numpy.random.RandomState(4)
keys = random.randint(0, 5, (8, 40)).astype("int32")
values = random.randint(0, 9, (8, 40)).astype("int64")
kept, sums = cupy.zeros((8, 40), "int32"), cupy.zeros((8, 40), "int64")
counts = cupy.zeros(8, "int32")
arguments = cupy.array(keys, order="F"), cupy.array(values), kept, sums, counts
sums_by_key[1, 8](*arguments)
for row in range(8):
    found = int(counts[row])
    expected = numpy.unique(keys[row])
    numpy.testing.assert_array_equal(kept[row, :found].get(), expected)
    totals = [values[row][keys[row] == key].sum() for key in expected]
    numpy.testing.assert_array_equal(sums[row, :found].get(), totals)
print("ok")
