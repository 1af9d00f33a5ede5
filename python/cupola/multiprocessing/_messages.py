"""Pickled messages, and the arrays that they speak of.

A message is pickled when it is sent: later writes to what is in it change nothing, except in memory
that processes share. Until it has gone into its channel it owns its parcels (_post.py): a message
that is dropped releases them.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

from cupola.multiprocessing._post import office


class WritingEnd(Protocol):
    """Of a channel: what a message is written into."""

    def fileno(self) -> int:
        """The descriptor."""
        ...


class _Collection(threading.local):
    parcels: list[bytes] | None = None


_collection = _Collection()


def note_parcel(secret: bytes) -> None:
    """Count a parcel to the message that this thread is pickling."""
    if _collection.parcels is not None:
        _collection.parcels.append(secret)


@contextlib.contextmanager
def collected_parcels() -> Iterator[list[bytes]]:
    """The parcels of what this thread pickles in the block; withdrawn if that fails."""
    parcels: list[bytes] = []
    outer, _collection.parcels = _collection.parcels, parcels
    try:
        yield parcels
    except BaseException:
        office().withdraw(parcels)
        raise
    finally:
        _collection.parcels = outer


def pack(value: object) -> tuple[bytes, list[bytes]]:
    """A pickled object and its parcels."""
    with collected_parcels() as parcels:
        return bytes(ForkingPickler.dumps(value)), parcels


def send(value: object, channel: WritingEnd, write: Callable[[bytes], None]) -> None:
    """Pickle an object and write it into a channel."""
    data, parcels = pack(value)
    try:
        if parcels:
            office().dispatch(parcels, channel.fileno())
        write(data)
    except BaseException:
        office().withdraw(parcels)
        raise


class Message:
    """An object pickled now, to be written into a channel later by another thread."""

    __slots__ = ("_channel", "_data", "_parcels")

    def __init__(self, value: object, channel: WritingEnd) -> None:
        self._parcels: list[bytes] = []
        self._data, self._parcels = pack(value)
        self._channel = channel

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[bytes]]:
        if self._parcels:
            office().dispatch(self._parcels, self._channel.fileno())
            self._parcels = []
        return ForkingPickler.loads, (self._data,)

    def __del__(self) -> None:
        if self._parcels:
            office().withdraw(self._parcels)
