"""The methods of `ndarray`: functions as they are, and what has other arguments than a function."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.cupy_methods import CupyMethods
from cupola._array.descriptions import Flags, FlatIterator
from cupola._array.memory_attributes import MemoryAttributes
from cupola._array.pickling import array_of_host, host_values
from cupola._cupola import ndarray
from cupola._devices.sets import PlacedPart, _placement
from cupola._functions.creation.filled import element_of_none
from cupola._functions.indexing import assignment, selection
from cupola._functions.linalg import products
from cupola._functions.manipulation import rearranging, shapes
from cupola._functions.mathematics import elementwise, scans, sums
from cupola._functions.sorting import sorting
from cupola._functions.statistics import extremes
from cupola._memory.pointers import MemoryPointer, pointer_of

if TYPE_CHECKING:
    from cupola._typing import (
        ArrayLike,
        CastingLike,
        DeviceLike,
        DTypeLike,
        ModeLike,
        OrderLike,
        SourceLike,
    )


if TYPE_CHECKING:
    _Base = ndarray
else:
    _Base = object


def _rebuild(host: Any, dtype: Any) -> ndarray:
    """A pickled array: on the current device."""
    array = array_of_host(host)
    return _core.view_as(array, dtype) if dtype is not None else array


def _one_argument(values: tuple[Any, ...]) -> Any:
    """f(2, 3) and f((2, 3)) mean the same."""
    return values[0] if len(values) == 1 else values


# The array is their first argument.
_FUNCTIONS = (
    *(extremes.all, extremes.any),
    *(extremes.max, extremes.min, extremes.ptp),
    *(products.dot, products.trace, elementwise.round, rearranging.repeat),
    *(scans.cumprod, scans.cumsum, selection.choose, selection.nonzero, selection.take),
    *(shapes.diagonal, shapes.ravel, shapes.squeeze),
    *(sorting.argpartition, sorting.argsort, sorting.searchsorted),
    *(sums.mean, sums.prod, sums.std, sums.sum, sums.var),
)


class _Methods(_Base):
    """Copied to `ndarray`, member by member."""

    # ---- conversion

    def astype(
        self,
        dtype: DTypeLike,
        order: OrderLike = "K",
        casting: CastingLike | None = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> ndarray:
        """A copy of another dtype; itself with copy=False where nothing changes.

        None for `casting` allows every conversion, as in CuPy.
        """
        return _core.astype(
            self, dtype, order, "unsafe" if casting is None else casting, copy, True
        )

    def copy(self, order: OrderLike = "C") -> ndarray:
        """A new array with the same elements."""
        return _core.copy(self, "C" if order is None else order)

    def get(
        self,
        stream: Any = None,
        order: OrderLike = "C",
        out: np.ndarray | None = None,
        blocking: bool = True,
    ) -> np.ndarray:
        """The elements as a NumPy array, or in `out`.

        With `blocking=False` the call returns at once: the result holds the elements when the work
        of `stream` (default: the thread's current one) so far is done.
        """
        return _core.download(self, order, out, stream, blocking)

    def set(
        self,
        arr: Any,
        stream: Any = None,
        *,
        blocking: bool | None = None,
        source: SourceLike = "snapshot",
    ) -> None:
        """Take over the elements of a NumPy array of the same shape and dtype.

        `blocking` and `source` are those of `cupola.array`.
        """
        if not isinstance(arr, np.ndarray):
            raise TypeError(f"Only numpy.ndarray can be set to cupola.ndarray, not {type(arr)}")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if arr.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        _core.set_elements(self, arr, stream, blocking, source)

    def item(self, *args: Any) -> bool | int | float | complex:
        """An element as a Python number: the only one, or that at a flat position or index."""
        if not args or (len(args) == 1 and isinstance(args[0], tuple) and not args[0]):
            if self.size != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return _core.item(self)
        index = args[0] if len(args) == 1 else args
        if isinstance(index, tuple):
            if len(index) != self.ndim:
                raise ValueError("incorrect number of indices for array")
            return _core.item(self[tuple(operator.index(part) for part in index)])
        position = operator.index(index)
        if not -self.size <= position < self.size:
            raise IndexError(f"index {position} is out of bounds for size {self.size}")
        return _core.item(self[np.unravel_index(position % self.size, self.shape)])

    def __round__(self, ndigits: int | None = None) -> Any:
        """Python's round() of an array without dimensions, as of NumPy's scalars.

        Without `ndigits` an int, which waits for the value; else an array of the same dtype.
        """
        if self.ndim or self.dtype.kind in "bc":
            raise TypeError("only real arrays without dimensions define __round__; cupola.round")
        if ndigits is None:
            return round(_core.item(self))
        return elementwise.round(self, operator.index(ndigits))

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        if not isinstance(self.dtype, np.dtype):
            return _core.download(_core.astype(self, np.float32)).tolist()
        return _core.download(self).tolist()

    def tobytes(self, order: OrderLike = "C") -> bytes:
        """The bytes of the elements in C (or Fortran) order."""
        order = "C" if order is None else order
        if not isinstance(self.dtype, np.dtype):
            return _core.download(_core.view_as(self, np.uint16), order).tobytes(order)
        return _core.download(self, order).tobytes(order)

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the elements to a file in C order: their bytes, or text with `sep` between them.

        Bytes go through host memory in pieces; the parts of an array on several devices are written
        at the same time.
        """
        from cupola._files.raw import tofile

        tofile(self, fid, sep, format)

    def dump(self, file: Any) -> None:
        """Pickle the array to a file."""
        import pickle

        if hasattr(file, "write"):
            pickle.dump(self, file, protocol=pickle.HIGHEST_PROTOCOL)
            return
        with open(file, "wb") as opened:
            pickle.dump(self, opened, protocol=pickle.HIGHEST_PROTOCOL)

    def dumps(self) -> bytes:
        """The pickled array."""
        import pickle

        return pickle.dumps(self, protocol=pickle.HIGHEST_PROTOCOL)

    def view(self, dtype: DTypeLike = None, type: Any = ndarray) -> ndarray:
        """The same memory as a new array, with its bytes read as `dtype`."""
        if type is not ndarray:
            raise ValueError("Type must be a sub-type of ndarray type")
        return _core.view_as(self, None if dtype is ndarray else dtype)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> ndarray:
        """The array on another device; itself where it is there."""
        return _core.to_device(self, device)

    def byteswap(self, inplace: bool = False) -> ndarray:
        """The elements with their bytes in the other order."""
        parts = 2 if self.dtype.kind == "c" else 1
        width = self.itemsize // parts
        swapped = _core.copy(self, "A")
        if width > 1 and self.size:
            line = _core.ravel(swapped, "K")  # a view: the copy has no gaps
            raw = _core.reshape(_core.view_as(line, np.uint8), (-1, width))
            _core.copyto(raw, _core.copy(_core.flip(raw, 1)))
        if not inplace:
            return swapped
        _core.copyto(self, swapped)
        return self

    # ---- shape

    def reshape(self, *shape: Any, order: OrderLike = "C", copy: bool | None = None) -> ndarray:
        """The elements in another shape; a view where possible."""
        if not shape:
            raise TypeError("reshape() takes exactly 1 argument (0 given)")
        return _core.reshape(self, _one_argument(shape), order, copy=copy)

    def flatten(self, order: OrderLike = "C") -> ndarray:
        """A copy in one dimension."""
        if isinstance(order, str) and order.upper() == "K":
            return _core.copy(_core.ravel(self, order))
        return _core.reshape(self, (-1,), order, copy=True)

    def transpose(self, *axes: Any) -> ndarray:
        """View with the dimensions in the order `axes` (default: reversed)."""
        return _core.transpose(self, _one_argument(axes) if axes else None)

    def swapaxes(self, axis1: int, axis2: int, /) -> ndarray:
        """View with two dimensions exchanged."""
        return _core.swapaxes(self, axis1, axis2)

    # ---- elements

    def fill(self, value: Any) -> None:
        """Set every element to `value`, a number."""
        if np.ndim(value) > 0:
            raise ValueError(
                f"fill needs a number, not a sequence or an array of shape {np.shape(value)}"
            )
        self[...] = element_of_none(self.dtype) if value is None else value

    def put(self, indices: Any, values: Any, mode: ModeLike = "raise") -> None:
        """Set the elements at flat positions."""
        assignment.put(self, indices, values, mode)

    def sort(
        self,
        axis: int = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
    ) -> None:
        """Sort the elements in place; equal ones stay in order."""
        sorting.sort_in_place(self, axis, kind, order, stable)

    def partition(
        self, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None
    ) -> None:
        """Bring the kth smallest element to its place, in place, and smaller ones before it."""
        sorting.partition_in_place(self, kth, axis, kind, order)

    def compress(
        self, condition: ArrayLike, axis: int | None = None, out: ndarray | None = None
    ) -> ndarray:
        """Slices along `axis` where `condition` holds."""
        return selection.compress(condition, self, axis, out)

    def clip(
        self,
        min: Any = None,
        max: Any = None,
        out: ndarray | None = None,
        *,
        where: Any = True,
        dtype: DTypeLike = None,
        casting: CastingLike = "same_kind",
    ) -> ndarray:
        """Elements limited to [min, max]."""
        return selection.limited(self, min, max, out, where, dtype, casting)

    def conj(self) -> ndarray:
        """Complex conjugate; itself where the dtype is not complex."""
        return _core._ufuncs["conjugate"](self) if self.dtype.kind == "c" else self

    def conjugate(self) -> ndarray:
        """Complex conjugate; itself where the dtype is not complex."""
        return _core._ufuncs["conjugate"](self) if self.dtype.kind == "c" else self

    # ---- pickling

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if isinstance(self.dtype, np.dtype) and self.dtype.name != "bfloat16":
            return _rebuild, (host_values(self), None)
        return _rebuild, (host_values(_core.view_as(self, np.uint16)), "bfloat16")

    def __sizeof__(self) -> int:
        """Bytes of the elements, wherever they are, and of the object: for `sys.getsizeof`."""
        stored = (n for n, stride in zip(self.shape, self.strides, strict=True) if stride)
        return object.__sizeof__(self) + self.itemsize * math.prod(stored)

    # ---- descriptions

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

    @property
    def flat(self) -> FlatIterator:
        """The elements in C order; assigning sets them all."""
        return FlatIterator(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        FlatIterator(self)[:] = value

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The package, which is the namespace of the array API standard.

        Raises
        ------
        ValueError
            For a version of the standard that the package does not follow.
        """
        import cupola
        from cupola._array.standard import check_version

        check_version(api_version)
        return cupola


def install() -> None:
    """Give `ndarray` its methods, under names that pickling and help() find."""
    for function in _FUNCTIONS:
        setattr(ndarray, function.__name__, function)
    members = {**vars(_Methods), **vars(MemoryAttributes), **vars(CupyMethods)}
    for name, member in members.items():
        if name in ("__module__", "__dict__", "__weakref__", "__doc__"):
            continue
        if callable(member):
            member.__qualname__ = f"ndarray.{name}"
            member.__module__ = "cupola"
        setattr(ndarray, name, member)
