"""The universal functions, one per row of the operation table (and NumPy's other names)."""

from __future__ import annotations

from cupola import _cupola as _core

__all__ = sorted(_core._ufuncs)

globals().update(_core._ufuncs)
