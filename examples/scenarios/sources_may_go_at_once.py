#!/usr/bin/env python3
"""Asynchronous copies whose sources are overwritten or dropped right after the call.

Exits with status 1 if any element on the device is not what the source was at the call.
"""

import sys
import time

import numpy as np

import cupola as cp

ELEMENTS = 1 << 24  # float32
ROUNDS = 5


def snapshot(rng: np.random.Generator) -> bool:
    """The copy has the value at the call; the program goes on with its buffer at once."""
    host = rng.random(ELEMENTS, dtype=np.float32)
    expected = host.copy()
    array = cp.asarray(host, blocking=False)
    host[:] = -1
    return np.array_equal(cp.asnumpy(array), expected)


def dropped_pinned_source(rng: np.random.Generator) -> bool:
    """Zero-copy from pinned memory, which is kept until the copy is done, whoever drops it."""
    source = cp.empty_pinned(ELEMENTS, dtype="float32")
    source[:] = rng.random(ELEMENTS, dtype=np.float32)
    expected = np.array(source)
    array = cp.empty(ELEMENTS, dtype="float32")
    array.set(source, blocking=False, source="keepalive")
    del source
    cp.empty_pinned(ELEMENTS, dtype="float32")[:] = -1  # would reuse memory freed too early
    return np.array_equal(cp.asnumpy(array), expected)


def asynchronous_get(rng: np.random.Generator) -> bool:
    """`out` is filled when its stream has come to it."""
    expected = rng.random(ELEMENTS, dtype=np.float32)
    array = cp.asarray(expected)
    out = cp.empty_pinned(ELEMENTS, dtype="float32")
    stream = cp.cuda.Stream()
    with stream:
        array.get(out=out, stream=stream, blocking=False)
    del array
    stream.synchronize()
    return np.array_equal(out, expected)


def main() -> int:
    rng = np.random.default_rng()
    failed = 0
    for job in (snapshot, dropped_pinned_source, asynchronous_get):
        right = [job(rng) for _ in range(ROUNDS)]
        failed += right.count(False)
        print(f"{job.__name__}: {right.count(True)} of {ROUNDS} right")
    host = rng.random(4 * ELEMENTS, dtype=np.float32)
    began = time.perf_counter()
    cp.asarray(host)
    cp.synchronize()
    rate = host.nbytes / (time.perf_counter() - began) / 1e9
    print(f"{host.nbytes >> 20} MiB of ordinary memory to the device: {rate:.1f} GB/s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
