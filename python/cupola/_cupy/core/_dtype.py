"""`cupy._core._dtype`: dtypes, and the numbers that CUDA's libraries give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola.cuda import runtime

__all__ = ["get_dtype", "get_dtype_with_itemsize", "to_cuda_dtype"]

get_dtype = np.dtype


def get_dtype_with_itemsize(t: Any) -> tuple[np.dtype[Any], int]:
    """A dtype, and the bytes of an element."""
    dtype = np.dtype(t)
    return dtype, dtype.itemsize


def to_cuda_dtype(dtype: Any, is_half_allowed: bool = False) -> int:
    """The cudaDataType of a dtype or of its character.

    Raises
    ------
    TypeError
        For other dtypes, and for halves unless they are allowed.
    """
    char = getattr(dtype, "char", dtype)
    names = {"f": "R_32F", "d": "R_64F", "F": "C_32F", "D": "C_64F"}
    if is_half_allowed:
        names |= {"e": "R_16F", "E": "C_16F"}
    if char not in names:
        raise TypeError(f"dtype is not supported: {dtype}")
    number: int = getattr(runtime, f"CUDA_{names[char]}")
    return number
