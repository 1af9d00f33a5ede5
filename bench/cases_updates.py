"""Updates in place, and functions that move elements: useful bytes, as of large arrays."""

from typing import Any

import numpy as np

from cases_large import FLOAT, large_row
from libraries import Library
from registry import Inputs, Task

UPDATING = ("numpy", "cupy", "torch")  # libraries with arrays that a program may change


def update_row(name: str, passes: float, **options: Any) -> Any:
    return large_row(name, passes, area="updates", peers=UPDATING, **options)


@update_row("o += a*b", 4)
def add_product(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    o = library.operand(inputs.host("c").copy())

    def run() -> Any:
        nonlocal o
        o += a * b
        return o

    return Task(run)


@update_row("add(o, a*b, out=o)", 4)
def add_product_out(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    o = library.operand(inputs.host("c").copy())
    return Task(lambda: library.xp.add(o, a * b, out=o))


@update_row("o[1:-1] += a[:-2] + a[2:]", 3)
def add_slices(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    o = library.operand(inputs.host("c").copy())

    def run() -> Any:
        o[1:-1] += a[:-2] + a[2:]
        return o

    return Task(run)


@update_row("o[a > 0.9] += 1", 3)
def add_where(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    o = library.operand(inputs.host("c").copy())

    def run() -> Any:
        o[a > 0.9] += 1
        return o

    return Task(run)


@update_row("a[1:-1] = (a[:-2] + a[2:])/2, rows", 2)
def relax(library: Library, inputs: Inputs) -> Task:
    a = library.operand(inputs.host("c").copy()).reshape(inputs.side, inputs.side)

    def run() -> Any:
        a[1:-1] = (a[:-2] + a[2:]) / 2
        return a

    return Task(run)


@update_row("Laplacian of four rolls", 2)
def laplacian(library: Library, inputs: Inputs) -> Task:
    a, roll = inputs.square(library, "a"), library.xp.roll

    def run() -> Any:
        return roll(a, 1, 0) + roll(a, -1, 0) + roll(a, 1, 1) + roll(a, -1, 1) - 4 * a

    return Task(run)


@update_row("concatenate of a + b and a - b", 4)
def concatenate(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    return Task(lambda: library.xp.concatenate((a + b, a - b)))


@update_row("a[a > 0.5].mean()", 1)
def mean_where(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    return Task(lambda: a[a > 0.5].mean())


# Every index changes a part of one sector.
@update_row("o[idx] = b, sectors", 1, work=lambda inputs: (8 + FLOAT + 2 * 32) * (inputs.n // 8))
def put(library: Library, inputs: Inputs) -> Task:
    b = inputs.part(library, "b", inputs.n // 8)
    rows = inputs.made("rows", lambda rng: rng.permutation(inputs.n // 8).astype(np.int64))
    places = library.asarray(rows)
    o = library.operand(inputs.host("c").copy()).reshape(-1, 8)[:, 0]

    def run() -> Any:
        o[places] = b
        return o

    return Task(run)
