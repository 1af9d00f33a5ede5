"""One array becomes several, which are views of it."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.exceptions import AxisError

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.manipulation.shapes import ndim

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "array_split",
    "dsplit",
    "hsplit",
    "split",
    "unstack",
    "vsplit",
]


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Views of the parts of an array, which need not be of equal extents.

    Parameters
    ----------
    indices_or_sections : int or sequence of ints
        A number of parts, or the positions between them.

    Returns
    -------
    list of ndarrays
        Views.

    Raises
    ------
    ValueError
        For no sections.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.array_split(cp.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    array = _core.as_array(ary)
    if array.ndim == 0:
        raise AxisError(axis, 0)
    extent = array.shape[axis_in(axis, array.ndim)]
    if not hasattr(indices_or_sections, "__index__") or _is_sequence(indices_or_sections):
        return _core.split_at(array, _positions(indices_or_sections), axis)
    sections = indices_or_sections.__index__()
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extra = divmod(extent, sections)
    points = [0] * (sections - 1)  # fails at once where there are too many
    for i in range(1, sections):
        points[i - 1] = i * each + min(i, extra)
    return _core.split_at(array, points, axis)


def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """`array_split` into a number of parts of equal extents, or at positions.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of ints
        How many parts of one extent, or where parts begin.
    axis : int

    Returns
    -------
    list of ndarrays
        Views.

    Raises
    ------
    ValueError
        For an extent that cannot be divided so.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.split(cp.arange(4), [1, 3])]
    [[0], [1, 2], [3]]
    """
    array = _core.as_array(ary)
    if not _is_sequence(indices_or_sections):
        extent = array.shape[axis_in(axis, array.ndim)]
        sections = operator.index(indices_or_sections)
        if extent % sections:
            raise ValueError(
                f"array split does not result in an equal division: extent {extent}, "
                f"{sections} sections"
            )
    return array_split(array, indices_or_sections, axis)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    """`split` along the first dimension of at least two.

    Parameters
    ----------
    ary : ndarray
        Of two dimensions and more.
    indices_or_sections : int or sequence of ints

    Returns
    -------
    list of ndarrays
        Views along the first axis.

    Raises
    ------
    ValueError
        For fewer dimensions, or unequal sections.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.vsplit(cp.eye(2), 2)]
    [[[1.0, 0.0]], [[0.0, 1.0]]]
    """
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    """`split` along the second dimension (vectors: the first).

    Parameters
    ----------
    ary : ndarray
    indices_or_sections : int or sequence of ints

    Returns
    -------
    list of ndarrays
        Views along the second axis, of vectors along their only one.

    Raises
    ------
    ValueError
        For unequal sections.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.hsplit(cp.arange(4), 2)]
    [[0, 1], [2, 3]]
    """
    rank = ndim(ary)
    if rank == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if rank > 1 else 0)


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    """`split` along the third dimension.

    Parameters
    ----------
    ary : ndarray
        Of three dimensions and more.
    indices_or_sections : int or sequence of ints

    Returns
    -------
    list of ndarrays
        Views along the third axis.

    Raises
    ------
    ValueError
        For fewer dimensions, or unequal sections.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.shape for part in cp.dsplit(cp.ones((1, 1, 4)), 2)]
    [(1, 1, 2), (1, 1, 2)]
    """
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """The arrays of one dimension less along `axis`.

    Parameters
    ----------
    x : ndarray
    axis : int, optional

    Returns
    -------
    tuple of ndarrays
        Views, each without the axis.

    Raises
    ------
    ValueError
        For an array without axes.

    Examples
    --------
    >>> import cupola as cp
    >>> [part.tolist() for part in cp.unstack(cp.eye(2))]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    array = _core.as_array(x)
    if array.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(_core.moveaxis(array, axis, 0))


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def _positions(points: Any) -> list[int]:
    if isinstance(points, ndarray):
        if points.dtype == np.bool_ and points.size:
            raise TypeError("positions between parts are integers, not bool")
        points = points.tolist()
    return [operator.index(point) for point in points]
