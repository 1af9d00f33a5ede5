"""The CPU beside NumPy: single operations on 64 MiB and more."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from libraries import Library
from registry import Inputs, Task, case

cpu_row = functools.partial(
    case, area="cpu", unit="ms", scale=1e3, peers=("numpy",), platforms=("cpu",)
)


def operand(library: Library, inputs: Inputs, name: str, dtype: str) -> Any:
    """Between 0 and 1, `n` elements."""
    return library.asarray(inputs.host(name).astype(dtype))


def elementwise_rows(dtype: str) -> None:
    """Rows of the ufuncs; exp and sin see numbers of both signs, as programs do."""

    @cpu_row(f"add {dtype}")
    def add(library: Library, inputs: Inputs) -> Task:
        a, b = (operand(library, inputs, name, dtype) for name in "ab")
        return Task(lambda: a + b)

    @cpu_row(f"multiply {dtype}")
    def multiply(library: Library, inputs: Inputs) -> Task:
        a, b = (operand(library, inputs, name, dtype) for name in "ab")
        return Task(lambda: a * b)

    @cpu_row(f"sqrt {dtype}")
    def sqrt(library: Library, inputs: Inputs) -> Task:
        a = operand(library, inputs, "a", dtype)
        return Task(lambda: library.xp.sqrt(a))

    for name in ("exp", "sin"):

        @cpu_row(f"{name} {dtype}")
        def signed(library: Library, inputs: Inputs, name: str = name) -> Task:
            a = library.asarray(((inputs.host("a") - 0.5) * 20).astype(dtype))
            function = getattr(library.xp, name)
            return Task(lambda: function(a))


def reduction_rows(dtype: str) -> None:
    reductions: dict[str, Callable[[Any], Any]] = {
        "sum": lambda a: a.sum(),
        "mean, axis 0": lambda a: a.mean(0),
        "mean, axis 1": lambda a: a.mean(1),
    }
    for name, reduction in reductions.items():

        @cpu_row(f"{name} {dtype}")
        def reduce(
            library: Library, inputs: Inputs, reduction: Callable[[Any], Any] = reduction
        ) -> Task:
            a = operand(library, inputs, "a", dtype).reshape(inputs.side, inputs.side)
            return Task(lambda: reduction(a))


def cast_row(source: str, target: str) -> None:
    @cpu_row(f"astype {source} to {target}")
    def cast(library: Library, inputs: Inputs) -> Task:
        host = inputs.host("a")
        a = library.asarray((host * 100 if np.dtype(source).kind == "i" else host).astype(source))
        return Task(lambda: a.astype(target))


for float_type in ("float32", "float64"):
    elementwise_rows(float_type)
    reduction_rows(float_type)
cast_row("float32", "float64")
cast_row("float64", "float32")
cast_row("int32", "float32")
cast_row("float32", "int32")
