"""The frequencies of results, and their order."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.linalg.products import _operand

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def _count_and_spacing(n: Any, d: Any) -> tuple[int, float]:
    if not isinstance(n, int | np.integer):
        raise ValueError("n should be an integer")
    operator.truediv(1.0, int(n) * float(d))  # ZeroDivisionError in this Python's words
    return int(n), float(d)


def fftfreq(
    n: int, d: float = 1.0, device: DeviceLike = None, *, dtype: DTypeLike = None
) -> ndarray:
    """Frequencies of the results of `fft`, for samples that are `d` apart.

    Parameters
    ----------
    dtype : dtype, optional
        A real floating one; default: float64.

    Returns
    -------
    ndarray
        ``[0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1] / (n * d)``

    Raises
    ------
    ValueError
        For an `n` that is no integer, or negative, and for another dtype.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    return _as_frequencies(_core.fftfreq(*_count_and_spacing(n, d), device), dtype)


def rfftfreq(
    n: int, d: float = 1.0, device: DeviceLike = None, *, dtype: DTypeLike = None
) -> ndarray:
    """Frequencies of the results of `rfft`: ``[0, 1, ..., n // 2] / (n * d)``.

    The arguments are those of `fftfreq`.

    Parameters
    ----------
    n : int
    d : float, optional
        Distance of the samples.
    device : optional

    Returns
    -------
    ndarray
        (n // 2 + 1,), of float64.

    Raises
    ------
    ValueError
        For what is no integer.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    count, spacing = _count_and_spacing(n, d)
    if count < 0:
        return _as_frequencies(_core.empty((0,), float, device=device), dtype)
    return _as_frequencies(_core.rfftfreq(count, spacing, device), dtype)


def _as_frequencies(values: ndarray, dtype: DTypeLike) -> ndarray:
    if dtype is None:
        return values
    wanted = _core.dtype(dtype)
    if wanted.kind != "f" and wanted.name != "bfloat16":
        raise ValueError(f"frequencies have a real floating dtype, not {wanted}")
    return _core.astype(values, wanted, "K", "unsafe", False)


def _axes(x: ndarray, axes: int | Sequence[int] | None) -> list[int] | None:
    """As a list, of axes that there are."""
    if axes is None:
        return None
    places = [axes] if isinstance(axes, int | np.integer) else list(axes)
    for place in places:
        x.shape[place]
    return [int(place) for place in places]


def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> ndarray:
    """The frequency 0 in the middle of each of the axes: by default, of all.

    Parameters
    ----------
    x : array_like
    axes : int or tuple of ints, optional
        None: all.

    Returns
    -------
    ndarray

    Raises
    ------
    IndexError
        For an axis that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.fftshift(cp.arange(4)).tolist()
    [2, 3, 0, 1]
    """
    array = _operand(x)
    return _core.fftshift(array, _axes(array, axes))


def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> ndarray:
    """Inverse of `fftshift`.

    Parameters
    ----------
    x : array_like
    axes : int or tuple of ints, optional
        None: all.

    Returns
    -------
    ndarray

    Raises
    ------
    IndexError
        For an axis that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ifftshift(cp.fft.fftshift(cp.arange(5))).tolist()
    [0, 1, 2, 3, 4]
    """
    array = _operand(x)
    return _core.ifftshift(array, _axes(array, axes))
