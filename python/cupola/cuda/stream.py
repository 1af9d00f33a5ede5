"""CuPy's names for streams and events."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola._cupola import Event, ExternalStream, Stream, get_elapsed_time

__all__ = [
    "Event",
    "ExternalStream",
    "Stream",
    "get_current_stream",
    "get_elapsed_time",
]


def get_current_stream(device_id: int = -1) -> Stream:
    """The calling thread's current stream on a device (default: the current device).

    Unless another was chosen it is the thread's own one, which is equal to `Stream.ptds` and
    `Stream.null`.
    """
    return _core.current_stream(None if device_id < 0 else device_id)
