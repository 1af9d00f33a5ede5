"""Convolution and correlation of sequences."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import (
    arrays_of,
    check_one_dimension,
    on_host,
    prefers_gathers,
)
from cupola._functions.few_elements import MOST_BY_NUMPY, are_few

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["convolve", "correlate"]

# So many weights are one kernel of shifted operands; with more, windows are rows of a matrix.
MOST_SHIFTED = 24
# From here on by Fourier transforms, where these are precise enough.
LEAST_TRANSFORMED = 64
# Weights of one product of matrices.
WEIGHTS_PER_PRODUCT = 2048
# Fewer products NumPy adds up sooner than a kernel begins, where memory is the host's.
MOST_BY_HOST = 1 << 20
# Elements of a matrix of windows that is summed up by rows.
WINDOW_ELEMENTS = 1 << 22
# The shortest transform, and how many times as long as the weights it is at least.
LEAST_TRANSFORM = 1 << 12
ROWS_PER_WINDOW = 4
# The parts of an operand whose energies decide about transforms, and how far these may differ.
PARTS_PER_WINDOW = 8
ENERGY_RANGE = 1 << 12
# The first and last results add up fewer products: so few that transforms would blur them.
EDGE_PART = 32

_MODES = ("valid", "same", "full")


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """Sums of the products of one sequence and the other one turned around and moved along it.

    Parameters
    ----------
    a, v : array_like
        Of one dimension, or numbers.
    mode : {'full', 'same', 'valid'}
        Where the two overlap at all; as many results as the longer one has elements; where they
        overlap completely.

    Returns
    -------
    ndarray
        Of the common dtype. Of n and m <= n elements come n + m - 1, n or n - m + 1 results.

    Raises
    ------
    ValueError
        For sequences without elements, of several dimensions, and other modes.

    Notes
    -----
    Few elements on the CPU are left to NumPy. A short sequence makes one kernel. Of long ones,
    products of matrices of their parts are summed; floating-point numbers beyond 64 elements are
    transformed, where the parts of each of them are of similar size, so that no result loses more
    precision than in a sum. That is only known after waiting for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.convolve(cp.asarray([1, 2, 3]), [0, 1, 10]).tolist()
    [0, 1, 12, 23, 30]
    """
    first, second = (
        _core.reshape(each, (1,)) if each.ndim == 0 else each for each in arrays_of((a, v))
    )
    for name, each in (("a", first), ("v", second)):
        if each.ndim == 1 and each.size == 0:
            raise ValueError(f"{name} cannot be empty")
    if second.size > first.size:
        first, second = second, first
    return _correlated(first, second[::-1] if second.ndim == 1 else second, mode)


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """Sums of the products of one sequence and the other one, conjugated, moved along it.

    Parameters
    ----------
    a, v : array_like
        Of one dimension.
    mode : {'valid', 'same', 'full'}
        As that of `convolve`.

    Returns
    -------
    ndarray
        Of the common dtype; computed as by `convolve`.

    Raises
    ------
    ValueError
        For sequences without elements, of other than one dimension, and other modes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.correlate(cp.asarray([1, 2, 3]), [0, 1, 10], "full").tolist()
    [10, 21, 32, 3, 0]
    """
    first, second = arrays_of((a, v))
    if second.dtype.kind == "c":
        second = _core._ufuncs["conjugate"](second)
    for array in (first, second):
        check_one_dimension(array)
    if second.size > first.size:
        return _core.copy(_correlated(second, first, mode)[::-1])
    return _correlated(first, second, mode)


def _mode_number(mode: Any) -> int:
    if isinstance(mode, str):
        if mode not in _MODES:
            raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
        return _MODES.index(mode)
    if isinstance(mode, bool):
        raise TypeError("convolve/correlate mode not understood")
    number = operator.index(mode)
    if not 0 <= number < len(_MODES):
        raise ValueError("integer mode must be 0, 1, or 2")
    return number


def _correlated(array: ndarray, weights: ndarray, mode: Any) -> ndarray:
    """The correlation with weights that are not more than the elements."""
    number = _mode_number(mode)
    for each in (array, weights):
        check_one_dimension(each)
    if not array.size or not weights.size:
        which = "second" if array.size else "first"
        raise ValueError(f"{which} array argument cannot be empty")
    dtype = _core.promote_types(array.dtype, weights.dtype)
    wide = _sum_dtype(dtype)
    if wide == dtype and are_few(MOST_BY_HOST // weights.size, array):
        how: Any = _MODES[number]
        few = np.convolve(on_host(array), on_host(weights)[::-1], how)
        return _core.upload(few, None, array.device)
    array, weights = (_core.astype(each, wide, "K", "unsafe", False) for each in (array, weights))
    count = weights.size
    before = (0, count // 2, count - 1)[number]
    behind = (0, count - before - 1, count - 1)[number]
    sums = _sums(array, weights, before, behind)
    return sums if wide == dtype else sums != 0 if dtype == np.bool_ else _core.astype(sums, dtype)


def _sum_dtype(dtype: Any) -> Any:
    """In which products are added: half precision in single precision, booleans as integers."""
    if dtype == np.bool_:
        return np.dtype(np.int64)
    return np.dtype(np.float32) if dtype.kind not in "iuc" and dtype.itemsize == 2 else dtype


def _sums(array: ndarray, weights: ndarray, before: int, behind: int) -> ndarray:
    """The complete sums of products, and so many incomplete ones before and behind them."""
    size, count = array.size, weights.size
    if count <= MOST_SHIFTED:
        return _shifted(array, weights, before, behind)
    if array.dtype.kind in "fc":
        if count >= LEAST_TRANSFORMED and _is_even(array, count) and _is_even(weights, count):
            return _transformed(array, weights, before, behind)
        if not _is_finite(array, weights):
            return _windowed(array, weights, count - 1 - before, size - count + 1 + before + behind)
    elif _are_small(array, weights):
        exact = [_core.astype(each, np.float64) for each in (array, weights)]
        sums = _core.astype(_multiplied(exact[0], exact[1], before, behind), np.int64)
        return _core.astype(sums, array.dtype, "K", "unsafe", False)
    return _multiplied(array, weights, before, behind)


def _are_small(array: ndarray, weights: ndarray) -> bool:
    """Whether float64 holds all sums of products of integers."""
    bound: Any = float(weights.size)
    for each in (array, weights):
        bound = bound * _core.max(_core._ufuncs["absolute"](_core.astype(each, np.float64)))
    return bool(bound <= 2.0**53)


def _is_finite(array: ndarray, weights: ndarray) -> bool:
    is_finite = _core._ufuncs["isfinite"]
    return bool(_core.all(is_finite(array)) & _core.all(is_finite(weights)))


def _shifted(array: ndarray, weights: ndarray, before: int, behind: int) -> ndarray:
    """The complete sums as one expression; zeros at the edges would make NaN of infinities."""
    if (before or behind) and prefers_gathers(array):
        return _shifted_in_one(array, weights, before, behind)
    size, count = array.size, weights.size
    last = size - count + 1
    total: Any = array[:last] * weights[0]
    for i in range(1, count):
        total = total + array[i : last + i] * weights[i]
    if not before and not behind:
        return total
    # The edges first: while nothing waits, few elements take no kernel.
    sums = _core.empty(before + last + behind, array.dtype, device=array.device)
    if before:
        sums[:before] = _edge(array[: count - 1], weights, 0)[count - 1 - before :]
    if behind:
        sums[before + last :] = _edge(array[last:], weights, count - 1)[:behind]
    sums[before : before + last] = total
    return sums


def _edge(part: ndarray, weights: ndarray, first: int) -> ndarray:
    """Sums of as many windows as a part has elements, from that which ends with number `first`."""
    if are_few(MOST_BY_NUMPY, part, weights):
        few = np.convolve(on_host(part), on_host(weights)[::-1])[first : first + part.size]
        return _core.upload(few, None, part.device)
    return _windowed(part, weights, first, part.size)


def _shifted_in_one(array: ndarray, weights: ndarray, before: int, behind: int) -> ndarray:
    """The same with the incomplete sums, as one kernel."""
    size, count = array.size, weights.size
    length = before + size - count + 1 + behind
    total: Any = None
    for i in range(count):
        place = _core.positions((length,), array.device) + (i - before)
        product = _core.take(array, place, None, None, "clip") * weights[i]
        product = _core.where((place >= 0) & (place < size), product, 0)
        total = product if total is None else total + product
    return total


def _windowed(array: ndarray, weights: ndarray, first: int, number: int) -> ndarray:
    """Sums of the windows from that which ends with element `first`, of what there is in them."""
    rows = max(1, WINDOW_ELEMENTS // weights.size)
    parts = []
    steps = _core.arange(1 - weights.size, 1, 1, np.int64, array.device)
    for start in range(first, first + number, rows):
        stop = min(start + rows, first + number)
        places = _core.arange(start, stop, 1, np.int64, array.device)[:, None] + steps
        products = _core.take(array, places, None, None, "clip") * weights
        is_there = (places >= 0) & (places < array.size)
        parts.append(_core.sum(_core.where(is_there, products, 0), 1, array.dtype))
    return parts[0] if len(parts) == 1 else _core.concatenate(parts)


def _multiplied(array: ndarray, weights: ndarray, before: int, behind: int) -> ndarray:
    """The sums of finite numbers: windows that share their weights are the rows of a matrix."""
    edges = [_core.zeros(n, array.dtype, device=array.device) for n in (before, behind)]
    array = _core.concatenate([edges[0], array, edges[1]])
    number = array.size - weights.size + 1
    total: Any = None
    for start in range(0, weights.size, WEIGHTS_PER_PRODUCT):
        part = weights[start : start + WEIGHTS_PER_PRODUCT]
        sums = _product(array[start : start + number + part.size - 1], part)
        total = sums if total is None else total + sums
    return total


def _product(array: ndarray, weights: ndarray) -> ndarray:
    count, device = weights.size, array.device
    number = array.size - count + 1
    columns = 64 if count <= 128 else 256
    rows = -(-number // columns)
    steps = _core.arange(0, columns + count - 1, 1, np.int64, device)
    starts = _core.arange(0, rows * columns, columns, np.int64, device)
    windows = _core.take(array, starts[:, None] + steps, None, None, "clip")
    places = steps[:, None] - _core.arange(0, columns, 1, np.int64, device)
    is_there = (places >= 0) & (places < count)
    band = _core.where(is_there, _core.take(weights, places, None, None, "clip"), 0)
    band = _core.astype(band, array.dtype, "K", "unsafe", False)
    return _core.reshape(_core.matmul(windows, band), (rows * columns,))[:number]


def _is_even(array: ndarray, count: int) -> bool:
    """Whether all parts of an operand are of similar size, and finite."""
    extent = max(1, count // PARTS_PER_WINDOW)
    rows = array.size // extent
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    table = _core.reshape(_core.astype(array[: rows * extent], wide, "K"), (rows, extent))
    energies = _core.sum(_core._ufuncs["absolute"](table) ** 2, 1)
    rest = _core._ufuncs["absolute"](array[rows * extent :])
    low, high = _core.min(energies), _core.max(energies)
    even = (low * ENERGY_RANGE >= high) & (high > 0) & _core._ufuncs["isfinite"](high)
    if rest.size:
        even = even & (_core.max(rest) ** 2 <= high)
    return bool(even)


def _convolved(array: ndarray, weights: ndarray) -> ndarray:
    """All sums by transforms of rows, whose ends are added to the rows that follow them."""
    size, count = array.size, weights.size
    length = 1 << (size + count - 2).bit_length()
    length = min(length, max(LEAST_TRANSFORM, ROWS_PER_WINDOW << (count - 1).bit_length()))
    step = length - count + 1
    rows = -(-size // step)
    padding = _core.zeros(rows * step - size, array.dtype, device=array.device)
    table = _core.reshape(_core.concatenate([array, padding]), (rows, step))
    is_complex = array.dtype.kind == "c"
    wide = np.complex128 if is_complex else np.float64
    there, back = (_core.fft, _core.ifft) if is_complex else (_core.rfft, _core.irfft)
    first, second = (
        there(_core.astype(each, wide), length, -1, "backward", None) for each in (table, weights)
    )
    found = back(first * second, length, -1, "backward", None)
    sums = _core.zeros((rows + 1) * step, wide, device=array.device)
    lines = _core.reshape(sums, (rows + 1, step))
    lines[:-1] = found[:, :step]
    if rows == 1:
        sums[step:length] = found[0, step:]
    else:
        lines[1:, : count - 1] += found[:, step:]
    return sums


def _transformed(array: ndarray, weights: ndarray, before: int, behind: int) -> ndarray:
    """By Fourier transforms in double precision; sums of few products directly."""
    size, count = array.size, weights.size
    full = _convolved(array, weights[::-1])
    sums = _core.astype(full[count - 1 - before : size + behind], array.dtype)
    edge = math.ceil(count / EDGE_PART)
    head = max(0, edge - (count - 1 - before))
    if head:
        lead = _sums(array[:edge], weights[count - edge :], edge - 1, 0)
        sums[:head] = lead[edge - head :]
    tail = max(0, edge - (count - 1 - behind))
    if tail:
        trail = _sums(array[size - edge :], weights[:edge], 0, edge - 1)
        sums[sums.size - tail :] = trail[:tail]
    return sums
