"""A process of a group: its communicator, and the checks of ranks and parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from cupola._cupola import ndarray
from cupola._devices.current import current_device
from cupola.cupyx.distributed import _checks


class _Communicator(Protocol):
    """What a group communicates through: sockets or NCCL."""

    def stop(self) -> None: ...
    def send(self, source: ndarray, peer: int, stream: Any) -> None: ...
    def recv(self, target: ndarray, peer: int, stream: Any) -> None: ...
    def send_recv(self, source: ndarray, target: ndarray, peer: int, stream: Any) -> None: ...
    def broadcast(self, array: ndarray, root: int, stream: Any) -> None: ...
    def reduce(self, source: ndarray, target: ndarray, root: int, op: str, stream: Any) -> None: ...
    def scatter(
        self, parts: Sequence[ndarray], target: ndarray, root: int, stream: Any
    ) -> None: ...
    def gather(self, source: ndarray, parts: Sequence[ndarray], root: int, stream: Any) -> None: ...
    def all_to_all(
        self, sources: Sequence[ndarray], targets: Sequence[ndarray], stream: Any
    ) -> None: ...
    def all_gather(self, source: ndarray, target: ndarray, stream: Any) -> None: ...
    def reduce_scatter(self, source: ndarray, target: ndarray, op: str, stream: Any) -> None: ...
    def all_reduce(self, source: ndarray, target: ndarray, op: str, stream: Any) -> None: ...
    def barrier(self, stream: Any) -> None: ...


class Rank:
    """Gives its work to sockets or to NCCL, by the current device."""

    def __init__(
        self,
        n_devices: int,
        rank: int,
        host: str = "127.0.0.1",
        port: int = 13333,
        use_mpi: bool = False,
    ) -> None:
        if n_devices < 1:
            raise ValueError(f"Invalid number of devices {n_devices}")
        if not 0 <= rank < n_devices:
            raise ValueError(f"Invalid number of rank {rank} {n_devices}")
        if not 0 < port < 65536:
            raise ValueError(f"port must be from 1 to 65535, not {port}")
        self.rank = rank
        self._n_devices = n_devices
        self._communicator: _Communicator | None = self._open(host, port, use_mpi)

    def _open(self, host: str, port: int, use_mpi: bool) -> _Communicator:
        arguments = (self._n_devices, self.rank, host, port, use_mpi)
        if current_device().platform == "cuda":
            from cupola.cupyx.distributed._nccl import NcclGroup

            return NcclGroup(*arguments)
        from cupola.cupyx.distributed._sockets import SocketCommunicator

        return SocketCommunicator(*arguments)

    def _group(self) -> _Communicator:
        if self._communicator is None:
            raise RuntimeError("the process group has ended: it was stopped")
        return self._communicator

    def _check_rank(self, rank: int, name: str) -> None:
        if not 0 <= rank < self._n_devices:
            raise ValueError(f"{name} must be from 0 to {self._n_devices - 1}, not {rank}")

    def _check_peer(self, peer: int) -> None:
        self._check_rank(peer, "peer")
        if peer == self.rank:
            raise ValueError(f"rank {peer} cannot communicate with itself")

    def _parts(self, array: ndarray, name: str, part: ndarray) -> list[ndarray]:
        """One for each rank along the first dimension, each of the size of `part`."""
        flat = _checks.flat(array, name)
        if array.ndim == 0 or array.shape[0] != self._n_devices:
            raise RuntimeError(
                f"the first dimension of {name} must be {self._n_devices}, one part for each "
                f"process; its shape is {array.shape}"
            )
        if not array.flags.c_contiguous:
            raise RuntimeError(f"{name} must be C contiguous")
        if flat.size != self._n_devices * part.size or flat.dtype != part.dtype:
            raise ValueError(
                f"{name} needs {self._n_devices} parts of {part.size} elements of {part.dtype}; "
                f"it has {flat.size} elements of {flat.dtype}"
            )
        return list(flat.reshape(self._n_devices, part.size))
