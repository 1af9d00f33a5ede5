"""`nditer`: an iterator over the elements of several arrays that broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cupola import _cupola as _core
from cupola._array import nditer_order
from cupola._array.nditer_operands import prepared
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import CastingLike

__all__ = ["nditer"]

_INDEX_FLAGS = {"c_index", "f_index", "multi_index"}
_FLAGS = _INDEX_FLAGS | {
    "buffered",
    "common_dtype",
    "copy_if_overlap",
    "delay_bufalloc",
    "external_loop",
    "grow_inner",
    "reduce_ok",
    "refs_ok",
    "zerosize_ok",
}


class nditer:  # noqa: N801
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
        "reduce_ok", "zerosize_ok"; NumPy's others change nothing.
    op_flags : list of str, or a list of them for each operand, optional
        "readonly" (the default), "readwrite", "writeonly", "allocate", "no_broadcast", "copy",
        "updateifcopy"; NumPy's others change nothing.
    op_dtypes : dtype, or sequence of dtypes, optional
        Operands of another dtype are cast before the first step, with "buffered" or "copy", and
        cast back by `close`.
    order : {'K', 'C', 'F', 'A'}
    casting : {'safe', 'no', 'equiv', 'same_kind', 'unsafe'}
    op_axes : list of lists of int, optional
        For each operand, its axis for each one of the iterator; -1 for a new one.
    itershape : tuple of ints, optional
        The shape of the iterator, with -1 for what the operands say.
    buffersize : int
        Nothing: there are no buffers.

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
        self._flags = set(flags or ())
        if unknown := self._flags - _FLAGS:
            raise ValueError(f'Unexpected iterator global flag "{min(unknown)}"')
        self._external = "external_loop" in self._flags
        if self._external and self._flags & _INDEX_FLAGS:
            raise ValueError(
                "Iterator flag EXTERNAL_LOOP cannot be used if an index or multi-index is being "
                "tracked"
            )
        if order not in ("K", "C", "F", "A"):
            raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
        self._operands, self._shape = prepared(
            op, self._flags, op_flags, op_dtypes, order, casting, op_axes, itershape
        )
        self.itersize: int = int(np.prod(self._shape, dtype=np.int64))
        if not self.itersize and "zerosize_ok" not in self._flags:
            raise ValueError("Iteration of zero-sized operands is not enabled")
        if order == "A":
            order = "F" if all(a.flags.f_contiguous for a in self.operands) else "C"
        self._order(order)
        self.reset()

    def _order(self, order: str) -> None:
        """The operands as they are gone over: axes from the outermost, all of them forward."""
        views = [operand.view for operand in self._operands]
        wide = [_core.broadcast_to(view, self._shape) for view in views]
        self._axes = nditer_order.order_of_axes(wide, order)
        self._backward = set(nditer_order.backward_axes(wide)) if order == "K" else set()
        turn = tuple(
            slice(None, None, -1) if axis in self._backward else slice(None)
            for axis in range(len(self._shape))
        )
        views = [_core.transpose(view[turn], self._axes) for view in views]
        self._extents = [self._shape[axis] for axis in self._axes]
        if any(operand.is_reduced for operand in self._operands):
            if self._external:
                raise ValueError("an output that is reduced has no lines for EXTERNAL_LOOP")
        elif self._shape and not self._flags & _INDEX_FLAGS and self.itersize:
            self._extents = nditer_order.coalesced_shape(views)
            views = [nditer_order.reshaped(view, self._extents) for view in views]
        self._views = views

    # ---- position

    def reset(self) -> None:
        """Start again."""
        self.iterindex = 0
        self._started = False

    @property
    def _step(self) -> int:
        return self._extents[-1] if self._external and self._extents and self.itersize else 1

    @property
    def finished(self) -> bool:
        """Whether there are no more elements."""
        return self.iterindex >= self.itersize

    def iternext(self) -> bool:
        """Go on; False at the end."""
        self.iterindex += self._step
        return not self.finished

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The indices of the element, with the flag "multi_index"."""
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._position()

    def _position(self) -> tuple[int, ...]:
        if self.finished:
            raise ValueError("Iterator is past the end")
        index = [0] * len(self._shape)
        places = np.unravel_index(self.iterindex, self._extents) if self._extents else ()
        for axis, place in zip(self._axes, places, strict=True):
            last = self._shape[axis] - 1
            index[axis] = last - int(place) if axis in self._backward else int(place)
        return tuple(index)

    @property
    def index(self) -> int:
        """The place of the element in C or Fortran order, with "c_index" or "f_index"."""
        order: Literal["C", "F"] = "C" if "c_index" in self._flags else "F"
        if not self._flags & {"c_index", "f_index"}:
            raise ValueError("Iterator does not have an index")
        position = self._position()
        return int(np.ravel_multi_index(position, self._shape, order=order)) if position else 0

    # ---- elements

    def __getitem__(self, number: Any) -> Any:
        return self._elements()[number]

    def _elements(self) -> tuple[ndarray, ...]:
        if self.finished:
            raise ValueError("Iterator is past the end")
        if not self._extents:
            line = (1,) if self._external else ()
            return tuple(_core.reshape(view, line, "C", copy=False) for view in self._views)
        index = tuple(int(place) for place in np.unravel_index(self.iterindex, self._extents))
        if self._external:
            return tuple(view[index[:-1]] for view in self._views)
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
        self._started = True
        if self.finished:
            raise StopIteration
        return self.value

    def __len__(self) -> int:
        return self.nop

    # ---- description

    @property
    def nop(self) -> int:
        """The number of operands."""
        return len(self._operands)

    @property
    def ndim(self) -> int:
        """The dimensions of the iterator."""
        return len(self._extents)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape: with an index that of the operands, else from the innermost axis."""
        return self._shape if self._flags & _INDEX_FLAGS else tuple(self._extents[::-1])

    @property
    def operands(self) -> tuple[ndarray, ...]:
        """The arrays, those that were allocated among them."""
        return tuple(operand.array for operand in self._operands)

    @property
    def itviews(self) -> tuple[ndarray, ...]:
        """The operands in the order of the iterator."""
        return tuple(self._views)

    @property
    def dtypes(self) -> tuple[np.dtype, ...]:
        """Of the elements."""
        return tuple(view.dtype for view in self._views)

    @property
    def has_index(self) -> bool:
        """Whether there is `index`."""
        return bool(self._flags & {"c_index", "f_index"})

    @property
    def has_multi_index(self) -> bool:
        """Whether there is `multi_index`."""
        return "multi_index" in self._flags

    # ---- end

    def close(self) -> None:
        """Cast what was written back to operands of another dtype."""
        for operand in self._operands:
            operand.write_back()

    def __enter__(self) -> nditer:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def _element(view: ndarray, index: tuple[int, ...]) -> ndarray:
    """The element at a place of the iterator: of an output that is reduced, where it goes."""
    places = (0 if extent == 1 else at for at, extent in zip(index, view.shape, strict=True))
    return view[(*places, ...)]
