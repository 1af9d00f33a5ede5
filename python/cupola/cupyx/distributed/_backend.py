"""The class of a process group, which checks arguments and gives the work to a communicator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from cupola._cupola import ndarray
from cupola._devices.current import current_device
from cupola.cupyx.distributed import _checks

__all__ = ["NCCLBackend"]


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


class NCCLBackend:
    """A process of a group; see `init_process_group`, which makes it.

    Arrays are contiguous and of the numeric dtypes. Reductions take those of NCCL, so not bool,
    int16 and uint16; complex arrays can be summed. Each process of the group must make the same
    calls. On CUDA devices the work is put on `stream`, by default the current one, and the call
    returns; on the CPU platform it is done when the call returns.

    Parameters
    ----------
    n_devices : int
        Number of processes.
    rank : int
        Number of this process, from 0.
    host : str
        Address of the process of rank 0.
    port : int
        Its port.
    use_mpi : bool
        Find the other processes through mpi4py instead.

    Raises
    ------
    ValueError
        For a rank or port out of range.
    RuntimeError
        When the processes do not find each other; on CUDA devices without NCCL.

    Examples
    --------
    >>> from cupola.cupyx.distributed import NCCLBackend
    >>> comm = NCCLBackend(1, 0)
    >>> a, b = cp.arange(4), cp.zeros(4, int)
    >>> comm.all_gather(a, b, 4)
    >>> b
    array([0, 1, 2, 3])
    >>> comm.stop()
    """

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

    def stop(self) -> None:
        """Leave the group. Other processes that wait for this one raise RuntimeError."""
        if self._communicator is not None:
            self._communicator.stop()
            self._communicator = None

    def send(self, array: ndarray, peer: int, stream: Any = None) -> None:
        """Send an array to the rank `peer`, which receives it by `recv`.

        Parameters
        ----------
        array : ndarray
            Contiguous.
        peer : int
            Its rank.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there, or this one.
        RuntimeError
            When the other process has ended, or receives an array of another size.
        """
        self._check_peer(peer)
        self._group().send(_checks.flat(array, "array"), peer, stream)

    def recv(self, out_array: ndarray, peer: int, stream: Any = None) -> None:
        """Receive into an array what the rank `peer` sends.

        Parameters
        ----------
        out_array : ndarray
            Contiguous; of the size and dtype of what is sent.
        peer : int
            Its rank.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there, or this one.
        RuntimeError
            When the other process has ended, or sends an array of another size.
        """
        self._check_peer(peer)
        self._group().recv(_checks.target(out_array, "out_array"), peer, stream)

    def send_recv(
        self, in_array: ndarray, out_array: ndarray, peer: int, stream: Any = None
    ) -> None:
        """Send an array to the rank `peer`, and receive one from it at the same time.

        Parameters
        ----------
        in_array, out_array : ndarray
            Contiguous.
        peer : int
            Its rank.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there, or this one.
        RuntimeError
            When the other process has ended, or sends or receives an array of another size.
        """
        self._check_peer(peer)
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        self._group().send_recv(source, target, peer, stream)

    def broadcast(self, in_out_array: ndarray, root: int = 0, stream: Any = None) -> None:
        """Send the array of the rank `root` into the arrays of all ranks.

        Parameters
        ----------
        in_out_array : ndarray
            Contiguous; of one size and dtype in all ranks.
        root : int
            The rank whose array is sent.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there.
        """
        self._check_rank(root, "root")
        name = "in_out_array"
        is_root = self.rank == root
        array = _checks.flat(in_out_array, name) if is_root else _checks.target(in_out_array, name)
        self._group().broadcast(array, root, stream)

    def reduce(
        self,
        in_array: ndarray,
        out_array: ndarray,
        root: int = 0,
        op: str = "sum",
        stream: Any = None,
    ) -> None:
        """Combine the arrays of all ranks in `out_array` of the rank `root`.

        Parameters
        ----------
        in_array, out_array : ndarray
            Of one size and dtype. `out_array` of other ranks stays as it is.
        root : int
            The rank that gets the result.
        op : str
            "sum", "prod", "max" or "min".
        stream : Stream, optional
            Where the work is put; default: the current stream.
        """
        self._check_rank(root, "root")
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        _checks.check_operation(op, source)
        if self.rank == root:
            _checks.check_equal(source, target)
        self._group().reduce(source, target, root, op, stream)

    def all_reduce(
        self, in_array: ndarray, out_array: ndarray, op: str = "sum", stream: Any = None
    ) -> None:
        """Combine the arrays of all ranks in `out_array` of each: the same bits in all of them.

        Parameters
        ----------
        in_array, out_array : ndarray
            Of one size and dtype; they may be the same array.
        op : str
            "sum", "prod", "max" or "min".
        stream : Stream, optional
            Where the work is put; default: the current stream.
        """
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        _checks.check_operation(op, source)
        _checks.check_equal(source, target)
        self._group().all_reduce(source, target, op, stream)

    def reduce_scatter(
        self,
        in_array: ndarray,
        out_array: ndarray,
        count: int,
        op: str = "sum",
        stream: Any = None,
    ) -> None:
        """Combine the arrays of all ranks; rank i gets the i-th `count` elements of the result.

        Parameters
        ----------
        in_array : ndarray
            Of at least n_devices * count elements.
        out_array : ndarray
            Of at least `count` elements.
        count : int
            Number of elements for each rank.
        op : str
            "sum", "prod", "max" or "min".
        stream : Stream, optional
            Where the work is put; default: the current stream.
        """
        source = _checks.first(
            _checks.flat(in_array, "in_array"), self._n_devices * count, "in_array"
        )
        target = _checks.first(_checks.target(out_array, "out_array"), count, "out_array")
        _checks.check_operation(op, source)
        _checks.check_pair(source, target)
        self._group().reduce_scatter(source, target, op, stream)

    def all_gather(
        self, in_array: ndarray, out_array: ndarray, count: int, stream: Any = None
    ) -> None:
        """Put the first `count` elements of all ranks' arrays, by rank, into `out_array` of each.

        Parameters
        ----------
        in_array : ndarray
            Of at least `count` elements.
        out_array : ndarray
            Of at least n_devices * count elements.
        count : int
            Number of elements of each rank.
        stream : Stream, optional
            Where the work is put; default: the current stream.
        """
        source = _checks.first(_checks.flat(in_array, "in_array"), count, "in_array")
        target = _checks.target(out_array, "out_array")
        target = _checks.first(target, self._n_devices * count, "out_array")
        _checks.check_pair(source, target)
        self._group().all_gather(source, target, stream)

    def gather(
        self, in_array: ndarray, out_array: ndarray, root: int = 0, stream: Any = None
    ) -> None:
        """Put the arrays of all ranks, by rank, along the first dimension of an array of one.

        Parameters
        ----------
        in_array : ndarray
            Contiguous; of one size and dtype in all ranks.
        out_array : ndarray
            Of shape (n_devices, ...), C-contiguous; only that of the rank `root` is used.
        root : int
            The rank that gets them.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there, or parts of another size or dtype.
        RuntimeError
            For an `out_array` of another first extent, or that is not C-contiguous.
        """
        self._check_rank(root, "root")
        source = _checks.flat(in_array, "in_array")
        parts: list[ndarray] = []
        if self.rank == root:
            _checks.target(out_array, "out_array")
            parts = self._parts(out_array, "out_array", source)
        self._group().gather(source, parts, root, stream)

    def scatter(
        self, in_array: ndarray, out_array: ndarray, root: int = 0, stream: Any = None
    ) -> None:
        """Give each rank its part along the first dimension of an array of one.

        Parameters
        ----------
        in_array : ndarray
            Of shape (n_devices, ...), C-contiguous; only that of the rank `root` is used.
        out_array : ndarray
            Contiguous; of one size and dtype in all ranks.
        root : int
            The rank whose array is divided.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there, or parts of another size or dtype.
        RuntimeError
            For an `in_array` of another first extent, or that is not C-contiguous.
        """
        self._check_rank(root, "root")
        target = _checks.target(out_array, "out_array")
        parts = self._parts(in_array, "in_array", target) if self.rank == root else []
        self._group().scatter(parts, target, root, stream)

    def all_to_all(self, in_array: ndarray, out_array: ndarray, stream: Any = None) -> None:
        """Send a part of an array to each rank, and receive one from each.

        Parameters
        ----------
        in_array : ndarray
            Of shape (n_devices, ...), C-contiguous: part i goes to rank i.
        out_array : ndarray
            Of the same shape and dtype: part i is what rank i sends.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        TypeError, ValueError
            For another dtype or size of `out_array`.
        RuntimeError
            For another first extent, or what is not C-contiguous.
        """
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        _checks.check_equal(source, target)
        size = target.size // self._n_devices
        sources = self._parts(in_array, "in_array", source[:size])
        targets = self._parts(out_array, "out_array", source[:size])
        self._group().all_to_all(sources, targets, stream)

    def barrier(self) -> None:
        """Wait until all ranks have called it."""
        self._group().barrier(None)
