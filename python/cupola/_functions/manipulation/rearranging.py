"""Elements in another order or number: turned, moved, repeated."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import flip, ndarray, tile
from cupola._functions.arguments import axes_in, axis_in, on_host

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike, ShapeLike

__all__ = [
    "flip",
    "fliplr",
    "flipud",
    "repeat",
    "resize",
    "roll",
    "rot90",
    "tile",
    "trim_zeros",
]


def flipud(m: ArrayLike) -> ndarray:
    """View with the first dimension reversed.

    Parameters
    ----------
    m : array_like
        Of one dimension and more.

    Returns
    -------
    ndarray
        A view, the first axis reversed.

    Raises
    ------
    ValueError
        For an array without axes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.flipud([[1, 2], [3, 4]]).tolist()
    [[3, 4], [1, 2]]
    """
    array = _core.as_array(m)
    if array.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return _core.flip(array, 0)


def fliplr(m: ArrayLike) -> ndarray:
    """View with the second dimension reversed.

    Parameters
    ----------
    m : array_like
        Of two dimensions and more.

    Returns
    -------
    ndarray
        A view, the second axis reversed.

    Raises
    ------
    ValueError
        For fewer dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fliplr([[1, 2], [3, 4]]).tolist()
    [[2, 1], [4, 3]]
    """
    array = _core.as_array(m)
    if array.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return _core.flip(array, 1)


def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> ndarray:
    """View turned `k` times by 90 degrees from axes[0] towards axes[1].

    Parameters
    ----------
    m : array_like
        Of two dimensions and more.
    k : int, optional
        How often.
    axes : (int, int), optional
        From the first to the second.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    ValueError
        For axes that are not two different ones.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.rot90([[1, 2], [3, 4]]).tolist()
    [[2, 4], [1, 3]]
    """
    array = _core.as_array(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if array.ndim and (axes[0] == axes[1] or abs(axes[0] - axes[1]) == array.ndim):
        raise ValueError("Axes must be different.")
    if any(not -array.ndim <= axis < array.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={array.ndim}.")
    turns = k % 4
    if turns == 0:
        return array[...]
    if turns == 2:
        return _core.flip(array, axes)
    if turns == 1:
        return _core.swapaxes(_core.flip(array, axes[1]), *axes)
    return _core.flip(_core.swapaxes(array, *axes), axes[1])


def _whole(step: Any) -> int:
    """An integer, of complex numbers as NumPy makes one."""
    return int(np.complex128(step)) if isinstance(step, complex) else int(step)


def roll(a: ArrayLike, shift: Any, axis: AxisLike = None) -> ndarray:
    """Elements moved along `axis`; those that leave come back at the other end.

    `shift` and `axis` may be tuples, which broadcast; without `axis` the flattened array is
    rolled and gets its shape back.

    Parameters
    ----------
    a : array_like
    shift : int or tuple of ints
        How far elements move; those that leave the end come in at the beginning.
    axis : int or tuple of ints, optional
        None: of the flattened array.

    Returns
    -------
    ndarray
        It is read where `a` lies by the kernels that use it.

    Raises
    ------
    numpy.exceptions.AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.roll([1, 2, 3], 1).tolist()
    [3, 1, 2]
    """
    array = _core.as_array(a)
    if isinstance(shift, ndarray):
        shift = shift.tolist()
    if isinstance(axis, ndarray):
        axis = axis.get()
    if axis is None:
        total = sum(map(_whole, np.ravel(shift).tolist()))
        return _core.roll(array, total % builtins.max(array.size, 1), None)
    if type(shift) is int and type(axis) is int:
        position = axis_in(axis, array.ndim)
        return _core.roll(array, [shift % builtins.max(array.shape[position], 1)], [position])
    if isinstance(axis, int):
        axis = (axis,)
    numbers: list[Any] = list(axis if isinstance(axis, tuple | list) else np.ravel(axis))
    if not array.ndim and not numbers:
        raise ValueError("an array without dimensions is rolled along none: axis=()")
    wanted = [axis_in(number, array.ndim) for number in numbers]
    shifts, axes = np.broadcast_arrays(shift, wanted)
    if shifts.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    pairs: dict[int, int] = {}
    for step, position in zip(shifts.tolist(), axes.tolist(), strict=True):
        extent = builtins.max(array.shape[position], 1)
        pairs[position] = (pairs.get(position, 0) + _whole(step)) % extent
    return _core.roll(array, list(pairs.values()), list(pairs))


def repeat(a: ArrayLike, repeats: Any, axis: int | None = None) -> ndarray:
    """Every element repeated, along `axis` or of the flattened array.

    Parameters
    ----------
    a : array_like
    repeats : int or array of ints
        How often: all elements, or each slice along `axis`.
    axis : int or None

    Returns
    -------
    ndarray
        Of a's dtype; of one dimension for an `axis` of None.

    Raises
    ------
    TypeError
        For an array of counts that are no int64.
    ValueError
        For negative counts, another number of them, and counts of several dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.repeat(cp.arange(3), [1, 0, 2]).tolist()
    [0, 2, 2]
    """
    counts = repeats if isinstance(repeats, int) else _counts(repeats)
    if axis is not None and not _core.as_array(a).ndim:
        return _core.repeat(_core.reshape(a, (1,)), counts, axis)
    return _core.repeat(a, counts, axis)


def _counts(repeats: Any) -> Any:
    """Counts as a number or an int64 array: of arrays of integers, or of what int() converts."""
    if isinstance(repeats, ndarray | np.ndarray):
        if repeats.ndim > 1:
            raise ValueError("object too deep for desired array")
        if not _core.can_cast(repeats.dtype, np.int64, "safe"):
            raise TypeError(
                f"Cannot cast array data from {repeats.dtype!r} to dtype('int64') according to "
                "the rule 'safe'"
            )
        host = on_host(repeats)
    else:
        host = np.array(repeats, np.int64)
    if host.ndim > 1:
        raise ValueError("object too deep for desired array")
    return np.ascontiguousarray(host, np.int64) if host.ndim else int(host)


def resize(a: ArrayLike, new_shape: ShapeLike) -> ndarray:
    """A new array of `new_shape` with the elements of `a`, repeated as often as needed.

    Parameters
    ----------
    a : array_like
    new_shape : int or tuple of ints

    Returns
    -------
    ndarray
        A copy with the elements repeated, or the first of them.

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.resize([1, 2, 3], (2, 2)).tolist()
    [[1, 2], [3, 1]]
    """
    array = _core.ravel(_core.as_array(a))
    is_one = hasattr(new_shape, "__index__") and not getattr(new_shape, "ndim", 0)
    given: Any = (new_shape,) if is_one else on_host(new_shape)
    extents = tuple(given)
    if any(extent < 0 for extent in extents):
        raise ValueError("all elements of `new_shape` must be non-negative")
    count = int(np.prod(extents, dtype=object)) if extents else 1
    if array.size == 0 or count == 0:
        return _core.full(extents, 0, array.dtype, "C", array.device)
    repeated = _core.tile(array, -(-count // array.size))[:count]
    return _core.reshape(repeated, extents)


def trim_zeros(
    filt: ArrayLike, trim: str = "fb", axis: int | tuple[int, ...] | None = None
) -> ndarray:
    """View of `filt` without the slices of zeros at its front ('f') and back ('b').

    Parameters
    ----------
    filt : array_like
    trim : {'fb', 'f', 'b'}
        Where: at the front, at the back, at both.
    axis : int, tuple of int or None
        Along which slices are left out. None: along all.

    Returns
    -------
    ndarray
        A view. How many zeros there are is looked at, which waits for the device.

    Raises
    ------
    ValueError
        For other letters in `trim`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.trim_zeros(cp.asarray([[0, 0], [0, 5], [0, 0]])).tolist()
    [[5]]
    """
    array = _core.as_array(filt)
    ends = trim.lower()
    if ends not in ("f", "b", "fb", "bf"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = tuple(range(array.ndim)) if axis is None else axes_in(axis, array.ndim)
    if not array.ndim:
        return array
    places = _core.nonzero(array)
    kept = [slice(None)] * array.ndim
    for one in axes:
        if not places[one].size:
            kept[one] = slice(0, 0)
            continue
        first = int(_core.min(places[one])) if "f" in ends else 0
        kept[one] = slice(first, int(_core.max(places[one])) + 1 if "b" in ends else None)
    return array[tuple(kept)]
