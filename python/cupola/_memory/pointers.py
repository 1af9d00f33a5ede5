"""Memory as an object of its own, and pointers into it, under CuPy's names."""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Device

if TYPE_CHECKING:
    from cupola._cupola import MemoryBlock, ndarray

__all__ = [
    "BaseMemory",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryPointer",
    "PooledMemory",
    "UnownedMemory",
]

ADVICE = (
    "read_mostly",
    "unset_read_mostly",
    "preferred_location",
    "unset_preferred_location",
    "accessed_by",
    "unset_accessed_by",
)


class BaseMemory:
    """Memory of one device. Subclasses of programs set `ptr`, `size` and `device_id`.

    Attributes
    ----------
    ptr : int
        Address of the first byte.
    size : int
        Bytes.
    device_id : int
        The device's number on the default platform.
    """

    ptr: int
    size: int
    device_id: int

    @property
    def device(self) -> Device:
        """The device whose memory it is."""
        return Device(self.device_id)

    def _block(self) -> MemoryBlock:
        return _core.borrow_memory(self.ptr, self.size, self.device, self)

    def __int__(self) -> int:
        return self.ptr

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.ptr:#x}, {self.size} bytes on '{self.device}'>"


class _BlockMemory(BaseMemory):
    """Memory that the library hands out: freed when no array and no pointer uses it any more."""

    def __init__(self, block: MemoryBlock) -> None:
        self._memory = block
        self.ptr = block.ptr
        self.size = block.size
        self.device_id = block.device.id

    @property
    def device(self) -> Device:
        """The device whose memory it is."""
        return self._memory.device

    def _block(self) -> MemoryBlock:
        return self._memory


class PooledMemory(_BlockMemory):
    """Memory of a pool, to which it goes back."""


class Memory(_BlockMemory):
    """Memory of the current device, straight from the platform.

    Raises
    ------
    cupola.errors.OutOfMemoryError
    """

    def __init__(self, size: int) -> None:
        super().__init__(_core.allocate_memory(size, _leaf("device")))


class MemoryAsync(_BlockMemory):
    """Memory from the platform's own stream-ordered allocator."""

    def __init__(self, size: int, stream: Any = None) -> None:
        self._stream = stream or _core.current_stream(None)
        with stream or contextlib.nullcontext():
            super().__init__(_core.allocate_memory(size, _leaf("async")))

    def stream_ref(self) -> Any:
        """The stream on which it was allocated."""
        return self._stream


class StripedMemory(_BlockMemory):
    """Memory of several devices, which all of them reach, in one range of addresses.

    Of the members of the current device where that is a set, else of all devices of its platform.
    """

    def __init__(self, size: int) -> None:
        super().__init__(_core.allocate_memory(size, _leaf("striped")))


class ManagedMemory(_BlockMemory):
    """Memory that moves between the host and the devices as it is used."""

    def __init__(self, size: int) -> None:
        super().__init__(_core.allocate_memory(size, _leaf("managed")))

    def _bytes(self) -> ndarray:
        return _core.array_on_memory(self._memory, 0, (self.size,), "uint8")

    def prefetch(self, stream: Any = None, *, device: Any = None) -> None:
        """Move the pages to a device (default: the memory's own), or to "host"."""
        with stream or contextlib.nullcontext():
            self._bytes().prefetch(device)

    def advise(self, advise: int | str, dev: Any = None) -> None:
        """Say how the memory is used: CUDA's number of the advice, or its name.

        Raises
        ------
        ValueError
            For an advice that there is not.
        """
        if isinstance(advise, str):
            name = advise
        elif 1 <= int(advise) <= len(ADVICE):
            name = ADVICE[int(advise) - 1]
        else:
            raise ValueError(f"{advise} is no memory advice; they are 1 to {len(ADVICE)}")
        self._bytes().advise(name, dev)


class UnownedMemory(BaseMemory):
    """Memory of others, which keeps `owner` for as long as an array or pointer uses it.

    Parameters
    ----------
    ptr, size : int
        Address and bytes.
    owner : object
    device_id : int
        Default: the device that the platform says the address belongs to, else the current one.

    Raises
    ------
    ValueError
        For an address that is negative, null, freed, or of another device, where that can be told.
    """

    def __init__(self, ptr: int, size: int, owner: object, device_id: int = -1) -> None:
        device = _core.device_of_pointer(ptr) if device_id < 0 else Device(device_id)
        self._memory = _core.borrow_memory(ptr, size, device, owner)
        self._owner = owner
        self.ptr = ptr
        self.size = size
        self.device_id = device.id

    @property
    def device(self) -> Device:
        """The device whose memory it is."""
        return self._memory.device

    def _block(self) -> MemoryBlock:
        return self._memory


class MemoryPointer:
    """A place in memory, which it keeps alive: what `a.data` and allocators give.

    Parameters
    ----------
    mem : BaseMemory
    offset : int
        Bytes from its start.
    """

    __slots__ = ("mem", "ptr")

    def __init__(self, mem: BaseMemory, offset: int) -> None:
        self.mem = mem
        self.ptr = mem.ptr + int(offset)

    @property
    def device(self) -> Device:
        """The device that the address is valid on."""
        return self.mem.device

    @property
    def device_id(self) -> int:
        """The device's number on its platform."""
        return self.mem.device_id

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, other: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + other)

    __radd__ = __add__

    def __iadd__(self, other: int) -> MemoryPointer:
        self.ptr += other
        return self

    def __sub__(self, other: int) -> MemoryPointer:
        return self + -other

    def __isub__(self, other: int) -> MemoryPointer:
        self.ptr -= other
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryPointer):
            return NotImplemented
        return self.ptr == other.ptr and self.device == other.device

    def __hash__(self) -> int:
        return hash((self.ptr, self.device))

    def __repr__(self) -> str:
        return f"<MemoryPointer {self.ptr:#x} on '{self.device}'>"

    def _place(self) -> tuple[MemoryBlock, int]:
        """Where an array over this memory lies."""
        return self.mem._block(), self.ptr - self.mem.ptr

    def _bytes(self, size: int) -> ndarray:
        return _core.array_on_memory(*self._place(), (_checked(size),), "uint8")

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy from memory of a device, this one or another."""
        _core.copyto(self._bytes(size), _core.to_device(src._bytes(size), self.device))

    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Any = None) -> None:
        """The same on `stream`."""
        with stream or contextlib.nullcontext():
            self.copy_from_device(src, size)

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy from a host address (int, ctypes.c_void_p) or a contiguous NumPy array."""
        self._bytes(size).set(_host_bytes(mem, size))

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """The same on `stream`; the memory has been read when this returns."""
        with stream or contextlib.nullcontext():
            self.copy_from_host(mem, size)

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy from a MemoryPointer or from the host."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """The same on `stream`."""
        with stream or contextlib.nullcontext():
            self.copy_from(mem, size)

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy to a host address (int, ctypes.c_void_p) or a contiguous NumPy array."""
        self._bytes(size).get(out=_host_bytes(mem, size))

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """The same on `stream`; the bytes are there when this returns."""
        with stream or contextlib.nullcontext():
            self.copy_to_host(mem, size)

    def memset(self, value: int, size: int) -> None:
        """Set every byte to the lowest byte of `value`."""
        self._bytes(size).fill(int(value) & 0xFF)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """The same on `stream`."""
        with stream or contextlib.nullcontext():
            self.memset(value, size)


def pointer_of(array: ndarray) -> MemoryPointer:
    """What `a.data` is."""
    block, offset = _core.memory_of(array)
    return MemoryPointer(PooledMemory(block), offset)


def _checked(size: int) -> int:
    if size < 0:
        raise ValueError(f"a size in bytes cannot be negative: {size}")
    return size


def _host_bytes(mem: Any, size: int) -> np.ndarray:
    """`size` bytes of host memory as a NumPy array."""
    if isinstance(mem, np.ndarray):
        if not (mem.flags.c_contiguous or mem.flags.f_contiguous):
            raise ValueError("the NumPy array must be contiguous")
        if mem.nbytes < size:
            raise ValueError(f"the NumPy array has {mem.nbytes} bytes, not {size}")
        flat: np.ndarray = mem.ravel("K").view(np.uint8)
        return flat[:size]
    address = mem.value if isinstance(mem, ctypes.c_void_p) else int(mem)
    if not address and size:
        raise ValueError("a null pointer has no bytes")
    buffer: Any = (ctypes.c_uint8 * _checked(size)).from_address(address or 0)
    return np.frombuffer(buffer, np.uint8, size) if size else np.empty(0, np.uint8)


_leaves: dict[str, Any] = {}


def _leaf(kind: str) -> Any:
    """The allocator that hands out memory of a kind straight from the platform."""
    if kind not in _leaves:
        _leaves[kind] = _core.leaf_allocator(kind)
    return _leaves[kind]
