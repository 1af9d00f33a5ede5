"""Structures of the CUDA driver, laid out as cuda.h has them."""

from __future__ import annotations

import ctypes
from typing import Any

_int, _uint, _size, _ptr = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p
_address = ctypes.c_uint64  # CUdeviceptr

MEMORY_HOST, MEMORY_DEVICE, MEMORY_ARRAY = 1, 2, 3

READ_AS_INTEGER = 0x01
NORMALIZED_COORDINATES = 0x02
SRGB = 0x10
DISABLE_TRILINEAR_OPTIMIZATION = 0x20
SEAMLESS_CUBEMAP = 0x40


class CUDA_ARRAY3D_DESCRIPTOR(ctypes.Structure):
    """What a CUDA array is: extents in elements."""

    _fields_ = [
        *((name, _size) for name in ("Width", "Height", "Depth")),
        *((name, _uint) for name in ("Format", "NumChannels", "Flags")),
    ]


def _side_of_copy(side: str, reserved: str) -> list[tuple[str, Any]]:
    return [
        *((side + name, _size) for name in ("XInBytes", "Y", "Z", "LOD")),
        (side + "MemoryType", _uint),
        (side + "Host", _ptr),
        (side + "Device", _address),
        (side + "Array", _ptr),
        (reserved, _ptr),
        (side + "Pitch", _size),
        (side + "Height", _size),
    ]


class CUDA_MEMCPY3D(ctypes.Structure):
    """A copy of a box of bytes between host memory, device memory and CUDA arrays."""

    _fields_ = [
        *_side_of_copy("src", "reserved0"),
        *_side_of_copy("dst", "reserved1"),
        *((name, _size) for name in ("WidthInBytes", "Height", "Depth")),
    ]


class _Array(ctypes.Structure):
    _fields_ = [("hArray", _ptr)]


class _Mipmap(ctypes.Structure):
    _fields_ = [("hMipmappedArray", _ptr)]


_LINEAR = [("devPtr", _address), ("format", _uint), ("numChannels", _uint)]


class _Linear(ctypes.Structure):
    _fields_ = [*_LINEAR, ("sizeInBytes", _size)]


class _Pitch2D(ctypes.Structure):
    _fields_ = [*_LINEAR, *((name, _size) for name in ("width", "height", "pitchInBytes"))]


class _Reserved(ctypes.Structure):
    _fields_ = [("reserved", _int * 32)]


class _Resource(ctypes.Union):
    _fields_ = [
        ("array", _Array),
        ("mipmap", _Mipmap),
        ("linear", _Linear),
        ("pitch2D", _Pitch2D),
        ("reserved", _Reserved),
    ]


class CUDA_RESOURCE_DESC(ctypes.Structure):
    """The memory that a texture or surface object is of."""

    _fields_ = [("resType", _uint), ("res", _Resource), ("flags", _uint)]


class CUDA_TEXTURE_DESC(ctypes.Structure):
    """How a texture object reads."""

    _fields_ = [
        ("addressMode", _uint * 3),
        *((name, _uint) for name in ("filterMode", "flags", "maxAnisotropy", "mipmapFilterMode")),
        ("mipmapLevelBias", ctypes.c_float),
        ("minMipmapLevelClamp", ctypes.c_float),
        ("maxMipmapLevelClamp", ctypes.c_float),
        ("borderColor", ctypes.c_float * 4),
        ("reserved", _int * 12),
    ]


class CUmemLocation(ctypes.Structure):
    """Where memory of a pool is."""

    _fields_ = [("type", _uint), ("id", _int)]


class CUmemPoolProps(ctypes.Structure):
    """What a memory pool is made with."""

    _fields_ = [
        ("allocType", _uint),
        ("handleTypes", _uint),
        ("location", CUmemLocation),
        ("win32SecurityAttributes", _ptr),
        ("maxSize", _size),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 54),
    ]


class CUipcEventHandle(ctypes.Structure):
    """An event for another process, which is passed by value."""

    _fields_ = [("reserved", ctypes.c_char * 64)]
