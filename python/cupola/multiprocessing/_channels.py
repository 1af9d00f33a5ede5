"""Queues and pipes that know which arrays are in them."""

from __future__ import annotations

import multiprocessing.connection as std_connection
import multiprocessing.queues as std_queues
import os
import socket
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import TYPE_CHECKING, Any

from cupola.multiprocessing._messages import Message, send

__all__ = ["Connection", "JoinableQueue", "Pipe", "Queue", "SimpleQueue"]

if TYPE_CHECKING:
    _Queue = std_queues.Queue[Any]
    _JoinableQueue = std_queues.JoinableQueue[Any]
    _SimpleQueue = std_queues.SimpleQueue[Any]
else:
    _Queue, _JoinableQueue = std_queues.Queue, std_queues.JoinableQueue
    _SimpleQueue = std_queues.SimpleQueue


class Connection(std_connection.Connection):
    """One end of a pipe, as in the standard library; `Pipe` makes two.

    Parameters
    ----------
    handle : int
        A file descriptor.
    readable, writable : bool, optional
        Whether it receives, and whether it sends.

    Examples
    --------
    >>> from cupola import multiprocessing as mp
    >>> first, second = mp.Pipe()
    >>> first.send("item")
    >>> second.recv()
    'item'
    """

    def send(self, obj: Any) -> None:
        """Send a picklable object; arrays in it are shared.

        Parameters
        ----------
        obj : object
            What can be pickled.

        Raises
        ------
        OSError
            For an end that only receives.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola import multiprocessing as mp
        >>> first, second = mp.Pipe()
        >>> first.send(cp.arange(3))
        >>> second.recv()
        array([0, 1, 2])
        """
        send(obj, self, self.send_bytes)


def _rebuild_connection(descriptor: Any, readable: bool, writable: bool) -> Connection:
    return Connection(descriptor.detach(), readable, writable)


def _reduce_connection(connection: Connection) -> tuple[Any, ...]:
    descriptor = DupFd(connection.fileno())
    return _rebuild_connection, (descriptor, connection.readable, connection.writable)


ForkingPickler.register(Connection, _reduce_connection)


def Pipe(duplex: bool = True) -> tuple[Connection, Connection]:  # noqa: N802
    """Two connected ends.

    Parameters
    ----------
    duplex : bool, optional
        Whether both send and receive; else the first one receives, the second sends.

    Returns
    -------
    tuple of Connection

    Examples
    --------
    >>> from cupola import multiprocessing as mp
    >>> reader, writer = mp.Pipe(duplex=False)
    >>> writer.send([1, 2])
    >>> reader.recv()
    [1, 2]
    """
    if duplex:
        first, second = socket.socketpair()
        return Connection(first.detach()), Connection(second.detach())
    reader, writer = os.pipe()
    return Connection(reader, writable=False), Connection(writer, readable=False)


class Queue(_Queue):
    """The standard library's; what is put is pickled at the call, and arrays in it are shared."""

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put an object into the queue; raises what pickling it raises.

        Parameters
        ----------
        obj : object
            What can be pickled.
        block : bool, optional
            Whether it waits for room.
        timeout : float, optional
            Seconds that it waits at most.

        Raises
        ------
        queue.Full
            Where there was no room.
        """
        super().put(Message(obj, self._writer), block, timeout)  # type: ignore[attr-defined]


class JoinableQueue(_JoinableQueue):
    """A queue whose reader says when it is done with an item."""

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put an object into the queue; raises what pickling it raises.

        Parameters
        ----------
        obj : object
            What can be pickled.
        block : bool, optional
            Whether it waits for room.
        timeout : float, optional
            Seconds that it waits at most.

        Raises
        ------
        queue.Full
            Where there was no room.
        """
        super().put(Message(obj, self._writer), block, timeout)  # type: ignore[attr-defined]


class SimpleQueue(_SimpleQueue):
    """A pipe with locks."""

    def put(self, item: Any) -> None:
        """Put an object into the queue; returns when it is written.

        Parameters
        ----------
        item : object
            What can be pickled.
        """
        send(item, self._writer, self._write)  # type: ignore[attr-defined]

    def _write(self, data: bytes) -> None:
        with self._wlock:  # type: ignore[attr-defined]
            self._writer.send_bytes(data)  # type: ignore[attr-defined]
