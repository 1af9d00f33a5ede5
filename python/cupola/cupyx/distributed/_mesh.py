"""Connections between all ranks of a group, one for each pair.

Ranks on one machine are connected by Unix domain sockets, others by TCP.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
from pathlib import Path
from typing import NamedTuple

from cupola.cupyx.distributed._authentication import AuthenticationError, authenticate
from cupola.cupyx.distributed._frames import receive_exactly
from cupola.cupyx.distributed._rendezvous import Deadline, listener_at

__all__ = ["Endpoint", "Listeners", "connect_all"]

_RANK_BYTES = 4
_HANDSHAKE_SECONDS = 10.0
_SECONDS_UNTIL_PROBE = 30
_PROBES = 3


class Endpoint(NamedTuple):
    """Where a rank listens for the other ranks."""

    machine: str
    local_name: str
    host: str
    port: int

    def to_words(self) -> bytes:
        """What `from_words` reads."""
        return json.dumps(self).encode()

    @classmethod
    def from_words(cls, words: bytes) -> Endpoint:
        """The endpoint that another rank has written."""
        return cls(*json.loads(words))


def _machine() -> str:
    """The same for processes that run under one kernel."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return socket.gethostname()


def _own_address(host: str, port: int) -> str:
    """The address of this machine on the way to another.

    Raises
    ------
    RuntimeError
        For a host that has no address or cannot be reached.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0][0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((host, port))  # of a datagram socket: nothing is sent
            return str(probe.getsockname()[0])
    except OSError as error:
        raise RuntimeError(f"there is no way to the host {host!r}: {error.strerror}") from error


class Listeners:
    """What a rank listens at: a port, and a name for ranks on the same machine."""

    def __init__(self, host: str, port: int, n_ranks: int) -> None:
        self._address = _own_address(host, port)
        self._n_ranks = n_ranks
        self._sockets: list[socket.socket] = []

    def open(self) -> Endpoint:
        """Listen from now on."""
        tcp = listener_at(self._address, 0, self._n_ranks)
        self._sockets.append(tcp)
        local_name = f"cupola-{secrets.token_hex(16)}"
        local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._sockets.append(local)
        local.bind(f"\0{local_name}")  # the abstract namespace: no file is left behind
        local.listen(self._n_ranks)
        return Endpoint(_machine(), local_name, self._address, tcp.getsockname()[1])

    def close(self) -> None:
        """Stop listening."""
        for each in self._sockets:
            each.close()

    def accept(self, deadline: Deadline) -> socket.socket:
        """The next connection.

        Raises
        ------
        TimeoutError
            When none comes in time.
        """
        import selectors

        with selectors.DefaultSelector() as selector:
            for each in self._sockets:
                selector.register(each, selectors.EVENT_READ)
            for key, _ in selector.select(deadline.left()):
                return key.fileobj.accept()[0]  # type: ignore[union-attr]
        raise TimeoutError


def _connected(to: Endpoint, deadline: Deadline) -> socket.socket:
    if to.machine == _machine():
        local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            local.connect(f"\0{to.local_name}")
            return local
        except OSError:  # another network namespace
            local.close()
    return socket.create_connection((to.host, to.port), timeout=deadline.left())


def _keep_alive(connection: socket.socket) -> None:
    """A machine that is gone without a word is noticed after two minutes."""
    if connection.family == socket.AF_UNIX:
        return
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _SECONDS_UNTIL_PROBE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _SECONDS_UNTIL_PROBE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _PROBES)
    milliseconds = 1000 * _SECONDS_UNTIL_PROBE * (_PROBES + 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


def _accepted(
    listeners: Listeners, ranks: set[int], key: bytes, deadline: Deadline
) -> tuple[int, socket.socket] | None:
    """The connection of one of `ranks`; None after a stranger's."""
    connection = listeners.accept(deadline)
    try:
        connection.settimeout(_HANDSHAKE_SECONDS)
        authenticate(connection, key, is_server=True)
        rank = int.from_bytes(receive_exactly(connection, _RANK_BYTES), "big")
        if rank in ranks:
            return rank, connection
    except (OSError, AuthenticationError):
        pass
    connection.close()
    return None


def connect_all(
    rank: int, endpoints: list[Endpoint], listeners: Listeners, key: bytes, deadline: Deadline
) -> dict[int, socket.socket]:
    """Connections to all other ranks, by rank, which do not block.

    A rank connects to those below it and then waits for those above it, so that no two wait for
    each other.

    Raises
    ------
    RuntimeError
        When a rank cannot be reached or does not come in time.
    """
    connections: dict[int, socket.socket] = {}
    try:
        for peer in range(rank):
            connection = _connected(endpoints[peer], deadline)
            connections[peer] = connection
            connection.settimeout(deadline.left())
            authenticate(connection, key, is_server=False)
            connection.sendall(rank.to_bytes(_RANK_BYTES, "big"))
        missing = set(range(rank + 1, len(endpoints)))
        while missing:
            found = _accepted(listeners, missing, key, deadline)
            if found is not None:
                missing.remove(found[0])
                connections[found[0]] = found[1]
        for connection in connections.values():
            _keep_alive(connection)
            connection.setblocking(False)
        return connections
    except BaseException as error:
        for connection in connections.values():
            connection.close()
        if isinstance(error, OSError):
            raise RuntimeError(
                f"rank {rank} cannot be connected with the other ranks: {error}"
            ) from error
        raise
