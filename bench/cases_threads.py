"""Many Python threads at once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from libraries import Library
from registry import Build, Inputs, Task, case

ADDERS = 8
ADDITIONS = 500  # per thread and run
IMAGE = 512  # pixels to a side, float32
IMAGES = 2048  # per run, so that the threads' starts and ends are a small part of it


def started_pool(threads: int) -> ThreadPoolExecutor:
    """A pool whose threads all run already."""
    pool = ThreadPoolExecutor(threads)
    barrier = threading.Barrier(threads)
    list(pool.map(lambda _: barrier.wait(), range(threads)))
    return pool


def additions(threads: int) -> Build:
    """Additions from so many threads, each of operands of its own."""

    def build(library: Library, inputs: Inputs) -> Task:
        pool = started_pool(threads)
        operands = [
            (inputs.part(library, "a", 1024), inputs.part(library, "b", 1024))
            for _ in range(threads)
        ]

        def add_many(thread: int) -> None:
            a, b = operands[thread]
            for _ in range(ADDITIONS):
                result = a + b
                library.use(result)
            library.wait(result)

        return Task(lambda: float(len(list(pool.map(add_many, range(threads))))))

    return build


def additions_row(threads: int) -> None:
    row = case(
        f"a + b from {threads} thread{'s' if threads > 1 else ''}, 1,024 elements",
        "threads",
        "k/s",
        1e-3,
        work=lambda _: threads * ADDITIONS,
        compare=None,
    )
    row(additions(threads))


for adders in (1, ADDERS):
    additions_row(adders)


def images(threads: int) -> Build:
    """Host to device, mean, read: so many threads with an equal share each; checks every mean."""

    def build(library: Library, _inputs: Inputs) -> Task:
        pool = started_pool(threads)
        hosts = list(np.random.default_rng().random((8, IMAGE, IMAGE), dtype=np.float32))
        expected = [float(host.mean()) for host in hosts]

        def worst_of(thread: int) -> float:
            worst = 0.0
            for i in range(thread, IMAGES, threads):
                mean = float(library.asarray(hosts[i % len(hosts)]).mean())
                worst = max(worst, abs(mean - expected[i % len(hosts)]))
            return worst

        def run() -> float:
            worst = max(pool.map(worst_of, range(threads)))
            assert worst < 1e-5, worst
            return 0.0

        return Task(run)

    return build


for count in (1, 4, 16):
    case(
        f"512x512 images: to device, mean, read; {count} threads",
        "threads",
        "images/s",
        1,
        work=lambda _: IMAGES,
        compare=None,
    )(images(count))
