"""Ranges and marks of the program that NVIDIA's profilers show.

They go to libnvToolsExt.so.1 where that is found. Without it the names do nothing, and `available`
is False. `cupola.profile` shows the library's own work in ranges.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import struct
from typing import Any

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC"]

_COLORS = (0xFF00FF00, 0xFF0000FF, 0xFFFFFF00, 0xFFFF00FF, 0xFF00FFFF, 0xFFFF0000, 0xFFFFFFFF)


_ATTRIBUTES = struct.Struct("HHIiIiiQiP0Q")  # nvtxEventAttributes_t of version 3: 48 bytes


_found: list[Any] = []


def _library() -> Any:
    """NVTX, or None."""
    if not _found:
        for name in ("libnvToolsExt.so.1", ctypes.util.find_library("nvToolsExt")):
            with contextlib.suppress(OSError):
                _found.append(ctypes.CDLL(name) if name is not None else None)
        _found.append(None)
    return _found[0]


def _send(function: str, message: str, color: int) -> None:
    """Call a function of NVTX with a message in a colour."""
    if _library() is None:
        return
    text = ctypes.create_string_buffer(message.encode())
    plain, argb, ascii_text = 0, 1, 1
    values = (0, argb, color & 0xFFFFFFFF, plain, 0, 0, ascii_text, ctypes.addressof(text))
    getattr(_library(), function)(_ATTRIBUTES.pack(3, _ATTRIBUTES.size, *values))


def _color(id_color: int) -> int:
    return _COLORS[id_color % len(_COLORS)]


def MarkC(message: str, color: int = 0) -> None:  # noqa: N802
    """A point in time, with an ARGB colour."""
    _send("nvtxMarkEx", message, color)


def Mark(message: str, id_color: int = -1) -> None:  # noqa: N802
    """A point in time; colours are chosen by number."""
    MarkC(message, _color(id_color))


def RangePushC(message: str, color: int = 0) -> None:  # noqa: N802
    """Begin a range of the calling thread, with an ARGB colour."""
    _send("nvtxRangePushEx", message, color)


def RangePush(message: str, id_color: int = -1) -> None:  # noqa: N802
    """Begin a range of the calling thread; colours are chosen by number."""
    RangePushC(message, _color(id_color))


def RangePop() -> None:  # noqa: N802
    """End the range of the calling thread that began last."""
    if _library() is not None:
        _library().nvtxRangePop()


def __getattr__(name: str) -> Any:
    if name == "available":
        return _library() is not None
    raise AttributeError(f"module 'cupola.cuda.nvtx' has no attribute {name!r}")
