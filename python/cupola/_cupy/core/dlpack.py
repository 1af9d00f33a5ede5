"""`cupy._core.dlpack`: arrays of other libraries."""

from __future__ import annotations

from cupola import from_dlpack, fromDlpack, toDlpack

__all__ = ["fromDlpack", "from_dlpack", "toDlpack"]
