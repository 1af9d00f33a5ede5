"""Memory pools of the CUDA driver by number. They are beside those of `cupola.cuda.MemoryPool`;
on the CPU platform all calls raise `DeviceError`."""

from __future__ import annotations

import ctypes

from cupola.cuda import _driver_structures as driver
from cupola.cuda._driver_calls import call, primary_context
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.streams import current

_blocks: set[int] = set()
"""Addresses of mallocFromPoolAsync()."""


class MemPoolProps:
    """What memPoolCreate() takes.

    Parameters
    ----------
    allocType : int
        `cudaMemAllocationTypePinned`.
    handleType : int
        One of `cudaMemHandleType...`: what other processes may open.
    locationType : int
        One of `cudaMemLocationType...`.
    devId : int
        Number of the device.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> props = runtime.MemPoolProps(
    ...     runtime.cudaMemAllocationTypePinned,
    ...     runtime.cudaMemHandleTypeNone,
    ...     runtime.cudaMemLocationTypeDevice,
    ...     0,
    ... )
    >>> props.devId
    0
    """

    def __init__(self, allocType: int, handleType: int, locationType: int, devId: int) -> None:
        self.allocType = allocType
        self.handleType = handleType
        self.locationType = locationType
        self.devId = devId


def _pool_of(name: str, device: int) -> int:
    pool, handle = ctypes.c_void_p(), ctypes.c_int()
    with primary_context(device):
        call("cuCtxGetDevice", ctypes.byref(handle))
        call(name, ctypes.byref(pool), handle)
    return pool.value or 0


def deviceGetDefaultMemPool(device: int) -> int:
    """The pool that a device begins with.

    Parameters
    ----------
    device : int
        Number of the device.

    Returns
    -------
    int
        Its handle, a CUmemoryPool.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         pool = runtime.deviceGetDefaultMemPool(0)
    """
    return _pool_of("cuDeviceGetDefaultMemPool", device)


def deviceGetMemPool(device: int) -> int:
    """The pool of a device: that of deviceSetMemPool(), or the default one.

    Parameters
    ----------
    device : int
        Number of the device.

    Returns
    -------
    int
        Its handle, a CUmemoryPool.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         pool = runtime.deviceGetMemPool(0)
    """
    return _pool_of("cuDeviceGetMemPool", device)


def deviceSetMemPool(device: int, pool: int) -> None:
    """Make a pool the one of its device.

    Parameters
    ----------
    device : int
        Number of the device.
    pool : int
        Handle of a pool of that device.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool(0))
    """
    handle = ctypes.c_int()
    with primary_context(device):
        call("cuCtxGetDevice", ctypes.byref(handle))
        call("cuDeviceSetMemPool", handle, ctypes.c_void_p(pool))


def memPoolCreate(props: MemPoolProps) -> int:
    """A new pool; memPoolDestroy() ends it.

    Parameters
    ----------
    props : MemPoolProps
        What it serves, and from where.

    Returns
    -------
    int
        Its handle, a CUmemoryPool.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         pool = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0))
    ...         address = runtime.mallocFromPoolAsync(1024, pool, 0)
    ...         runtime.freeAsync(address, 0)
    ...         runtime.memPoolDestroy(pool)
    """
    pool = ctypes.c_void_p()
    location = driver.CUmemLocation(props.locationType, props.devId)
    made = driver.CUmemPoolProps(props.allocType, props.handleType, location)
    with primary_context():
        call("cuMemPoolCreate", ctypes.byref(pool), ctypes.byref(made))
    return pool.value or 0


def memPoolDestroy(pool: int) -> None:
    """End a pool of memPoolCreate() once its memory is free.

    Parameters
    ----------
    pool : int
        Its handle.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         runtime.memPoolDestroy(runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0)))
    """
    with primary_context():
        call("cuMemPoolDestroy", ctypes.c_void_p(pool))


def memPoolTrimTo(pool: int, size: int) -> None:
    """Give memory that is not used back to the system, down to `size` bytes.

    Parameters
    ----------
    pool : int
        Handle of the pool.
    size : int
        Bytes that it keeps.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         runtime.memPoolTrimTo(runtime.deviceGetMemPool(0), 0)
    """
    with primary_context():
        call("cuMemPoolTrimTo", ctypes.c_void_p(pool), ctypes.c_size_t(size))


def _value(attr: int) -> ctypes.c_int | ctypes.c_uint64:
    if not 1 <= attr <= numbers.cudaMemPoolAttrUsedMemHigh:
        raise ValueError(f"{attr} is no attribute of memory pools; they are `cudaMemPool...`")
    flag = attr <= numbers.cudaMemPoolReuseAllowInternalDependencies
    return ctypes.c_int() if flag else ctypes.c_uint64()


def memPoolGetAttribute(pool: int, attr: int) -> int:
    """What `cudaMemPoolReuse...` (0 or 1) or `cudaMemPoolAttr...` (bytes) of a pool is.

    Parameters
    ----------
    pool : int
        Handle of the pool.
    attr : int
        One of `cudaMemPoolReuse...` and `cudaMemPoolAttr...`.

    Returns
    -------
    int
        0 or 1 of the first, bytes of the others.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.
    ValueError
        For another number.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         pool = runtime.deviceGetMemPool(0)
    ...         used = runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolAttrUsedMemCurrent)
    """
    value = _value(attr)
    with primary_context():
        call(
            "cuMemPoolGetAttribute", ctypes.c_void_p(pool), ctypes.c_int(attr), ctypes.byref(value)
        )
    return int(value.value)


def memPoolSetAttribute(pool: int, attr: int, value: int) -> None:
    """Set what can be set of a pool.

    Parameters
    ----------
    pool : int
        Handle of the pool.
    attr : int
        One of `cudaMemPoolReuse...`, cudaMemPoolAttrReleaseThreshold, or a high-water mark, which
        may only be set to 0.
    value : int
        0 or 1 of the first, bytes of the others.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.
    ValueError
        For another number.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         pool = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0))
    ...         runtime.memPoolSetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold, 1 << 20)
    ...         runtime.memPoolDestroy(pool)
    """
    chosen = _value(attr)
    chosen.value = value
    with primary_context():
        call(
            "cuMemPoolSetAttribute", ctypes.c_void_p(pool), ctypes.c_int(attr), ctypes.byref(chosen)
        )


def mallocFromPoolAsync(size: int, pool: int, stream: int) -> int:
    """The address of memory of a pool, for work behind what is on a stream.

    freeAsync() or free() ends it.

    Parameters
    ----------
    size : int
        Bytes.
    pool : int
        Handle of the pool.
    stream : int
        Handle of a stream; 0 is the current one.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA has no room or fails otherwise.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         address = runtime.mallocFromPoolAsync(1024, runtime.deviceGetMemPool(0), 0)
    ...         runtime.freeAsync(address, 0)
    """
    address = ctypes.c_uint64()
    handle = ctypes.c_void_p(current(stream).ptr)
    with primary_context():
        call(
            "cuMemAllocFromPoolAsync",
            ctypes.byref(address),
            ctypes.c_size_t(size),
            ctypes.c_void_p(pool),
            handle,
        )
    _blocks.add(address.value)
    return address.value


def free_pooled(ptr: int, stream: int | None) -> bool:
    """Free an address of mallocFromPoolAsync(), behind a stream's work or (None) all of it; False
    for other addresses."""
    if ptr not in _blocks:
        return False
    with primary_context():
        if stream is None:
            call("cuCtxSynchronize")
        handle = ctypes.c_void_p(current(stream or 0).ptr)
        call("cuMemFreeAsync", ctypes.c_uint64(ptr), handle)
    _blocks.discard(ptr)
    return True
