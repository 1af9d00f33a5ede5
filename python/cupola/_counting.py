"""How often values occur: bincount and histogram."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._arguments import check_one_dimension
from cupola._cupola import ndarray
from cupola._ufuncs import add, floor, maximum, minimum

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["bincount", "histogram"]


def _cannot_cast(array: ndarray, dtype: str) -> TypeError:
    return TypeError(
        f"Cannot cast array data from dtype('{array.dtype}') to dtype('{dtype}') according to the "
        "rule 'safe'"
    )


def _length(minlength: Any) -> int:
    if minlength is None:
        raise TypeError("use 0 instead of None for minlength")
    length = operator.index(minlength)
    if length < 0:
        raise ValueError("'minlength' must not be negative")
    return length


def _weights(weights: ArrayLike, numbers: ndarray) -> ndarray:
    array = _core.as_array(weights, numbers.device)
    check_one_dimension(array)
    if array.dtype.kind == "c":
        raise _cannot_cast(array, "float64")
    if array.size != numbers.size:
        raise ValueError("The weights and list don't have the same length.")
    return array


def _largest(numbers: ndarray) -> int:
    """The largest number; none may be negative."""
    low, high = _core.min(numbers), _core.max(numbers)
    _core.evaluate(low, high)
    if int(low) < 0:
        raise ValueError("'list' argument must have no negative elements")
    return int(high)


def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    """How often each integer from 0 to the largest one occurs.

    Parameters
    ----------
    x : array_like of int or bool
        Of one dimension, without negative elements.
    weights : array_like, optional
        Real numbers, as many as `x` has: what each element counts for, as float64.
    minlength : int
        The least length of the result.

    Returns
    -------
    ndarray
        Of int64, or float64 with weights; of length ``max(x.max() + 1, minlength)``, on the device
        of `x`. Of an empty `x`, with weights or not, `minlength` zeros of int64.

    Raises
    ------
    ValueError
        Where `x` has not one dimension or has negative elements, where `weights` has another
        length, or where `minlength` is negative.
    TypeError
        Where `x` is not of integers, or `weights` of complex numbers.

    See Also
    --------
    histogram, unique

    Notes
    -----
    The host waits for the largest element, which the length of the result is made of.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.bincount([0, 1, 1, 3, 2, 1, 7])
    array([1, 3, 1, 1, 0, 0, 0, 1])
    >>> cp.bincount([0, 1, 1, 2], weights=[0.5, 0.25, 0.25, 1])
    array([0.5, 0.5, 1. ])
    """
    numbers = _core.as_array(x)
    check_one_dimension(numbers)
    length = _length(minlength)
    if numbers.dtype.kind not in "biu" and (isinstance(x, ndarray | np.ndarray) or numbers.size):
        raise _cannot_cast(numbers, "int64")
    if numbers.size == 0:  # NumPy does not look at the weights then
        return _core.zeros(length, np.int64, device=numbers.device)
    weight = None if weights is None else _weights(weights, numbers)
    end = max(_largest(numbers) + 1, length)
    if weight is None:
        return _core.bincount(numbers, end)
    return _sums_by_number(numbers, end, weight)


def _sums_by_number(numbers: ndarray, end: int, weight: ndarray) -> ndarray:
    """Sums of the weights of each integer below `end`, in the order of the elements."""
    device = numbers.device
    # The sort takes a pass for each byte or two.
    keys = _core.astype(numbers, np.min_scalar_type(end - 1))
    order = _core.argsort(keys, -1)
    wanted = _core.astype(_core.arange(0, end, 1, np.int64, device), keys.dtype)
    ends = _core.concatenate(
        [
            _core.zeros(1, np.int64, device=device),
            _core.searchsorted(_core.take(keys, order), wanted, True),
        ]
    )
    return _sums_between(_core.take(_core.astype(weight, np.float64), order), ends)


def _sums_between(values: ndarray, ends: ndarray) -> ndarray:
    """Sums of the values from each of `ends` (int64) to the next one, each from its own values."""
    # The zero is what begins behind the last of all; a segment without values has it as well.
    zero = _core.zeros(1, values.dtype, device=values.device)
    sums = add.reduceat(_core.concatenate([values, zero]), ends, dtype=values.dtype)
    return _core.where(ends[1:] > ends[:-1], sums[:-1], zero)


def _outer_edges(array: ndarray, limits: Any) -> tuple[Any, Any]:
    if limits is not None:
        first, last = limits
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        what = "supplied"
    elif array.size == 0:
        first, last, what = 0, 1, "supplied"
    else:
        low, high = _core.min(array), _core.max(array)
        _core.evaluate(low, high)
        first, last = (_core.download(bound)[()] for bound in (low, high))
        what = "autodetected"
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"{what} range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _edges(array: ndarray, bins: Any, limits: Any) -> tuple[ndarray, np.ndarray]:
    """The edges of a histogram's bins, on the host as well."""
    if isinstance(bins, str):
        raise NotImplementedError("estimates of the number of bins are not implemented")
    if np.ndim(bins) == 0:
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if count < 1:
            raise ValueError("`bins` must be positive, when an integer")
        first, last = _outer_edges(array, limits)
        dtype = np.result_type(first, last, array.dtype)
        if dtype.kind in "iu":
            dtype = np.result_type(dtype, float)
        even = np.linspace(first, last, count + 1, dtype=dtype)
        if np.any(even[:-1] >= even[1:]):
            raise ValueError(
                f"Too many bins for data range. Cannot create {count} finite-sized bins."
            )
        return _core.upload(even, None, array.device), even
    edges = _core.as_array(bins, array.device)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    host = _core.download(edges)
    if np.any(host[:-1] > host[1:]):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges, host


def _guess(edges: np.ndarray) -> tuple[float, float] | None:
    """Where bins begin, and how many there are for one unit: what gives each element's bin.

    None unless the bins are so even that what float64 finds so is the right bin or the one beside
    it.
    """
    count = len(edges) - 1
    first, last = float(edges[0]), float(edges[-1])
    with np.errstate(all="ignore"):
        scale = np.float64(count) / (np.float64(last) - first)
        off = np.floor((edges.astype(np.float64) - first) * scale) - np.arange(count + 1)
    return (first, float(scale)) if np.all((off == 0) | (off == -1)) else None


def _bin_numbers(line: ndarray, edges: ndarray, first: float, scale: float) -> ndarray:
    """The bin of each element by its guess, pending; -1 where it lies in none."""
    last = edges.size - 2
    place = floor((_core.astype(line, np.float64) - first) * scale)
    place = _core.astype(minimum(maximum(place, 0), last), np.int64)
    low = _core.take(edges, place, None, None, "clip")
    high = _core.take(edges, place + 1, None, None, "clip")
    place = place - (line < low) + ((line >= high) & (place < last))
    return _core.where((line >= edges[:1]) & (line <= edges[-1:]), place, -1)


def _counts(line: ndarray, edges: ndarray, host: np.ndarray) -> ndarray:
    if edges.size < 2 or line.size == 0:
        return _core.zeros(max(edges.size - 1, 0), np.int64, device=line.device)
    guess = None if "c" in line.dtype.kind + edges.dtype.kind else _guess(host)
    if guess is not None:
        return _core.bincount(_bin_numbers(line, edges, *guess), edges.size - 1)
    ends = _ends(_core.sort(line, -1), edges)
    return ends[1:] - ends[:-1]


def _ends(ordered: ndarray, edges: ndarray) -> ndarray:
    """Where each bin begins among the sorted elements, and where the last one ends."""
    begins = _core.searchsorted(ordered, edges[:-1], False)
    return _core.concatenate([begins, _core.searchsorted(ordered, edges[-1:], True)])


def histogram(
    a: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray]:
    """How many elements lie between edges.

    Parameters
    ----------
    bins : int or array_like
        So many bins of one width, or increasing edges. The last bin contains its right edge.
    range : (float, float), optional
        Where the first and the last bin end; without it, the smallest and the largest element.
    density : bool
        The share of the elements for one unit of the bin's width instead of their number.
    weights : array_like, optional
        What each element counts for.

    Returns
    -------
    hist, edges : ndarray
    """
    array = _core.as_array(a)
    weight = None if weights is None else _core.as_array(weights, array.device)
    if weight is not None and weight.shape != array.shape:
        raise ValueError("weights should have the same shape as a.")
    line = _core.ravel(array)
    if line.dtype.kind == "b":
        line = _core.astype(line, np.uint8)
    edges, host = _edges(line, bins, range)
    if weight is None:
        counts = _counts(line, edges, host)
    else:
        order = _core.argsort(line, -1)
        ends = _ends(_core.take(line, order), edges)
        counts = _sums_between(_core.take(_core.ravel(weight), order), ends)
    if density:
        widths = _core.astype(edges[1:] - edges[:-1], np.float64)
        return counts / widths / _core.sum(counts), edges
    return counts, edges
