"""What products share with NumPy's universal functions with core dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import CastingLike, DTypeLike

__all__: list[str] = []

# Loops for what no array holds: objects and long floats.
_FOREIGN_CODES = frozenset("OgG")


def add_attributes(function: Callable[..., Any]) -> None:
    """Give a product those of NumPy's universal function of its name."""
    model = getattr(np, function.__name__)
    types = [text for text in model.types if not _FOREIGN_CODES & set(text)]
    vars(function).update(
        nin=model.nin,
        nout=model.nout,
        nargs=model.nargs,
        types=types,
        ntypes=len(types),
        identity=None,
        signature=model.signature,
    )


def check_order(order: Any) -> None:
    """Raise NumPy's errors for what is no memory order."""
    if order is not None and not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order is not None and order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")


def loop_dtype(
    name: str,
    operands: tuple[ndarray, ndarray],
    dtype: DTypeLike,
    signature: Any,
    casting: CastingLike,
) -> DTypeLike:
    """What a product is computed in: `dtype`, or what NumPy finds for `signature`."""
    if signature is None:
        return dtype
    if dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if not all(isinstance(each.dtype, np.dtype) for each in operands):
        raise TypeError(f"{name}: signature= knows no bfloat16; use dtype=")
    given = (*(each.dtype for each in operands), None)
    loop = getattr(np, name).resolve_dtypes(given, signature=signature, casting=casting)
    return loop[-1]
