"""Many Python threads at once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from libraries import Library
from registry import Inputs, Task, case

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


@case(
    f"a + b from {ADDERS} threads, 1,024 elements",
    "threads",
    "k/s",
    1e-3,
    work=lambda _: ADDERS * ADDITIONS,
    compare=None,
)
def additions(library: Library, inputs: Inputs) -> Task:
    pool = started_pool(ADDERS)
    operands = [
        (inputs.part(library, "a", 1024), inputs.part(library, "b", 1024)) for _ in range(ADDERS)
    ]

    def add_many(thread: int) -> None:
        a, b = operands[thread]
        for _ in range(ADDITIONS):
            result = a + b
            library.use(result)
        library.wait(result)

    return Task(lambda: float(len(list(pool.map(add_many, range(ADDERS))))))


def images(threads: int) -> Callable[[Library, Inputs], Task]:
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
