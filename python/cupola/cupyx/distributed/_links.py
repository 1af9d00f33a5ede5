"""Frames between a rank and the others, sent and received at the same time.

The first frame that fails ends the group: every rank that waits for another is told why.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
from collections.abc import Iterable

from cupola.cupyx.distributed._frames import ABORT, DATA, HEADER

__all__ = ["Links"]

_LONGEST_REASON = 4096


class _Outgoing:
    """A frame on its way to a rank."""

    def __init__(self, data: memoryview) -> None:
        self._parts = [memoryview(HEADER.pack(DATA, data.nbytes)), data]

    def proceed(self, connection: socket.socket) -> bool:
        """Send what goes without waiting; whether that was the rest."""
        with contextlib.suppress(BlockingIOError):
            while self._parts:
                sent = connection.send(self._parts[0]) if self._parts[0] else 0
                self._parts[0] = self._parts[0][sent:]
                if not self._parts[0]:
                    del self._parts[0]
        return not self._parts


class _Incoming:
    """A frame on its way from a rank, of as many bytes as `data`."""

    def __init__(self, data: memoryview) -> None:
        self._header = bytearray(HEADER.size)
        self._data = data
        self._rest = memoryview(self._header)
        self._is_header = True

    def proceed(self, connection: socket.socket) -> bool:
        """Receive what is there without waiting; whether that was the rest."""
        with contextlib.suppress(BlockingIOError):
            while self._rest or self._is_header:
                got = connection.recv_into(self._rest)
                if got == 0:
                    raise ConnectionError("the process has ended")
                self._rest = self._rest[got:]
                if self._is_header and not self._rest:
                    self._begin(connection)
        return not self._rest and not self._is_header

    def _begin(self, connection: socket.socket) -> None:
        kind, count = HEADER.unpack(self._header)
        if kind == ABORT:
            connection.settimeout(1.0)
            raise ConnectionError(connection.recv(min(count, _LONGEST_REASON)).decode())
        if kind != DATA or count != self._data.nbytes:
            raise ConnectionError(
                f"it sends {count} bytes where {self._data.nbytes} are expected; all ranks must "
                "call the same function with arrays of one size and dtype"
            )
        self._is_header = False
        self._rest = self._data


class Links:
    """The connections of a rank with all others, by rank. It owns them."""

    def __init__(self, connections: dict[int, socket.socket]) -> None:
        self._connections = connections
        self._ended: str | None = None

    def exchange(
        self,
        sends: Iterable[tuple[int, memoryview]],
        receives: Iterable[tuple[int, memoryview]],
    ) -> None:
        """Send and receive a frame each for (rank, bytes) at the same time, at most one each way
        for a rank. Returns when all are sent and received.

        Raises
        ------
        RuntimeError
            When a rank has ended or sends another number of bytes. The group has ended then.
        """
        if self._ended is not None:
            raise RuntimeError(f"the process group has ended: {self._ended}")
        work: dict[int, list[_Outgoing | _Incoming]] = {}
        for peer, data in sends:
            work.setdefault(peer, []).append(_Outgoing(data))
        for peer, data in receives:
            work.setdefault(peer, []).append(_Incoming(data))
        try:
            self._run(work)
        except BaseException as error:
            self._abort(str(error) or type(error).__name__, work)
            raise

    def _run(self, work: dict[int, list[_Outgoing | _Incoming]]) -> None:
        with selectors.DefaultSelector() as selector:
            for peer in list(work):
                self._proceed(peer, work, selector)
            while work:
                for key, _ in selector.select():
                    self._proceed(key.data, work, selector)

    def _proceed(
        self,
        peer: int,
        work: dict[int, list[_Outgoing | _Incoming]],
        selector: selectors.BaseSelector,
    ) -> None:
        """As far as it goes without waiting; the selector then waits for the rest."""
        connection = self._connections[peer]
        try:
            work[peer] = [each for each in work[peer] if not each.proceed(connection)]
        except OSError as error:
            raise RuntimeError(f"rank {peer} has left the process group: {error}") from error
        mask = 0
        for each in work[peer]:
            is_out = isinstance(each, _Outgoing)
            mask |= selectors.EVENT_WRITE if is_out else selectors.EVENT_READ
        is_known = connection in selector.get_map()
        if mask == 0:
            del work[peer]
            if is_known:
                selector.unregister(connection)
        elif is_known:
            selector.modify(connection, mask, peer)
        else:
            selector.register(connection, mask, peer)

    def _abort(self, reason: str, work: dict[int, list[_Outgoing | _Incoming]]) -> None:
        """Tell the other ranks why the group ends, as far as that goes without waiting. Where a
        frame is half sent, the end of the connection has to say it."""
        words = reason.encode()[:_LONGEST_REASON]
        for peer, connection in self._connections.items():
            if any(isinstance(each, _Outgoing) for each in work.get(peer, ())):
                continue
            with contextlib.suppress(OSError):
                connection.send(HEADER.pack(ABORT, len(words)) + words)
        self.close(reason)

    def close(self, reason: str) -> None:
        """Close all connections; later calls say why."""
        self._ended = reason
        for connection in self._connections.values():
            connection.close()
