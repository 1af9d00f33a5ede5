"""Where an `nditer` is: its place in the range that it goes over, as a number and as indices."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Literal

import numpy as np

INDEX_FLAGS = {"c_index", "f_index", "multi_index"}
_OUTSIDE = "with an iterindex outside the iteration range: {} is not in [{}, {})"


class Position:
    """The place of an iterator whose axes `_axes`, from the outermost, have extents `_extents`.

    `_shape` is that of the operands, and `_backward` has those of their axes that it goes over
    from the end.
    """

    _flags: set[str]
    _shape: tuple[int, ...]
    _axes: list[int]
    _backward: set[int]
    _extents: list[int]
    _external: bool
    _buffersize: int
    _size: int
    _closed = False

    def _go_over(self, start: int, end: int) -> None:
        """Start anew, with another range."""
        self._start, self._end = start, end
        self._delayed = {"buffered", "delay_bufalloc"} <= self._flags
        self._go_to(start)

    def _go_to(self, place: int) -> None:
        self._place = place
        self._started = False

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("Iterator is invalid")

    def _check_not_past(self) -> None:
        if self._closed or self.finished:
            raise ValueError("Iterator is past the end")

    def _check_element(self) -> None:
        self._check_not_past()
        if self._delayed:
            raise ValueError(
                "Iterator construction used delayed buffer allocation, and no reset has been done "
                "yet"
            )

    def reset(self) -> None:
        """Start again, at the beginning of `iterrange`.

        Raises
        ------
        ValueError
            For an iterator that is closed.

        Examples
        --------
        >>> import cupola as cp
        >>> it = cp.nditer(cp.arange(2))
        >>> it.iternext()
        True
        >>> it.reset()
        >>> it.iterindex
        0
        """
        self._check_open()
        self._delayed = False
        self._go_to(self._start)

    @property
    def finished(self) -> bool:
        """Whether there are no more elements."""
        return not self._closed and self._place >= self._end

    @property
    def has_delayed_bufalloc(self) -> bool:
        """Whether `reset` must be called first: "buffered" with "delay_bufalloc"."""
        return self._delayed

    @property
    def _step(self) -> int:
        """How many elements are taken at once."""
        if not self._external or not self._extents or not self._size:
            return 1
        line = self._extents[-1]
        step = min(line - self._place % line, self._end - self._place)
        return min(step, self._buffersize) if self._buffersize else step

    def iternext(self) -> bool:
        """Go on to the next element, or with "external_loop" to the next line.

        Returns
        -------
        bool
            False at the end.

        Examples
        --------
        >>> import cupola as cp
        >>> it = cp.nditer(cp.arange(2))
        >>> it.iternext(), it.iternext()
        (True, False)
        """
        if self._closed or self.finished:
            return False
        self._place += self._step
        return not self.finished

    @property
    def iterindex(self) -> int:
        """The number of the element, in the order of the iterator; it may be assigned."""
        self._check_element()
        return self._place

    @iterindex.setter
    def iterindex(self, value: int) -> None:
        self._check_open()
        if self._external:
            raise ValueError(
                "Cannot call GotoIterIndex on an iterator which has the flag EXTERNAL_LOOP"
            )
        place = operator.index(value)
        if not self._start <= place < self._end:
            said = _OUTSIDE.format(place, self._start, self._end)
            raise IndexError(f"Iterator GotoIterIndex called {said}")
        self._delayed = False
        self._go_to(place)

    @property
    def iterrange(self) -> tuple[int, int]:
        """The numbers of the first element and of that behind the last one.

        With the flag "ranged" they may be assigned, which starts again.
        """
        self._check_open()
        return self._start, self._end

    @iterrange.setter
    def iterrange(self, value: tuple[int, int]) -> None:
        self._check_open()
        start, end = (operator.index(number) for number in value)
        if "ranged" not in self._flags:
            raise ValueError("iterrange can be assigned with the flag 'ranged' only")
        if not 0 <= start <= self._size or not 0 <= end <= self._size:
            raise ValueError(f"Out-of-bounds range [{start}, {end}) passed to iterrange")
        if end < start:
            raise ValueError(f"Invalid range [{start}, {end}) passed to iterrange")
        self._go_over(start, end)

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The indices of the element, with the flag "multi_index"; they may be assigned."""
        self._check_multi_index()
        return self._indices()

    @multi_index.setter
    def multi_index(self, value: Sequence[int]) -> None:
        self._check_multi_index()
        try:
            indices = [operator.index(index) for index in value]
        except TypeError:
            raise ValueError("multi_index must be set with a sequence of integers") from None
        if len(indices) != len(self._shape):
            raise ValueError("Wrong number of indices")
        self._go_to_indices(indices, "Iterator GotoMultiIndex called with an out-of-bounds index")

    def _check_multi_index(self) -> None:
        self._check_open()
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")

    def _indices(self) -> tuple[int, ...]:
        self._check_element()
        indices = [0] * len(self._shape)
        places = np.unravel_index(self._place, self._extents) if self._extents else ()
        for axis, place in zip(self._axes, places, strict=True):
            indices[axis] = self._turned(axis, int(place))
        return tuple(indices)

    def _turned(self, axis: int, index: int) -> int:
        """An index of the operands for a place along the axis, and the other way round."""
        return self._shape[axis] - 1 - index if axis in self._backward else index

    def _go_to_indices(self, indices: Sequence[int], message: str) -> None:
        if not all(0 <= at < extent for at, extent in zip(indices, self._shape, strict=True)):
            raise IndexError(message)
        place = 0
        for axis in self._axes:
            place = place * self._shape[axis] + self._turned(axis, indices[axis])
        if not self._start <= place < self._end:
            raise IndexError(message)
        self._go_to(place)

    @property
    def _index_order(self) -> Literal["C", "F"]:
        self._check_open()
        if not self._flags & {"c_index", "f_index"}:
            raise ValueError("Iterator does not have an index")
        return "C" if "c_index" in self._flags else "F"

    @property
    def index(self) -> int:
        """The place of the element in C or Fortran order, with "c_index" or "f_index".

        It may be assigned.
        """
        order = self._index_order
        indices = self._indices()
        return int(np.ravel_multi_index(indices, self._shape, order=order)) if indices else 0

    @index.setter
    def index(self, value: int) -> None:
        order = self._index_order
        index = operator.index(value)
        message = "Iterator GotoIndex called with an out-of-bounds index"
        if not 0 <= index < self._size:
            raise IndexError(message)
        places = np.unravel_index(index, self._shape, order=order) if self._shape else ()
        self._go_to_indices([int(place) for place in places], message)

    @property
    def has_index(self) -> bool:
        """Whether there is `index`."""
        self._check_open()
        return bool(self._flags & {"c_index", "f_index"})

    @property
    def has_multi_index(self) -> bool:
        """Whether there is `multi_index`."""
        self._check_open()
        return "multi_index" in self._flags
