"""How the processes of a group find each other: each gives rank 0 some bytes and gets all ranks'.

Rank 0 listens at the group's address; the other ranks connect to it until it does. A connection
that is not from a process of the group, as its key says, is dropped.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable

from cupola.cupyx.distributed._authentication import AuthenticationError, authenticate
from cupola.cupyx.distributed._frames import receive_frame, send_frame

__all__ = ["Deadline", "gather_all", "gather_all_by_mpi", "listener_at"]

_LONGEST = 1 << 20
_HANDSHAKE_SECONDS = 10.0


class Deadline:
    """A time by which all processes must have joined."""

    def __init__(self) -> None:
        text = os.environ.get("CUPYX_DISTRIBUTED_TIMEOUT", "300")
        try:
            self.seconds = float(text)
        except ValueError:
            self.seconds = 0.0
        if not self.seconds > 0:
            raise ValueError(
                f"CUPYX_DISTRIBUTED_TIMEOUT must be a positive number of seconds, not {text!r}"
            )
        self._end = time.monotonic() + self.seconds

    def left(self) -> float:
        """Seconds until then, at least a millisecond."""
        return max(self._end - time.monotonic(), 0.001)

    def is_over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() >= self._end


def listener_at(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that listens at an address; port 0 takes a free one."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(backlog)
    except BaseException:
        listener.close()
        raise
    return listener


class _Server:
    """Rank 0: collects the words of the other ranks and answers them."""

    def __init__(self, n_ranks: int, words: bytes, key: bytes, deadline: Deadline) -> None:
        self._n_ranks = n_ranks
        self._key = key
        self._deadline = deadline
        self._words = {0: words}
        self._connections: dict[int, socket.socket] = {}
        self._problem: str | None = None
        self._refused = 0  # connections of processes with another key
        self._is_over = False
        self._changed = threading.Condition()

    def _join(self, connection: socket.socket) -> None:
        """A handshake; strangers do not disturb the group."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            connection.settimeout(min(_HANDSHAKE_SECONDS, self._deadline.left()))
            try:
                authenticate(connection, self._key, is_server=True)
            except AuthenticationError:
                self._refused += 1
                raise ConnectionError from None
            hello = json.loads(receive_frame(connection, _LONGEST))
            self._add(
                hello["rank"], hello["n_ranks"], receive_frame(connection, _LONGEST), connection
            )
            return
        connection.close()

    def _add(self, rank: int, n_ranks: int, words: bytes, connection: socket.socket) -> None:
        with self._changed:
            if self._is_over:
                connection.close()
                return
            if n_ranks != self._n_ranks:
                self._problem = (
                    f"rank {rank} joins a group of {n_ranks} processes, rank 0 one of "
                    f"{self._n_ranks}"
                )
            elif rank in self._words:
                self._problem = f"two processes have rank {rank}"
            else:
                self._words[rank] = words
            self._connections[len(self._connections)] = connection
            self._changed.notify()

    def _is_ready(self) -> bool:
        return self._problem is not None or len(self._words) == self._n_ranks

    def serve(self, listener: socket.socket) -> list[bytes]:
        """Wait for all ranks, tell each the words of all, and return them."""
        listener.settimeout(0.05)
        while not self._is_ready() and not self._deadline.is_over():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            threading.Thread(target=self._join, args=(connection,), daemon=True).start()
            with self._changed:
                self._changed.wait_for(self._is_ready, timeout=0.002)
        with self._changed:
            self._is_over = True
            if not self._is_ready():
                self._problem = self._absentees()
            return self._answer()

    def _absentees(self) -> str:
        missing = [rank for rank in range(self._n_ranks) if rank not in self._words]
        noun = "rank has" if len(missing) == 1 else "ranks have"
        return (
            f"{noun} not joined within {self._deadline.seconds:g} s: "
            f"{', '.join(map(str, missing))}; start all {self._n_ranks} processes, or set "
            "CUPYX_DISTRIBUTED_TIMEOUT" + self._strangers()
        )

    def _strangers(self) -> str:
        if self._refused == 0:
            return ""
        return (
            f"; {self._refused} with another key were refused, set CUPYX_DISTRIBUTED_KEY to the "
            "same text in all processes"
        )

    def _answer(self) -> list[bytes]:
        words = [self._words.get(rank, b"") for rank in range(self._n_ranks)]
        status = json.dumps({"problem": self._problem}).encode()
        for connection in self._connections.values():
            with contextlib.suppress(OSError), connection:
                send_frame(connection, status)
                if self._problem is None:
                    for each in words:
                        send_frame(connection, each)
        if self._problem is not None:
            raise RuntimeError(self._problem)
        return words


def _connected(host: str, port: int, deadline: Deadline) -> socket.socket:
    """A connection to rank 0, which may not listen yet."""
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=deadline.left())
            if connection.getsockname() != connection.getpeername():
                return connection
            connection.close()  # the port asked for is the one it goes out by: it met itself
        except socket.gaierror as error:
            raise RuntimeError(f"there is no host {host!r}: {error.strerror}") from error
        except OSError as error:
            if deadline.is_over():
                raise RuntimeError(
                    f"rank 0 does not answer at {host}:{port} within {deadline.seconds:g} s "
                    f"({error}); start it, or set CUPYX_DISTRIBUTED_TIMEOUT"
                ) from error
            threading.Event().wait(0.02)


def _ask(
    n_ranks: int,
    rank: int,
    words: Callable[[], bytes],
    host: str,
    port: int,
    key: bytes,
    deadline: Deadline,
) -> list[bytes]:
    with _connected(host, port, deadline) as connection:
        own = words()
        try:
            connection.settimeout(deadline.left())
            authenticate(connection, key, is_server=False)
            send_frame(connection, json.dumps({"rank": rank, "n_ranks": n_ranks}).encode())
            send_frame(connection, own)
            connection.settimeout(deadline.left() + _HANDSHAKE_SECONDS)
            problem = json.loads(receive_frame(connection, _LONGEST))["problem"]
            if problem is None:
                return [receive_frame(connection, _LONGEST) for _ in range(n_ranks)]
        except OSError as error:
            raise RuntimeError(f"rank 0 at {host}:{port} has left the group: {error}") from error
    raise RuntimeError(problem)


def gather_all(
    n_ranks: int,
    rank: int,
    words: Callable[[], bytes],
    host: str,
    port: int,
    key: bytes,
    deadline: Deadline,
) -> list[bytes]:
    """The words of all ranks, by rank. Returns when all have joined.

    `words` is called when rank 0 has the group's port: what it listens at is another one.

    Raises
    ------
    RuntimeError
        When a rank does not join in time, is taken or expects another number of ranks.
    """
    if rank > 0:
        return _ask(n_ranks, rank, words, host, port, key, deadline)
    if n_ranks == 1:
        return [words()]
    try:
        listener = listener_at(host, port, n_ranks)
    except OSError as error:
        raise RuntimeError(
            f"rank 0 cannot listen at {host}:{port}: {error.strerror or error}; choose another "
            "port for all processes"
        ) from error
    with listener:
        return _Server(n_ranks, words(), key, deadline).serve(listener)


def gather_all_by_mpi(n_ranks: int, rank: int, words: bytes) -> list[bytes]:
    """The same through mpi4py, which has started the processes."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise RuntimeError("use_mpi=True needs mpi4py: install it, or leave use_mpi out") from error
    world = MPI.COMM_WORLD
    if (world.Get_size(), world.Get_rank()) != (n_ranks, rank):
        raise ValueError(
            f"MPI has started rank {world.Get_rank()} of {world.Get_size()}, "
            f"not {rank} of {n_ranks}"
        )
    return list(world.allgather(words))
