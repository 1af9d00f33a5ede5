#!/usr/bin/env python3
"""A worker process whose threads each take the mean of images on the GPU.

All threads make their first use of the library at the same moment, and more threads do more images
per second. Exits with status 1 if a mean differs from NumPy's.
"""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cupola as cp

THREADS = (20, 1, 4, 16)  # the first are also the first use of everything
IMAGES = 64  # per thread
SIDE = 512  # pixels
TOLERANCE = 1e-5  # of means of 262,144 float32 values in [0, 1)


def mean_of(image: np.ndarray) -> float:
    return float(cp.asarray(image).mean())


def largest_error(images: np.ndarray, expected: np.ndarray, start: threading.Barrier) -> float:
    """Of one thread, which begins when all are there."""
    start.wait()
    return max(
        abs(mean_of(images[i % len(images)]) - expected[i % len(images)]) for i in range(IMAGES)
    )


def main() -> int:
    images = np.random.default_rng().random((16, SIDE, SIDE), dtype=np.float32)
    expected = images.mean(axis=(1, 2), dtype=np.float64)
    worst = 0.0
    for threads in THREADS:
        start = threading.Barrier(threads + 1)
        with ThreadPoolExecutor(threads) as pool:
            errors = [pool.submit(largest_error, images, expected, start) for _ in range(threads)]
            start.wait()
            began = time.perf_counter()
            worst = max(worst, *(error.result() for error in errors))
            seconds = time.perf_counter() - began
        print(f"{threads:3} threads: {threads * IMAGES / seconds:10,.0f} images/s")
    print(f"largest difference from NumPy: {worst:.1e} (allowed {TOLERANCE:.0e})")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
