"""Counting: millions of elements per second."""

from typing import Any

import numpy as np

from cases_sorting import count_of
from libraries import Library
from registry import Inputs, Task, case

VALUES = 1000
BINS = 256


def counting_row(name: str) -> Any:
    return case(f"{name}, 64 Mi", "counting", "M/s", 1e-6, work=count_of)


def integers(library: Library, inputs: Inputs) -> Any:
    """int32, below VALUES."""
    count = count_of(inputs)
    host = inputs.made(
        f"{count} integers", lambda rng: rng.integers(0, VALUES, count, dtype=np.int32)
    )
    return library.asarray(host)


@counting_row("unique of 1,000 int32")
def unique(library: Library, inputs: Inputs) -> Task:
    a = integers(library, inputs)
    return Task(lambda: library.unique(a))


@counting_row("bincount of 1,000 int32")
def bin_counts(library: Library, inputs: Inputs) -> Task:
    a = integers(library, inputs)
    return Task(lambda: library.bin_counts(a))


# The edges are float32 without rounding, so that all libraries agree where an element belongs.
@counting_row("histogram of float32, 256 bins")
def histogram(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", count_of(inputs))
    return Task(lambda: library.histogram_of_unit(a, BINS))
