"""Ranges and marks of the program that NVIDIA's profilers show.

They go to libnvToolsExt.so.1 where that is found. Without it the names do nothing, and `available`
is False. `cupola.profile` shows the library's own work in ranges.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from typing import Any

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC"]

_COLORS = (0xFF00FF00, 0xFF0000FF, 0xFFFFFF00, 0xFFFF00FF, 0xFF00FFFF, 0xFFFF0000, 0xFFFFFFFF)


class _Attributes(ctypes.Structure):
    """nvtxEventAttributes_t of version 3, of 48 bytes."""

    _fields_ = (
        ("version", ctypes.c_uint16),
        ("size", ctypes.c_uint16),
        ("category", ctypes.c_uint32),
        ("color_type", ctypes.c_int32),
        ("color", ctypes.c_uint32),
        ("payload_type", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("payload", ctypes.c_uint64),
        ("message_type", ctypes.c_int32),
        ("message", ctypes.c_char_p),
    )


@cache
def _library() -> Any:
    """NVTX, or None."""
    for name in ("libnvToolsExt.so.1", ctypes.util.find_library("nvToolsExt")):
        if name is not None:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    return None


def _event(message: str, color: int) -> Any:
    attributes = _Attributes(version=3, size=ctypes.sizeof(_Attributes))
    attributes.color_type, attributes.color = 1, color & 0xFFFFFFFF
    attributes.message_type, attributes.message = 1, message.encode()
    return ctypes.byref(attributes)


def _color(id_color: int) -> int:
    return _COLORS[id_color % len(_COLORS)]


def MarkC(message: str, color: int = 0) -> None:  # noqa: N802
    """A point in time, with an ARGB colour."""
    if _library() is not None:
        _library().nvtxMarkEx(_event(message, color))


def Mark(message: str, id_color: int = -1) -> None:  # noqa: N802
    """A point in time; colours are chosen by number."""
    MarkC(message, _color(id_color))


def RangePushC(message: str, color: int = 0) -> None:  # noqa: N802
    """Begin a range of the calling thread, with an ARGB colour."""
    if _library() is not None:
        _library().nvtxRangePushEx(_event(message, color))


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
