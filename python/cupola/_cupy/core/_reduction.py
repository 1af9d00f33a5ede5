"""`cupy._core._reduction`: the class of reductions."""

from __future__ import annotations

from cupola import ReductionKernel

__all__ = ["ReductionKernel"]
