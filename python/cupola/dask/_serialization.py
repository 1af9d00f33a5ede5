"""How `distributed` sends arrays: registered for its families "dask" and "cuda".

Between processes of one machine the memory is shared and the message says where it is (_shared.py).
Else the elements are the message's one frame: on CPU devices the array's own memory, on others
pinned memory, from which sockets read. The family "cuda" is that of transports that read and write
device memory (UCX): there the frame is the array itself.
"""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize

import cupola
from cupola import _cupola as _core
from cupola._array.pickling import array_of_host, host_values
from cupola._cupola import ndarray
from cupola._memory.pinned_arrays import empty_pinned
from cupola.dask import _shared
from cupola.errors import DeviceError

if TYPE_CHECKING:
    from cupola._typing import OrderLike

Header = dict[str, Any]


class VersionError(RuntimeError):
    """Processes of one cluster have different versions of this library."""


def check_version(version: str, where: str) -> None:
    """Refuse what another version of the library sent."""
    if version != cupola.__version__:
        raise VersionError(
            f"{where} has cupola {version}, and this process has cupola {cupola.__version__}: "
            "install one version for the client, the scheduler and all workers "
            f"(pip install cupola=={version}), and restart them"
        )


def _header(array: ndarray) -> Header:
    order = "C" if array.flags.c_contiguous or not array.flags.f_contiguous else "F"
    return {
        "version": cupola.__version__,
        "shape": list(array.shape),
        "dtype": array.dtype.name,
        "order": order,
    }


def _as_plain(array: ndarray) -> ndarray:
    """The bits of bfloat16, which neither buffers nor NumPy know."""
    return _core.view_as(array, np.uint16) if array.dtype.name == "bfloat16" else array


def _named(array: ndarray, header: Header) -> ndarray:
    return _core.view_as(array, "bfloat16") if header["dtype"] == "bfloat16" else array


def _plain_dtype(header: Header) -> np.dtype:
    return np.dtype("uint16" if header["dtype"] == "bfloat16" else header["dtype"])


def _bytes_of(array: ndarray, order: OrderLike) -> Any:
    """The elements in host memory that a socket can send from."""
    if array.device.platform == "cpu":
        host = host_values(array)
    else:
        host = empty_pinned(array.shape, array.dtype, order)
        _core.download(array, order, host)
    flat = host.reshape(-1, order="A")
    return flat.view(np.uint8).data


def serialize(array: ndarray, context: dict[str, Any] | None = None) -> tuple[Header, list[Any]]:
    """A header, and the elements where they are not shared."""
    header = _header(array)
    offer = _shared.offer(array, context)
    if offer is not None:
        header["shared"] = pickle.dumps(offer)
        return header, []
    return header, [_bytes_of(_as_plain(array), header["order"])] if array.size else []


def _one_frame(frames: list[Any]) -> Any:
    if len(frames) == 1:
        return frames[0]
    return b"".join(memoryview(frame).cast("B") for frame in frames)


def deserialize(header: Header, frames: list[Any]) -> ndarray:
    """The array, on this process's current device.

    Raises
    ------
    VersionError
        If another version of the library sent it.
    cupola.errors.DeviceError
        If the memory is shared, on a device that this process does not see.
    ConnectionResetError
        If the sender ended before the shared memory was received: Dask sends or computes it again.
    """
    check_version(header["version"], "the process that sent an array")
    shape, dtype = tuple(header["shape"]), _plain_dtype(header)
    if "shared" in header:
        return _shared.accept(pickle.loads(header["shared"]))
    if math.prod(shape) == 0:
        return cupola.empty(shape, header["dtype"])
    host = np.frombuffer(_one_frame(frames), dtype).reshape(shape, order=header["order"])
    return _named(array_of_host(host), header)


def serialize_on_device(array: ndarray) -> tuple[Header, list[Any]]:
    """A header, and the elements on their CUDA device."""
    if array.device.platform != "cuda":
        raise NotImplementedError("the array is in host memory")  # the next family takes it
    return on_device_frames(array)


def on_device_frames(array: ndarray) -> tuple[Header, list[Any]]:
    """The header, and bytes in the order of addresses."""
    header = _header(array)
    plain = _as_plain(array)
    flat = cupola.ravel(plain.T if header["order"] == "F" else plain)
    return header, [_core.view_as(flat, np.uint8)] if array.size else []


def deserialize_on_device(header: Header, frames: list[Any]) -> ndarray:
    """An array of the received device memory, which is not copied."""
    check_version(header["version"], "the process that sent an array")
    shape, dtype = tuple(header["shape"]), _plain_dtype(header)
    if math.prod(shape) == 0:
        return cupola.empty(shape, header["dtype"])
    if len(frames) != 1:
        raise DeviceError(f"an array in device memory is one frame, and {len(frames)} came")
    flat = _core.view_as(cupola.asarray(frames[0]), dtype)
    array = flat.reshape(shape[::-1]).T if header["order"] == "F" else flat.reshape(shape)
    return _named(array, header)


dask_serialize.register(ndarray, serialize)
dask_deserialize.register(ndarray, deserialize)
cuda_serialize.register(ndarray, serialize_on_device)
cuda_deserialize.register(ndarray, deserialize_on_device)
