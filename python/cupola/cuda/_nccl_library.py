"""NCCL, opened at run time, and the calls that `cupola.cuda.nccl` makes."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from cupola._devices.libraries import cuda_files

__all__ = ["NcclError", "UniqueId", "call", "library", "load"]

UNIQUE_ID_BYTES = 128
_FILE = "libnccl.so.2"

_RESULTS = (
    "NCCL_ERROR_SUCCESS",
    "NCCL_ERROR_UNHANDLED_CUDA_ERROR",
    "NCCL_ERROR_SYSTEM_ERROR",
    "NCCL_ERROR_INTERNAL_ERROR",
    "NCCL_ERROR_INVALID_ARGUMENT",
    "NCCL_ERROR_INVALID_USAGE",
    "NCCL_ERROR_REMOTE_ERROR",
    "NCCL_ERROR_IN_PROGRESS",
)


class UniqueId(ctypes.Structure):
    """ncclUniqueId."""

    _fields_ = (("internal", ctypes.c_char * UNIQUE_ID_BYTES),)


class NcclError(RuntimeError):
    """A call of NCCL that failed, with its code as `status`."""

    def __init__(self, status: int) -> None:
        self.status = status
        name = _RESULTS[status] if 0 <= status < len(_RESULTS) else f"NCCL_ERROR_{status}"
        loaded = load()
        text = loaded.ncclGetErrorString(status).decode() if loaded is not None else "no NCCL"
        last = _last_error(loaded)
        super().__init__(f"{name}: {text}{last}")

    def __reduce__(self) -> tuple[Any, ...]:
        return NcclError, (self.status,)


def _last_error(loaded: ctypes.CDLL | None) -> str:
    if loaded is None or not hasattr(loaded, "ncclGetLastError"):
        return ""
    loaded.ncclGetLastError.restype = ctypes.c_char_p
    text = loaded.ncclGetLastError(None)
    return f" ({text.decode().strip()})" if text else ""


_VOID = ctypes.c_void_p
_SIZE = ctypes.c_size_t
_INT = ctypes.c_int
_SIGNATURES = {
    "ncclGetVersion": (_VOID,),
    "ncclGetUniqueId": (_VOID,),
    "ncclCommInitRank": (_VOID, _INT, UniqueId, _INT),
    "ncclCommInitAll": (_VOID, _INT, _VOID),
    "ncclCommDestroy": (_VOID,),
    "ncclCommAbort": (_VOID,),
    "ncclCommGetAsyncError": (_VOID, _VOID),
    "ncclCommCount": (_VOID, _VOID),
    "ncclCommCuDevice": (_VOID, _VOID),
    "ncclCommUserRank": (_VOID, _VOID),
    "ncclAllReduce": (_VOID, _VOID, _SIZE, _INT, _INT, _VOID, _VOID),
    "ncclReduce": (_VOID, _VOID, _SIZE, _INT, _INT, _INT, _VOID, _VOID),
    "ncclBroadcast": (_VOID, _VOID, _SIZE, _INT, _INT, _VOID, _VOID),
    "ncclBcast": (_VOID, _SIZE, _INT, _INT, _VOID, _VOID),
    "ncclReduceScatter": (_VOID, _VOID, _SIZE, _INT, _INT, _VOID, _VOID),
    "ncclAllGather": (_VOID, _VOID, _SIZE, _INT, _VOID, _VOID),
    "ncclSend": (_VOID, _SIZE, _INT, _INT, _VOID, _VOID),
    "ncclRecv": (_VOID, _SIZE, _INT, _INT, _VOID, _VOID),
    "ncclGroupStart": (),
    "ncclGroupEnd": (),
}

_lock = threading.Lock()
_loaded: list[ctypes.CDLL | None] = []


def _open() -> ctypes.CDLL | None:
    for file in cuda_files((_FILE,)):
        try:
            opened = ctypes.CDLL(file)
        except OSError:
            continue
        opened.ncclGetErrorString.restype = ctypes.c_char_p
        for name, arguments in _SIGNATURES.items():
            getattr(opened, name).argtypes = arguments
        return opened
    return None


def load() -> ctypes.CDLL | None:
    """NCCL, opened at the first call; None where it is not installed."""
    with _lock:
        if not _loaded:
            _loaded.append(_open())
        return _loaded[0]


def library() -> ctypes.CDLL:
    """NCCL.

    Raises
    ------
    RuntimeError
        Where it is not installed.
    """
    loaded = load()
    if loaded is None:
        raise RuntimeError(
            f"NCCL ({_FILE}) is not installed: pip install 'cupola[cuda13]' (or cuda12, as the "
            "driver is), or name its folder in CUPOLA_CUDA_LIBRARY_PATH"
        )
    return loaded


def call(name: str, *arguments: Any) -> None:
    """Call a function of NCCL.

    Raises
    ------
    NcclError
        When it fails.
    """
    status = getattr(library(), name)(*arguments)
    if status != 0:
        raise NcclError(status)
