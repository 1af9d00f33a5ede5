"""Bytes on a connection in frames: a kind, a length and as many bytes."""

from __future__ import annotations

import socket
import struct

__all__ = ["ABORT", "DATA", "HEADER", "receive_exactly", "receive_frame", "send_frame"]

HEADER = struct.Struct("!BQ")
DATA, ABORT = 1, 2


def receive_exactly(connection: socket.socket, count: int) -> bytes:
    """`count` bytes from a blocking connection.

    Raises
    ------
    ConnectionError
        When the connection ends before.
    """
    buffer = bytearray(count)
    view = memoryview(buffer)
    while view:
        got = connection.recv_into(view)
        if got == 0:
            raise ConnectionError("the connection has ended")
        view = view[got:]
    return bytes(buffer)


def send_frame(connection: socket.socket, data: bytes) -> None:
    """Send bytes through a blocking connection."""
    connection.sendall(HEADER.pack(DATA, len(data)) + data)


def receive_frame(connection: socket.socket, longest: int) -> bytes:
    """The bytes of one frame of a blocking connection.

    Raises
    ------
    ConnectionError
        When the connection ends, or the frame is longer than `longest` bytes.
    """
    kind, count = HEADER.unpack(receive_exactly(connection, HEADER.size))
    if kind != DATA or count > longest:
        raise ConnectionError("the other process does not speak this protocol")
    return receive_exactly(connection, count)
