"""Sorting: millions of elements per second."""

import functools
from typing import Any

import numpy as np

from libraries import Library
from registry import Inputs, Task, case

MOST = 1 << 26  # elements


def count_of(inputs: Inputs) -> int:
    return min(inputs.n, MOST)


sorting_row = functools.partial(case, area="sorting", unit="M/s", scale=1e-6, work=count_of)


def values_at(places: np.ndarray, inputs: Inputs) -> np.ndarray:
    """Equal elements may stand in any order with some libraries."""
    return inputs.host("a")[: places.size][places]


@sorting_row("sort, 64 Mi float32")
def sort(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", count_of(inputs))
    return Task(lambda: library.sorted(a))


@sorting_row("sort, 64 Mi int64")
def sort_integers(library: Library, inputs: Inputs) -> Task:
    host = inputs.host("a")[: count_of(inputs)]
    a = library.asarray(((host - 0.5) * 2.0**62).astype(np.int64))
    return Task(lambda: library.sorted(a))


@sorting_row("argsort, 64 Mi float32", compare=values_at)
def argsort(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", count_of(inputs))
    return Task(lambda: library.places_sorted(a))


@sorting_row("sort, rows of 1,024 float32")
def sort_rows(library: Library, inputs: Inputs) -> Task:
    a: Any = inputs.part(library, "a", count_of(inputs)).reshape(-1, 1024)
    return Task(lambda: library.sorted(a))


def halves_sorted(parted: np.ndarray, inputs: Inputs) -> np.ndarray:
    """What stands before and behind the middle may stand in any order."""
    middle = parted.size // 2
    return np.concatenate([np.sort(parted[:middle]), np.sort(parted[middle:])])


ORDERED = ("numpy", "cupy", "jax")  # PyTorch has no partition, and quantiles of 16 Mi at most


@sorting_row("partition at the middle, 64 Mi float32", compare=halves_sorted, peers=ORDERED)
def partition(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", count_of(inputs))
    return Task(lambda: library.xp.partition(a, count_of(inputs) // 2))


@sorting_row("median, 64 Mi float32")
def median(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", count_of(inputs) - 1)  # PyTorch takes the lower of two
    return Task(lambda: library.xp.median(a))


@sorting_row("three percentiles, 64 Mi float32", peers=ORDERED)
def percentiles(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", count_of(inputs))
    asked = library.asarray(np.array([5.0, 50.0, 95.0]))
    return Task(lambda: library.xp.percentile(a, asked))
