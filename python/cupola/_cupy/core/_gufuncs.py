"""`cupy._core._gufuncs`: the class of generalized universal functions."""

from __future__ import annotations

from cupola.cupyx import GeneralizedUFunc as _GUFunc

__all__ = ["_GUFunc"]
