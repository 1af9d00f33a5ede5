"""The edges of a histogram's bins: of a number of bins, and of a rule that finds that number."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.statistics.order_statistics import percentile

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["histogram_bin_edges"]

# The most bins that the rule `stone` tries, where the root of the number of elements is less.
LEAST_TRIED = 100


def histogram_bin_edges(
    a: ArrayLike, bins: Any = 10, range: Any = None, weights: ArrayLike | None = None
) -> ndarray:
    """The edges of the bins that `histogram` counts in.

    Parameters
    ----------
    a, bins, range, weights
        As those of `histogram`. Weights are only checked.

    Returns
    -------
    ndarray
        Of one dimension, one more than there are bins, in floating point unless `bins` are edges.

    Raises
    ------
    ValueError, TypeError
        As `histogram`.

    See Also
    --------
    histogram

    Examples
    --------
    >>> import cupola as cp
    >>> cp.histogram_bin_edges(cp.asarray([0.0, 3.0, 5.0, 8.0]), "sqrt").tolist()
    [0.0, 4.0, 8.0]
    """
    line, weight = lines_of(a, weights)
    return edges_of(line, bins, range, weight is not None)[0]


def lines_of(a: ArrayLike, weights: ArrayLike | None) -> tuple[ndarray, ndarray | None]:
    """The elements, and their weights, as one dimension."""
    array = _core.as_array(a)
    if array.dtype.kind == "b":
        warnings.warn(
            f"Converting input from {array.dtype} to {np.uint8} for compatibility.",
            RuntimeWarning,
            stacklevel=3,
        )
        array = _core.astype(array, np.uint8)
    if weights is None:
        return _core.ravel(array), None
    weight = _core.as_array(weights, array.device)
    if weight.shape != array.shape:
        raise ValueError("weights should have the same shape as a.")
    return _core.ravel(array), _core.ravel(weight)


def outer_edges(array: ndarray, limits: Any) -> tuple[Any, Any]:
    """Where the first bin begins and the last one ends."""
    if limits is not None:
        first, last = limits
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        what = "supplied"
    elif array.size == 0:
        first, last, what = 0, 1, "supplied"
    else:
        first, last = _extremes(array)
        what = "autodetected"
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"{what} range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _extremes(array: ndarray) -> tuple[Any, Any]:
    low, high = _core.min(array), _core.max(array)
    _core.evaluate(low, high)
    return _core.download(low)[()], _core.download(high)[()]


def edges_of(
    array: ndarray, bins: Any, limits: Any, is_weighted: bool
) -> tuple[ndarray, np.ndarray]:
    """The edges of a histogram's bins, on the host as well."""
    if isinstance(bins, str):
        even = _edges_by_rule(array, bins, limits, is_weighted)
    elif np.ndim(bins) == 0:
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if count < 1:
            raise ValueError("`bins` must be positive, when an integer")
        even = _even_edges(*outer_edges(array, limits), count, array.dtype)
    else:
        edges = _core.as_array(bins, array.device)
        if edges.ndim != 1:
            raise ValueError("`bins` must be 1d, when an array")
        host = _core.download(edges)
        if np.any(host[:-1] > host[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges, host
    return _core.upload(even, None, array.device), even


def _even_edges(first: Any, last: Any, count: int, dtype: Any) -> np.ndarray:
    """The edges of so many bins of one width; in floating point."""
    dtype = np.result_type(first, last, dtype)
    if dtype.kind in "iu":
        dtype = np.result_type(dtype, float)
    even = np.linspace(first, last, count + 1, dtype=dtype)
    if np.any(even[:-1] >= even[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")
    return even


@dataclass(frozen=True)
class _Sample:
    """What the rules know: the elements, their extent, and where the bins end."""

    line: ndarray
    extent: Any
    first: Any
    last: Any

    @property
    def size(self) -> int:
        return self.line.size


def _difference(high: Any, low: Any) -> Any:
    """Of integers as an unsigned one, which holds it."""
    dtype = np.result_type(high, low)
    if dtype.kind != "i":
        return np.subtract(high, low, dtype=dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    high, low = (np.asarray(each, dtype).astype(unsigned) for each in (high, low))
    with np.errstate(over="ignore"):
        return np.subtract(high, low)


def _edges_by_rule(array: ndarray, name: str, limits: Any, is_weighted: bool) -> np.ndarray:
    if name not in _RULES:
        raise ValueError(f"{name!r} is not a valid estimator for `bins`")
    if is_weighted:
        raise TypeError(
            "Automated estimation of the number of bins is not supported for weighted data"
        )
    first, last = outer_edges(array, limits)
    line = array
    if limits is not None and array.size:
        line = array[(array >= first) & (array <= last)]
    count = 1
    if line.size:
        low, high = _extremes(line)
        width = _RULES[name](_Sample(line, _difference(high, low), first, last))
        if width:
            if line.dtype.kind in "iu" and width < 1:
                width = 1
            count = int(np.ceil(_difference(last, first) / width))
    return _even_edges(first, last, count, array.dtype)


def _number(value: ndarray) -> Any:
    """The one element, as a scalar of NumPy's."""
    return _core.download(value)[()]


def _sqrt(x: _Sample) -> Any:
    return x.extent / np.sqrt(x.size)


def _sturges(x: _Sample) -> Any:
    return x.extent / (np.log2(x.size) + 1.0)


def _rice(x: _Sample) -> Any:
    return x.extent / (2.0 * x.size ** (1.0 / 3))


def _scott(x: _Sample) -> Any:
    return (24.0 * np.pi**0.5 / x.size) ** (1.0 / 3.0) * _number(_core.std(x.line))


def _freedman_diaconis(x: _Sample) -> Any:
    quartiles = _core.download(percentile(x.line, [75, 25]))
    return 2.0 * (quartiles[0] - quartiles[1]) * x.size ** (-1.0 / 3.0)


def _auto(x: _Sample) -> Any:
    return min(max(_freedman_diaconis(x), _sqrt(x) / 2), _sturges(x))


def _doane(x: _Sample) -> Any:
    """Sturges' rule with the skewness of the elements."""
    if x.size <= 2:
        return 0.0
    deviation = _core.std(x.line)
    if not _number(deviation) > 0.0:
        return 0.0
    skewness = abs(_number(_core.mean(((x.line - _core.mean(x.line)) / deviation) ** 3)))
    unit = np.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    return x.extent / (1.0 + np.log2(x.size) + np.log2(1.0 + skewness / unit))


def _stone(x: _Sample) -> Any:
    """The number of bins for which the estimated error of leaving one element out is least."""
    if x.size <= 1 or x.extent == 0:
        return 0
    most = max(LEAST_TRIED, int(np.sqrt(x.size)))
    shares = _shares(x, most)
    errors = [
        (2 - (x.size + 1) * share.dot(share)) / (x.extent / (number + 1))
        for number, share in enumerate(shares)
    ]
    count = errors.index(min(errors)) + 1
    if count == most:
        warnings.warn(
            "The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=5
        )
    return x.extent / count


def _shares(x: _Sample, most: int) -> list[np.ndarray]:
    """The shares of the elements in each of 1, 2, ..., `most` even bins, by one search."""
    edges = [_even_edges(x.first, x.last, number, x.line.dtype) for number in range(1, most + 1)]
    ordered = _core.sort(x.line, -1)
    inner = np.concatenate([each[:-1] for each in edges])
    lasts = np.asarray([each[-1] for each in edges])
    begins, ends = (
        _core.download(_core.searchsorted(ordered, _core.upload(each, None, ordered.device), right))
        for each, right in ((inner, False), (lasts, True))
    )
    parts = np.split(begins, np.cumsum(np.arange(1, most)))
    return [np.diff(part, append=end) / x.size for part, end in zip(parts, ends, strict=True)]


# The width of a bin by each rule; 0 where it finds none. Of the elements' number and extent:
# Sturges (1926), Rice's and the square root; of their deviation: Scott (1979), Doane (1976); of
# their quartiles: Freedman and Diaconis (1981); by cross-validation: Stone (1984).
_RULES: dict[str, Callable[[_Sample], Any]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}
