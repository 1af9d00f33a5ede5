"""Collective operations of processes with a CUDA device each, through NCCL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.cuda import nccl
from cupola.cupyx.distributed._authentication import group_key
from cupola.cupyx.distributed._rendezvous import Deadline, gather_all, gather_all_by_mpi

__all__ = ["NcclGroup"]

_OPERATIONS = {
    "sum": nccl.NCCL_SUM,
    "prod": nccl.NCCL_PROD,
    "max": nccl.NCCL_MAX,
    "min": nccl.NCCL_MIN,
}
_TYPES = {
    "int8": (nccl.NCCL_INT8, 1),
    "uint8": (nccl.NCCL_UINT8, 1),
    "int32": (nccl.NCCL_INT32, 1),
    "uint32": (nccl.NCCL_UINT32, 1),
    "int64": (nccl.NCCL_INT64, 1),
    "uint64": (nccl.NCCL_UINT64, 1),
    "float16": (nccl.NCCL_FLOAT16, 1),
    "bfloat16": (nccl.NCCL_BFLOAT16, 1),
    "float32": (nccl.NCCL_FLOAT32, 1),
    "float64": (nccl.NCCL_FLOAT64, 1),
    "complex64": (nccl.NCCL_FLOAT32, 2),
    "complex128": (nccl.NCCL_FLOAT64, 2),
}


@contextmanager
def _ordered(reads: Sequence[ndarray], writes: Sequence[ndarray], stream: Any) -> Iterator[int]:
    """The address of the stream, whose next work uses the arrays after what uses them so far and
    before what uses them later."""
    address = _core.begin_ordered_work(reads, writes, stream)
    try:
        yield address
    finally:
        _core.end_ordered_work(reads, writes, stream)


def _values(array: ndarray) -> tuple[int, int]:
    """Number and type of the elements, for reductions."""
    code, factor = _TYPES[array.dtype.name]
    return array.size * factor, code


def _words(array: ndarray) -> tuple[int, int]:
    """The bytes, for what only moves them, as NCCL lacks some dtypes."""
    return array.nbytes, nccl.NCCL_UINT8


class NcclGroup:
    """A rank of a group. Arrays are of one dimension, contiguous and as long as they must be; calls
    put the work on a stream and return."""

    def __init__(self, n_ranks: int, rank: int, host: str, port: int, use_mpi: bool) -> None:
        self._n_ranks = n_ranks
        self._rank = rank

        def own() -> bytes:
            return json.dumps(nccl.get_unique_id() if rank == 0 else None).encode()

        if use_mpi:
            words = gather_all_by_mpi(n_ranks, rank, own())
        else:
            key = group_key() if n_ranks > 1 else b""
            words = gather_all(n_ranks, rank, own, host, port, key, Deadline())
        self._communicator = nccl.NcclCommunicator(n_ranks, json.loads(words[0]), rank)

    def stop(self) -> None:
        """Leave the group."""
        self._communicator.destroy()

    def send(self, source: ndarray, peer: int, stream: Any) -> None:
        """Send an array."""
        with _ordered([source], [], stream) as on:
            self._communicator.send(source.data.ptr, *_words(source), peer, on)

    def recv(self, target: ndarray, peer: int, stream: Any) -> None:
        """Receive an array."""
        with _ordered([], [target], stream) as on:
            self._communicator.recv(target.data.ptr, *_words(target), peer, on)

    def send_recv(self, source: ndarray, target: ndarray, peer: int, stream: Any) -> None:
        """Send one array and receive another."""
        with _ordered([source], [target], stream) as on:
            self._exchange([(source, peer)], [(target, peer)], on)

    def _exchange(
        self,
        sends: Sequence[tuple[ndarray, int]],
        receives: Sequence[tuple[ndarray, int]],
        on: int,
    ) -> None:
        nccl.groupStart()
        try:
            for array, peer in sends:
                self._communicator.send(array.data.ptr, *_words(array), peer, on)
            for array, peer in receives:
                self._communicator.recv(array.data.ptr, *_words(array), peer, on)
        finally:
            nccl.groupEnd()

    def broadcast(self, array: ndarray, root: int, stream: Any) -> None:
        """From the root to all."""
        is_root = self._rank == root
        with _ordered([array] if is_root else [], [] if is_root else [array], stream) as on:
            pointer = array.data.ptr
            self._communicator.broadcast(pointer, pointer, *_words(array), root, on)

    def reduce(self, source: ndarray, target: ndarray, root: int, op: str, stream: Any) -> None:
        """From all to the root."""
        writes = [target] if self._rank == root else []
        with _ordered([source], writes, stream) as on:
            pointers = source.data.ptr, target.data.ptr
            count, code = _values(source)
            self._communicator.reduce(*pointers, count, code, _OPERATIONS[op], root, on)

    def scatter(self, parts: Sequence[ndarray], target: ndarray, root: int, stream: Any) -> None:
        """`parts` are those of the root, one for each rank, which sends to itself too."""
        with _ordered(parts, [target], stream) as on:
            self._exchange([(part, rank) for rank, part in enumerate(parts)], [(target, root)], on)

    def gather(self, source: ndarray, parts: Sequence[ndarray], root: int, stream: Any) -> None:
        """`parts` are those of the root, one for each rank, which sends to itself too."""
        with _ordered([source], parts, stream) as on:
            self._exchange([(source, root)], [(part, rank) for rank, part in enumerate(parts)], on)

    def all_to_all(
        self, sources: Sequence[ndarray], targets: Sequence[ndarray], stream: Any
    ) -> None:
        """Part i goes to rank i."""
        with _ordered(sources, targets, stream) as on:
            ranks = range(self._n_ranks)
            self._exchange(
                list(zip(sources, ranks, strict=True)), list(zip(targets, ranks, strict=True)), on
            )

    def all_gather(self, source: ndarray, target: ndarray, stream: Any) -> None:
        """From all to all."""
        with _ordered([source], [target], stream) as on:
            self._communicator.allGather(source.data.ptr, target.data.ptr, *_words(source), on)

    def reduce_scatter(self, source: ndarray, target: ndarray, op: str, stream: Any) -> None:
        """Part i of the result goes to rank i."""
        with _ordered([source], [target], stream) as on:
            pointers = source.data.ptr, target.data.ptr
            self._communicator.reduceScatter(*pointers, *_values(target), _OPERATIONS[op], on)

    def all_reduce(self, source: ndarray, target: ndarray, op: str, stream: Any) -> None:
        """The result goes to all."""
        with _ordered([source], [target], stream) as on:
            pointers = source.data.ptr, target.data.ptr
            self._communicator.allReduce(*pointers, *_values(source), _OPERATIONS[op], on)

    def barrier(self, stream: Any) -> None:
        """A reduction of one element, and its end."""
        import cupola

        word = cupola.zeros(1, dtype="int32")
        self.all_reduce(word, word, "sum", stream)
        word.tolist()
