"""The class of a process group: what two of its processes do, and its end."""

from __future__ import annotations

from typing import Any

from cupola._cupola import ndarray
from cupola.cupyx.distributed import _checks
from cupola.cupyx.distributed._collectives import Collectives

__all__ = ["NCCLBackend"]


class NCCLBackend(Collectives):
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

    def stop(self) -> None:
        """Leave the group. Other processes that wait for this one raise RuntimeError.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> comm.stop()
        """
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> n_devices, rank = 1, 0  # of a program, as its processes were started
        >>> comm = NCCLBackend(n_devices, rank)
        >>> a = cp.arange(4)
        >>> if rank == 0:
        ...     for peer in range(1, n_devices):
        ...         comm.send(a, peer)
        ... else:
        ...     comm.recv(a, 0)
        >>> comm.stop()
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> n_devices, rank = 1, 0  # of a program, as its processes were started
        >>> comm = NCCLBackend(n_devices, rank)
        >>> a = cp.arange(4)
        >>> if rank == 0:
        ...     for peer in range(1, n_devices):
        ...         comm.recv(a, peer)
        ... else:
        ...     comm.send(a, 0)
        >>> comm.stop()
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> n_devices, rank = 1, 0  # of a program, as its processes were started
        >>> comm = NCCLBackend(n_devices, rank)
        >>> a, b = cp.arange(4), cp.zeros(4, int)
        >>> if n_devices == 2:
        ...     comm.send_recv(a, b, 1 - rank)
        >>> comm.stop()
        """
        self._check_peer(peer)
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        self._group().send_recv(source, target, peer, stream)
