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

    Parameters
    ----------
    device_id : int
        Number of a device of the current one's platform; negative: the current device.

    Returns
    -------
    Stream

    Raises
    ------
    DeviceError
        For a device that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> with cp.cuda.Stream() as stream:
    ...     cp.cuda.get_current_stream() == stream
    True
    """
    return _core.current_stream(None if device_id < 0 else device_id)
