"""Events of other processes, by the driver."""

from __future__ import annotations

import ctypes

from cupola._cupola import Event, Stream
from cupola.cuda._driver_calls import CUDADriverError, call, primary_context
from cupola.cuda._driver_structures import CUipcEventHandle
from cupola.cuda._runtime import constants as numbers


class OpenedEvent:
    """An event of ipcOpenEventHandle(), used as an `Event`; it is on the device current then."""

    def __init__(self, handle: CUipcEventHandle) -> None:
        self._event = ctypes.c_void_p()
        self._call("cuIpcOpenEventHandle", ctypes.byref(self._event), handle)

    def _call(self, name: str, *arguments: object) -> None:
        with primary_context():
            call(name, *arguments)

    @property
    def ptr(self) -> int:
        """The driver's CUevent."""
        return self._event.value or 0

    @property
    def done(self) -> bool:
        """Whether what it was recorded behind is done."""
        try:
            self._call("cuEventQuery", self._event)
        except CUDADriverError as error:
            if error.status == numbers.errorNotReady:
                return False
            raise
        return True

    def synchronize(self) -> None:
        """Wait until that is done."""
        self._call("cuEventSynchronize", self._event)

    def record(self, stream: Stream) -> None:
        """Record it behind all work so far on a stream."""
        Event(disable_timing=True).record(stream)  # starts what is pending there
        self._call("cuEventRecord", self._event, ctypes.c_void_p(stream.ptr))

    def delay(self, stream: Stream) -> None:
        """Later work on the stream starts after what it was recorded behind."""
        handle = ctypes.c_void_p(stream.ptr)
        self._call("cuStreamWaitEvent", handle, self._event, ctypes.c_uint(0))

    def destroy(self) -> None:
        """End it."""
        self._call("cuEventDestroy_v2", self._event)
