"""How arrays go from one process to another: their memory does not move.

An array that is not in shared memory yet is copied there on its device; what is sent is where its
elements lie, and a descriptor of the memory. See docs/dev/decisions/0005-shared-memory.md.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from multiprocessing.context import get_spawning_popen
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import TYPE_CHECKING, Any, NamedTuple

from cupola import _cupola as _core
from cupola._cupola import Device, empty_shared, is_shared, ndarray, share
from cupola.errors import DeviceError
from cupola.multiprocessing._messages import note_parcel
from cupola.multiprocessing._post import call_for, office

if TYPE_CHECKING:
    pass

__all__ = ["empty_shared", "is_shared", "share"]


class Origin(NamedTuple):
    """Where an array was sent from."""

    device: str
    uuid: str
    process: int


class Ticket:
    """Brings the descriptor of a block of memory to the process that reads a message."""

    def __init__(self, addresses: tuple[str, ...], secret: bytes) -> None:
        self.addresses = addresses
        self.secret = secret

    def take(self, origin: Origin) -> int:
        """The descriptor, which is the caller's to close."""
        descriptor = call_for(self.addresses, self.secret)
        if descriptor is None:
            raise ConnectionResetError(
                f"an array on {origin.device} was sent by process {origin.process}, which ended "
                "before the array was received, or the message was read twice"
            )
        return descriptor


class Inheritance:
    """A descriptor that a new process is started with; one for all arrays of a block."""

    def __init__(self, inherited: Any) -> None:
        self.inherited = inherited
        self.descriptor: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"inherited": self.inherited, "descriptor": None}

    def take(self, origin: Origin) -> int:
        """As Ticket.take. The first one takes the original, which its array then keeps open."""
        del origin
        if self.descriptor is not None:
            return os.dup(self.descriptor)
        descriptor = int(self.inherited.detach())
        os.set_inheritable(descriptor, False)
        self.descriptor = descriptor
        return descriptor


def _ticket(block: bytes, descriptor: int, array: ndarray) -> Ticket | Inheritance:
    popen: Any = get_spawning_popen()
    if popen is None:
        secret = office().deposit(descriptor, array)
        note_parcel(secret)
        return Ticket(office().addresses(), secret)
    if not hasattr(popen, "cupola_inheritances"):
        popen.cupola_inheritances = {}
    if block not in popen.cupola_inheritances:
        popen.cupola_inheritances[block] = Inheritance(DupFd(descriptor)), array
    inheritance: Inheritance = popen.cupola_inheritances[block][0]
    return inheritance


_uuids: dict[Device, str] = {}


def _uuid(device: Device) -> str:
    if device not in _uuids:
        _uuids[device] = device.uuid
    return _uuids[device]


def _find_device(origin: Origin) -> Device:
    """The device of this process that an array was on in the process that sent it."""
    same = Device(origin.device)
    with contextlib.suppress(DeviceError):
        if _uuid(same) == origin.uuid:
            return same
    for index in range(_core.device_count(same.platform)):
        device = Device(f"{same.platform}:{index}")
        if _uuid(device) == origin.uuid:
            return device
    raise DeviceError(
        f"an array on {origin.device} ({origin.uuid}) was sent by process {origin.process}, but "
        f"this process sees {_core.device_count(same.platform)} devices of the platform "
        f"{same.platform}, and that is none of them"
    )


def _rebuild_empty(shape: tuple[int, ...], dtype: str, origin: Origin) -> ndarray:
    return _core.empty_shared(shape, dtype, "C", device=_find_device(origin))


def _rebuild(
    ticket: Ticket | Inheritance,
    place: tuple[bytes, int, int, tuple[int, ...]],
    shape: tuple[int, ...],
    dtype: str,
    origin: Origin,
    writable: bool,
) -> ndarray:
    block, size, offset, strides = place
    descriptor = ticket.take(origin)
    try:
        device = _find_device(origin)
        where = (block, size, descriptor, offset, strides)
        return _core.attach_shared(where, shape, dtype, device, writable)
    except BaseException:
        os.close(descriptor)
        raise


def reduce_array(array: ndarray) -> tuple[Callable[..., ndarray], tuple[Any, ...]]:
    """What ForkingPickler makes of an array."""
    origin = Origin(str(array.device), _uuid(array.device), os.getpid())
    if array.size == 0:
        return _rebuild_empty, (array.shape, array.dtype.name, origin)
    shared = _core.share(array)
    block, size, descriptor, offset, strides = _core.shared_place(shared)
    ticket = _ticket(block, descriptor, shared)
    place = (block, size, offset, strides)
    writable = shared.flags.writeable
    return _rebuild, (ticket, place, shared.shape, shared.dtype.name, origin, writable)


def register() -> None:
    """Arrays are sent so by all queues and pipes of the process, the standard library's as well."""
    ForkingPickler.register(ndarray, reduce_array)
