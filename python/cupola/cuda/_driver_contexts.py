"""Contexts of the CUDA driver."""

from __future__ import annotations

import ctypes

from cupola.cuda._driver_calls import call, primary_context


def ctxGetCurrent() -> int:
    """The thread's own context; 0 where it has none, as is usual: the library brings its own.

    Returns
    -------
    int
        Its handle, a CUcontext.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         context = driver.ctxGetCurrent()
    """
    context = ctypes.c_void_p()
    call("cuCtxGetCurrent", ctypes.byref(context))
    return context.value or 0


def ctxSetCurrent(ctx: int) -> None:
    """Make a context the thread's own, or none for 0.

    Parameters
    ----------
    ctx : int
        Its handle, a CUcontext.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         driver.ctxSetCurrent(driver.ctxGetCurrent())
    """
    call("cuCtxSetCurrent", ctypes.c_void_p(ctx))


def ctxCreate(device: int) -> int:
    """A new context on a device, which becomes the thread's own; ctxDestroy() ends it.

    Parameters
    ----------
    device : int
        Number of the device.

    Returns
    -------
    int
        Its handle, a CUcontext.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         before = driver.ctxGetCurrent()
    ...         context = driver.ctxCreate(0)
    ...         driver.ctxDestroy(context)
    ...         driver.ctxSetCurrent(before)
    """
    handle, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(handle), ctypes.c_int(device))
    call("cuCtxCreate_v2", ctypes.byref(context), ctypes.c_uint(0), handle)
    return context.value or 0


def ctxDestroy(ctx: int) -> None:
    """End a context of ctxCreate().

    Parameters
    ----------
    ctx : int
        Its handle, a CUcontext.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         before = driver.ctxGetCurrent()
    ...         driver.ctxDestroy(driver.ctxCreate(0))
    ...         driver.ctxSetCurrent(before)
    """
    call("cuCtxDestroy_v2", ctypes.c_void_p(ctx))


def ctxGetDevice() -> int:
    """The number of the current device in the driver.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         number = driver.ctxGetDevice()
    """
    device = ctypes.c_int()
    with primary_context():
        call("cuCtxGetDevice", ctypes.byref(device))
    return device.value


def streamGetCtx(stream: int) -> int:
    """The context of a stream.

    Parameters
    ----------
    stream : int
        Its `ptr`.

    Returns
    -------
    int
        Its handle, a CUcontext.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         context = driver.streamGetCtx(cp.cuda.get_current_stream().ptr)
    """
    context = ctypes.c_void_p()
    with primary_context():
        call("cuStreamGetCtx", ctypes.c_void_p(stream), ctypes.byref(context))
    return context.value or 0
