"""Covariances and correlation coefficients."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import arrays_of
from cupola._functions.manipulation.shapes import to_2d
from cupola._functions.mathematics.sums import average

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DTypeLike

__all__ = ["corrcoef", "cov"]

_ufuncs = _core._ufuncs


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike = None,
) -> ndarray:
    """Covariances of variables.

    Parameters
    ----------
    m : array_like
        Of one or two dimensions: a row for each variable, a column for each observation.
    y : array_like, optional
        More variables.
    rowvar : bool
        False: a column is a variable, a row an observation.
    bias : bool
        Divide by the number of observations instead of one less.
    ddof : int, optional
        How many less than the number of observations the divisor is, instead of what `bias` says.
    fweights : array_like of integers, optional
        How often each observation was made.
    aweights : array_like, optional
        How much each observation weighs.
    dtype : dtype, optional
        Default: float64 at least.

    Returns
    -------
    ndarray
        A row and a column for each variable; of one variable an array without dimensions.

    Raises
    ------
    ValueError
        For more than two dimensions, another number of observations in `y`, negative weights, and
        a `ddof` that is no integer.
    TypeError
        For `fweights` that are no integers.
    RuntimeError
        For weights of several dimensions, or another number of them.

    Warns
    -----
    RuntimeWarning
        Where the divisor is not positive.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cov(cp.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    samples = _samples(m, y, rowvar, dtype)
    if samples is None:
        return _core.zeros((0, 0), np.float64)
    if ddof is None:
        ddof = int(bias == 0)
    counts = _weights("fweights", fweights, samples)
    reliability = _weights("aweights", aweights, samples)
    weights = counts if reliability is None else reliability
    if counts is not None and reliability is not None:
        weights = counts * reliability
    divisor: Any
    if weights is None:
        mean = _core.mean(samples, 1)
        divisor = samples.shape[1] - ddof
    else:
        mean = average(samples, 1, weights)
        divisor = _core.sum(weights)
        if ddof and reliability is None:
            divisor = divisor - ddof
        elif ddof:
            divisor = divisor - ddof * _core.sum(weights * reliability) / divisor
    if not bool(divisor > 0):
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        divisor = 0.0
    return _products(samples, mean, weights, divisor)


def _samples(m: Any, y: Any, rowvar: bool, dtype: Any) -> ndarray | None:
    """A row for each variable; None where there are none."""
    arrays = arrays_of((m,) if y is None else (m, y))
    for name, array in zip("my", arrays, strict=False):
        if array.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    if dtype is None:
        dtype = np.result_type(*(array.dtype for array in arrays), np.float64)
    rows = [to_2d(_core.astype(array, dtype, "K", "unsafe", False)) for array in arrays]
    if not rowvar:
        if arrays[0].ndim != 1:
            rows[0] = rows[0].T
        if y is not None and rows[1].shape[0] != 1:
            rows[1] = rows[1].T
    if rows[0].shape[0] == 0:
        return None
    return rows[0] if y is None else _core.concatenate(rows, 0)


def _weights(name: str, given: Any, samples: ndarray) -> ndarray | None:
    """A real number for each observation; None where none are given."""
    if given is None:
        return None
    if type(given) is complex:
        raise TypeError(f"{name} must be real")
    weights = _core.astype(_core.as_array(given, samples.device), np.float64)
    if name == "fweights" and not bool(_core.all(weights == _ufuncs["rint"](weights))):
        raise TypeError("fweights must be integer")
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != samples.shape[1]:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if bool(_core.any(weights < 0)):
        raise ValueError(f"{name} cannot be negative")
    return weights


def _products(samples: ndarray, mean: ndarray, weights: ndarray | None, divisor: Any) -> ndarray:
    """The sums of products of what differs from the means, over the divisor."""
    mean = mean[:, None]
    if samples.dtype.kind in "biu":
        _ufuncs["subtract"](samples, mean, out=_core.copy(samples))  # refused as NumPy does
    rest = _core.astype(samples - mean, samples.dtype, "K", "unsafe", False)
    right = rest.T if weights is None else (rest * weights).T
    if right.dtype.kind == "c":
        right = _ufuncs["conjugate"](right)
    products = _core.dot(rest, right)
    with np.errstate(all="ignore"):
        factor = np.true_divide(1.0, divisor) if not isinstance(divisor, ndarray) else 1.0 / divisor
    result = _core.astype(products * factor, products.dtype, "K", "unsafe", False)
    return _core.squeeze(result)


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike = None
) -> ndarray:
    """Correlation coefficients of variables: their covariances over their standard deviations.

    Parameters
    ----------
    x, y, rowvar, dtype
        As those of `cov`.

    Returns
    -------
    ndarray
        As `cov`; real and imaginary parts between -1 and 1, NaN for what does not vary.

    Raises
    ------
    ValueError
        For more than two dimensions, and another number of observations in `y`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.corrcoef([0.0, 1.0, 2.0], cp.asarray([3.0, 2.0, 1.0])).round(6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    products = cov(x, y, rowvar, dtype=dtype)
    if products.ndim == 0:
        return products / products
    deviations = _ufuncs["sqrt"](_core.diagonal(products).real)
    products = products / deviations[:, None] / deviations
    if products.dtype.kind != "c":
        return _core.clip(products, -1, 1)
    result = _core.empty(products.shape, products.dtype, device=products.device)
    result.real = _core.clip(products.real, -1, 1)
    result.imag = _core.clip(products.imag, -1, 1)
    return result
