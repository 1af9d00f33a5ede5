"""How an `nditer` goes over its operands: along which axes, in which order, by which lines."""

from __future__ import annotations

import math

from cupola import _cupola as _core
from cupola._array import nditer_order
from cupola._array.nditer_operands import Operand
from cupola._array.nditer_position import INDEX_FLAGS, Position
from cupola._cupola import ndarray


class Walk(Position):
    """The order and the number of an iterator's axes, and the views of its operands by them."""

    _operands: list[Operand]
    _views: list[ndarray]

    def _order(self, order: str) -> None:
        """The operands as they are gone over: axes from the outermost, all of them forward."""
        views = [operand.view for operand in self._operands]
        wide = [_core.broadcast_to(operand.source, self._shape) for operand in self._operands]
        self._axes = nditer_order.order_of_axes(wide, order)
        self._backward = set(nditer_order.backward_axes(wide)) if order == "K" else set()
        turn = tuple(
            slice(None, None, -1) if axis in self._backward else slice(None)
            for axis in range(len(self._shape))
        )
        views = [_core.transpose(view[turn], self._axes) for view in views]
        self._extents = [self._shape[axis] for axis in self._axes]
        self._views = views
        self._check_contiguous()
        self._check_lines()
        self._join_axes()

    def _check_contiguous(self) -> None:
        """Operands of "contig" lie side by side along the innermost axis, or in buffers."""
        if "buffered" in self._flags or not self._size:
            return
        for operand, view in zip(self._operands, self._views, strict=True):
            step = view.strides[-1] if view.ndim else 0
            if "contig" in operand.access and step != view.itemsize:
                raise TypeError(
                    "Iterator operand required buffering, to be contiguous as requested, but "
                    "buffering is not enabled"
                )

    def _check_lines(self) -> None:
        if self._external and any(operand.is_reduced for operand in self._operands):
            raise ValueError("an output that is reduced has no lines for EXTERNAL_LOOP")

    def _join_axes(self) -> None:
        """Neighbouring axes become one where no indices are asked for."""
        if any(operand.is_reduced for operand in self._operands):
            return
        if self._shape and not self._flags & INDEX_FLAGS and self._size:
            self._extents = nditer_order.coalesced_shape(self._views)
            self._views = [nditer_order.reshaped(view, self._extents) for view in self._views]

    # ---- fewer axes

    def remove_axis(self, i: int) -> None:
        """Stay at index 0 of an axis of the operands, and start again over the others.

        Needs the flag "multi_index".

        Parameters
        ----------
        i : int
            Number of the axis.

        Raises
        ------
        RuntimeError
            Without the flag "multi_index", or with an index or buffers.
        ValueError
            For an axis that is not there, or that has no elements.

        Examples
        --------
        >>> import cupola as cp
        >>> it = cp.nditer(cp.arange(6).reshape(2, 3), flags=["multi_index"])
        >>> it.remove_axis(0)
        >>> [int(x) for x in it]
        [0, 1, 2]
        """
        self._check_open()
        if "multi_index" not in self._flags:
            raise RuntimeError(
                "Iterator RemoveAxis may only be called if a multi-index is being tracked"
            )
        if self.has_index or "buffered" in self._flags:
            raise RuntimeError("an iterator with an index or buffers keeps its axes")
        if not 0 <= i < len(self._shape):
            raise ValueError("axis out of bounds in iterator RemoveAxis")
        if self._shape[i] == 0:
            raise ValueError(f"axis {i} has no index 0")
        place = self._axes.index(i)
        index = (*[slice(None)] * place, -1 if i in self._backward else 0, ...)
        self._views = [view[index] for view in self._views]
        self._shape = self._shape[:i] + self._shape[i + 1 :]
        self._axes = [axis - (axis > i) for axis in self._axes if axis != i]
        self._backward = {axis - (axis > i) for axis in self._backward if axis != i}
        self._extents = [self._shape[axis] for axis in self._axes]
        self._size = math.prod(self._shape)
        self._go_over(0, self._size)

    def remove_multi_index(self) -> None:
        """Forget the indices of the operands, so that neighbouring axes become one. Start again.

        Raises
        ------
        ValueError
            For an iterator that is closed.

        Examples
        --------
        >>> import cupola as cp
        >>> it = cp.nditer(cp.arange(6).reshape(2, 3), flags=["multi_index"])
        >>> it.remove_multi_index()
        >>> it.ndim
        1
        """
        self._check_open()
        self._flags = self._flags - {"multi_index"}
        self._join_axes()
        self._go_to(self._start)

    def enable_external_loop(self) -> None:
        """As with the flag "external_loop" from now on. Start again.

        Raises
        ------
        ValueError
            With an index, with "ranged" but not "buffered", and where an output is reduced.

        Examples
        --------
        >>> import cupola as cp
        >>> it = cp.nditer(cp.arange(6).reshape(2, 3))
        >>> it.enable_external_loop()
        >>> [line.tolist() for line in it]
        [[0, 1, 2, 3, 4, 5]]
        """
        self._check_open()
        check_external_loop(self._flags | {"external_loop"})
        self._flags = self._flags | {"external_loop"}
        self._external = True
        self._check_lines()
        self._go_to(self._start)


def check_external_loop(flags: set[str]) -> None:
    """Lines are given without indices, and in a range only from buffers."""
    if "external_loop" not in flags:
        return
    if flags & INDEX_FLAGS:
        raise ValueError(
            "Iterator flag EXTERNAL_LOOP cannot be used if an index or multi-index is being tracked"
        )
    if "ranged" in flags and "buffered" not in flags:
        raise ValueError(
            "Iterator flag RANGED cannot be used with the flag EXTERNAL_LOOP unless BUFFERED is "
            "also enabled"
        )
