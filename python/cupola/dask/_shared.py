"""Arrays between processes of one machine: the memory is shared, the message says where it is.

What the receiver gets is copied to memory of its own device and allocator, by the device, so that
it may be moved to the host when there is no room; shared memory lives for the length of a message.
It cannot be moved, so messages on their way have what the limit of the worker's arrays leaves of a
device; what is beyond goes through sockets.
"""

from __future__ import annotations

import collections
import os
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import dask

import cupola
from cupola import _cupola as _core
from cupola._cupola import Device, ndarray
from cupola.dask._devices import total_memory
from cupola.errors import DeviceError, OutOfMemoryError
from cupola.multiprocessing._arrays import reduce_array
from cupola.multiprocessing._messages import collected_parcels
from cupola.multiprocessing._post import office

SETTING = "cupola.share-memory"
LEAST_BYTES = 1 << 20  # below, a message through a socket is as fast
LIFETIME = 120.0  # seconds for which memory waits for its receiver
SHARE = 8  # messages have one part in so many of a device, where its arrays have no limit


class Offer(NamedTuple):
    """Where shared memory is, for one receiver."""

    machine: str
    rebuild: Callable[..., ndarray]
    arguments: tuple[Any, ...]


@cache
def machine() -> str:
    """Which machine, and which of its networks, this process runs in."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot} {os.stat('/proc/self/ns/net').st_ino}"


def _host(address: Any) -> str:
    return str(address).partition("://")[2].rpartition(":")[0]


def _is_local(context: dict[str, Any] | None) -> bool:
    """Whether a message goes to a process at this machine's address."""
    if not context:
        return False
    ends = [(context.get(end) or {}).get("address") for end in ("sender", "recipient")]
    if not all(isinstance(end, str) and end.startswith(("tcp://", "tls://")) for end in ends):
        return False
    return _host(ends[0]) == _host(ends[1])


class _Message(NamedTuple):
    """What is shared for a receiver."""

    end: float
    device: Device
    size: int  # bytes that it takes from the device
    parcels: list[bytes]


class _Waiting:
    """Messages whose receivers may never come: forgotten after their lifetime. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._messages: collections.deque[_Message] = collections.deque()
        self._timer: threading.Timer | None = None

    def add(self, device: Device, size: int, parcels: list[bytes]) -> None:
        with self._lock:
            self._messages.append(_Message(time.monotonic() + LIFETIME, device, size, parcels))
            self._start()

    def size_on(self, device: Device) -> int:
        """Bytes of the device that wait for their receivers."""
        with self._lock:
            self._messages = collections.deque(
                each for each in self._messages if office().has_any(each.parcels)
            )
            return sum(each.size for each in self._messages if each.device == device)

    def _start(self) -> None:
        if self._timer is None and self._messages:
            delay = max(0.1, self._messages[0].end - time.monotonic())
            self._timer = threading.Timer(delay, self._forget)
            self._timer.daemon = True
            self._timer.start()

    def _forget(self) -> None:
        with self._lock:
            while self._messages and self._messages[0].end <= time.monotonic():
                office().withdraw(self._messages.popleft().parcels)
            self._timer = None
            self._start()


_waiting = _Waiting()
_offering = threading.Lock()  # from the look at what is on its way to what is added to it
_rooms: dict[Device, int] = {}


def set_room(device: Device, limit: int) -> None:
    """Leave so many bytes of the device to arrays, and the rest to messages; 0: no limit is known.

    Parameters
    ----------
    device : device
    limit : int
    """
    _rooms[device] = (
        max(0, total_memory(device) - limit) if limit else total_memory(device) // SHARE
    )


def _room(device: Device) -> int:
    if device not in _rooms:
        set_room(device, 0)
    return _rooms[device] - _waiting.size_on(device)


def offer(array: ndarray, context: dict[str, Any] | None) -> Offer | None:
    """What to send instead of the elements; None where these must be sent."""
    if array.nbytes < LEAST_BYTES or array.device.is_set or not _is_local(context):
        return None
    if not dask.config.get(SETTING, True):
        return None
    size = 0 if _core.is_shared(array) else array.nbytes
    with _offering:
        if size > 0 and size > _room(array.device):
            return None
        try:
            with collected_parcels() as parcels:
                rebuild, arguments = reduce_array(array)
        except OutOfMemoryError:  # of the device: what is sent by sockets needs none of it
            return None
        _waiting.add(array.device, size, parcels)
    return Offer(machine(), rebuild, arguments)


def accept(offer: Offer) -> ndarray:
    """The array, in memory of the current device.

    Raises
    ------
    cupola.errors.DeviceError
        If it is on another machine, or on a device that this process does not see.
    ConnectionResetError
        If the sender has ended, or forgot the message.
    """
    remedy = f"set dask.config.set({{{SETTING!r}: False}}) where it was sent"
    if offer.machine != machine():
        raise DeviceError(
            "an array was sent as shared memory to a process on another machine that has the same "
            f"address: {remedy}"
        )
    try:
        shared = offer.rebuild(*offer.arguments)
    except DeviceError as error:
        raise DeviceError(f"{error}; let the workers see all devices, or {remedy}") from error
    own = cupola.array(shared, copy=True, device=_core.current_device())
    _core.evaluate(own)
    return own
