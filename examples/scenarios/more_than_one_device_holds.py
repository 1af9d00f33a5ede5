#!/usr/bin/env python3
"""The mean and variance of data larger than any one device's memory.

The parts follow each device's free memory; all devices work at once. An allocation of the whole on
one device says in its error who holds what. Exits with status 1 if a result differs from NumPy's.
"""

import os
import sys

import numpy as np

# Without a GPU the CPU takes the part of four small devices; read when the package is imported.
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
os.environ.setdefault("CUPOLA_CPU_DEVICE_MEMORY", str(128 << 20))
import cupola as cp

# A device of this or more is not filled: the data is then smaller than it.
LARGEST_JOB = 256 << 20  # bytes


def cut_points(elements: int, weights: list[int]) -> list[int]:
    """Where each part ends, in proportion to the weights."""
    return [int(elements * share) for share in np.cumsum(weights) / sum(weights)]


def main() -> int:
    devices = [cp.cuda.Device(i) for i in range(cp.cuda.runtime.getDeviceCount())]
    free = [device.mem_info[0] for device in devices]
    elements = min(int(max(free) * 1.25), LARGEST_JOB) // 4
    data = np.random.default_rng().random(elements, dtype=np.float32)
    if data.nbytes > max(free):
        try:
            cp.asarray(data)
        except MemoryError as error:
            print(f"on one device: {error}")
    parts, begin = [], 0
    for device, end in zip(devices, cut_points(elements, free), strict=True):
        with device:
            parts.append(cp.asarray(data[begin:end]))
        print(f"{device}: {4 * (end - begin) >> 20} MiB of {data.nbytes >> 20}")
        begin = end
    # Every sum is under way before the first is read.
    sums = [part.sum(dtype="float64") for part in parts]
    mean = sum(map(float, sums)) / elements
    squares = [((part - np.float32(mean)) ** 2).sum(dtype="float64") for part in parts]
    variance = sum(map(float, squares)) / elements
    error = max(abs(mean - data.mean(dtype="f8")), abs(variance - data.var(dtype="f8")))
    print(f"mean {mean:.6f}, variance {variance:.6f}; largest difference from NumPy {error:.1e}")
    return 0 if error < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
