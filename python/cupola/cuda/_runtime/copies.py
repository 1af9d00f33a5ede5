"""Copies of bytes between addresses, and bytes that are set."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.streams import stream_of


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copy bytes between addresses; `kind` is one of `memcpy...`. Returns when it is done.

    Parameters
    ----------
    dst, src : int
        Addresses.
    size : int
        Bytes.
    kind : int
        memcpyDefault, which goes by the addresses, or another of `memcpy...`, which says whose
        memory they are.

    Raises
    ------
    ValueError
        For another kind.

    See Also
    --------
    cupola.cuda.MemoryPointer.copy_from : The same between pointers.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> host, address = np.arange(3), runtime.malloc(24)
    >>> runtime.memcpy(address, host.ctypes.data, 24, runtime.memcpyHostToDevice)
    >>> back = np.zeros(3, int)
    >>> runtime.memcpy(back.ctypes.data, address, 24, runtime.memcpyDeviceToHost)
    >>> back
    array([0, 1, 2])
    >>> runtime.free(address)
    """
    _core.raw_copy(dst, src, size, kind, None, True)


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """As memcpy(), in the order of a stream; copies that involve host memory have read or written
    it when this returns.

    Parameters
    ----------
    dst, src : int
        Addresses.
    size : int
        Bytes.
    kind : int
        One of `memcpy...`, as of memcpy().
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    ValueError
        For another kind.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> stream, host, address = runtime.streamCreate(), np.arange(3), runtime.malloc(24)
    >>> runtime.memcpyAsync(address, host.ctypes.data, 24, runtime.memcpyHostToDevice, stream)
    >>> runtime.streamSynchronize(stream)
    >>> runtime.free(address)
    >>> runtime.streamDestroy(stream)
    """
    _core.raw_copy(dst, src, size, kind, stream_of(stream), False)


def memcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, size: int) -> None:
    """Copy bytes between the memory of two devices. Returns when it is done.

    Parameters
    ----------
    dst, src : int
        Addresses of device memory.
    dstDevice, srcDevice : int
        Numbers of the devices; the addresses say the same.
    size : int
        Bytes.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> one, two = runtime.malloc(1024), runtime.malloc(1024)
    >>> runtime.memcpyPeer(one, 0, two, 0, 1024)
    >>> runtime.free(one)
    >>> runtime.free(two)
    """
    memcpy(dst, src, size, numbers.memcpyDefault)


def memcpyPeerAsync(
    dst: int, dstDevice: int, src: int, srcDevice: int, size: int, stream: int
) -> None:
    """As memcpyPeer(), in the order of a stream.

    Parameters
    ----------
    dst, src : int
        Addresses of device memory.
    dstDevice, srcDevice : int
        Numbers of the devices; the addresses say the same.
    size : int
        Bytes.
    stream : int
        Handle of a stream; 0 is the current one.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> one, two = runtime.malloc(1024), runtime.malloc(1024)
    >>> runtime.memcpyPeerAsync(one, 0, two, 0, 1024, 0)
    >>> runtime.streamSynchronize(0)
    >>> runtime.free(one)
    >>> runtime.free(two)
    """
    memcpyAsync(dst, src, size, numbers.memcpyDefault, stream)


def memcpy2D(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copy rows of bytes between addresses. Returns when it is done.

    Parameters
    ----------
    dst, src : int
        Addresses of the first rows.
    dpitch, spitch : int
        Bytes from row to row.
    width : int
        Bytes of a row that are copied.
    height : int
        Rows.
    kind : int
        One of `memcpy...`, as of memcpy().

    Raises
    ------
    ValueError
        For another kind.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> host, address = np.arange(6, dtype="int8").reshape(2, 3), runtime.malloc(4)
    >>> runtime.memcpy2D(address, 2, host.ctypes.data, 3, 2, 2, runtime.memcpyHostToDevice)
    >>> back = np.zeros((2, 2), "int8")
    >>> runtime.memcpy(back.ctypes.data, address, 4, runtime.memcpyDeviceToHost)
    >>> back.tolist()
    [[0, 1], [3, 4]]
    >>> runtime.free(address)
    """
    for row in range(height):
        memcpy(dst + row * dpitch, src + row * spitch, width, kind)


def memcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """As memcpy2D(), in the order of a stream.

    Parameters
    ----------
    dst, src : int
        Addresses of the first rows.
    dpitch, spitch : int
        Bytes from row to row.
    width : int
        Bytes of a row that are copied.
    height : int
        Rows.
    kind : int
        One of `memcpy...`, as of memcpy().
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    ValueError
        For another kind.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> one, two = runtime.malloc(1024), runtime.malloc(1024)
    >>> runtime.memcpy2DAsync(one, 64, two, 32, 32, 16, runtime.memcpyDeviceToDevice, 0)
    >>> runtime.streamSynchronize(0)
    >>> runtime.free(one)
    >>> runtime.free(two)
    """
    for row in range(height):
        memcpyAsync(dst + row * dpitch, src + row * spitch, width, kind, stream)


def memset(ptr: int, value: int, size: int) -> None:
    """Set every byte. Returns when it is done.

    Parameters
    ----------
    ptr : int
        An address.
    value : int
        Its lowest 8 bits are what every byte becomes.
    size : int
        Bytes.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> host, address = np.zeros(3, "uint8"), runtime.malloc(3)
    >>> runtime.memset(address, 7, 3)
    >>> runtime.memcpy(host.ctypes.data, address, 3, runtime.memcpyDeviceToHost)
    >>> host.tolist()
    [7, 7, 7]
    >>> runtime.free(address)
    """
    _core.raw_fill(ptr, value, size, None, True)


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """As memset(), in the order of a stream; does not wait.

    Parameters
    ----------
    ptr : int
        An address.
    value : int
        Its lowest 8 bits are what every byte becomes.
    size : int
        Bytes.
    stream : int
        Handle of a stream; 0 is the current one.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.malloc(1024)
    >>> runtime.memsetAsync(address, 7, 1024, 0)
    >>> runtime.streamSynchronize(0)
    >>> runtime.free(address)
    """
    _core.raw_fill(ptr, value, size, stream_of(stream), False)
