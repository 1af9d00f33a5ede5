"""CUDA arrays, texture objects and surface objects by number.

Descriptors are addresses of the runtime's structures: the `ptr` of those in `cupola.cuda.texture`.
All calls raise `DeviceError` on the CPU platform.
"""

from __future__ import annotations

import ctypes

from cupola.cuda._driver_calls import call, primary_context
from cupola.cuda._runtime import structures


def malloc3DArray(descPtr: int, width: int, height: int, depth: int, flags: int = 0) -> int:
    """A new CUDA array on the current device, extents in elements; freeArray() ends it.

    Parameters
    ----------
    descPtr : int
        Address of a cudaChannelFormatDesc.
    width, height, depth : int
        Extents in elements; 0 for those that are not there.
    flags : int, optional
        cudaArrayDefault, or cudaArraySurfaceLoadStore for surfaces.

    Returns
    -------
    int
        Its handle, a CUarray.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.
    ValueError
        For channels that no CUDA array has.

    See Also
    --------
    cupola.cuda.texture.CUDAarray : The same, which is given back by itself.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> kind = runtime.cudaChannelFormatKindFloat
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = runtime.malloc3DArray(channels.ptr, 16, 8, 4)
    ...         runtime.freeArray(array)
    """
    desc = structures.cudaChannelFormatDesc.from_address(descPtr)
    made, array = structures.array_of(desc, (width, height, depth), flags), ctypes.c_void_p()
    with primary_context():
        call("cuArray3DCreate_v2", ctypes.byref(array), ctypes.byref(made))
    return array.value or 0


def mallocArray(descPtr: int, width: int, height: int, flags: int = 0) -> int:
    """A new CUDA array on the current device, of one dimension or two; freeArray() ends it.

    Parameters
    ----------
    descPtr : int
        Address of a cudaChannelFormatDesc.
    width, height : int
        Extents in elements; `height` is 0 for one dimension.
    flags : int, optional
        cudaArrayDefault, or cudaArraySurfaceLoadStore for surfaces.

    Returns
    -------
    int
        Its handle, a CUarray.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.
    ValueError
        For channels that no CUDA array has.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> kind = runtime.cudaChannelFormatKindFloat
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = runtime.mallocArray(channels.ptr, 16, 8)
    ...         runtime.freeArray(array)
    """
    return malloc3DArray(descPtr, width, height, 0, flags)


def freeArray(ptr: int) -> None:
    """Free a CUDA array once the work on its device is done.

    Parameters
    ----------
    ptr : int
        Handle of a CUDA array.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> kind = runtime.cudaChannelFormatKindFloat
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         runtime.freeArray(runtime.mallocArray(channels.ptr, 16, 8))
    """
    with primary_context():
        call("cuCtxSynchronize")
        call("cuArrayDestroy", ctypes.c_void_p(ptr))


# ---- texture and surface objects


def createTextureObject(ResDescPtr: int, TexDescPtr: int) -> int:
    """The handle that kernels take, of a resource and how it is read; destroyTextureObject() ends
    it.

    Parameters
    ----------
    ResDescPtr : int
        Address of a cudaResourceDesc.
    TexDescPtr : int
        Address of a cudaTextureDesc.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.
    ValueError
        For what is neither an array nor linear or pitched memory.

    See Also
    --------
    cupola.cuda.texture.TextureObject : The same, which is given back by itself.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> with cp.cuda.Device(0):
    ...     a = cp.arange(4, dtype="float32")
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> memory = texture.ResourceDescriptor(
    ...     runtime.cudaResourceTypeLinear, arr=a, chDesc=channels, sizeInBytes=a.nbytes
    ... )
    >>> reading = texture.TextureDescriptor()
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         handle = runtime.createTextureObject(memory.ptr, reading.ptr)
    ...         runtime.destroyTextureObject(handle)
    """
    resource = structures.resource_of(structures.cudaResourceDesc.from_address(ResDescPtr))
    texture = structures.texture_of(structures.cudaTextureDesc.from_address(TexDescPtr))
    made = ctypes.c_uint64()
    with primary_context():
        call(
            "cuTexObjectCreate",
            *(ctypes.byref(each) for each in (made, resource, texture)),
            ctypes.c_void_p(),
        )
    return made.value


def destroyTextureObject(texObject: int) -> None:
    """End a texture object; no kernel may be using it.

    Parameters
    ----------
    texObject : int
        What createTextureObject() returned.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> with cp.cuda.Device(0):
    ...     a, reading = cp.arange(4, dtype="float32"), texture.TextureDescriptor()
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> memory = texture.ResourceDescriptor(
    ...     runtime.cudaResourceTypeLinear, arr=a, chDesc=channels, sizeInBytes=a.nbytes
    ... )
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         handle = runtime.createTextureObject(memory.ptr, reading.ptr)
    ...         runtime.destroyTextureObject(handle)
    """
    with primary_context():
        call("cuTexObjectDestroy", ctypes.c_uint64(texObject))


def createSurfaceObject(ResDescPtr: int) -> int:
    """The handle that kernels take, of a CUDA array that was made with cudaArraySurfaceLoadStore;
    destroySurfaceObject() ends it.

    Parameters
    ----------
    ResDescPtr : int
        Address of a cudaResourceDesc.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.
    ValueError
        For what is neither an array nor linear or pitched memory.

    See Also
    --------
    cupola.cuda.texture.SurfaceObject : The same, which is given back by itself.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = texture.CUDAarray(channels, 16, 8, 0, runtime.cudaArraySurfaceLoadStore)
    ...         memory = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
    ...         handle = runtime.createSurfaceObject(memory.ptr)
    ...         runtime.destroySurfaceObject(handle)
    """
    resource = structures.resource_of(structures.cudaResourceDesc.from_address(ResDescPtr))
    made = ctypes.c_uint64()
    with primary_context():
        call("cuSurfObjectCreate", ctypes.byref(made), ctypes.byref(resource))
    return made.value


def destroySurfaceObject(surfObject: int) -> None:
    """End a surface object; no kernel may be using it.

    Parameters
    ----------
    surfObject : int
        What createSurfaceObject() returned.

    Raises
    ------
    DeviceError
        On the CPU platform, and where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = texture.CUDAarray(channels, 16, 8, 0, runtime.cudaArraySurfaceLoadStore)
    ...         memory = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
    ...         runtime.destroySurfaceObject(runtime.createSurfaceObject(memory.ptr))
    """
    with primary_context():
        call("cuSurfObjectDestroy", ctypes.c_uint64(surfObject))
