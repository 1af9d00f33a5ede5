"""Arrays written with brackets: `r_` and `c_`, and NumPy's objects that make indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.creation.ranges import linspace
from cupola._functions.manipulation.joining import with_typed_numbers

__all__ = ["c_", "index_exp", "r_", "s_"]

index_exp = np.index_exp
s_ = np.s_


class _Concatenator:
    """`r_` and `c_`: `r_[0:3, 5, array]` joins ranges, numbers and arrays."""

    def __init__(self, axis: int, least: int, place: int) -> None:
        self._directions = axis, least, place

    def __getitem__(self, key: Any) -> ndarray:
        """The arrays of a key joined.

        Parameters
        ----------
        key : tuple of slices, numbers and arrays
            A slice is a range, and a number of points if its step is imaginary. A string in the
            first place gives the axis, optionally the least number of dimensions, and where the
            dimensions of an array go among them: '0', '0,2', '0,2,1'.

        Raises
        ------
        ValueError
            For arrays that do not fit, and strings of other forms or in other places.
        OverflowError
            For an integer that the common dtype does not hold.
        NotImplementedError
            For 'r' and 'c', which make numpy.matrix.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.r_[0:3, 7, cp.asarray([1, 2])].tolist()
        [0, 1, 2, 7, 1, 2]
        >>> cp.c_[cp.asarray([1, 2]), [3, 4]].tolist()
        [[1, 3], [2, 4]]
        """
        items = list(key) if isinstance(key, tuple) else [key]
        axis, least, place = self._directions
        if items and isinstance(items[0], str):
            axis, least, place = _directions(items.pop(0), least, place)
        if any(isinstance(item, str) for item in items):
            raise ValueError("special directives must be the first entry.")
        typed = with_typed_numbers(
            [_range(item) if isinstance(item, slice) else item for item in items]
        )
        _check_integers(items, typed)
        ready = [
            _shaped(array, least, place, isinstance(item, slice))
            for array, item in zip(typed, items, strict=True)
        ]
        return _core.concatenate(ready, axis)

    def __len__(self) -> int:
        return 0


def _check_integers(items: list[Any], typed: list[ndarray]) -> None:
    """Raise NumPy's OverflowError for an integer that its dtype does not hold."""
    for item, array in zip(items, typed, strict=True):
        if type(item) is int and array.dtype.kind in "iu":
            np.array(item, array.dtype)


def _directions(text: str, least: int, place: int) -> tuple[int, int, int]:
    """Axis, least number of dimensions and place of those of an array, from their text."""
    if text in ("r", "c"):
        raise NotImplementedError("'r' and 'c' make numpy.matrix; arrays of two dimensions do")
    try:
        parts = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"unknown special directive {text!r}") from None
    axis, least, place = (*parts, *(least, place)[len(parts) - 1 :])[:3]
    return axis, least, place


def _range(item: slice) -> ndarray:
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, (complex, np.complexfloating)):
        return linspace(start, item.stop, num=int(abs(complex(step))))
    return _core.arange(start, item.stop, step)


def _shaped(array: ndarray, least: int, place: int, is_range: bool) -> ndarray:
    """An array of at least so many dimensions, its own from `place` on."""
    missing = least - array.ndim
    if missing <= 0:
        return array
    shape = (1,) * missing + array.shape
    if place == -1:
        return _core.reshape(array, shape)
    if is_range:
        return _core.swapaxes(_core.reshape(array, shape), -1, place)
    before = place + missing + 1 if place < 0 else place
    axes = list(range(least))
    order = axes[:before] + axes[missing:] + axes[before:missing]
    return _core.transpose(_core.reshape(array, shape), order)


r_ = _Concatenator(0, 1, -1)
c_ = _Concatenator(-1, 2, 0)
