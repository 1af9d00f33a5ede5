"""CuPy's names for streams."""

from __future__ import annotations

from cupola._cupola import Stream
from cupola._namespace import current_stream as get_current_stream

__all__ = ["Stream", "get_current_stream"]
