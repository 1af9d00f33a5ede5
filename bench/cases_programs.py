"""Whole programs, as their authors would write them for NumPy; each is a file of `programs`."""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from libraries import JAX_COMPILED, Library
from programs import (
    attention,
    conjugate_gradients,
    floyd_warshall,
    gray_scott,
    isoneutral_mixing,
    kmeans,
    lstm,
    sea_water,
)
from registry import Inputs, Task, case

PROGRAMS: dict[str, ModuleType] = {
    "sea water: density and speed of sound": sea_water,
    "isoneutral mixing": isoneutral_mixing,
    "k-means": kmeans,
    "Gray-Scott": gray_scott,
    "attention": attention,
    "LSTM steps": lstm,
    "Floyd-Warshall": floyd_warshall,
    "conjugate gradients, sparse": conjugate_gradients,
}


def operands(program: ModuleType, library: Library, inputs: Inputs) -> list[Any]:
    size = program.SIZES["small" if inputs.small else library.platform]
    key = f"{program.__name__} {size}"
    made: list[np.ndarray] = inputs.made(key, lambda rng: program.operands(rng, size))
    return [library.asarray(operand) for operand in made]


def runner(program: ModuleType, library: Library) -> Callable[..., Any]:
    """The program of arrays alone; a compiler gets the function that `COMPILED` names."""
    xp = library.xp
    if program.COMPILED != "step":
        return library.compiled(functools.partial(program.run, xp))
    step = library.compiled(functools.partial(program.step, xp))
    return functools.partial(program.run, xp, step=lambda _, *arrays: step(*arrays))


def program_row(name: str, program: ModuleType) -> None:
    @case(
        name,
        "programs",
        "ms",
        1e3,
        peers=("numpy", "cupy", *((JAX_COMPILED,) if program.COMPILED else ())),
        tolerance=program.TOLERANCE,
    )
    def build(library: Library, inputs: Inputs) -> Task:
        arrays = operands(program, library, inputs)
        run = runner(program, library)
        return Task(lambda: run(*arrays))


for row_name, row_program in PROGRAMS.items():
    program_row(row_name, row_program)
