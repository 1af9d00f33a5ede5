"""A rank of NCCL."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola.cuda import _nccl_library as _library
from cupola.cuda._driver_calls import primary_context
from cupola.cuda._nccl_library import NcclError
from cupola.cuda._nccl_transfers import Transfers


class NcclCommunicator(Transfers):
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

    Notes
    -----
    Methods put work on a stream and do not wait for it.

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

        Returns
        -------
        list of NcclCommunicator
            By rank.

        Raises
        ------
        RuntimeError
            Where NCCL is not installed, or on the CPU platform.
        NcclError
            When NCCL fails.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         for rank in nccl.NcclCommunicator.initAll([0]):
        ...             rank.destroy()
        """
        indices = list(range(devices)) if isinstance(devices, int) else list(devices)
        handles = (ctypes.c_void_p * len(indices))()
        chosen = (ctypes.c_int * len(indices))(*indices)
        _current_cuda_device()
        used = [Device(f"cuda:{index}") for index in indices]
        with primary_context(used[0]):
            _library.call("ncclCommInitAll", handles, len(indices), chosen)
        made = []
        for handle, device in zip(handles, used, strict=True):
            each = NcclCommunicator.__new__(NcclCommunicator)
            each._handle, each._device = ctypes.c_void_p(handle), device
            made.append(each)
        return made

    def _call(self, name: str, *arguments: Any) -> None:
        with primary_context(self._device):
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
        """Give the communicator back. It is not used any more.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         rank.destroy()
        """
        if self._handle:
            self._call("ncclCommDestroy", self._handle)
            self._handle = ctypes.c_void_p()

    def abort(self) -> None:
        """Give the communicator back, and end what it has not done yet.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         rank.abort()
        """
        if self._handle:
            self._call("ncclCommAbort", self._handle)
            self._handle = ctypes.c_void_p()

    def check_async_error(self) -> None:
        """Raise NcclError if work that was started has failed.

        Raises
        ------
        NcclError
            With its status.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         rank.check_async_error()
        ...         rank.destroy()
        """
        status = self._number("ncclCommGetAsyncError")
        if status != 0:
            raise NcclError(status)

    def device_id(self) -> int:
        """The number of its device.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         (rank,) = nccl.NcclCommunicator.initAll([device.id])
        ...         assert rank.device_id() == device.id
        ...         rank.destroy()
        """
        return self._number("ncclCommCuDevice")

    def rank_id(self) -> int:
        """Its rank.

        Returns
        -------
        int
            From 0.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         assert rank.rank_id() == 0
        ...         rank.destroy()
        """
        return self._number("ncclCommUserRank")

    def size(self) -> int:
        """Number of devices of the group.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import nccl
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda" and nccl.available:
        ...         rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
        ...         assert rank.size() == 1
        ...         rank.destroy()
        """
        return self._number("ncclCommCount")


def _current_cuda_device() -> Device:
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
    return device
