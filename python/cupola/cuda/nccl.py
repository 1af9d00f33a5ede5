"""NVIDIA's collective communication library, as CuPy has it.

The library is opened when it is first needed. Where it is not installed, `available` is False and
calls raise RuntimeError. Buffers and streams are addresses: `a.data.ptr`, `stream.ptr`. NCCL knows
nothing of the order of the arrays' other uses; `cupola.cupyx.distributed` keeps it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from cupola import _cupola as _core
from cupola.cuda import _nccl_library as _library
from cupola.cuda._nccl_library import NcclError

__all__ = [
    "NCCL_AVG",
    "NCCL_BFLOAT16",
    "NCCL_CHAR",
    "NCCL_DOUBLE",
    "NCCL_FLOAT",
    "NCCL_FLOAT16",
    "NCCL_FLOAT32",
    "NCCL_FLOAT64",
    "NCCL_HALF",
    "NCCL_INT",
    "NCCL_INT8",
    "NCCL_INT32",
    "NCCL_INT64",
    "NCCL_MAX",
    "NCCL_MIN",
    "NCCL_PROD",
    "NCCL_SUM",
    "NCCL_UINT8",
    "NCCL_UINT32",
    "NCCL_UINT64",
    "NcclCommunicator",
    "NcclError",
    "available",
    "get_build_version",
    "get_unique_id",
    "get_version",
    "groupEnd",
    "groupStart",
]

NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)

NCCL_INT8 = NCCL_CHAR = 0
NCCL_UINT8 = 1
NCCL_INT32 = NCCL_INT = 2
NCCL_UINT32 = 3
NCCL_INT64 = 4
NCCL_UINT64 = 5
NCCL_FLOAT16 = NCCL_HALF = 6
NCCL_FLOAT32 = NCCL_FLOAT = 7
NCCL_FLOAT64 = NCCL_DOUBLE = 8
NCCL_BFLOAT16 = 9

available: bool


def __getattr__(name: str) -> Any:
    if name == "available":  # opens the library, so not before it is asked for
        return _library.load() is not None
    from cupola._cupy.differences import absence

    raise AttributeError(absence("cupy.cuda.nccl", name))


def get_version() -> int:
    """The version of NCCL, as 22809 for 2.28.9.

    Raises
    ------
    RuntimeError
        Where NCCL is not installed.
    """
    version = ctypes.c_int()
    _library.call("ncclGetVersion", ctypes.byref(version))
    return version.value


def get_build_version() -> int:
    """The same as `get_version`: nothing is built against NCCL."""
    return get_version()


def get_unique_id() -> tuple[int, ...]:
    """A new name of a group, which one process makes and all pass to `NcclCommunicator`.

    Returns
    -------
    tuple of int
        128 numbers from -128 to 127.
    """
    identity = _library.UniqueId()
    _library.call("ncclGetUniqueId", ctypes.byref(identity))
    return tuple(memoryview(bytes(identity)).cast("b"))


def groupStart() -> None:
    """Begin calls of which none waits for another."""
    _library.call("ncclGroupStart")


def groupEnd() -> None:
    """End and start the calls since `groupStart`."""
    _library.call("ncclGroupEnd")


class NcclCommunicator:
    """A rank of a group of devices: the current device's.

    Parameters
    ----------
    ndev : int
        Number of devices.
    commId : tuple of int
        Of `get_unique_id`, the same for all.
    rank : int
        Number of this device, from 0.

    Raises
    ------
    RuntimeError
        Where NCCL is not installed, or on the CPU platform.
    NcclError
        When NCCL fails.
    """

    def __init__(self, ndev: int, commId: Sequence[int], rank: int) -> None:
        self._handle = ctypes.c_void_p()
        self._device = _current_cuda_device()
        identity = _library.UniqueId.from_buffer_copy(
            bytes(number & 0xFF for number in commId).ljust(_library.UNIQUE_ID_BYTES, b"\0")
        )
        self._call("ncclCommInitRank", ctypes.byref(self._handle), ndev, identity, rank)

    @staticmethod
    def initAll(devices: int | Sequence[int]) -> list[NcclCommunicator]:
        """A communicator for each of several devices that this process uses.

        Parameters
        ----------
        devices : int or list of int
            How many devices, or which.
        """
        indices = list(range(devices)) if isinstance(devices, int) else list(devices)
        handles = (ctypes.c_void_p * len(indices))()
        chosen = (ctypes.c_int * len(indices))(*indices)
        _current_cuda_device()
        with _library.context_of(indices[0]):
            _library.call("ncclCommInitAll", handles, len(indices), chosen)
        made = []
        for handle, index in zip(handles, indices, strict=True):
            each = NcclCommunicator.__new__(NcclCommunicator)
            each._handle, each._device = ctypes.c_void_p(handle), index
            made.append(each)
        return made

    def _call(self, name: str, *arguments: Any) -> None:
        with _library.context_of(self._device):
            _library.call(name, *arguments)

    def _number(self, name: str) -> int:
        number = ctypes.c_int()
        _library.call(name, self._handle, ctypes.byref(number))
        return number.value

    @property
    def comm(self) -> int:
        """The address of NCCL's communicator; 0 after `destroy`."""
        return self._handle.value or 0

    def destroy(self) -> None:
        """Give the communicator back. It is not used any more."""
        if self._handle:
            self._call("ncclCommDestroy", self._handle)
            self._handle = ctypes.c_void_p()

    def abort(self) -> None:
        """Give the communicator back, and end what it has not done yet."""
        if self._handle:
            self._call("ncclCommAbort", self._handle)
            self._handle = ctypes.c_void_p()

    def check_async_error(self) -> None:
        """Raise NcclError if work that was started has failed."""
        status = self._number("ncclCommGetAsyncError")
        if status != 0:
            raise NcclError(status)

    def device_id(self) -> int:
        """The number of its device."""
        return self._number("ncclCommCuDevice")

    def rank_id(self) -> int:
        """Its rank."""
        return self._number("ncclCommUserRank")

    def size(self) -> int:
        """Number of devices of the group."""
        return self._number("ncclCommCount")

    def allReduce(
        self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, stream: int
    ) -> None:
        """Combine the buffers of all ranks in each rank's `recvbuf`."""
        self._call("ncclAllReduce", sendbuf, recvbuf, count, datatype, op, self._handle, stream)

    def reduce(
        self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, root: int, stream: int
    ) -> None:
        """Combine the buffers of all ranks in `recvbuf` of the rank `root`."""
        self._call("ncclReduce", sendbuf, recvbuf, count, datatype, op, root, self._handle, stream)

    def broadcast(
        self, sendbuff: int, recvbuff: int, count: int, datatype: int, root: int, stream: int
    ) -> None:
        """Send the buffer of the rank `root` into each rank's `recvbuff`."""
        self._call("ncclBroadcast", sendbuff, recvbuff, count, datatype, root, self._handle, stream)

    def bcast(self, buff: int, count: int, datatype: int, root: int, stream: int) -> None:
        """Send the buffer of the rank `root` into each rank's buffer."""
        self._call("ncclBcast", buff, count, datatype, root, self._handle, stream)

    def reduceScatter(
        self, sendbuf: int, recvbuf: int, recvcount: int, datatype: int, op: int, stream: int
    ) -> None:
        """Combine the buffers of all ranks; each gets `recvcount` elements of the result."""
        self._call(
            "ncclReduceScatter", sendbuf, recvbuf, recvcount, datatype, op, self._handle, stream
        )

    def allGather(self, sendbuf: int, recvbuf: int, count: int, datatype: int, stream: int) -> None:
        """Put `count` elements of each rank, by rank, into each rank's `recvbuf`."""
        self._call("ncclAllGather", sendbuf, recvbuf, count, datatype, self._handle, stream)

    def send(self, sendbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Send a buffer to the rank `peer`."""
        self._call("ncclSend", sendbuf, count, datatype, peer, self._handle, stream)

    def recv(self, recvbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Receive a buffer from the rank `peer`."""
        self._call("ncclRecv", recvbuf, count, datatype, peer, self._handle, stream)


def _current_cuda_device() -> int:
    device = _core.current_device()
    if device.platform != "cuda":
        raise RuntimeError(
            f"NCCL communicates between CUDA devices, and the current device is {device}; "
            "cupola.cupyx.distributed works on the CPU platform too"
        )
    if device.is_set:
        raise RuntimeError(
            f"a rank of NCCL is one device, and the current device is {device}: choose one of "
            "them, as in `with cp.cuda.Device(rank):`"
        )
    return int(device.id)
