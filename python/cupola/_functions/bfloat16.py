"""The dtype object of bfloat16: that of ml_dtypes where it is installed, else one of our own."""

from __future__ import annotations

from typing import Any

import numpy as np


class BFloat16:
    """The type of bfloat16 elements where ml_dtypes is not installed; it has no instances."""

    def __new__(cls) -> BFloat16:
        raise TypeError("bfloat16 scalars need ml_dtypes")


class BFloat16DType:
    """What `a.dtype` is for bfloat16 arrays where ml_dtypes is not installed."""

    name = "bfloat16"
    kind = "V"
    char = "E"
    itemsize = 2
    alignment = 2
    isnative = True
    type = BFloat16

    def __repr__(self) -> str:
        return "dtype(bfloat16)"

    def __str__(self) -> str:
        return "bfloat16"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BFloat16DType) or other == "bfloat16"

    def __hash__(self) -> int:
        return hash("bfloat16")


def dtype_object() -> Any:
    """`numpy.dtype(ml_dtypes.bfloat16)`, or a `BFloat16DType`."""
    try:
        import ml_dtypes
    except ImportError:
        return BFloat16DType()
    return np.dtype(ml_dtypes.bfloat16)
