"""CUDA arrays, texture objects and surface objects by number.

Descriptors are addresses of the runtime's structures: the `ptr` of those in `cupola.cuda.texture`.
All calls raise `DeviceError` on the CPU platform.
"""

from __future__ import annotations

import ctypes

from cupola.cuda._driver_calls import call, primary_context
from cupola.cuda._runtime import structures


def malloc3DArray(descPtr: int, width: int, height: int, depth: int, flags: int = 0) -> int:
    """A new CUDA array on the current device, extents in elements; freeArray() ends it."""
    desc = structures.cudaChannelFormatDesc.from_address(descPtr)
    made, array = structures.array_of(desc, (width, height, depth), flags), ctypes.c_void_p()
    with primary_context():
        call("cuArray3DCreate_v2", ctypes.byref(array), ctypes.byref(made))
    return array.value or 0


def mallocArray(descPtr: int, width: int, height: int, flags: int = 0) -> int:
    """As malloc3DArray(), of one dimension (`height` is 0) or two."""
    return malloc3DArray(descPtr, width, height, 0, flags)


def freeArray(ptr: int) -> None:
    """Free a CUDA array once the work on its device is done."""
    with primary_context():
        call("cuCtxSynchronize")
        call("cuArrayDestroy", ctypes.c_void_p(ptr))


# ---- texture and surface objects


def createTextureObject(ResDescPtr: int, TexDescPtr: int) -> int:
    """The handle that kernels take, of a resource and how it is read; destroyTextureObject() ends
    it."""
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
    """End a texture object; no kernel may be using it."""
    with primary_context():
        call("cuTexObjectDestroy", ctypes.c_uint64(texObject))


def createSurfaceObject(ResDescPtr: int) -> int:
    """The handle that kernels take, of a CUDA array that was made with cudaArraySurfaceLoadStore;
    destroySurfaceObject() ends it."""
    resource = structures.resource_of(structures.cudaResourceDesc.from_address(ResDescPtr))
    made = ctypes.c_uint64()
    with primary_context():
        call("cuSurfObjectCreate", ctypes.byref(made), ctypes.byref(resource))
    return made.value


def destroySurfaceObject(surfObject: int) -> None:
    """End a surface object; no kernel may be using it."""
    with primary_context():
        call("cuSurfObjectDestroy", ctypes.c_uint64(surfObject))
