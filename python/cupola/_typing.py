"""Types of arguments, for annotations only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    from cupola._cupola import Device, ndarray

    ArrayLike: TypeAlias = ndarray | np.generic | bool | int | float | complex | Sequence[Any]
    DTypeLike: TypeAlias = Any
    ShapeLike: TypeAlias = int | Sequence[int]
    AxisLike: TypeAlias = int | Sequence[int] | None
    DeviceLike: TypeAlias = Device | str | int | None
    OrderLike: TypeAlias = Literal["C", "F", "A", "K"]
    CastingLike: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
    AstypeCastingLike: TypeAlias = CastingLike | Literal["same_value"]
    ModeLike: TypeAlias = Literal["raise", "wrap", "clip"]
    SourceLike: TypeAlias = Literal["snapshot", "keepalive", "borrow"]
