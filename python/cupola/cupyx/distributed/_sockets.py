"""Collective operations of processes whose arrays lie in host memory, over their connections."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.cupyx.distributed import _mesh
from cupola.cupyx.distributed._authentication import group_key
from cupola.cupyx.distributed._links import Links
from cupola.cupyx.distributed._rendezvous import Deadline, gather_all, gather_all_by_mpi

__all__ = ["SocketCommunicator"]

_UFUNCS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def _host(array: ndarray) -> np.ndarray[Any, Any]:
    """The memory of an array of one dimension that nothing uses any more."""
    if array.dtype.kind == "V" or array.dtype.name == "bfloat16":
        return np.asarray(_core.host_memory(array.view(np.uint16))).view(array.dtype)
    return np.asarray(_core.host_memory(array))


def _bytes(values: np.ndarray[Any, Any]) -> memoryview:
    return values.view(np.uint8).data


def _own_name() -> str:
    """An address of this machine for others, where there is no rank 0 to ask for the way."""
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except socket.gaierror:
        return "127.0.0.1"
    return name


class SocketCommunicator:
    """A rank of a group. Arrays are of one dimension, contiguous and as long as they must be; calls
    return when the data has been exchanged, and so leave nothing to do on a stream."""

    def __init__(self, n_ranks: int, rank: int, host: str, port: int, use_mpi: bool) -> None:
        self._n_ranks = n_ranks
        self._rank = rank
        deadline = Deadline()
        key = group_key() if n_ranks > 1 else b""
        listeners = _mesh.Listeners(_own_name() if use_mpi else host, port, n_ranks)

        def words() -> bytes:
            return listeners.open().to_words()

        try:
            if use_mpi:
                all_words = gather_all_by_mpi(n_ranks, rank, words())
            else:
                all_words = gather_all(n_ranks, rank, words, host, port, key, deadline)
            endpoints = [_mesh.Endpoint.from_words(each) for each in all_words]
            self._links = Links(_mesh.connect_all(rank, endpoints, listeners, key, deadline))
        finally:
            listeners.close()

    def stop(self) -> None:
        """Leave the group."""
        self._links.close("it was stopped")

    # ---- between two ranks

    def send(self, source: ndarray, peer: int, stream: Any) -> None:
        """Send an array."""
        _core.finish_uses([source], [])
        self._links.exchange([(peer, _bytes(_host(source)))], [])

    def recv(self, target: ndarray, peer: int, stream: Any) -> None:
        """Receive an array."""
        _core.finish_uses([], [target])
        self._links.exchange([], [(peer, _bytes(_host(target)))])

    def send_recv(self, source: ndarray, target: ndarray, peer: int, stream: Any) -> None:
        """Send one array and receive another."""
        _core.finish_uses([source], [target])
        sent = _host(source)
        if np.may_share_memory(sent, _host(target)):
            sent = sent.copy()
        self._links.exchange([(peer, _bytes(sent))], [(peer, _bytes(_host(target)))])

    # ---- from and to one rank

    def broadcast(self, array: ndarray, root: int, stream: Any) -> None:
        """A binomial tree: in each round the ranks that have the data double."""
        if self._rank == root:
            _core.finish_uses([array], [])
        else:
            _core.finish_uses([], [array])
        data = _bytes(_host(array))
        position = (self._rank - root) % self._n_ranks
        step = 1
        while step < self._n_ranks:
            if position < step and position + step < self._n_ranks:
                self._links.exchange([(self._from(root, position + step), data)], [])
            elif step <= position < 2 * step:
                self._links.exchange([], [(self._from(root, position - step), data)])
            step *= 2

    def _from(self, root: int, position: int) -> int:
        return (root + position) % self._n_ranks

    def reduce(self, source: ndarray, target: ndarray, root: int, op: str, stream: Any) -> None:
        """A binomial tree towards the root; the order of the operations is the same each time."""
        _core.finish_uses([source], [target] if self._rank == root else [])
        total = _host(source).copy()
        position = (self._rank - root) % self._n_ranks
        step = 1
        while step < self._n_ranks:
            if position & step:
                self._links.exchange([(self._from(root, position - step), _bytes(total))], [])
                return
            if position + step < self._n_ranks:
                other = np.empty_like(total)
                self._links.exchange([], [(self._from(root, position + step), _bytes(other))])
                self._accumulate(total, other, op)
            step *= 2
        _host(target)[...] = total

    @staticmethod
    def _accumulate(total: np.ndarray[Any, Any], other: np.ndarray[Any, Any], op: str) -> None:
        with np.errstate(all="ignore"):
            _UFUNCS[op](total, other, out=total)

    def scatter(self, parts: Sequence[ndarray], target: ndarray, root: int, stream: Any) -> None:
        """`parts` are those of the root, one for each rank."""
        _core.finish_uses(list(parts), [target])
        own = _host(target)
        if self._rank != root:
            self._links.exchange([], [(root, _bytes(own))])
            return
        values = [_host(part) for part in parts]
        others = [rank for rank in range(self._n_ranks) if rank != root]
        self._links.exchange([(rank, _bytes(values[rank])) for rank in others], [])
        own[...] = values[root]

    def gather(self, source: ndarray, parts: Sequence[ndarray], root: int, stream: Any) -> None:
        """`parts` are those of the root, one for each rank."""
        _core.finish_uses([source], list(parts))
        own = _host(source)
        if self._rank != root:
            self._links.exchange([(root, _bytes(own))], [])
            return
        values = [_host(part) for part in parts]
        others = [rank for rank in range(self._n_ranks) if rank != root]
        self._links.exchange([], [(rank, _bytes(values[rank])) for rank in others])
        values[root][...] = own

    # ---- between all ranks

    def all_to_all(
        self, sources: Sequence[ndarray], targets: Sequence[ndarray], stream: Any
    ) -> None:
        """Part i goes to rank i."""
        _core.finish_uses(list(sources), list(targets))
        outgoing = [_host(part) for part in sources]
        incoming = [_host(part) for part in targets]
        if any(np.may_share_memory(each, other) for each in outgoing for other in incoming):
            outgoing = [part.copy() for part in outgoing]
        others = [rank for rank in range(self._n_ranks) if rank != self._rank]
        self._links.exchange(
            [(rank, _bytes(outgoing[rank])) for rank in others],
            [(rank, _bytes(incoming[rank])) for rank in others],
        )
        incoming[self._rank][...] = outgoing[self._rank]

    def all_gather(self, source: ndarray, target: ndarray, stream: Any) -> None:
        """Round a ring: each rank passes on the part that it has just received."""
        _core.finish_uses([source], [target])
        parts = _host(target).reshape(self._n_ranks, -1)
        parts[self._rank] = _host(source)
        self._pass_on(list(parts))

    def reduce_scatter(self, source: ndarray, target: ndarray, op: str, stream: Any) -> None:
        """Round a ring: each rank adds its own part to the one that it passes on."""
        _core.finish_uses([source], [target])
        parts = list(_host(source).reshape(self._n_ranks, -1).copy())
        self._reduce_parts(parts, op)
        _host(target)[...] = parts[self._rank]

    def all_reduce(self, source: ndarray, target: ndarray, op: str, stream: Any) -> None:
        """Twice round a ring, a part of the array at a time: all ranks get the same bits."""
        _core.finish_uses([source], [target])
        values = _host(target)
        values[...] = _host(source)
        parts = np.array_split(values, self._n_ranks)
        self._reduce_parts(parts, op)
        self._pass_on(parts)

    def _reduce_parts(self, parts: list[np.ndarray[Any, Any]], op: str) -> None:
        """Afterwards part i of rank i is complete."""
        other = np.empty(max(part.size for part in parts), parts[0].dtype)
        for step in range(self._n_ranks - 1):
            sent = parts[(self._rank - step - 1) % self._n_ranks]
            mine = parts[(self._rank - step - 2) % self._n_ranks]
            received = other[: mine.size]
            self._exchange_in_ring(sent, received)
            self._accumulate(mine, received, op)

    def _pass_on(self, parts: list[np.ndarray[Any, Any]]) -> None:
        for step in range(self._n_ranks - 1):
            sent = parts[(self._rank - step) % self._n_ranks]
            self._exchange_in_ring(sent, parts[(self._rank - step - 1) % self._n_ranks])

    def _exchange_in_ring(self, sent: np.ndarray[Any, Any], received: np.ndarray[Any, Any]) -> None:
        following, previous = (self._rank + 1) % self._n_ranks, (self._rank - 1) % self._n_ranks
        self._links.exchange([(following, _bytes(sent))], [(previous, _bytes(received))])

    def barrier(self, stream: Any) -> None:
        """Each rank hears, over others, from all."""
        nothing = memoryview(b"")
        step = 1
        while step < self._n_ranks:
            following, previous = (self._rank + step), (self._rank - step)
            self._links.exchange(
                [(following % self._n_ranks, nothing)], [(previous % self._n_ranks, nothing)]
            )
            step *= 2
