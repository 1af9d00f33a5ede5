"""Arrays from nested lists of blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import arrays_of

__all__ = ["block"]


def block(arrays: Any) -> ndarray:
    """An array of blocks in nested lists.

    Parameters
    ----------
    arrays : array_like, or nested lists of them
        The innermost lists are joined along the last axis, those around them along the last but
        one, and so on. Blocks of fewer dimensions get leading ones.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Raises
    ------
    ValueError
        For lists of different depths, empty lists, and blocks that do not fit.
    TypeError
        For tuples.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.block([[cp.ones((1, 2)), 5], [cp.zeros((1, 3))]]).tolist()
    [[1.0, 1.0, 5.0], [0.0, 0.0, 0.0]]
    """
    depth = _depth(arrays, "arrays")
    blocks = arrays_of(list(_leaves(arrays)))
    rank = max(depth, *(each.ndim for each in blocks))
    ready = iter(
        _core.reshape(each, (1,) * (rank - each.ndim) + each.shape) if each.ndim < rank else each
        for each in blocks
    )
    return _joined(arrays, depth, ready) if depth else _core.copy(next(ready))


def _depth(arrays: Any, place: str) -> int:
    """How deep the lists are nested."""
    if isinstance(arrays, tuple):
        raise TypeError(
            f"{place} is a tuple. Only lists can be used to arrange blocks, and np.block does not "
            "allow implicit conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError(f"List at {place} cannot be empty")
    depths = {_depth(each, f"{place}[{i}]") for i, each in enumerate(arrays)}
    if len(depths) > 1:
        raise ValueError(f"List depths are mismatched at {place}: {sorted(depths)}")
    return depths.pop() + 1


def _leaves(arrays: Any) -> Iterator[Any]:
    if not isinstance(arrays, list):
        yield arrays
        return
    for each in arrays:
        yield from _leaves(each)


def _joined(arrays: Any, depth: int, blocks: Iterator[ndarray]) -> ndarray:
    """The blocks of a list, joined along the axis that its depth means."""
    if not isinstance(arrays, list):
        return next(blocks)
    return _core.concatenate([_joined(each, depth - 1, blocks) for each in arrays], -depth)
