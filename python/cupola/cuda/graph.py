"""CuPy's name for captured work."""

from __future__ import annotations

from cupola._cupola import Graph

__all__ = ["Graph"]
