"""How often integers occur."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import check_one_dimension
from cupola._functions.mathematics.ufuncs import add

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["bincount"]

# Numbers below it are counted before anything is known of them, if there are so many times as many.
GUESSED = 1024
WORTH_A_GUESS = 16
# So many numbers tell whether all may be small.
LOOKED_AT = 16
# So many weights of one number, on average, are added one after the other.
ADDED_IN_TURN = 16
# The binary logarithm of the fewest elements whose sums are apart from others'.
LEAST_PART = 11


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


def real_weights(weights: ArrayLike, numbers: ndarray) -> ndarray:
    """One real weight for each of the numbers."""
    array = _core.as_array(weights, numbers.device)
    check_one_dimension(array)
    if array.dtype.kind == "c":
        raise _cannot_cast(array, "float64")
    if array.size != numbers.size:
        raise ValueError("The weights and list don't have the same length.")
    return array


def _largest(numbers: ndarray) -> int:
    """The largest number; none may be negative."""
    bits = 8 * numbers.dtype.itemsize
    is_signed = numbers.dtype.kind == "i"
    if is_signed:  # negative ones are the largest there
        numbers = numbers.view(f"u{bits // 8}")
    largest = int(_core.download(_core.max(numbers)))
    if is_signed and largest >= 1 << (bits - 1):
        raise ValueError("'list' argument must have no negative elements")
    return largest


def _counted_at_once(numbers: ndarray, length: int) -> ndarray | None:
    """The counts by one pass, where all numbers are small; None where some are not."""
    most = max(GUESSED, length)
    if numbers.size < WORTH_A_GUESS * most:
        return None
    some = _core.download(numbers[:: numbers.size // LOOKED_AT])
    if some.min() < 0 or some.max() >= most:
        return None
    counts = _core.bincount(numbers, most)
    found = _core.download(counts)
    if found.sum() < numbers.size:  # the others are not counted
        return None
    return counts[: max(int(np.flatnonzero(found)[-1]) + 1, length)]


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
    The host waits for the largest element, which the length of the result is made of. Without
    weights, many numbers that are all below 1,024 or `minlength` are read once; others are read for
    the largest one first.

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
    weight = None if weights is None else real_weights(weights, numbers)
    if weight is None:
        counts = _core.bincount_of_few(numbers, length)
        if counts is None:
            counts = _counted_at_once(numbers, length)
        if counts is not None:
            return counts
    end = max(_largest(numbers) + 1, length)
    if weight is None:
        return _core.bincount(numbers, end)
    return sums_by_number(numbers, end, _core.astype(weight, np.float64, "K", "unsafe", False))


def sums_by_number(numbers: ndarray, end: int, weight: ndarray) -> ndarray:
    """Sums of the weights of each integer below `end`."""
    device = numbers.device
    if device.platform == "cpu":
        if weight.dtype == np.float64:
            return _sums_of_parts(numbers, end, weight)
        sums = _core.zeros(end, weight.dtype, device=device)
        add.at(sums, numbers, weight)
        return sums
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
    return sums_between(_core.take(weight, order), ends)


def sums_inside(numbers: ndarray, end: int, weight: ndarray) -> ndarray:
    """The same where other numbers, which do not count, occur as well."""
    if numbers.device.platform == "cpu" and weight.dtype == np.float64:
        return _sums_of_parts(numbers, end, weight)
    inside = _core.where((numbers >= 0) & (numbers < end), numbers, end)
    return sums_by_number(inside, end + 1, weight)[:end]


def _sums_of_parts(numbers: ndarray, end: int, weight: ndarray) -> ndarray:
    """By parts of the elements, which loses less than adding one after the other."""
    part = max((end * ADDED_IN_TURN - 1).bit_length(), LEAST_PART)
    sums = _core.sums_of_parts(numbers, weight, end, part)
    return sums[0] if sums.shape[0] == 1 else _core.sum(sums, 0, weight.dtype)


def sums_between(values: ndarray, ends: ndarray) -> ndarray:
    """Sums of the values from each of `ends` (int64) to the next one, each from its own values."""
    # The zero is what begins behind the last of all; a segment without values has it as well.
    zero = _core.zeros(1, values.dtype, device=values.device)
    sums = add.reduceat(_core.concatenate([values, zero]), ends, dtype=values.dtype)
    return _core.where(ends[1:] > ends[:-1], sums[:-1], zero)
