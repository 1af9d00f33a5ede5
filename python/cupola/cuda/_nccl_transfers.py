"""What a rank of NCCL sends, receives and combines."""

from __future__ import annotations

import ctypes
from typing import Any


class Transfers:
    """Work of a communicator on streams, which no call waits for."""

    _handle: ctypes.c_void_p

    def _call(self, name: str, *arguments: Any) -> None:
        """A function of NCCL, on the communicator's device."""
        raise NotImplementedError

    def allReduce(
        self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, stream: int
    ) -> None:
        """Combine the buffers of all ranks in each rank's `recvbuf`.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses on the device.
        count : int
            Elements.
        datatype : int
            `NCCL_INT8` and the like.
        op : int
            `NCCL_SUM` and the like.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, stream = cp.ones(4, "float32"), cp.cuda.get_current_stream()
        ...         at = a.data.ptr
        ...         rank.allReduce(at, at, a.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream.ptr)
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call("ncclAllReduce", sendbuf, recvbuf, count, datatype, op, self._handle, stream)

    def reduce(
        self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, root: int, stream: int
    ) -> None:
        """Combine the buffers of all ranks in `recvbuf` of the rank `root`.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses on the device.
        count : int
            Elements.
        datatype : int
            `NCCL_INT8` and the like.
        op : int
            `NCCL_SUM` and the like.
        root : int
            Its number.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, stream = cp.ones(4, "float32"), cp.cuda.get_current_stream()
        ...         at = a.data.ptr
        ...         rank.reduce(at, at, a.size, nccl.NCCL_FLOAT32, nccl.NCCL_MAX, 0, stream.ptr)
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call("ncclReduce", sendbuf, recvbuf, count, datatype, op, root, self._handle, stream)

    def broadcast(
        self, sendbuff: int, recvbuff: int, count: int, datatype: int, root: int, stream: int
    ) -> None:
        """Send the buffer of the rank `root` into each rank's `recvbuff`.

        Parameters
        ----------
        sendbuff, recvbuff : int
            Addresses on the device.
        count : int
            Elements.
        datatype : int
            `NCCL_INT8` and the like.
        root : int
            Its number.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, stream = cp.ones(4, "float32"), cp.cuda.get_current_stream()
        ...         at = a.data.ptr
        ...         rank.broadcast(at, at, a.size, nccl.NCCL_FLOAT32, 0, stream.ptr)
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call("ncclBroadcast", sendbuff, recvbuff, count, datatype, root, self._handle, stream)

    def bcast(self, buff: int, count: int, datatype: int, root: int, stream: int) -> None:
        """Send the buffer of the rank `root` into each rank's buffer.

        Parameters
        ----------
        buff : int
            Address on the device.
        count : int
            Elements.
        datatype : int
            `NCCL_INT8` and the like.
        root : int
            Its number.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, stream = cp.ones(4, "float32"), cp.cuda.get_current_stream()
        ...         rank.bcast(a.data.ptr, a.size, nccl.NCCL_FLOAT32, 0, stream.ptr)
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call("ncclBcast", buff, count, datatype, root, self._handle, stream)

    def reduceScatter(
        self, sendbuf: int, recvbuf: int, recvcount: int, datatype: int, op: int, stream: int
    ) -> None:
        """Combine the buffers of all ranks; each gets `recvcount` elements of the result.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses on the device.
        recvcount : int
            Elements of each rank's part; `sendbuf` has as many for each rank.
        datatype : int
            `NCCL_INT8` and the like.
        op : int
            `NCCL_SUM` and the like.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, stream = cp.ones(4, "float32"), cp.cuda.get_current_stream()
        ...         at = a.data.ptr
        ...         rank.reduceScatter(at, at, a.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream.ptr)
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call(
            "ncclReduceScatter", sendbuf, recvbuf, recvcount, datatype, op, self._handle, stream
        )

    def allGather(self, sendbuf: int, recvbuf: int, count: int, datatype: int, stream: int) -> None:
        """Put `count` elements of each rank, by rank, into each rank's `recvbuf`.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses on the device.
        count : int
            Elements.
        datatype : int
            `NCCL_INT8` and the like.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, stream = cp.ones(4, "float32"), cp.cuda.get_current_stream()
        ...         at = a.data.ptr
        ...         rank.allGather(at, at, a.size, nccl.NCCL_FLOAT32, stream.ptr)
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call("ncclAllGather", sendbuf, recvbuf, count, datatype, self._handle, stream)

    def send(self, sendbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Send a buffer to the rank `peer`.

        Parameters
        ----------
        sendbuf : int
            Address on the device.
        count : int
            Elements.
        datatype : int
            `NCCL_INT8` and the like.
        peer : int
            Its number.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, b, stream = cp.ones(4), cp.zeros(4), cp.cuda.get_current_stream()
        ...         nccl.groupStart()  # a rank sends to itself in a group only
        ...         rank.send(a.data.ptr, a.size, nccl.NCCL_FLOAT64, 0, stream.ptr)
        ...         rank.recv(b.data.ptr, b.size, nccl.NCCL_FLOAT64, 0, stream.ptr)
        ...         nccl.groupEnd()
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call("ncclSend", sendbuf, count, datatype, peer, self._handle, stream)

    def recv(self, recvbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Receive a buffer from the rank `peer`.

        Parameters
        ----------
        recvbuf : int
            Address on the device.
        count : int
            Elements.
        datatype : int
            `NCCL_INT8` and the like.
        peer : int
            Its number.
        stream : int
            The stream's `ptr`.

        Raises
        ------
        NcclError
            When NCCL fails.

        See Also
        --------
        send : With it.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         a, b, stream = cp.ones(4), cp.zeros(4), cp.cuda.get_current_stream()
        ...         nccl.groupStart()  # a rank receives from itself in a group only
        ...         rank.send(a.data.ptr, a.size, nccl.NCCL_FLOAT64, 0, stream.ptr)
        ...         rank.recv(b.data.ptr, b.size, nccl.NCCL_FLOAT64, 0, stream.ptr)
        ...         nccl.groupEnd()
        ...         stream.synchronize()
        ...         rank.destroy()
        """
        self._call("ncclRecv", recvbuf, count, datatype, peer, self._handle, stream)
