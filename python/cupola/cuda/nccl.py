"""NVIDIA's collective communication library, as CuPy has it.

The library is opened when it is first needed. Where it is not installed, `available` is False and
calls raise RuntimeError. Buffers and streams are addresses: `a.data.ptr`, `stream.ptr`. NCCL knows
nothing of the order of the arrays' other uses; `cupola.cupyx.distributed` keeps it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cupola.cuda import _nccl_library as _library
from cupola.cuda._nccl_communicator import NcclCommunicator
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

    Returns
    -------
    int

    Raises
    ------
    RuntimeError
        Where NCCL is not installed.

    Examples
    --------
    >>> from cupola.cuda import nccl
    >>> if nccl.available:
    ...     version = nccl.get_version()
    """
    version = ctypes.c_int()
    _library.call("ncclGetVersion", ctypes.byref(version))
    return version.value


def get_build_version() -> int:
    """The same as `get_version`: nothing is built against NCCL.

    Returns
    -------
    int

    Raises
    ------
    RuntimeError
        Where NCCL is not installed.

    Examples
    --------
    >>> from cupola.cuda import nccl
    >>> if nccl.available:
    ...     version = nccl.get_build_version()
    """
    return get_version()


def get_unique_id() -> tuple[int, ...]:
    """A new name of a group, which one process makes and all pass to `NcclCommunicator`.

    Returns
    -------
    tuple of int
        128 numbers from -128 to 127.

    Raises
    ------
    RuntimeError
        Where NCCL is not installed.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import nccl
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda" and nccl.available:
    ...         name = nccl.get_unique_id()
    """
    identity = _library.UniqueId()
    _library.call("ncclGetUniqueId", ctypes.byref(identity))
    return tuple(memoryview(bytes(identity)).cast("b"))


def groupStart() -> None:
    """Begin calls of which none waits for another.

    Raises
    ------
    RuntimeError
        Where NCCL is not installed.

    Examples
    --------
    >>> from cupola.cuda import nccl
    >>> if nccl.available:
    ...     nccl.groupStart()  # calls of several communicators of this thread stand here
    ...     nccl.groupEnd()
    """
    _library.call("ncclGroupStart")


def groupEnd() -> None:
    """End and start the calls since `groupStart`.

    Raises
    ------
    RuntimeError
        Where NCCL is not installed.
    NcclError
        When a call of the group failed.

    Examples
    --------
    >>> from cupola.cuda import nccl
    >>> if nccl.available:
    ...     nccl.groupStart()
    ...     nccl.groupEnd()
    """
    _library.call("ncclGroupEnd")
