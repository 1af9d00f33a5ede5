"""Histograms, of one variable and of several."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import arrays_of
from cupola._functions.few_elements import few_by_numpy
from cupola._functions.statistics.bin_edges import edges_of, lines_of, outer_edges
from cupola._functions.statistics.counting import real_weights, sums_between, sums_inside

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["histogram", "histogram2d", "histogramdd"]


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


def _beyond(last: Any) -> Any:
    """The next number of its dtype, which is more than it; None where there is none."""
    if last.dtype.kind == "f":
        return np.nextafter(last, last.dtype.type(np.inf))
    return last + 1 if last.dtype.kind in "iu" and last < np.iinfo(last.dtype).max else None


def _limits(line: ndarray, host: np.ndarray) -> np.ndarray | None:
    """Edges in the dtype of comparisons, the last one moved so that its bin contains it."""
    if line.dtype.kind not in "iuf" or host.dtype.kind not in "iuf":
        return None
    limits = host.astype(np.result_type(line.dtype, host.dtype))
    beyond = _beyond(limits[-1])
    if beyond is None:
        return None
    return np.append(limits[:-1], beyond)


def _bin_numbers(line: ndarray, edges: ndarray, host: np.ndarray) -> ndarray:
    """The bin of each element, pending; for what lies in none, a number that is none of a bin."""
    guess = None if "c" in line.dtype.kind + edges.dtype.kind else _guess(host)
    limits = None if guess is None else _limits(line, host)
    if guess is None or limits is None:
        return _core.searchsorted(edges, line, True) - (line == edges[-1:]) - 1
    first, scale = guess
    line = _core.astype(line, limits.dtype, "K", "unsafe", False)
    place = (_core.astype(line, np.float64, "K", "unsafe", False) - first) * scale
    place = _core.astype(place, np.int64)
    table = _core.upload(limits, None, line.device)
    # Of the guess and the next bin those that begin no later, which none does for NaN; what lies
    # outside has no bin then, and neither has what the guess is too large for.
    begins = _core.take(table, place, None, None, "clip")
    ends = _core.take(table, place + 1, None, None, "clip")
    return place + (line >= begins) + (line >= ends) - 1


def _counts(line: ndarray, edges: ndarray, host: np.ndarray) -> ndarray:
    """The number of elements in each bin."""
    if edges.size < 2 or line.size == 0:
        return _core.zeros(max(edges.size - 1, 0), np.int64, device=line.device)
    if "c" in line.dtype.kind + edges.dtype.kind or np.any(host != host):
        ends = _ends(_core.sort(line, -1), edges)
        return ends[1:] - ends[:-1]
    return _core.bincount(_bin_numbers(line, edges, host), edges.size - 1)


def _ends(ordered: ndarray, edges: ndarray) -> ndarray:
    """Where each bin begins among the sorted elements, and where the last one ends."""
    begins = _core.searchsorted(ordered, edges[:-1], False)
    return _core.concatenate([begins, _core.searchsorted(ordered, edges[-1:], True)])


@few_by_numpy(np.histogram)
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
    a : array_like
        Of any shape.
    bins : int, array_like or str
        So many bins of one width, or increasing edges, or the rule that finds the number of bins:
        'auto', 'doane', 'fd', 'rice', 'scott', 'sqrt', 'stone' or 'sturges'. The last bin contains
        its right edge.
    range : (float, float), optional
        Where the first and the last bin end; without it, the smallest and the largest element.
    density : bool
        The share of the elements for one unit of the bin's width instead of their number.
    weights : array_like, optional
        What each element counts for; of the shape of `a`.

    Returns
    -------
    hist, edges : ndarray
        `hist` of int64, of the dtype of the weights, or of float64 with `density`; on the device of
        `a`.

    Raises
    ------
    ValueError
        Where edges do not increase, are not finite, or have more than one dimension, for fewer than
        one bin, another rule, more bins than floating point tells apart, and weights of another
        shape.
    TypeError
        For other kinds of `bins`, rules with weights, and edges with boolean weights.

    Warns
    -----
    RuntimeWarning
        Where `a` is of booleans, and where 'stone' finds no least error.

    See Also
    --------
    histogram_bin_edges, histogram2d, histogramdd, bincount

    Notes
    -----
    Elements are counted in one pass over them where the edges are nearly even, after one for the
    extremes where there is no `range`; else they are sorted.

    Examples
    --------
    >>> import cupola as cp
    >>> counts, edges = cp.histogram(cp.asarray([1, 2, 1, 4]), 3)
    >>> counts.tolist(), edges.tolist()
    ([2, 1, 1], [1.0, 2.0, 3.0, 4.0])
    """
    line, weight = lines_of(a, weights)
    edges, host = edges_of(line, bins, range, weight is not None)
    if weight is not None and weight.dtype == bool and np.ndim(bins) and line.size:
        raise TypeError("for bins given by their edges, weights are numbers, not booleans")
    counted = (line, edges, host)
    counts = _counts(*counted) if weight is None else _weighted(weight, *counted)
    if density:
        widths = _core.astype(edges[1:] - edges[:-1], np.float64)
        return counts / widths / _core.sum(counts), edges
    return counts, edges


def _weighted(weight: ndarray, line: ndarray, edges: ndarray, host: np.ndarray) -> ndarray:
    """The sums of the weights in each bin, of their dtype."""
    dtype = weight.dtype
    if dtype.kind in "fc":
        wide = np.complex128 if dtype.kind == "c" else np.float64
        weight = _core.astype(weight, wide, "K", "unsafe", False)
    if "c" in line.dtype.kind + edges.dtype.kind or edges.size < 2 or np.any(host != host):
        order = _core.argsort(line, -1)
        ends = _ends(_core.take(line, order), edges)
        sums = sums_between(_core.take(weight, order), ends)
    else:
        count = edges.size - 1
        number = _bin_numbers(line, edges, host)
        sums = sums_inside(number, count, weight)
    return _core.astype(sums, dtype, "K", "unsafe", False)


@few_by_numpy(np.histogram2d)
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray, ndarray]:
    """How many points of a plane lie between edges.

    Parameters
    ----------
    x, y : array_like
        The coordinates, of one dimension and one length.
    bins : int, array_like or pair of them
        As those of `histogramdd`; an array of other than two elements is the edges of both.
    range, density, weights
        As those of `histogramdd`.

    Returns
    -------
    hist, xedges, yedges : ndarray
        `hist` of float64, a row for each bin of `x`, a column for each one of `y`.

    Raises
    ------
    ValueError, TypeError
        As `histogramdd`; for coordinates of different lengths.

    Examples
    --------
    >>> import cupola as cp
    >>> counts, _, _ = cp.histogram2d(cp.asarray([0.1, 0.2, 0.9]), cp.asarray([0.3, 0.8, 0.9]), 2)
    >>> counts.tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    if len(x) != len(y):  # type: ignore[arg-type]
        raise ValueError("x and y must have the same length.")
    if _length(bins) not in (None, 1, 2):
        bins = [bins, bins]
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]


@few_by_numpy(np.histogramdd)
def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, list[ndarray]]:
    """How many points lie in each cell of a grid.

    Parameters
    ----------
    sample : (N, D) array, or D arrays of N elements
        The coordinates of N points.
    bins : int, or sequence of D ints or arrays
        For all or for each dimension: so many bins of one width, or increasing edges. The last bin
        contains its right edge.
    range : sequence of D pairs of floats or None, optional
        Where the first and the last bin of each dimension end; without it, the smallest and the
        largest coordinate.
    density : bool
        The share of the points for one unit of the cell's volume instead of their number.
    weights : array_like, optional
        N real numbers: what each point counts for, as float64.

    Returns
    -------
    hist : ndarray
        Of float64, a dimension for each one of the points, on their device.
    edges : list of ndarray

    Raises
    ------
    ValueError
        Where edges decrease, are not finite, or have more than one dimension, for fewer than one
        bin, for another number of bins, ranges or weights, and for more cells than int64 counts.
    TypeError
        For numbers of bins that are no integers, and complex weights.

    See Also
    --------
    histogram, histogram2d

    Notes
    -----
    Points are counted in one pass over them where the edges of all dimensions are nearly even.

    Examples
    --------
    >>> import cupola as cp
    >>> counts, edges = cp.histogramdd(cp.asarray([[0.0, 0.0], [1.0, 3.0], [0.9, 4.0]]), (2, 1))
    >>> counts.tolist(), edges[0].tolist()
    ([[1.0], [2.0]], [0.0, 0.5, 1.0])
    """
    columns = _columns(sample)
    rank = len(columns)
    number = _length(bins)
    if number is None:
        bins = [bins] * rank
    elif number != rank:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    limits = [None] * rank if range is None else range
    if len(limits) != rank:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_grid_edges(column, bins[i], limits[i], i) for i, column in enumerate(columns)]
    hist = _cells(columns, edges, weights)
    if density:
        hist = _densities(hist, [each for each, _ in edges])
    return hist, [each for each, _ in edges]


def _length(bins: Any) -> int | None:
    """How many there are; None for a number."""
    try:
        return len(bins)
    except TypeError:
        return None


def _columns(sample: Any) -> list[ndarray]:
    """The coordinates of each dimension, of one dtype."""
    if not hasattr(sample, "shape"):
        iter(sample)  # a number is refused
    if isinstance(sample, tuple):
        sample = list(sample)
    if isinstance(sample, list) and any(isinstance(each, ndarray) for each in sample):
        columns = arrays_of(sample)
        if len({each.shape for each in columns}) > 1:
            raise ValueError("the coordinates of all dimensions must have one shape")
        dtype = np.result_type(*(each.dtype for each in columns))
        columns = [_core.astype(each, dtype, "K", "unsafe", False) for each in columns]
        if columns[0].ndim == 1:
            return columns
        points = _core.stack(columns, 0)
    else:
        points = _core.as_array(sample)
        if points.ndim == 2 and hasattr(sample, "shape"):
            points = points.T
    if points.ndim > 2:
        raise ValueError(f"points have two dimensions, the sample has {points.ndim}")
    return list(points if points.ndim == 2 else _core.reshape(points, (1, -1)))


def _grid_edges(column: ndarray, bins: Any, limits: Any, axis: int) -> tuple[ndarray, np.ndarray]:
    """The edges of one dimension, on the host as well."""
    if np.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{axis}]` must be positive, when an integer")
        first, last = outer_edges(column, limits)
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError(f"`bins[{axis}]` must be an integer, when a scalar") from error
        host = np.linspace(first, last, count + 1)
        return _core.upload(host, None, column.device), host
    edges = _core.as_array(bins, column.device)
    if edges.ndim != 1:
        raise ValueError(f"`bins[{axis}]` must be a scalar or 1d array")
    host = _core.download(edges)
    if not host.size:
        raise IndexError(f"`bins[{axis}]` must not be empty")
    if np.any(host[:-1] > host[1:]):
        raise ValueError(f"`bins[{axis}]` must be monotonically increasing, when an array")
    return edges, host


def _cells(
    columns: list[ndarray], edges: list[tuple[ndarray, np.ndarray]], weights: Any
) -> ndarray:
    """The number of points in each cell, or the sums of their weights."""
    shape = [host.size - 1 for _, host in edges]
    if math.prod(extent + 2 for extent in shape) >= 1 << 63:
        raise ValueError(
            "invalid dims: array size defined by dims is larger than the maximum possible size."
        )
    if not columns[0].size:
        weights = None  # of no points they are not looked at
    weight = None if weights is None else real_weights(weights, columns[0])
    total = math.prod(shape)
    if not total or not columns[0].size:
        return _core.zeros(shape, np.float64, device=columns[0].device)
    cell: Any = 0
    is_inside: Any = True
    for column, (line, host), extent in zip(columns, edges, shape, strict=True):
        number = _bin_numbers(column, line, host)
        cell = cell * extent + number
        is_inside = (number >= 0) & (number < extent) & is_inside
    if weight is None:
        counts = _core.bincount(_core.where(is_inside, cell, -1), total)
        return _core.reshape(_core.astype(counts, np.float64), shape)
    weight = _core.astype(weight, np.float64, "K", "unsafe", False)
    sums = sums_inside(_core.where(is_inside, cell, -1), total, weight)
    return _core.reshape(sums, shape)


def _densities(hist: ndarray, edges: list[ndarray]) -> ndarray:
    """The shares of the sum for one unit of the cells' volumes."""
    total = _core.sum(hist)
    for axis, line in enumerate(edges):
        widths = line[1:] - line[:-1]
        hist = hist / _core.reshape(widths, [-1] + [1] * (len(edges) - axis - 1))
    return hist / total
