"""CUDA arrays, texture objects and surface objects, which kernels read and write through a CUDA
device's texture units.

A `TextureObject` or `SurfaceObject` is an argument of `RawKernel`, whose parameter is a
cudaTextureObject_t or cudaSurfaceObject_t; an ElementwiseKernel takes `numpy.uint64(texture.ptr)`.
On the CPU platform there are descriptors only: kernels read arrays there.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Stream, ndarray
from cupola.cuda import _driver_structures as driver
from cupola.cuda._driver_calls import call, primary_context
from cupola.cuda._runtime import array_copies, arrays, structures
from cupola.cuda._runtime import constants as numbers
from cupola.errors import DeviceError

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]


def _require_cuda(what: str) -> int:
    """The number of the current device, which must be one CUDA device."""
    device = _core.current_device()
    if device.platform != "cuda" or len(device.members) != 1:
        raise DeviceError(
            f"a {what} is of one CUDA device, and the current device is {device}: pass the array "
            "itself to the kernel, or use indexing (cupola.take)"
        )
    return int(device.id)


_retired: list[tuple[str, int, Any, Any]] = []
"""Calls that end what kernels may still be using, and what must live until then."""


def _destroy(name: str, device: int, handle: Any, process: int, kept: Any) -> None:
    """Now, or when the next is destroyed if the thread's current stream is being captured."""
    if os.getpid() != process:  # a forked process may not call the driver
        return
    _retired.append((name, device, handle, kept))
    if _core.current_stream(None).is_capturing():  # which waiting would end
        return
    while _retired:
        each, its_device, its_handle, _kept = _retired.pop(0)
        with contextlib.suppress(Exception), primary_context(its_device):
            with contextlib.suppress(Exception):  # a device that failed still frees
                call("cuCtxSynchronize")
            call(each, its_handle)


def _owned(owner: Any, name: str, device: int, handle: Any, kept: Any) -> None:
    finalizer = weakref.finalize(owner, _destroy, name, device, handle, os.getpid(), kept)
    finalizer.atexit = False


class ChannelFormatDescriptor:
    """Channels of the elements of a CUDA array.

    Parameters
    ----------
    x, y, z, w : int
        Bits of each channel, 0 for those that are not there.
    f : int
        One of `cupola.cuda.runtime.cudaChannelFormatKind...`.

    Examples
    --------
    >>> import cupola as cp
    >>> kind = cp.cuda.runtime.cudaChannelFormatKindFloat
    >>> cp.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, kind).get_channel_format()
    {'x': 32, 'y': 0, 'z': 0, 'w': 0, 'f': 2}
    """

    def __init__(self, x: int, y: int, z: int, w: int, f: int) -> None:
        self._desc = structures.cudaChannelFormatDesc(x, y, z, w, f)

    @property
    def ptr(self) -> int:
        """The address of a cudaChannelFormatDesc."""
        return ctypes.addressof(self._desc)

    def get_channel_format(self) -> dict[str, int]:
        """The arguments, by name."""
        return {name: getattr(self._desc, name) for name in "xyzwf"}


class CUDAarray:
    """Memory of the current device in the layout of its texture units.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
        The channels of an element: 1, 2 or 4.
    width, height, depth : int
        Extents in elements; `height` and `depth` are 0 for fewer dimensions.
    flags : int
        `cupola.cuda.runtime.cudaArrayDefault`, or `cudaArraySurfaceLoadStore` for surfaces.

    Raises
    ------
    ValueError
        For extents or channels that no CUDA array has.
    DeviceError
        On the CPU platform, and when CUDA fails.
    """

    desc: ChannelFormatDescriptor
    width: int
    height: int
    depth: int
    flags: int
    ndim: int
    ptr: int

    def __init__(
        self,
        desc: ChannelFormatDescriptor,
        width: int,
        height: int = 0,
        depth: int = 0,
        flags: int = 0,
    ) -> None:
        if width <= 0 or height < 0 or depth < 0 or (depth and not height):
            raise ValueError(
                f"a CUDA array has extents (width), (width, height) or (width, height, depth), not "
                f"{(width, height, depth)}"
            )
        code, self._channels = structures.channels_of(desc._desc)
        self._element_bytes = structures.element_bytes(code, self._channels)
        self._device = _require_cuda("CUDA array")
        self.desc, self.flags = desc, flags
        self.width, self.height, self.depth = width, height, depth
        self.ndim = 3 if depth else 2 if height else 1
        self.ptr = arrays.malloc3DArray(desc.ptr, width, height, depth, flags)
        _owned(self, "cuArrayDestroy", self._device, ctypes.c_void_p(self.ptr), None)

    def _check(self, array: Any) -> None:
        """Whether an array has the shape and the elements of this one."""
        shape = (self.depth, self.height, self._channels * self.width)[3 - self.ndim :]
        itemsize = self._element_bytes // self._channels
        if tuple(array.shape) != shape or array.dtype.itemsize != itemsize:
            raise ValueError(
                f"a copy of this CUDA array has shape {shape} and elements of {itemsize} bytes, "
                f"not {tuple(array.shape)} and {array.dtype}"
            )
        if isinstance(array, ndarray) and array.device != _core.Device(self._device):
            raise ValueError(
                f"the array is on {array.device}, the CUDA array on device {self._device}: copy it "
                "there first (cupola.asarray)"
            )

    def _box(self, own: str, other: str, address: int, on_host: bool) -> Any:
        pitch, rows = self.width * self._element_bytes, max(self.height, 1)
        box = driver.CUDA_MEMCPY3D(WidthInBytes=pitch, Height=rows, Depth=max(self.depth, 1))
        array_copies._set_array(box, own, self.ptr)
        array_copies._set_memory(box, other, address, on_host)
        setattr(box, other + "Pitch", pitch)
        setattr(box, other + "Height", rows)
        return box

    def _copy(self, own: str, array: Any, stream: Any) -> None:
        """Between this (`own`: "src" or "dst") and a contiguous array, in the order of the stream
        and of the other array's uses."""
        other = "src" if own == "dst" else "dst"
        chosen = _core.current_stream(self._device) if stream is None else stream
        if isinstance(array, ndarray):
            reads, writes = ([array], []) if own == "dst" else ([], [array])
            handle = _core.begin_ordered_work(reads, writes, chosen)
            try:
                box = self._box(own, other, array.data.ptr, False)
                with primary_context(self._device):
                    array_copies.start_copy(box, handle)
            finally:
                _core.end_ordered_work(reads, writes, chosen)
        else:
            with primary_context(self._device):
                array_copies.start_copy(self._box(own, other, array.ctypes.data, True), chosen.ptr)
            if stream is not None:  # the host's array lives until then
                chosen.launch_host_func(lambda _: None, array)
        if stream is None:
            chosen.synchronize()

    def copy_from(self, in_arr: Any, stream: Stream | None = None) -> None:
        """Copy an array of a device or of the host into this.

        Parameters
        ----------
        in_arr : cupola.ndarray or numpy.ndarray
            Of shape (channels * width,), (height, channels * width) or (depth, height, channels *
            width), with elements of the channels' size.
        stream : Stream, optional
            The copy is in its order, and may be under way on return; without it the copy is done.

        Raises
        ------
        ValueError
            For another shape or size of elements.
        """
        self._check(in_arr)
        whole: Any
        if isinstance(in_arr, ndarray):
            whole = in_arr if in_arr.flags.c_contiguous else in_arr.copy("C")
        else:
            whole = np.ascontiguousarray(in_arr)
        self._copy("dst", whole, stream)

    def copy_to(self, out_arr: Any, stream: Stream | None = None) -> None:
        """Copy this into a C-contiguous array of a device or of the host; see `copy_from`."""
        self._check(out_arr)
        if not out_arr.flags.c_contiguous:
            raise ValueError("out_arr must be C-contiguous")
        self._copy("src", out_arr, stream)


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
        """What was described, by name."""
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
        """What was described, by name."""
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
    """

    ResDesc: ResourceDescriptor
    TexDesc: TextureDescriptor

    def __new__(cls, ResDesc: ResourceDescriptor, TexDesc: TextureDescriptor) -> TextureObject:
        device = _require_cuda("texture object")
        made = super().__new__(cls, arrays.createTextureObject(ResDesc.ptr, TexDesc.ptr))
        made.ResDesc, made.TexDesc = ResDesc, TexDesc
        _owned(made, "cuTexObjectDestroy", device, ctypes.c_uint64(int(made)), ResDesc)
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
    """

    ResDesc: ResourceDescriptor

    def __new__(cls, ResDesc: ResourceDescriptor) -> SurfaceObject:
        device = _require_cuda("surface object")
        made = super().__new__(cls, arrays.createSurfaceObject(ResDesc.ptr))
        made.ResDesc = ResDesc
        _owned(made, "cuSurfObjectDestroy", device, ctypes.c_uint64(int(made)), ResDesc)
        return made

    @property
    def ptr(self) -> int:
        """The handle."""
        return int(self)
