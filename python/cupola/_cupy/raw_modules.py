"""Kernels of raw modules under CuPy's name: `get_function` compiles and finds them, and raises what
is wrong. In the package a kernel is looked up when it is first used.
"""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["find_kernels"]

_NOT_FOUND = 500  # CUDA_ERROR_NOT_FOUND


def find_kernels(package: Any) -> None:
    """Let `RawModule.get_function` find the kernel at the call."""
    getting = package.RawModule.get_function
    if hasattr(getting, "__getting__"):
        return

    @functools.wraps(getting)
    def get_function(self: Any, *args: Any, **kwargs: Any) -> Any:
        kernel = getting(self, *args, **kwargs)
        try:
            kernel.compile()
        except ValueError as error:
            from cupola.cuda.driver import CUDADriverError

            text = f"CUDA_ERROR_NOT_FOUND: named symbol not found: {error}"
            failure = CUDADriverError(text)
            failure.status = _NOT_FOUND
            raise failure from error
        return kernel

    get_function.__getting__ = getting  # type: ignore[attr-defined]
    package.RawModule.get_function = get_function
