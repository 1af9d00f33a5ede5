"""Types of arguments, for annotations only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

if TYPE_CHECKING:
    import numpy as np

    from cupola._cupola import Device, ndarray

    ArrayLike: TypeAlias = Union[
        ndarray, np.generic, bool, int, float, complex, Sequence[Any]
    ]
    DTypeLike: TypeAlias = Any
    ShapeLike: TypeAlias = Union[int, Sequence[int]]
    AxisLike: TypeAlias = Union[int, Sequence[int], None]
    DeviceLike: TypeAlias = Union[Device, str, int, None]
    OrderLike: TypeAlias = Literal["C", "F", "A", "K"]
    CastingLike: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
    ModeLike: TypeAlias = Literal["raise", "wrap", "clip"]
