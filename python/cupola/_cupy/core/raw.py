"""`cupy._core.raw`: classes of kernels in CUDA C++."""

from __future__ import annotations

from cupola import RawKernel, RawModule

__all__ = ["RawKernel", "RawModule"]
