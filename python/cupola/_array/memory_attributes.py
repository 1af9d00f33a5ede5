"""Attributes and methods of `ndarray` that show its memory: places, flags, fields, pointers."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.descriptions import Flags
from cupola._cupola import ndarray
from cupola._devices.sets import PlacedPart, _placement
from cupola._memory.pointers import MemoryPointer, pointer_of

if TYPE_CHECKING:
    from cupola._typing import DTypeLike

    _Base = ndarray
else:
    _Base = object


def _host_view(array: ndarray, name: str) -> np.ndarray:
    """A NumPy array over the memory of one on a CPU device, when its uses are done."""
    if array.device.platform != "cpu":
        raise AttributeError(
            f"the array is on {array.device}, and only arrays in host memory have {name}; "
            "cupola.asnumpy copies one there"
        )
    if not isinstance(array.dtype, np.dtype) or array.dtype.name == "bfloat16":
        raise AttributeError(f"there is no {name} of bfloat16; a.view(cupola.uint16) has one")
    try:
        return np.asarray(memoryview(array))
    except BufferError as error:  # where the program forbids that
        raise AttributeError(str(error)) from None


class MemoryAttributes(_Base):
    """Copied to `ndarray`, member by member."""

    @property
    def placement(self) -> list[PlacedPart]:
        """Where the elements lie: a part for each member of the array's device, by addresses."""
        return _placement(self)

    @property
    def flags(self) -> Flags:
        """How the elements lie in memory."""
        return Flags(self)

    @property
    def data(self) -> MemoryPointer:
        """Where the elements lie."""
        return pointer_of(self)

    def __sizeof__(self) -> int:
        """Bytes of the elements, wherever they are, and of the object: for `sys.getsizeof`."""
        stored = (n for n, stride in zip(self.shape, self.strides, strict=True) if stride)
        return object.__sizeof__(self) + self.itemsize * math.prod(stored)

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Make the array read-only, or writable again.

        Parameters
        ----------
        write : bool, optional
            Views that are made later take it over, those that exist do not.
        align : bool, optional
            Nothing changes: elements are always aligned, and treated so.
        uic : bool, optional
            No array is a copy that is written back: only False.

        Raises
        ------
        ValueError
            To make what views read-only memory, or has equal places in memory, writable; for
            uic=True.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.zeros(2)
        >>> a.setflags(write=False)
        >>> a.flags.writeable
        False
        """
        bool(align)
        if uic:
            raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
        if write is not None:
            self._set_writable(bool(write))

    def getfield(self, dtype: DTypeLike, offset: int = 0) -> ndarray:
        """A view of some bytes of each element as another dtype.

        Parameters
        ----------
        dtype : dtype
            Of at most the bytes of an element.
        offset : int
            The first byte, a multiple of the dtype's bytes.

        Returns
        -------
        ndarray
            Of the same shape.

        Raises
        ------
        ValueError
            For bytes outside an element, or that are not aligned.
        TypeError
            For an offset that is no integer.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.asarray([1 + 2j, 3 + 4j]).getfield(cp.float64, 8).tolist()
        [2.0, 4.0]
        """
        wanted = _core.dtype("float64" if dtype is None else dtype)
        width = wanted.itemsize
        offset = operator.index(offset)
        if offset < 0 or offset + width > self.itemsize:
            raise ValueError(
                f"Need 0 <= offset <= {self.itemsize - width} for requested type but received "
                f"offset = {offset}"
            )
        if offset % width or self.itemsize % width:
            raise ValueError(
                f"the elements of this view are not aligned: bytes {offset} to {offset + width} "
                f"of elements of {self.itemsize} bytes as {wanted}"
            )
        if width == self.itemsize:
            return _core.view_as(self, wanted)
        return _core.view_as(self[..., None], wanted)[..., offset // width]

    def setfield(self, val: Any, dtype: DTypeLike, offset: int = 0) -> None:
        """Set some bytes of each element, as `getfield` shows them, to other values.

        Parameters
        ----------
        val : array_like
            Broadcasts to the array's shape.
        dtype : dtype
            Of at most the bytes of an element.
        offset : int, optional
            The first byte, a multiple of the dtype's bytes.

        Raises
        ------
        ValueError
            As `getfield` raises it.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.array([1, 2], dtype="int16")
        >>> a.setfield(1, "int8", 1)
        >>> a
        array([257, 258], dtype=int16)
        """
        self.getfield(dtype, offset)[...] = val

    @property
    def ctypes(self) -> Any:
        """Pointer, shape and strides for `ctypes`, of arrays in host memory: numpy.ndarray.ctypes.

        It keeps the memory. AttributeError for arrays on other devices.
        """
        return _host_view(self, "ctypes").ctypes

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """Version 3 of NumPy's array interface, of arrays in host memory.

        The pointer is valid as long as the array lives.
        """
        host = _host_view(self, "__array_interface__")
        # With strides, since a buffer without a shape is no substitute for these.
        return {**host.__array_interface__, "strides": host.strides}

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """The array of one dimension for Arrow's C data interface; by pyarrow.

        Raises
        ------
        ImportError
            Without pyarrow.
        ValueError
            For other numbers of dimensions.
        cupola.errors.ImplicitHostCopyError
            For arrays on GPUs: pass cupola.asnumpy(a).
        """
        from cupola.interop.arrow import export

        return export(self, requested_schema)
