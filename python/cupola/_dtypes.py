"""Questions about dtypes: NumPy's answers, and those for bfloat16."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import DTypeLike

__all__ = [
    "can_cast",
    "common_type",
    "dtype",
    "finfo",
    "iinfo",
    "isdtype",
    "issubdtype",
    "min_scalar_type",
    "promote_types",
    "result_type",
]

dtype = np.dtype
iinfo = np.iinfo
isdtype = np.isdtype
issubdtype = np.issubdtype


def _is_bfloat16(value: Any) -> bool:
    return (
        getattr(value, "name", None) == "bfloat16" or getattr(value, "__name__", "") == "bfloat16"
    )


def _dtype_of(value: Any) -> Any:
    return value.dtype if isinstance(value, (ndarray, np.ndarray, np.generic)) else value


def promote_types(type1: DTypeLike, type2: DTypeLike) -> Any:
    """The smallest dtype to which both can be cast safely."""
    return _core.promote_types(type1, type2)


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype of an operation on these operands; Python numbers adapt to the others."""
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    items = [_dtype_of(item) for item in arrays_and_dtypes]
    if any(_is_bfloat16(item) or item == "bfloat16" for item in items):
        return _core.result_type(items)
    return np.result_type(*items)


def min_scalar_type(a: Any, /) -> Any:
    """The smallest dtype that holds a number; of an array with dimensions its own."""
    if isinstance(a, ndarray):
        return a.dtype if a.ndim else np.min_scalar_type(_core.download(a))
    return np.min_scalar_type(a)


def can_cast(from_: Any, to: DTypeLike, casting: str = "safe") -> bool:
    """Whether the casting rule allows the conversion."""
    source = _dtype_of(from_)
    if isinstance(source, (bool, int, float, complex)):
        raise TypeError(
            "can_cast() does not support Python ints, floats, and complex because the result used "
            "to depend on the value."
        )
    return _core.can_cast(source, to, casting)


def common_type(*arrays: Any) -> type:
    """The inexact scalar type that all arrays can be cast to."""
    return np.common_type(*(np.empty(0, _dtype_of(array)) for array in arrays))


def finfo(dtype: DTypeLike) -> Any:
    """Limits of a floating dtype; of bfloat16 those that ml_dtypes gives."""
    kind = _dtype_of(dtype)
    if _is_bfloat16(kind) or kind == "bfloat16":
        import ml_dtypes

        return ml_dtypes.finfo(ml_dtypes.bfloat16)
    return np.finfo(kind)
