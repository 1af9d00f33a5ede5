"""Few elements of float64 on the CPU: what a statement costs beside NumPy's."""

import timeit
from typing import Any

import numpy as np

from libraries import Library, Numpy
from measure import agree, on_host
from registry import Inputs, Task, case

ELEMENTS = 1000
STATEMENTS = 5000  # in a row
# By their names; a result is called r. Its value is computed at the call; that of `v[3] > 0` is a
# number, which gets memory when something needs it.
ROWS = {
    "a + b, 10 float64": "r = a_ten + b_ten",
    "a + b, 100 float64": "r = a_hundred + b_hundred",
    "a + b, 1,000 float64": "r = a + b",
    "v[3] = 1.": "v[3] = 1.",
    "v[3] > 0": "r = v[3] > 0",
    "float(v[3])": "r = float(v[3])",
    "v[3] += v[4]*2": "v[3] += v[4]*2",
    "v[idx], 100 places": "r = v[idx]",
    "v.sum(), 1,000 float64": "r = v.sum()",
}


def names_of(library: Library, inputs: Inputs) -> dict[str, Any]:
    """What the statements speak of."""
    names = {
        name: library.asarray(inputs.host(name)[:ELEMENTS].astype(np.float64)) for name in "abv"
    }
    sizes = {"ten": 10, "hundred": 100}
    parts = {f"{n}_{size}": names[n][:count].copy() for n in "ab" for size, count in sizes.items()}
    places = (inputs.host("places")[:100] * ELEMENTS).astype(np.int64)
    return names | parts | {"idx": library.asarray(places)}


def results_of(statement: str, library: Library, inputs: Inputs) -> list[Any]:
    """What a statement leaves, on the host."""
    names = names_of(library, inputs)
    exec(statement, names)
    return [on_host(library, names[name]) for name in ("v", "r") if name in names]


def add_row(name: str, statement: str) -> None:
    @case(name, "few", "us", 1e6, peers=("numpy",), platforms=("cpu",), compare=None)
    def few(library: Library, inputs: Inputs) -> Task:
        expected = results_of(statement, Numpy("cpu"), inputs)
        for found, wanted in zip(results_of(statement, library, inputs), expected, strict=True):
            agree(1e-12, found, wanted)
        timer = timeit.Timer(statement, globals=names_of(library, inputs))
        timer.timeit(STATEMENTS)
        return Task(seconds=lambda: timer.timeit(STATEMENTS) / STATEMENTS)


for row, line in ROWS.items():
    add_row(row, line)
