"""`cupy._core.flags`: the class of `ndarray.flags`."""

from __future__ import annotations

from cupola._array.descriptions import Flags

__all__ = ["Flags"]
