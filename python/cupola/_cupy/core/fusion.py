"""`cupy._core.fusion`: the decorator."""

from __future__ import annotations

from cupola import fuse

__all__ = ["fuse"]
