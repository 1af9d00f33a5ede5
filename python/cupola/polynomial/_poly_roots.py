"""Roots of a polynomial, and the polynomial of roots: eigenvalues of matrices on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.creation.arrays import array
from cupola.polynomial._coefficients import device_of, eigenvalues, on_device, on_host

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["poly", "roots"]


def roots(p: Any) -> ndarray:
    """The roots of a polynomial: eigenvalues of its companion matrix.

    Parameters
    ----------
    p : array_like
        Coefficients from the highest degree to the lowest.

    Returns
    -------
    ndarray
        Complex where one of them is.

    Raises
    ------
    ValueError
        For several dimensions.
    TypeError
        For a number.

    References
    ----------
    R. A. Horn and C. R. Johnson, Matrix Analysis, section 3.3.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.sort(cp.roots([1, -3, 2])).round(6).tolist()
    [1.0, 2.0]
    """
    host = np.asarray(on_host(p))
    if host.dtype.kind not in "biufc":
        array(host)  # refused
    if not host.ndim:
        raise TypeError("the coefficients must be a sequence, not a number")
    if host.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    (places,) = np.nonzero(host)
    if not places.size:
        return array(np.array([]), device=device_of(p))
    at_zero = len(host) - int(places[-1]) - 1
    host = host[places[0] : places[-1] + 1]
    if host.dtype.kind not in "fc":
        host = host.astype(float)
    if len(host) < 2:
        return array(np.zeros(at_zero), device=device_of(p))
    companion = np.diag(np.ones(len(host) - 2, host.dtype), -1)
    companion[0] = -host[1:] / host[0]
    found = eigenvalues(on_device(companion, device_of(p)))
    zeros = _core.zeros((at_zero,), found.dtype, device=found.device)
    return _core.concatenate([found, zeros])


def poly(seq_of_zeros: ArrayLike) -> Any:
    """The polynomial with these roots, or the characteristic polynomial of a matrix.

    Parameters
    ----------
    seq_of_zeros : array_like
        Roots, or a square matrix, whose eigenvalues they are.

    Returns
    -------
    ndarray
        Coefficients from the highest degree to the lowest, the first one 1; real where the roots
        are pairs of conjugates. The number 1.0 without roots.

    Raises
    ------
    ValueError
        For other shapes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.poly([1, 2]).tolist()
    [1.0, -3.0, 2.0]
    """
    device = device_of(seq_of_zeros)
    shape = np.shape(on_host(seq_of_zeros))
    if len(shape) == 2 and shape[0] == shape[1] != 0:
        seq_of_zeros = eigenvalues(array(seq_of_zeros, copy=None))
    result = np.poly(on_host(seq_of_zeros))
    return result if isinstance(result, float) else on_device(result, device)
