#!/usr/bin/env python3
"""The mean and variance of data larger than any one device's memory.

An allocation of the whole on one device says in its error who holds what. On all devices together
it is one array, whose parts follow each device's free memory. Exits with status 1 if a result
differs from NumPy's, or if an array over one device fewer gives other bits.
"""

import os
import sys

import numpy as np

# Without a GPU the CPU takes the part of four small devices; read when the package is imported.
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
os.environ.setdefault("CUPOLA_CPU_DEVICE_MEMORY", "128M,96M,64M,96M")
import cupola as cp

# A device of this or more is not filled: the data is then smaller than it.
LARGEST_JOB = 256 << 20  # bytes


def mean_and_variance(data: np.ndarray, devices: cp.Device) -> tuple[cp.ndarray, cp.ndarray]:
    """Of data on these devices, each of 0 dimensions."""
    with devices:
        array = cp.asarray(data)
        for part in array.placement:
            first, end = part.bytes
            print(f"{part.device}: {(end - first) >> 20} MiB of {data.nbytes >> 20}")
        return array.mean(dtype="float64"), array.var(dtype="float64")


def main() -> int:
    count = cp.cuda.runtime.getDeviceCount()
    free = [cp.cuda.Device(i).mem_info[0] for i in range(count)]
    elements = min(int(max(free) * 1.25), LARGEST_JOB) // 4
    data = np.random.default_rng().random(elements, dtype=np.float32)
    if data.nbytes > max(free):
        try:
            cp.asarray(data)
        except MemoryError as error:
            print(f"on one device: {error}")
    everywhere = cp.all_devices()
    mean, variance = mean_and_variance(data, everywhere)
    error = max(
        abs(float(mean) - data.mean(dtype="f8")), abs(float(variance) - data.var(dtype="f8"))
    )
    print(f"mean {mean:.6f}, variance {variance:.6f}; largest difference from NumPy {error:.1e}")
    same = True
    if count > 2:
        fewer = cp.Device(f"{everywhere.platform}:1-{count - 1}")
        again = mean_and_variance(data, fewer)
        same = all(float(a) == float(b) for a, b in zip((mean, variance), again, strict=True))
        print(f"the same bits on {fewer}: {same}")
    return 0 if error < 1e-6 and same else 1


if __name__ == "__main__":
    sys.exit(main())
