"""`nditer`: an iterator over the elements of several arrays that broadcast."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._array import nditer_order
from cupola._array.nditer_operands import prepared
from cupola._array.nditer_position import INDEX_FLAGS
from cupola._array.nditer_walk import Walk, check_external_loop
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import CastingLike

__all__ = ["nditer"]

_FLAGS = INDEX_FLAGS | {
    "buffered",
    "common_dtype",
    "copy_if_overlap",
    "delay_bufalloc",
    "external_loop",
    "grow_inner",
    "growinner",
    "ranged",
    "reduce_ok",
    "refs_ok",
    "zerosize_ok",
}


class nditer(Walk):  # noqa: N801
    """An iterator over the elements of arrays, in the order in which they lie in memory.

    Elements are arrays without dimensions on their device, and with "external_loop" the longest
    lines that all operands have. Each is a view: what is assigned to it (``x[...] = 1``) is
    assigned to the operand. Going over single elements is slow on every device; functions of whole
    arrays do the same in one step.

    Parameters
    ----------
    op : array, or sequence of arrays and None
        They broadcast. None stands for a new array.
    flags : sequence of str, optional
        "c_index", "f_index", "multi_index", "external_loop", "buffered", "common_dtype",
        "copy_if_overlap", "ranged", "reduce_ok", "zerosize_ok"; NumPy's others change nothing.
    op_flags : list of str, or a list of them for each operand, optional
        "readonly" (the default), "readwrite", "writeonly", "allocate", "no_broadcast", "copy",
        "updateifcopy", "arraymask", "writemasked"; NumPy's others change nothing.
    op_dtypes : dtype, or sequence of dtypes, optional
        Operands of another dtype are cast before the first step, with "buffered" or "copy", and
        cast back by `close`.
    order : {'K', 'C', 'F', 'A'}
    casting : {'safe', 'no', 'equiv', 'same_kind', 'unsafe'}
    op_axes : list of lists of int, optional
        For each operand, its axis for each one of the iterator; -1 for a new one. Along axes that
        are not named it stays at index 0, and an output that is allocated has the named ones.
    itershape : tuple of ints, optional
        The shape of the iterator, with -1 for what the operands say.
    buffersize : int
        With "buffered" and "external_loop": the most elements of a line; 0: there is no limit.

    Raises
    ------
    ValueError
        For shapes that do not broadcast, unknown flags, an output that would be reduced without
        "reduce_ok", and operands without elements without "zerosize_ok".
    TypeError
        For a cast that `casting` or the flags do not allow.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(4).reshape(2, 2)
    >>> with cp.nditer(a, op_flags=["readwrite"], flags=["multi_index"]) as it:
    ...     for x in it:
    ...         x[...] = x + sum(it.multi_index)
    >>> a.tolist()
    [[0, 2], [3, 5]]
    """

    def __init__(
        self,
        op: Any,
        flags: Sequence[str] | None = None,
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: str = "K",
        casting: CastingLike = "safe",
        op_axes: Any = None,
        itershape: Any = None,
        buffersize: int = 0,
    ) -> None:
        self._flags = _checked_flags(flags)
        self._external = "external_loop" in self._flags
        self._buffersize = max(int(buffersize), 0) if "buffered" in self._flags else 0
        if order not in ("K", "C", "F", "A"):
            raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
        self._operands, self._shape, order = prepared(
            op, self._flags, op_flags, op_dtypes, order, casting, op_axes, itershape
        )
        if self._flags & {"grow_inner", "growinner"} and not any(
            o.copy is not None for o in self._operands
        ):
            self._buffersize = 0
        self._size = math.prod(self._shape)
        self._order(order)
        self._go_over(0, self._size)

    # ---- elements

    def __getitem__(self, number: Any) -> Any:
        self._check_element()
        if isinstance(number, slice):
            if number.step not in (None, 1):
                raise ValueError("Iterator slicing only supports a step of 1")
            return self._elements()[number]
        return self._elements()[self._operand_number(number)]

    def __setitem__(self, number: Any, value: Any) -> None:
        self._check_element()
        if isinstance(number, slice):
            numbers = range(*number.indices(len(self._operands)))
            values = list(value)
            if number.step not in (None, 1):
                raise ValueError("Iterator slicing only supports a step of 1")
            if len(values) != len(numbers):
                raise ValueError("Wrong size to assign to iterator slice")
            for one, each in zip(numbers, values, strict=True):
                self[one] = each
            return
        place = self._operand_number(number)
        element = self._elements()[place]
        if not element.flags.writeable:
            raise RuntimeError(f"Iterator operand {place} is not writeable")
        element[...] = value

    def __delitem__(self, number: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def _operand_number(self, number: Any) -> int:
        try:
            place = operator.index(number)
        except TypeError:
            raise TypeError("invalid index type for iterator indexing") from None
        count = len(self._operands)
        if not -count <= place < count:
            raise IndexError(f"Iterator operand index {place} is out of bounds")
        return place % count

    def _elements(self) -> tuple[ndarray, ...]:
        self._check_element()
        if not self._extents:
            line = (1,) if self._external else ()
            return tuple(_core.reshape(view, line, "C", copy=False) for view in self._views)
        index = tuple(int(place) for place in np.unravel_index(self._place, self._extents))
        if self._external:
            last = slice(index[-1], index[-1] + self._step)
            return tuple(view[(*index[:-1], last)] for view in self._views)
        return tuple(_element(view, index) for view in self._views)

    @property
    def value(self) -> Any:
        """The elements, one of each operand; of one operand its element."""
        elements = self._elements()
        return elements[0] if len(elements) == 1 else elements

    def __iter__(self) -> nditer:
        return self

    def __next__(self) -> Any:
        if self._started:
            self.iternext()
        if self._closed or self.finished:
            raise StopIteration
        value = self.value
        self._started = True
        return value

    def __len__(self) -> int:
        return 0 if self._closed else len(self._operands)

    # ---- description

    @property
    def nop(self) -> int:
        """The number of operands."""
        self._check_open()
        return len(self._operands)

    @property
    def ndim(self) -> int:
        """The dimensions of the iterator."""
        self._check_open()
        return len(self._own_shape())

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape: with "multi_index" that of the operands, else from the innermost axis."""
        self._check_not_past()
        return self._own_shape()

    def _own_shape(self) -> tuple[int, ...]:
        if "multi_index" in self._flags:
            return self._shape
        if not self._flags & INDEX_FLAGS or not self._shape:
            return tuple(self._extents[::-1])
        numbered = nditer_order.numbered(self._shape, self._axes, self._backward, self._index_order)
        return tuple(nditer_order.coalesced_shape([*self._views, numbered])[::-1])

    @property
    def itersize(self) -> int:
        """How many elements there are, whatever `iterrange` says."""
        self._check_open()
        return self._size

    @property
    def operands(self) -> tuple[ndarray, ...]:
        """The arrays, those that were allocated among them."""
        self._check_open()
        return tuple(operand.array for operand in self._operands)

    @property
    def itviews(self) -> tuple[ndarray, ...]:
        """The operands in the order of the iterator."""
        self._check_open()
        return tuple(self._views)

    @property
    def dtypes(self) -> tuple[np.dtype, ...]:
        """The dtypes of the elements, one for each operand."""
        self._check_open()
        return tuple(view.dtype for view in self._views)

    @property
    def iterationneedsapi(self) -> bool:
        """Whether a step runs Python code of the elements': never, they are numbers."""
        return False

    def debug_print(self) -> None:
        """Print how the iterator goes over its operands.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.nditer(cp.arange(4), flags=["c_index"]).debug_print()  # doctest: +ELLIPSIS
        Iterator over shape (4,), flags: c_index
          place 0 of [0, 4), 4 elements
        ...
        """
        if self._closed:
            print("Iterator: (nil)")
            return
        print(f"Iterator over shape {self._shape}, flags: {' '.join(sorted(self._flags))}")
        print(f"  place {self._place} of [{self._start}, {self._end}), {self._size} elements")
        print(f"  axes from the outermost: {self._axes}, backward: {sorted(self._backward)}")
        print(f"  extents: {self._extents}")
        for number, view in enumerate(self._views):
            access = "readwrite" if view.flags.writeable else "readonly"
            print(f"  operand {number}: {view.dtype}, strides {view.strides}, {access}")

    # ---- copies and end

    def copy(self) -> nditer:
        """An iterator over the same operands, at the same place, that goes on by itself.

        Returns
        -------
        nditer

        Examples
        --------
        >>> import cupola as cp
        >>> it = cp.nditer(cp.arange(3))
        >>> other = it.copy()
        >>> other.iternext(), other.iterindex, it.iterindex
        (True, 1, 0)
        """
        self._check_open()
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    __copy__ = copy

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle 'nditer' object")

    def close(self) -> None:
        """Cast what was written back to operands of another dtype; the iterator has no more use.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.zeros(2, "int32")
        >>> it = cp.nditer(a, ["buffered"], ["readwrite"], "int64", casting="same_kind")
        >>> for x in it:
        ...     x[...] = 7
        >>> it.close()
        >>> a.tolist()
        [7, 7]
        """
        if not self._closed:
            self._closed = True
            for operand in self._operands:
                operand.write_back()

    def __enter__(self) -> nditer:
        if self._closed:
            raise RuntimeError("operation on non-initialized iterator")
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def _checked_flags(flags: Sequence[str] | None) -> set[str]:
    if isinstance(flags, str) or not isinstance(flags, (list, tuple, set, frozenset, type(None))):
        raise ValueError("Iterator global flags must be a list or tuple of strings")
    found = set(flags or ())
    if not all(isinstance(flag, str) for flag in found):
        raise TypeError("Iterator global flags must be strings")
    if unknown := found - _FLAGS:
        raise ValueError(f'Unexpected iterator global flag "{min(unknown)}"')
    if {"c_index", "f_index"} <= found:
        raise ValueError("Iterator flags C_INDEX and F_INDEX cannot both be specified")
    check_external_loop(found)
    return found


def _element(view: ndarray, index: tuple[int, ...]) -> ndarray:
    """The element at a place of the iterator: of an output that is reduced, where it goes."""
    places = (0 if extent == 1 else at for at, extent in zip(index, view.shape, strict=True))
    return view[(*places, ...)]
