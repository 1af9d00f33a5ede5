"""What the modules of series share: coefficients without zeros at their end, and domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import polyutils as _numpy
from numpy.polynomial.polyutils import format_float as format_float

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.creation.arrays import array
from cupola.polynomial._coefficients import algebra, is_number, on_host, points

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["as_series", "format_float", "getdomain", "mapdomain", "mapparms", "trimcoef", "trimseq"]


def as_series(alist: Any, trim: bool = True) -> list[ndarray]:
    """Coefficients of several series as arrays of one dimension and a common inexact dtype.

    Parameters
    ----------
    alist : sequence of array_like
        Each of at most one dimension, or an array whose rows they are.
    trim : bool
        Without the zeros at their ends.

    Returns
    -------
    list of ndarray
        One for each series.

    Raises
    ------
    ValueError
        For series that are empty or have several dimensions, and without a common dtype.

    Examples
    --------
    >>> from cupola.polynomial import polyutils
    >>> [each.tolist() for each in polyutils.as_series([[1, 2, 0], 3])]
    [[1.0, 2.0], [3.0]]
    """
    found: list[ndarray] = algebra(lambda given: _numpy.as_series(given, trim), alist)
    return found


def trimseq(seq: Any) -> Any:
    """A sequence without the zeros at its end; at least one element stays.

    An array is looked at on the host, and a view of it is returned.

    Parameters
    ----------
    seq : sequence or ndarray

    Returns
    -------
    sequence or ndarray
        `seq` itself where it has no zeros at its end.

    Examples
    --------
    >>> from cupola.polynomial import polyutils
    >>> polyutils.trimseq([1, 0, 2, 0, 0])
    [1, 0, 2]
    """
    if not isinstance(seq, ndarray):
        return _numpy.trimseq(seq)
    return seq[: len(_numpy.trimseq(on_host(seq)))]


def trimcoef(c: ArrayLike, tol: float = 0) -> ndarray:
    """Coefficients without those at their end whose size is at most `tol`.

    Parameters
    ----------
    c : array_like
        Of one dimension.
    tol : float

    Returns
    -------
    ndarray
        At least one coefficient, a zero if need be.

    Raises
    ------
    ValueError
        For ``tol < 0``.

    Examples
    --------
    >>> from cupola.polynomial import polyutils
    >>> polyutils.trimcoef([1, 1e-5, 0], 1e-3).tolist()
    [1.0]
    """
    result: ndarray = algebra(_numpy.trimcoef, c, tol)
    return result


def getdomain(x: ArrayLike) -> ndarray:
    """The least and the largest point; of complex ones, the corners of the rectangle around them.

    Parameters
    ----------
    x : array_like
        Of one dimension.

    Returns
    -------
    ndarray
        Two numbers, of an inexact dtype.

    Raises
    ------
    ValueError
        For other than one dimension, without points, and for booleans.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.polynomial import polyutils
    >>> polyutils.getdomain(cp.asarray([3, 1, 2])).tolist()
    [1.0, 3.0]
    """
    x = points(x)
    if x.ndim > 1:
        raise ValueError("Coefficient array is not 1-d")
    if x.size == 0:
        raise ValueError("Coefficient array is empty")
    if x.dtype.kind == "b":
        raise ValueError("Coefficient arrays have no common type")
    x = x.ravel()
    x = x if x.dtype.kind in "fc" else _core.astype(x, np.float64)
    if x.dtype.kind != "c":
        return _core.stack([x.min(), x.max()], 0)
    corners = [end(x.real) + 1j * end(x.imag) for end in (_core.min, _core.max)]
    return _core.astype(_core.stack(corners, 0), np.complex128)


def mapparms(old: Any, new: Any) -> tuple[Any, Any]:
    """The numbers off and scl with which off + scl x maps one interval to another one.

    Parameters
    ----------
    old, new : array_like of two numbers

    Returns
    -------
    off, scl : number
        Complex where a number of the intervals is.

    Examples
    --------
    >>> from cupola.polynomial import polyutils
    >>> polyutils.mapparms((-1, 1), (0, 4))
    (2.0, 2.0)
    """
    off, scl = _numpy.mapparms(on_host(old), on_host(new))
    return off, scl


def mapdomain(x: Any, old: Any, new: Any) -> Any:
    """Points moved as one interval is moved to another one: off + scl x.

    Parameters
    ----------
    x : array_like
    old, new : array_like of two numbers

    Returns
    -------
    ndarray
        A number for a number.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.polynomial import polyutils
    >>> polyutils.mapdomain(cp.asarray([-1.0, 0.5]), (-1, 1), (0, 4)).tolist()
    [0.0, 3.0]
    """
    off, scl = (each if np.ndim(each) == 0 else array(each) for each in mapparms(old, new))
    return off + scl * (x if is_number(x) or isinstance(x, np.generic) else points(x))
