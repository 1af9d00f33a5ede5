"""Running sums and products, and their opposite, differences of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import cumprod, cumsum, ndarray
from cupola._functions.arguments import NoValue, axis_in

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DTypeLike

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
]


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Running sum, with a leading zero if `include_initial`.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        Needed for more than one dimension.
    dtype : optional
    out : ndarray, optional
    include_initial : bool
        Whether a 0 stands in front.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        Without an axis for several dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cumulative_sum(cp.asarray([1, 2]), include_initial=True).tolist()
    [0, 1, 3]
    """
    return _cumulative("cumsum", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Running product, with a leading one if `include_initial`.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        Needed for more than one dimension.
    dtype : optional
    out : ndarray, optional
    include_initial : bool
        Whether a 1 stands in front.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        Without an axis for several dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cumulative_prod(cp.asarray([2, 3])).tolist()
    [2, 6]
    """
    return _cumulative("cumprod", x, axis, dtype, out, include_initial)


def _cumulative(
    name: str, x: Any, axis: int | None, dtype: Any, out: Any, include_initial: bool
) -> ndarray:
    array = _core.as_array(x)
    if array.ndim == 0:
        array = _core.reshape(array, (1,))
    if array.ndim != 1 and axis is None:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    along = 0 if axis is None else axis
    scan = getattr(_core, name)
    if not include_initial:
        if isinstance(along, tuple):
            along = _only_axis(along)
        return scan(array, along, dtype, out)
    initial = 1 if name == "cumprod" else 0
    if out is None:
        running = scan(array, along, dtype, None)
        shape = list(array.shape)
        shape[along] = 1
        return _core.concatenate([_core.full(tuple(shape), initial, running.dtype), running], along)
    before = (slice(None),) * axis_in(along, array.ndim)
    scan(array, along, dtype, out[(*before, slice(1, None))])
    out[(*before, 0)] = initial
    return out


def _only_axis(axes: tuple[int, ...]) -> int:
    if len(axes) != 1:
        raise ValueError("accumulate does not allow multiple axes")
    return axes[0]


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = NoValue, append: Any = NoValue
) -> ndarray:
    """Differences of neighbours along `axis`, `n` times over.

    Parameters
    ----------
    prepend, append : array_like, optional
        Before and behind the elements; None: nothing, as in the array API standard.

    Returns
    -------
    ndarray
        Shorter by `n` along the axis, but for what is put before and behind it.

    Raises
    ------
    ValueError
        For a negative `n`, or an array without axes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.diff([1, 4, 9]).tolist()
    [3, 5]
    """
    array = _core.as_array(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if n == 0:
        return array
    if array.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = axis_in(axis, array.ndim)
    array = _core.moveaxis(_extended(array, axis, prepend, append), axis, -1)
    name = "not_equal" if array.dtype == bool else "subtract"
    for _ in range(n):
        array = _core._ufuncs[name](array[..., 1:], array[..., :-1])
    return _core.moveaxis(array, -1, axis)


def _extended(array: ndarray, axis: int, prepend: Any, append: Any) -> ndarray:
    parts = []
    for value in (prepend, array, append):
        if value is array:
            parts.append(array)
        elif value is not NoValue and value is not None:
            part = _core.as_array(value, array.device)
            if part.ndim == 0:
                shape = list(array.shape)
                shape[axis] = 1
                part = _core.broadcast_to(part, tuple(shape))
            parts.append(part)
    return _core.concatenate(parts, axis) if len(parts) > 1 else array


def ediff1d(ary: ArrayLike, to_end: Any = None, to_begin: Any = None) -> ndarray:
    """Differences of neighbours of the flattened array, with what is to stand around them.

    Parameters
    ----------
    ary : array_like
        Flattened.
    to_end, to_begin : array_like, optional
        What stands behind and before the differences.

    Returns
    -------
    ndarray of one dimension

    Raises
    ------
    TypeError
        For values that cannot be cast to the dtype.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.ediff1d(cp.asarray([1, 2, 4]), to_end=0).tolist()
    [1, 2, 0]
    """
    array = _core.ravel(_core.as_array(ary))
    parts = [_core._ufuncs["subtract"](array[1:], array[:-1])]
    for position, extra in ((0, to_begin), (len(parts) + 1, to_end)):
        if extra is None:
            continue
        part = _core.ravel(_core.as_array(extra, array.device))
        if not _core.can_cast(part.dtype, array.dtype, "same_kind"):
            raise TypeError(
                "dtype of `to_begin` and `to_end` must be compatible with input `ary` under the "
                f"`same_kind` rule, found {part.dtype} and {array.dtype}"
            )
        parts.insert(position, _core.astype(part, array.dtype))
    return _core.concatenate(parts)
