"""Products of square matrices: order 8192 on a GPU, 2048 on the CPU."""

from typing import Any

from libraries import Library
from registry import Build, Inputs, Task, case


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
