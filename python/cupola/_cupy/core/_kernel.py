"""`cupy._core._kernel`: classes of kernels and of universal functions."""

from __future__ import annotations

from cupola import ElementwiseKernel, ufunc

__all__ = ["ElementwiseKernel", "ufunc"]


def _get_warpsize() -> int:
    """Threads of a warp."""
    return 32
