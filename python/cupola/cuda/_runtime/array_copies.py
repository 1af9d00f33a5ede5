"""Copies of boxes: between CUDA arrays and other memory, and of memory with a pitch."""

from __future__ import annotations

import ctypes
from typing import Any

from cupola import _cupola as _core
from cupola.cuda import _driver_structures as driver
from cupola.cuda._driver_calls import call, primary_context
from cupola.cuda._runtime import structures
from cupola.cuda._runtime.constants import (
    memcpyDefault,
    memcpyDeviceToHost,
    memcpyHostToDevice,
    memcpyHostToHost,
)
from cupola.cuda._runtime.streams import current, stream_of


def _set_memory(copy: Any, side: str, address: int, on_host: bool) -> None:
    setattr(copy, side + "MemoryType", driver.MEMORY_HOST if on_host else driver.MEMORY_DEVICE)
    setattr(copy, side + ("Host" if on_host else "Device"), address)


def _set_array(copy: Any, side: str, array: int) -> None:
    setattr(copy, side + "MemoryType", driver.MEMORY_ARRAY)
    setattr(copy, side + "Array", array)


def _on_host(address: int, kind: int, side: str) -> bool:
    """Whether `kind`, one of `memcpy...`, says that the memory of a side is the host's."""
    if kind == memcpyDefault:
        return _core.describe_pointer("cuda", address)[0] in ("unknown", "pinned")
    on_host = (memcpyHostToHost, memcpyHostToDevice if side == "src" else memcpyDeviceToHost)
    return kind in on_host


def start_copy(copy: Any, stream: int) -> None:
    """Put a CUDA_MEMCPY3D on a stream of the driver's, with a context that is the thread's own."""
    call("cuMemcpy3DAsync_v2", ctypes.byref(copy), ctypes.c_void_p(stream))


def _copy(copy: Any, stream: int, wait: bool) -> None:
    chosen = current(stream)
    with primary_context():
        start_copy(copy, chosen.ptr)
    if wait:
        chosen.synchronize()


def _rows(
    array_side: str,
    array: int,
    offset: tuple[int, int],
    memory: int,
    pitch: int,
    extent: tuple[int, int],
    kind: int,
) -> Any:
    """The copy of rows of bytes between a CUDA array and other memory."""
    side = "src" if array_side == "dst" else "dst"
    copy = driver.CUDA_MEMCPY3D(WidthInBytes=extent[0], Height=extent[1], Depth=1)
    _set_array(copy, array_side, array)
    setattr(copy, array_side + "XInBytes", offset[0])
    setattr(copy, array_side + "Y", offset[1])
    _set_memory(copy, side, memory, _on_host(memory, kind, side))
    setattr(copy, side + "Pitch", pitch)
    return copy


def memcpy2DToArray(
    dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copy rows of bytes into a CUDA array. Returns when it is done.

    Parameters
    ----------
    dst : int
        Handle of the CUDA array.
    wOffset, hOffset : int
        The byte of a row, and the row, where the copy begins in the array.
    src : int
        Address of the first row.
    spitch : int
        Bytes from row to row in memory.
    width : int
        Bytes of a row that are copied.
    height : int
        Rows.
    kind : int
        One of `memcpy...`, as of memcpy().

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> from cupola.cuda import runtime, texture
    >>> kind = runtime.cudaChannelFormatKindFloat
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
    >>> host = np.zeros((8, 16), "float32")
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = runtime.mallocArray(channels.ptr, 16, 8)
    ...         default = runtime.memcpyDefault
    ...         runtime.memcpy2DToArray(array, 0, 0, host.ctypes.data, 64, 64, 8, default)
    ...         runtime.freeArray(array)
    """
    _copy(_rows("dst", dst, (wOffset, hOffset), src, spitch, (width, height), kind), 0, True)


def memcpy2DToArrayAsync(
    dst: int,
    wOffset: int,
    hOffset: int,
    src: int,
    spitch: int,
    width: int,
    height: int,
    kind: int,
    stream: int,
) -> None:
    """As memcpy2DToArray(), in the order of a stream.

    Parameters
    ----------
    dst : int
        Handle of the CUDA array.
    wOffset, hOffset : int
        The byte of a row, and the row, where the copy begins in the array.
    src : int
        Address of the first row.
    spitch : int
        Bytes from row to row in memory.
    width : int
        Bytes of a row that are copied.
    height : int
        Rows.
    kind : int
        One of `memcpy...`, as of memcpy().
    stream : int
        Handle of a stream; 0 is the current one. Host memory must stay until the copy is done.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> from cupola.cuda import runtime, texture
    >>> kind = runtime.cudaChannelFormatKindFloat
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
    >>> host = np.zeros((8, 16), "float32")
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = runtime.mallocArray(channels.ptr, 16, 8)
    ...         default = runtime.memcpyDefault
    ...         runtime.memcpy2DToArrayAsync(array, 0, 0, host.ctypes.data, 64, 64, 8, default, 0)
    ...         runtime.streamSynchronize(0)
    ...         runtime.freeArray(array)
    """
    _copy(_rows("dst", dst, (wOffset, hOffset), src, spitch, (width, height), kind), stream, False)


def memcpy2DFromArray(
    dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int
) -> None:
    """Copy rows of bytes out of a CUDA array. Returns when it is done.

    Parameters
    ----------
    dst : int
        Address of the first row.
    dpitch : int
        Bytes from row to row in memory.
    src : int
        Handle of the CUDA array.
    wOffset, hOffset : int
        The byte of a row, and the row, where the copy begins in the array.
    width : int
        Bytes of a row that are copied.
    height : int
        Rows.
    kind : int
        One of `memcpy...`, as of memcpy().

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> from cupola.cuda import runtime, texture
    >>> kind = runtime.cudaChannelFormatKindFloat
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
    >>> host = np.zeros((8, 16), "float32")
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = runtime.mallocArray(channels.ptr, 16, 8)
    ...         default = runtime.memcpyDefault
    ...         runtime.memcpy2DFromArray(host.ctypes.data, 64, array, 0, 0, 64, 8, default)
    ...         runtime.freeArray(array)
    """
    _copy(_rows("src", src, (wOffset, hOffset), dst, dpitch, (width, height), kind), 0, True)


def memcpy2DFromArrayAsync(
    dst: int,
    dpitch: int,
    src: int,
    wOffset: int,
    hOffset: int,
    width: int,
    height: int,
    kind: int,
    stream: int,
) -> None:
    """As memcpy2DFromArray(), in the order of a stream.

    Parameters
    ----------
    dst : int
        Address of the first row.
    dpitch : int
        Bytes from row to row in memory.
    src : int
        Handle of the CUDA array.
    wOffset, hOffset : int
        The byte of a row, and the row, where the copy begins in the array.
    width : int
        Bytes of a row that are copied.
    height : int
        Rows.
    kind : int
        One of `memcpy...`, as of memcpy().
    stream : int
        Handle of a stream; 0 is the current one. Host memory must stay until the copy is done.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> from cupola.cuda import runtime, texture
    >>> kind = runtime.cudaChannelFormatKindFloat
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
    >>> host = np.zeros((8, 16), "float32")
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = runtime.mallocArray(channels.ptr, 16, 8)
    ...         default = runtime.memcpyDefault
    ...         runtime.memcpy2DFromArrayAsync(host.ctypes.data, 64, array, 0, 0, 64, 8, default, 0)
    ...         runtime.streamSynchronize(0)
    ...         runtime.freeArray(array)
    """
    _copy(_rows("src", src, (wOffset, hOffset), dst, dpitch, (width, height), kind), stream, False)


def _element_bytes(array: int) -> int:
    found = driver.CUDA_ARRAY3D_DESCRIPTOR()
    with primary_context():
        call("cuArray3DGetDescriptor_v2", ctypes.byref(found), ctypes.c_void_p(array))
    return structures.element_bytes(found.Format, found.NumChannels)


def _box(parms: Any) -> Any:
    """The driver's copy of one of the runtime's in which a CUDA array takes part."""
    extent = parms.extent
    unit = _element_bytes(parms.srcArray or parms.dstArray)
    copy = driver.CUDA_MEMCPY3D(WidthInBytes=extent.width * unit)
    copy.Height, copy.Depth = extent.height, extent.depth
    for side in ("src", "dst"):
        array, where, memory = (getattr(parms, side + name) for name in ("Array", "Pos", "Ptr"))
        setattr(copy, side + "XInBytes", where.x * (unit if array else 1))
        setattr(copy, side + "Y", where.y)
        setattr(copy, side + "Z", where.z)
        if array:
            _set_array(copy, side, array)
        else:
            address = memory.ptr or 0
            _set_memory(copy, side, address, _on_host(address, parms.kind, side))
            setattr(copy, side + "Pitch", memory.pitch)
            setattr(copy, side + "Height", memory.ysize)
    return copy


def _start(memory: Any, where: Any, plane: int, row: int) -> int:
    rows = (where.z + plane) * memory.ysize + where.y + row
    return (memory.ptr or 0) + rows * memory.pitch + where.x


def _memcpy3D(parms: Any, stream: int, wait: bool) -> None:
    if parms.srcArray or parms.dstArray:
        _copy(_box(parms), stream, wait)
        return
    extent, chosen = parms.extent, stream_of(stream)
    for plane in range(extent.depth):
        for row in range(extent.height):
            target = _start(parms.dstPtr, parms.dstPos, plane, row)
            source = _start(parms.srcPtr, parms.srcPos, plane, row)
            _core.raw_copy(target, source, extent.width, parms.kind, chosen, wait)


def memcpy3D(Memcpy3DParmsPtr: int) -> None:
    """Copy a box, by the address of a cudaMemcpy3DParms. Returns when it is done.

    Parameters
    ----------
    Memcpy3DParmsPtr : int
        Address of the structure, as CUDA's driver_types.h has it.

    Raises
    ------
    DeviceError
        For a CUDA array on the CPU platform, and where CUDA fails.
    ValueError
        For a kind that is none of `memcpy...`.

    Notes
    -----
    Between plain memory it is a copy for each row.

    Examples
    --------
    >>> import ctypes
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> from cupola.cuda._runtime.structures import cudaExtent, cudaMemcpy3DParms, cudaPitchedPtr
    >>> one, two = np.arange(24, dtype="int8").reshape(2, 3, 4), np.zeros((2, 3, 4), "int8")
    >>> box = cudaMemcpy3DParms(kind=runtime.memcpyHostToHost, extent=cudaExtent(2, 2, 2))
    >>> box.srcPtr = cudaPitchedPtr(one.ctypes.data, 4, 4, 3)
    >>> box.dstPtr = cudaPitchedPtr(two.ctypes.data, 4, 4, 3)
    >>> runtime.memcpy3D(ctypes.addressof(box))
    >>> two[1].tolist()
    [[12, 13, 0, 0], [16, 17, 0, 0], [0, 0, 0, 0]]
    """
    _memcpy3D(structures.cudaMemcpy3DParms.from_address(Memcpy3DParmsPtr), 0, True)


def memcpy3DAsync(Memcpy3DParmsPtr: int, stream: int) -> None:
    """As memcpy3D(), in the order of a stream.

    Parameters
    ----------
    Memcpy3DParmsPtr : int
        Address of the structure, which may go when this returns.
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    DeviceError
        For a CUDA array on the CPU platform, and where CUDA fails.
    ValueError
        For a kind that is none of `memcpy...`.

    Examples
    --------
    >>> import ctypes
    >>> from cupola.cuda import runtime
    >>> from cupola.cuda._runtime.structures import cudaExtent, cudaMemcpy3DParms, cudaPitchedPtr
    >>> one, two = runtime.malloc(24), runtime.malloc(24)
    >>> box = cudaMemcpy3DParms(kind=runtime.memcpyDeviceToDevice, extent=cudaExtent(2, 2, 2))
    >>> box.srcPtr = cudaPitchedPtr(one, 4, 4, 3)
    >>> box.dstPtr = cudaPitchedPtr(two, 4, 4, 3)
    >>> runtime.memcpy3DAsync(ctypes.addressof(box), 0)
    >>> runtime.streamSynchronize(0)
    >>> runtime.free(one)
    >>> runtime.free(two)
    """
    _memcpy3D(structures.cudaMemcpy3DParms.from_address(Memcpy3DParmsPtr), stream, False)
