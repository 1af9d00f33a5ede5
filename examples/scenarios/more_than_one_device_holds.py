#!/usr/bin/env python3
"""Data larger than any one device's memory, as one array over all of them.

It is filled from NumPy, transformed, reduced, sorted where it is, read back part by part and
compared with NumPy. Exits with status 1 if anything differs, if the process took host memory for
it, or if it began to use a device that is none of the array's.

An allocation of the whole on one device says in its error who holds what.
"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

# Without a GPU the CPU takes the part of four small devices; read when the package is imported.
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
os.environ.setdefault("CUPOLA_CPU_DEVICE_MEMORY", "128M,96M,64M,96M")
import cupola as cp

CHUNK = 1 << 18  # elements that come from the host at one time; the array is so many times these
LARGE_CHUNK = 1 << 26
LARGEST = 256 << 20  # bytes of the array, unless all memory is asked for
SHARE = 0.8  # of the smallest member's memory, for each member
HOST_GROWTH = 3 << 30  # bytes: pinned memory for copies, and what libraries take
THREADS = min(16, os.cpu_count() or 1)  # that compare


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", help="a set such as cuda:0-1; without it, all devices")
    parser.add_argument("--whole", action="store_true", help="as much as their memory holds")
    parser.add_argument("--striped-pool", action="store_true", help="as a program for one device")
    return parser.parse_args()


def members(devices: cp.Device) -> list[cp.Device]:
    return [cp.Device(str(device)) for device in getattr(devices, "members", [devices])]


def array_of(elements: int, devices: cp.Device, striped_pool: bool) -> cp.ndarray:
    """Of float32, on all these devices."""
    if striped_pool:
        with devices:
            cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_striped).malloc)
            return cp.empty(elements, "float32")
    return cp.empty(elements, "float32", device=devices)


def parts(array: cp.ndarray, size: int) -> Iterator[cp.ndarray]:
    """Views of so many elements each."""
    return (array[first : first + size] for first in range(0, array.size, size))


def is_sorted_copy(array: cp.ndarray, chunk: np.ndarray) -> bool:
    """Whether it has each element of the sorted chunk equally often, in order."""
    times = array.size // chunk.size
    at_once = max(1, min(chunk.size, LARGE_CHUNK // times))
    buffer = np.empty(at_once * times, np.float32)

    def agrees(number: int) -> bool:
        own = slice(number * at_once // THREADS, (number + 1) * at_once // THREADS)
        return np.array_equal(rows[own], np.broadcast_to(wanted[own, None], rows[own].shape))

    with ThreadPoolExecutor(THREADS) as pool:
        for first in range(0, chunk.size, at_once):
            wanted = chunk[first : first + at_once]
            rows = buffer[: wanted.size * times].reshape(wanted.size, times)
            cp.asnumpy(array[first * times : (first + wanted.size) * times], out=rows.reshape(-1))
            if not all(pool.map(agrees, range(THREADS))):
                return False
    return True


def host_memory() -> int:
    """Bytes that this process has used at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def unused(platform: str) -> set[cp.Device]:
    """Devices that this process has nothing on."""
    every = [cp.Device(f"{platform}:{i}") for i in range(cp.cuda.runtime.getDeviceCount())]
    return {device for device in every if not cp._cupola.has_context(device)}


def report(name: str, began: float) -> float:
    cp.synchronize()
    now = time.perf_counter()
    print(f"{name}: {now - began:.2f} s", flush=True)
    return now


def main() -> int:
    options = arguments()
    devices = cp.Device(options.devices) if options.devices else cp.all_devices()
    own = members(devices)
    others = unused(own[0].platform) - set(own)
    size = LARGE_CHUNK if options.whole else CHUNK
    wanted = SHARE * len(own) * min(device.mem_info[0] for device in own)
    elements = int(wanted if options.whole else min(wanted, LARGEST)) // (4 * size) * size
    chunk = np.random.default_rng().random(size, dtype=np.float32)
    if elements * 4 > max(device.mem_info[0] for device in own):
        try:
            cp.empty(elements, "float32", device=own[0])
        except MemoryError as error:
            print(f"on one device: {error}")
    host_before = host_memory()

    now = time.perf_counter()
    array = array_of(elements, devices, options.striped_pool)
    for part in array.placement:
        first, end = part.bytes
        print(f"{part.device}: {(end - first) >> 20} MiB of {array.nbytes >> 20}")
    for part in parts(array, size):
        part[...] = chunk
    now = report("filled", now)
    array *= 2
    array -= 1
    np.multiply(chunk, 2, out=chunk)
    np.subtract(chunk, 1, out=chunk)
    now = report("transformed", now)
    mean, variance = array.mean(dtype="float64"), array.var(dtype="float64")
    largest, negative = array.max(), (array < 0).sum()
    error = max(
        abs(float(mean) - chunk.mean(dtype="f8")), abs(float(variance) - chunk.var(dtype="f8"))
    )
    right = error < 1e-9 and float(largest) == chunk.max()
    right &= int(negative) == int((chunk < 0).sum()) * (elements // size)
    now = report("reduced", now)
    array.sort()
    chunk.sort()
    now = report("sorted", now)
    right &= is_sorted_copy(array, chunk)
    report("read back and compared", now)

    grown = host_memory() - host_before
    kept = own[0].platform == "cpu" or grown < HOST_GROWTH
    untouched = unused(own[0].platform) >= others
    print(f"mean {float(mean):.6f}, variance {float(variance):.6f}; as NumPy's: {right}")
    print(f"host memory grew by {grown >> 20} MiB; other devices untouched: {untouched}")
    return 0 if right and kept and untouched else 1


if __name__ == "__main__":
    sys.exit(main())
