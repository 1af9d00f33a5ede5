"""Types for annotations, as `numpy.typing` and `cupy.typing` have them."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike as DTypeLike

from cupola._cupola import ndarray

__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]

_ScalarT = TypeVar("_ScalarT", bound=np.generic)

if TYPE_CHECKING:
    from numpy.typing import NBitBase as NBitBase

    from cupola._typing import ArrayLike as ArrayLike

    NDArray: TypeAlias = ndarray
else:
    from collections.abc import Sequence

    ArrayLike = ndarray | np.generic | bool | int | float | complex | Sequence
    """What becomes an array: arrays, numbers and sequences of them."""

    NDArray = types.GenericAlias(ndarray, (Any, np.dtype[_ScalarT]))
    """An array of a dtype: ``NDArray[np.float32]``."""


def __getattr__(name: str) -> Any:
    if name == "NBitBase":  # which NumPy deprecates when it is asked for
        import numpy.typing

        return numpy.typing.NBitBase
    raise AttributeError(f"module 'cupola.typing' has no attribute {name!r}")
