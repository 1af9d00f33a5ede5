"""CUDA arrays, and what ends objects of CUDA that kernels may still be using."""

from __future__ import annotations

import contextlib
import ctypes
import os
import weakref
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Stream, ndarray
from cupola.cuda import _driver_structures as driver
from cupola.cuda._driver_calls import call, primary_context
from cupola.cuda._runtime import array_copies, arrays, structures
from cupola.errors import DeviceError


def require_one_device(what: str) -> int:
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


def owned(owner: Any, name: str, device: int, handle: Any, kept: Any) -> None:
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
        """The arguments, by name.

        Returns
        -------
        dict
            Of x, y, z, w and f.

        Examples
        --------
        >>> import cupola as cp
        >>> kind = cp.cuda.runtime.cudaChannelFormatKindUnsigned
        >>> cp.cuda.texture.ChannelFormatDescriptor(8, 8, 0, 0, kind).get_channel_format()
        {'x': 8, 'y': 8, 'z': 0, 'w': 0, 'f': 1}
        """
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

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> from cupola.cuda import runtime, texture
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> host = np.arange(12, dtype="float32").reshape(3, 4)
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         array = texture.CUDAarray(channels, 4, 3)
    ...         array.copy_from(host)
    ...         array.copy_to(host)
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
        self._device = require_one_device("CUDA array")
        self.desc, self.flags = desc, flags
        self.width, self.height, self.depth = width, height, depth
        self.ndim = 3 if depth else 2 if height else 1
        self.ptr = arrays.malloc3DArray(desc.ptr, width, height, depth, flags)
        owned(self, "cuArrayDestroy", self._device, ctypes.c_void_p(self.ptr), None)

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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cuda import runtime, texture
        >>> kind = runtime.cudaChannelFormatKindFloat
        >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda":
        ...         array = texture.CUDAarray(channels, 4, 3)
        ...         array.copy_from(cp.ones((3, 4), "float32"))
        """
        self._check(in_arr)
        whole: Any
        if isinstance(in_arr, ndarray):
            whole = in_arr if in_arr.flags.c_contiguous else in_arr.copy("C")
        else:
            whole = np.ascontiguousarray(in_arr)
        self._copy("dst", whole, stream)

    def copy_to(self, out_arr: Any, stream: Stream | None = None) -> None:
        """Copy this into an array of a device or of the host.

        Parameters
        ----------
        out_arr : cupola.ndarray or numpy.ndarray
            C-contiguous, of a shape and elements as of `copy_from`.
        stream : Stream, optional
            The copy is in its order, and may be under way on return; without it the copy is done.

        Raises
        ------
        ValueError
            For another shape or size of elements, and for what is not C-contiguous.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> from cupola.cuda import runtime, texture
        >>> kind = runtime.cudaChannelFormatKindFloat
        >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, kind)
        >>> with cp.cuda.Device(0) as device:
        ...     if device.platform == "cuda":
        ...         array = texture.CUDAarray(channels, 4, 3)
        ...         array.copy_to(np.empty((3, 4), "float32"))
        """
        self._check(out_arr)
        if not out_arr.flags.c_contiguous:
            raise ValueError("out_arr must be C-contiguous")
        self._copy("src", out_arr, stream)
