#!/usr/bin/env python3
"""A service that has used the device and then starts workers.

A forked worker of a CUDA program is told at once what is wrong and what to do; on CPU devices it
just works. A spawned worker works everywhere. Exits with status 1 if a worker does something else.
"""

import multiprocessing
import sys
import warnings

import cupola as cp


def work(results: multiprocessing.Queue) -> None:
    """What a worker does: its result, or what went wrong."""
    try:
        results.put(float((cp.arange(1000, dtype="float64") * 2).sum()))
    except cp.errors.ForkedProcessError as error:
        results.put(f"{type(error).__name__}: {error}")


def start(method: str) -> float | str:
    context = multiprocessing.get_context(method)
    results = context.Queue()
    worker = context.Process(target=work, args=(results,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning of fork after CUDA says what we show here
        worker.start()
    result = results.get(timeout=60)
    worker.join()
    return result


def main() -> int:
    model = cp.ones(1000, dtype="float64")
    expected = 999_000.0
    on_gpu = model.device.platform == "cuda"
    forked, spawned = start("fork"), start("spawn")
    print(f"forked worker:  {forked}")
    print(f"spawned worker: {spawned}")
    print(f"the service goes on: {float(model.sum()):.0f}")
    right = "ForkedProcessError" in str(forked) if on_gpu else forked == expected
    return 0 if right and spawned == expected else 1


if __name__ == "__main__":
    sys.exit(main())
