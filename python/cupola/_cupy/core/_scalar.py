"""`cupy._core._scalar`: the types of elements in CUDA C++."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["get_typename"]

_NAMES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "complex64": "thrust::complex<float>",
    "complex128": "thrust::complex<double>",
}


def get_typename(dtype: Any) -> str:
    """The type of a dtype's elements in a kernel's text.

    Raises
    ------
    ValueError
        For None.
    KeyError
        For dtypes that arrays do not have.
    """
    if dtype is None:
        raise ValueError("dtype is None")
    if dtype == "cudaTextureObject_t":
        return "cudaTextureObject_t"
    return _NAMES[np.dtype(dtype).name]
