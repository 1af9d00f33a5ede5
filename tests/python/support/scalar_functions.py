"""Functions of CUDA's vocabulary, called by an elementwise kernel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from cupola_under_test import cp, from_numpy, to_numpy

DIRECTIONS = ("rn", "rz", "ru", "rd")


def values_of(
    calls: Sequence[str], arguments: dict[str, np.ndarray], dtype: str, preamble: str = ""
) -> np.ndarray:
    """Row k: the expression calls[k] of the elements of `arguments`, in one kernel."""
    parameters = ", ".join(f"{array.dtype} {name}" for name, array in arguments.items())
    body = "".join(f"out[{k} * _ind.size() + i] = {call};\n" for k, call in enumerate(calls))
    kernel: Any = cp.ElementwiseKernel(
        parameters, f"raw {dtype} out", body, "scalar_functions", preamble=preamble
    )
    (shape,) = {array.shape for array in arguments.values()}
    out = cp.zeros((len(calls), *shape), dtype)
    kernel(*map(from_numpy, arguments.values()), out)
    return to_numpy(out)


def directed(pattern: str) -> list[str]:
    """`pattern` with each direction of rounding in the place of its star."""
    return [pattern.replace("*", direction) for direction in DIRECTIONS]
