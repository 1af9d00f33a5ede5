"""Fourier transforms: bytes of the operand, read once, and of the result, written once."""

import functools
from typing import Any

import numpy as np

from libraries import Library
from registry import Inputs, Task, case

MOST = 1 << 26  # elements


def count_of(inputs: Inputs) -> int:
    return min(inputs.n, MOST)


def complex_bytes(inputs: Inputs) -> float:
    return 2.0 * 8 * count_of(inputs)


def side_of(inputs: Inputs) -> int:
    return min(inputs.side, 4096)


def real_bytes(inputs: Inputs) -> float:
    return 2.0 * 4 * count_of(inputs)


def parts_of(result: np.ndarray, inputs: Inputs) -> np.ndarray:
    """Real and imaginary parts."""
    return result.view(np.float32)


fft_row = functools.partial(case, area="fft", unit="GB/s", scale=1e-9, compare=parts_of)


def values(library: Library, inputs: Inputs) -> Any:
    """complex64, of mean 0: no result is much larger than the others."""
    parts = [inputs.host(name)[: count_of(inputs)] - 0.5 for name in "ab"]
    return library.asarray((parts[0] + 1j * parts[1]).astype(np.complex64))


@fft_row("fft, 2^26 complex64", work=complex_bytes)
def one_row(library: Library, inputs: Inputs) -> Task:
    a = values(library, inputs)
    return Task(lambda: library.xp.fft.fft(a))


@fft_row("fft, rows of 4,096 complex64", work=complex_bytes)
def rows(library: Library, inputs: Inputs) -> Task:
    a = values(library, inputs).reshape(-1, 4096)
    return Task(lambda: library.xp.fft.fft(a))


@fft_row("rfft, 2^26 float32", work=real_bytes)
def real_row(library: Library, inputs: Inputs) -> Task:
    a = library.asarray(inputs.host("a")[: count_of(inputs)] - np.float32(0.5))
    return Task(lambda: library.xp.fft.rfft(a))


@fft_row("fft2, 4,096 x 4,096 complex64", work=lambda inputs: 2.0 * 8 * side_of(inputs) ** 2)
def plane(library: Library, inputs: Inputs) -> Task:
    a = values(library, inputs)[: side_of(inputs) ** 2].reshape(side_of(inputs), -1)
    return Task(lambda: library.xp.fft.fft2(a))
