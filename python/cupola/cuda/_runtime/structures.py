"""Structures of the CUDA runtime, laid out as driver_types.h and texture_types.h have them, and
what the driver's structures are that mean the same."""

from __future__ import annotations

import ctypes
from typing import Any

from cupola.cuda import _driver_structures as driver
from cupola.cuda._runtime import constants as numbers

_int, _uint, _size, _ptr = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p

# Kind and bits of a channel to the driver's CUarray_format.
_FORMATS = {
    (numbers.cudaChannelFormatKindUnsigned, 8): 0x01,
    (numbers.cudaChannelFormatKindUnsigned, 16): 0x02,
    (numbers.cudaChannelFormatKindUnsigned, 32): 0x03,
    (numbers.cudaChannelFormatKindSigned, 8): 0x08,
    (numbers.cudaChannelFormatKindSigned, 16): 0x09,
    (numbers.cudaChannelFormatKindSigned, 32): 0x0A,
    (numbers.cudaChannelFormatKindFloat, 16): 0x10,
    (numbers.cudaChannelFormatKindFloat, 32): 0x20,
}
_BITS = {code: bits for (_, bits), code in _FORMATS.items()}


class cudaChannelFormatDesc(ctypes.Structure):
    """Bits of each channel, and their kind."""

    _fields_ = [(name, _int) for name in "xyzwf"]


class _Array(ctypes.Structure):
    _fields_ = [("array", _ptr)]


class _Linear(ctypes.Structure):
    _fields_ = [("devPtr", _ptr), ("desc", cudaChannelFormatDesc), ("sizeInBytes", _size)]


class _Pitch2D(ctypes.Structure):
    _fields_ = [
        ("devPtr", _ptr),
        ("desc", cudaChannelFormatDesc),
        *((name, _size) for name in ("width", "height", "pitchInBytes")),
    ]


class _Resource(ctypes.Union):
    _fields_ = [("array", _Array), ("linear", _Linear), ("pitch2D", _Pitch2D)]


class cudaResourceDesc(ctypes.Structure):
    """CUDA 12's; CUDA 13's begins with it."""

    _fields_ = [("resType", _int), ("res", _Resource)]


class cudaTextureDesc(ctypes.Structure):
    """How a texture object reads."""

    _fields_ = [
        ("addressMode", _int * 3),
        *((name, _int) for name in ("filterMode", "readMode", "sRGB")),
        ("borderColor", ctypes.c_float * 4),
        ("normalizedCoords", _int),
        ("maxAnisotropy", _uint),
        ("mipmapFilterMode", _int),
        ("mipmapLevelBias", ctypes.c_float),
        ("minMipmapLevelClamp", ctypes.c_float),
        ("maxMipmapLevelClamp", ctypes.c_float),
        ("disableTrilinearOptimization", _int),
        ("seamlessCubemap", _int),
    ]


class cudaPos(ctypes.Structure):
    """In elements of a CUDA array, or bytes of other memory."""

    _fields_ = [(name, _size) for name in "xyz"]


class cudaPitchedPtr(ctypes.Structure):
    """Memory with rows of `pitch` bytes and planes of `ysize` rows."""

    _fields_ = [("ptr", _ptr), *((name, _size) for name in ("pitch", "xsize", "ysize"))]


class cudaExtent(ctypes.Structure):
    """Elements of the CUDA array that takes part, or else bytes; rows; planes."""

    _fields_ = [(name, _size) for name in ("width", "height", "depth")]


class cudaMemcpy3DParms(ctypes.Structure):
    """A copy of a box."""

    _fields_ = [
        ("srcArray", _ptr),
        ("srcPos", cudaPos),
        ("srcPtr", cudaPitchedPtr),
        ("dstArray", _ptr),
        ("dstPos", cudaPos),
        ("dstPtr", cudaPitchedPtr),
        ("extent", cudaExtent),
        ("kind", _int),
    ]


def channels_of(desc: Any) -> tuple[int, int]:
    """The driver's format, and how many channels.

    Raises
    ------
    ValueError
        For formats that CUDA arrays do not have.
    """
    bits = [value for value in (desc.x, desc.y, desc.z, desc.w) if value]
    alike = bits and set(bits) == {desc.x} and len(bits) in (1, 2, 4)
    code = _FORMATS.get((desc.f, desc.x)) if alike else None
    if code is None:
        raise ValueError(
            f"no CUDA array has channels of {desc.x}, {desc.y}, {desc.z} and {desc.w} bits of kind "
            f"{desc.f}: they are 1, 2 or 4 of 8, 16 or 32 bits each (floats of 16 or 32)"
        )
    return code, len(bits)


def element_bytes(code: int, channels: int) -> int:
    """Bytes of an element of a CUDA array of a format of the driver's."""
    return _BITS[code] // 8 * channels


def array_of(desc: Any, extents: tuple[int, int, int], flags: int) -> Any:
    """The driver's descriptor of a CUDA array of so many elements."""
    return driver.CUDA_ARRAY3D_DESCRIPTOR(*extents, *channels_of(desc), flags)


def resource_of(desc: Any) -> Any:
    """The driver's resource descriptor."""
    found = driver.CUDA_RESOURCE_DESC(resType=desc.resType)
    if desc.resType == numbers.cudaResourceTypeArray:
        found.res.array.hArray = desc.res.array.array
    elif desc.resType == numbers.cudaResourceTypeLinear:
        memory, into = desc.res.linear, found.res.linear
        into.devPtr, into.sizeInBytes = memory.devPtr or 0, memory.sizeInBytes
        into.format, into.numChannels = channels_of(memory.desc)
    elif desc.resType == numbers.cudaResourceTypePitch2D:
        memory, into = desc.res.pitch2D, found.res.pitch2D
        into.devPtr, into.pitchInBytes = memory.devPtr or 0, memory.pitchInBytes
        into.width, into.height = memory.width, memory.height
        into.format, into.numChannels = channels_of(memory.desc)
    else:
        raise ValueError(f"a resource is an array, linear or pitched memory, not {desc.resType}")
    return found


def texture_of(desc: Any) -> Any:
    """The driver's texture descriptor."""
    flags = (
        driver.READ_AS_INTEGER * (desc.readMode == numbers.cudaReadModeElementType)
        | driver.NORMALIZED_COORDINATES * bool(desc.normalizedCoords)
        | driver.SRGB * bool(desc.sRGB)
        | driver.DISABLE_TRILINEAR_OPTIMIZATION * bool(desc.disableTrilinearOptimization)
        | driver.SEAMLESS_CUBEMAP * bool(desc.seamlessCubemap)
    )
    found = driver.CUDA_TEXTURE_DESC(flags=flags)
    for name in (
        *("addressMode", "filterMode", "maxAnisotropy", "mipmapFilterMode", "mipmapLevelBias"),
        *("minMipmapLevelClamp", "maxMipmapLevelClamp"),
    ):
        value = getattr(desc, name)
        setattr(found, name, tuple(value) if name == "addressMode" else value)
    found.borderColor = tuple(desc.borderColor)
    return found
