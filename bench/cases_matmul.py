"""Products of square matrices: order 8192 on a GPU, 2048 on the CPU. Products with vectors, which
memory bounds: matrices of 1 GiB in float32 (CPU: 64 MiB), each element read once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from libraries import Library
from registry import Build, Inputs, Task, Work, case


def operand(library: Library, inputs: Inputs, name: str, dtype: str) -> Any:
    order = inputs.order
    flat = inputs.part(library, name, order * order)
    return library.cast(flat.reshape(order, order), dtype)


def operations(inputs: Inputs) -> float:
    return 2.0 * inputs.order**3


def product(dtype: str) -> Build:
    def build(library: Library, inputs: Inputs) -> Task:
        a, b = (operand(library, inputs, name, dtype) for name in "ab")
        return Task(lambda: a @ b)

    return build


def matmul_row(dtype: str, tolerance: float, platforms: tuple[str, ...]) -> None:
    row = case(
        f"matmul {dtype}",
        "matmul",
        "TFLOP/s",
        1e-12,
        work=operations,
        tolerance=tolerance,
        platforms=platforms,
    )
    row(product(dtype))


matmul_row("float32", 1e-5, ("cpu", "cuda"))
matmul_row("float64", 1e-12, ("cpu", "cuda"))
matmul_row("float16", 1e-2, ("cuda",))  # NumPy has no library for it


def memory_row(name: str, dtype: str, work: Work) -> Callable[[Build], Build]:
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    return case(f"{name} {dtype}", "large", "GB/s", 1e-9, work=work, tolerance=tolerance)


def vector_rows(dtype: str) -> None:
    item = np.dtype(dtype).itemsize

    def matrix_and_vector(library: Library, inputs: Inputs) -> tuple[Any, Any]:
        matrix = library.cast(inputs.square(library, "a"), dtype)
        return matrix, library.cast(inputs.part(library, "b", inputs.side), dtype)

    def matrix_times_vector(library: Library, inputs: Inputs) -> Task:
        matrix, vector = matrix_and_vector(library, inputs)
        return Task(lambda: matrix @ vector)

    def vector_times_matrix(library: Library, inputs: Inputs) -> Task:
        matrix, vector = matrix_and_vector(library, inputs)
        return Task(lambda: vector @ matrix)

    def difference_times_vector(library: Library, inputs: Inputs) -> Task:
        matrix, vector = matrix_and_vector(library, inputs)
        other = library.cast(inputs.square(library, "c"), dtype)
        return Task(lambda: (matrix - other) @ vector)

    def dot(library: Library, inputs: Inputs) -> Task:
        a, b = (library.cast(inputs.on(library, name), dtype) for name in "ab")
        return Task(lambda: a @ b)

    def of_matrices(count: int) -> Work:
        return lambda inputs: float(count * item * inputs.n)

    memory_row("matrix times vector", dtype, of_matrices(1))(matrix_times_vector)
    memory_row("vector times matrix", dtype, of_matrices(1))(vector_times_matrix)
    memory_row("(a - b) @ x", dtype, of_matrices(2))(difference_times_vector)
    memory_row("vector dot", dtype, of_matrices(2))(dot)


vector_rows("float32")
vector_rows("float64")
