"""Memory as an object of its own, under CuPy's names."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import Device

if TYPE_CHECKING:
    from cupola._cupola import MemoryBlock, ndarray

__all__ = [
    "BaseMemory",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "PooledMemory",
    "StripedMemory",
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

    Examples
    --------
    >>> import cupola as cp
    >>> class Whole(cp.cuda.BaseMemory):
    ...     def __init__(self, array):
    ...         self.array = array  # keeps the memory
    ...         self.ptr = array.data.ptr
    ...         self.size = array.nbytes
    ...         self.device_id = array.device.id
    >>> memory = Whole(cp.arange(4, dtype="int32"))
    >>> memory.size
    16
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
    """Memory of a pool, to which it goes back: what `MemoryPool.malloc` and `a.data` point into.

    Attributes
    ----------
    ptr : int
        Address of the first byte.
    size : int
        Bytes.
    device_id : int
        The device's number on its platform.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.MemoryPool().malloc(1024).mem.size >= 1024
    True
    """


class Memory(_BlockMemory):
    """Memory of the current device, straight from the platform.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> memory = cp.cuda.Memory(1024)
    >>> a = cp.ndarray(3, "float32", memptr=cp.cuda.MemoryPointer(memory, 0))
    >>> a.data.ptr == memory.ptr
    True
    """

    def __init__(self, size: int) -> None:
        super().__init__(_core.allocate_memory(size, leaf("device")))


class MemoryAsync(_BlockMemory):
    """Memory from the platform's own stream-ordered allocator.

    Parameters
    ----------
    size : int
        Bytes.
    stream : Stream, optional
        Default: the current one.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.MemoryAsync(1024).size >= 1024
    True
    """

    def __init__(self, size: int, stream: Any = None) -> None:
        self._stream = stream or _core.current_stream(None)
        with stream or contextlib.nullcontext():
            super().__init__(_core.allocate_memory(size, leaf("async")))

    def stream_ref(self) -> Any:
        """The stream on which it was allocated.

        Returns
        -------
        Stream

        Examples
        --------
        >>> import cupola as cp
        >>> stream = cp.Stream()
        >>> cp.cuda.MemoryAsync(1024, stream).stream_ref() == stream
        True
        """
        return self._stream


class StripedMemory(_BlockMemory):
    """Memory of several devices, which all of them reach, in one range of addresses.

    Of the members of the current device where that is a set, else of all devices of its platform.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.memory.StripedMemory(1024).size >= 1024
    True
    """

    def __init__(self, size: int) -> None:
        super().__init__(_core.allocate_memory(size, leaf("striped")))


class ManagedMemory(_BlockMemory):
    """Memory that moves between the host and the devices as it is used.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> memory = cp.cuda.ManagedMemory(4096)
    >>> memory.advise("read_mostly")
    >>> memory.prefetch(device="host")
    """

    def __init__(self, size: int) -> None:
        super().__init__(_core.allocate_memory(size, leaf("managed")))

    def _bytes(self) -> ndarray:
        return _core.array_on_memory(self._memory, 0, (self.size,), "uint8")

    def prefetch(self, stream: Any = None, *, device: Any = None) -> None:
        """Move the pages to a device or to the host.

        Parameters
        ----------
        stream : Stream, optional
            Default: the current one.
        device : int, Device or "host", optional
            Default: the memory's own.

        Examples
        --------
        >>> import cupola as cp
        >>> memory = cp.cuda.ManagedMemory(4096)
        >>> memory.prefetch(cp.Stream(), device="host")
        """
        with stream or contextlib.nullcontext():
            self._bytes().prefetch(device)

    def advise(self, advise: int | str, dev: Any = None) -> None:
        """Say how the memory is used.

        Parameters
        ----------
        advise : int or str
            CUDA's number of the advice, or its name: "read_mostly", "preferred_location",
            "accessed_by", or one of these after "unset_".
        dev : int, Device or "host", optional
            What it is about; default: the memory's own device.

        Raises
        ------
        ValueError
            For an advice that there is not.

        Examples
        --------
        >>> import cupola as cp
        >>> memory = cp.cuda.ManagedMemory(4096)
        >>> memory.advise("preferred_location", "host")
        >>> memory.advise("unset_preferred_location")
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

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(4, dtype="int32")
    >>> memory = cp.cuda.UnownedMemory(a.data.ptr, a.nbytes, a)
    >>> cp.ndarray(2, "int32", memptr=cp.cuda.MemoryPointer(memory, 8))
    array([2, 3], dtype=int32)
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


_leaves: dict[str, Any] = {}


def leaf(kind: str) -> Any:
    """The allocator that hands out memory of a kind straight from the platform."""
    if kind not in _leaves:
        _leaves[kind] = _core.leaf_allocator(kind)
    return _leaves[kind]
