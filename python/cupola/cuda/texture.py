"""CUDA arrays, texture objects and surface objects, which kernels read and write through a CUDA
device's texture units.

A `TextureObject` or `SurfaceObject` is an argument of `RawKernel`, whose parameter is a
cudaTextureObject_t or cudaSurfaceObject_t; an ElementwiseKernel takes `numpy.uint64(texture.ptr)`.
On the CPU platform there are descriptors only: kernels read arrays there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.cuda import _cuda_arrays
from cupola.cuda._cuda_arrays import ChannelFormatDescriptor, CUDAarray
from cupola.cuda._runtime import arrays, structures
from cupola.cuda._runtime import constants as numbers

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]


class ResourceDescriptor:
    """The memory that a texture or surface object is of.

    Parameters
    ----------
    restype : int
        `cupola.cuda.runtime.cudaResourceTypeArray`, `...Linear` or `...Pitch2D`.
    cuArr : CUDAarray, optional
        The memory of cudaResourceTypeArray.
    arr : cupola.ndarray, optional
        The memory of the other two, C-contiguous.
    chDesc : ChannelFormatDescriptor, optional
        The channels of its elements.
    sizeInBytes : int
        Bytes of linear memory.
    width, height : int
        Elements of pitched memory.
    pitchInBytes : int
        Bytes from row to row of pitched memory.

    Raises
    ------
    ValueError
        For another `restype`, for memory that is missing, not contiguous or too small, and for
        channels that no CUDA array has.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> a = cp.arange(4, dtype="float32")
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> memory = texture.ResourceDescriptor(
    ...     runtime.cudaResourceTypeLinear, arr=a, chDesc=channels, sizeInBytes=a.nbytes
    ... )
    >>> memory.get_resource_desc()["sizeInBytes"]
    16
    """

    cuArr: CUDAarray | None
    arr: ndarray | None
    chDesc: ChannelFormatDescriptor | None

    def __init__(
        self,
        restype: int,
        cuArr: CUDAarray | None = None,
        arr: ndarray | None = None,
        chDesc: ChannelFormatDescriptor | None = None,
        sizeInBytes: int = 0,
        width: int = 0,
        height: int = 0,
        pitchInBytes: int = 0,
    ) -> None:
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        self._desc = structures.cudaResourceDesc(resType=restype)
        if restype == numbers.cudaResourceTypeArray:
            if cuArr is None:
                raise ValueError("cudaResourceTypeArray needs cuArr")
            self._desc.res.array.array = cuArr.ptr
            return
        kinds = {
            numbers.cudaResourceTypeLinear: "linear",
            numbers.cudaResourceTypePitch2D: "pitch2D",
        }
        if restype not in kinds:
            raise ValueError("restype is cudaResourceTypeArray, ...Linear or ...Pitch2D")
        if arr is None or chDesc is None:
            raise ValueError("linear and pitched memory need arr and chDesc")
        code, channels = structures.channels_of(chDesc._desc)
        needed = sizeInBytes
        if restype == numbers.cudaResourceTypePitch2D:
            row = width * structures.element_bytes(code, channels)
            needed = max(height - 1, 0) * pitchInBytes + row
        if not arr.flags.c_contiguous or needed > arr.nbytes:
            raise ValueError(f"arr must be C-contiguous and have {needed} bytes at least")
        self._memory = arr.data
        into = getattr(self._desc.res, kinds[restype])
        into.devPtr, into.desc = self._memory.ptr, chDesc._desc
        if restype == numbers.cudaResourceTypeLinear:
            into.sizeInBytes = sizeInBytes
        else:
            into.width, into.height, into.pitchInBytes = width, height, pitchInBytes

    @property
    def ptr(self) -> int:
        """The address of a cudaResourceDesc."""
        return ctypes.addressof(self._desc)

    def get_resource_desc(self) -> dict[str, Any]:
        """What was described, by name.

        Returns
        -------
        dict
            The arguments that the type has, by name.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import runtime, texture
        >>> a = cp.arange(4, dtype="float32")
        >>> kind = runtime.cudaChannelFormatKindFloat
        >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
        >>> memory = texture.ResourceDescriptor(
        ...     runtime.cudaResourceTypeLinear, arr=a, chDesc=channels, sizeInBytes=16
        ... )
        >>> list(memory.get_resource_desc())
        ['resType', 'arr', 'chDesc', 'sizeInBytes']
        """
        kind = self._desc.resType
        if kind == numbers.cudaResourceTypeArray:
            return {"resType": kind, "cuArr": self.cuArr}
        known: dict[str, Any] = {"resType": kind, "arr": self.arr, "chDesc": self.chDesc}
        if kind == numbers.cudaResourceTypeLinear:
            return {**known, "sizeInBytes": self._desc.res.linear.sizeInBytes}
        names = ("width", "height", "pitchInBytes")
        return known | {name: getattr(self._desc.res.pitch2D, name) for name in names}


class TextureDescriptor:
    """How a texture object reads.

    Parameters
    ----------
    addressModes : sequence of int, optional
        `cupola.cuda.runtime.cudaAddressMode...` of up to three dimensions.
    filterMode, readMode : int
        `cudaFilterMode...` and `cudaReadMode...`.
    sRGB, normalizedCoords : int, optional
        Whether values are converted from sRGB; whether coordinates are from 0 to 1.
    borderColors : sequence of float, optional
        Of up to four channels, for cudaAddressModeBorder.
    maxAnisotropy : int, optional
        The limit of the anisotropy ratio.

    Raises
    ------
    ValueError
        For more than 3 modes or 4 colours.

    Examples
    --------
    >>> from cupola.cuda import runtime, texture
    >>> reading = texture.TextureDescriptor([runtime.cudaAddressModeClamp] * 2)
    >>> reading.get_texture_desc()["addressMode"]
    (1, 1, 0)
    """

    def __init__(
        self,
        addressModes: Sequence[int] | None = None,
        filterMode: int = 0,
        readMode: int = 0,
        sRGB: int | None = None,
        borderColors: Sequence[float] | None = None,
        normalizedCoords: int | None = None,
        maxAnisotropy: int | None = None,
    ) -> None:
        modes, colors = tuple(addressModes or ()), tuple(borderColors or ())
        if len(modes) > 3 or len(colors) > 4:
            raise ValueError("there are up to 3 addressModes and up to 4 borderColors")
        self._desc = structures.cudaTextureDesc(
            addressMode=modes,
            filterMode=filterMode,
            readMode=readMode,
            sRGB=sRGB or 0,
            borderColor=colors,
            normalizedCoords=normalizedCoords or 0,
            maxAnisotropy=maxAnisotropy or 0,
        )

    @property
    def ptr(self) -> int:
        """The address of a cudaTextureDesc."""
        return ctypes.addressof(self._desc)

    def get_texture_desc(self) -> dict[str, Any]:
        """What was described, by name.

        Returns
        -------
        dict
            The arguments, by name.

        Examples
        --------
        >>> import cupola as cp
        >>> reading = cp.cuda.texture.TextureDescriptor(normalizedCoords=1)
        >>> reading.get_texture_desc()["normalizedCoords"]
        1
        """
        names = ("filterMode", "readMode", "sRGB", "normalizedCoords", "maxAnisotropy")
        return {
            "addressMode": tuple(self._desc.addressMode),
            "borderColor": tuple(self._desc.borderColor),
            **{name: getattr(self._desc, name) for name in names},
        }


class TextureObject(np.uint64):
    """What kernels read through, a cudaTextureObject_t; it keeps the memory alive.

    It is the handle, as a number, so that it can be an argument of a `RawKernel`.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        The memory, of the current device.
    TexDesc : TextureDescriptor
        How it is read.

    Raises
    ------
    DeviceError
        On the CPU platform, and when CUDA fails.

    Notes
    -----
    What a kernel reads of an array through a texture is no use of the array that the library sees.
    On another stream than the one that writes to the array, read `ptr` there before the launch.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = texture.CUDAarray(channels, 4, 3)
    ...         memory = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
    ...         handle = texture.TextureObject(memory, texture.TextureDescriptor())
    """

    ResDesc: ResourceDescriptor
    TexDesc: TextureDescriptor

    def __new__(cls, ResDesc: ResourceDescriptor, TexDesc: TextureDescriptor) -> TextureObject:
        device = _cuda_arrays.require_one_device("texture object")
        made = super().__new__(cls, arrays.createTextureObject(ResDesc.ptr, TexDesc.ptr))
        made.ResDesc, made.TexDesc = ResDesc, TexDesc
        _cuda_arrays.owned(made, "cuTexObjectDestroy", device, ctypes.c_uint64(int(made)), ResDesc)
        return made

    @property
    def ptr(self) -> int:
        """The handle. The current stream's later work reads what was written to `arr` so far."""
        if self.ResDesc.arr is not None:
            _core.begin_ordered_work([self.ResDesc.arr], [], None)
        return int(self)


class SurfaceObject(np.uint64):
    """What kernels read and write through, a cudaSurfaceObject_t; it keeps the memory alive.

    It is the handle, as a number, so that it can be an argument of a `RawKernel`.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        Of a CUDA array that was made with cudaArraySurfaceLoadStore.

    Raises
    ------
    DeviceError
        On the CPU platform, and when CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime, texture
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = texture.CUDAarray(channels, 4, 3, 0, runtime.cudaArraySurfaceLoadStore)
    ...         memory = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
    ...         handle = texture.SurfaceObject(memory)
    """

    ResDesc: ResourceDescriptor

    def __new__(cls, ResDesc: ResourceDescriptor) -> SurfaceObject:
        device = _cuda_arrays.require_one_device("surface object")
        made = super().__new__(cls, arrays.createSurfaceObject(ResDesc.ptr))
        made.ResDesc = ResDesc
        _cuda_arrays.owned(made, "cuSurfObjectDestroy", device, ctypes.c_uint64(int(made)), ResDesc)
        return made

    @property
    def ptr(self) -> int:
        """The handle."""
        return int(self)
