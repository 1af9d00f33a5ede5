"""Discrete Fourier transforms: the names of numpy.fft.

float16, float32 and complex64 are computed in single precision, all else in double precision.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.linalg.products import _operand
from cupola.fft import config as config

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

__all__ = [
    "config",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def _norm(norm: Any) -> str:
    if norm is None:
        return "backward"
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return norm


def _length(a: ndarray, n: int | None, axis: int) -> int:
    """The elements that take part: by default all along the axis."""
    return a.shape[axis] if n is None else _checked(a, n, axis)


def _checked(a: ndarray, n: int, axis: int) -> int:
    """A length, which is looked at before the axis; its type after that."""
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    if not hasattr(n, "__index__"):
        axis_in(axis, a.ndim)
    return n


def _real_length(a: ndarray, n: int | None, axis: int) -> int:
    """The same of results that are real."""
    return 2 * (a.shape[axis] - 1) if n is None else _checked(a, n, axis)


def fft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Discrete Fourier transform along one axis.

    Parameters
    ----------
    a : array
        Real or complex.
    n : int, optional
        Elements along the axis that take part; missing ones are 0.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction divides by `n`; "ortho": both, by its square root.
    out : ndarray, optional
        Takes the result.

    Returns
    -------
    ndarray
        complex64 for single precision and less, else complex128.

    Raises
    ------
    ValueError
        For no elements, another `norm`, and an `out` of another shape.
    """
    array = _operand(a)
    return _core.fft(array, _length(array, n, axis), axis, _norm(norm), out)


def ifft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Inverse of `fft`.

    Parameters
    ----------
    a : array_like
    n : int, optional
        How many elements along the axis: cut off, or followed by zeros.
    axis : int
    norm : {'backward', 'ortho', 'forward'}
    out : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For `n` below 1 and another `norm`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ifft(cp.fft.fft(cp.asarray([1.0, 2.0]))).real.tolist()
    [1.0, 2.0]
    """
    array = _operand(a)
    return _core.ifft(array, _length(array, n, axis), axis, _norm(norm), out)


def rfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`fft` of real input: the first ``n // 2 + 1`` results; the others are their conjugates.

    Raises
    ------
    TypeError
        For complex input.
    """
    array = _operand(a)
    return _core.rfft(array, _length(array, n, axis), axis, _norm(norm), out)


def irfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Inverse of `rfft`: `n` real numbers, by default ``2 * (m - 1)`` of `m` results.

    Parameters
    ----------
    a : array_like
    n : int, optional
        How many elements along the axis: cut off, or followed by zeros.
    axis : int
    norm : {'backward', 'ortho', 'forward'}
    out : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For `n` below 1 and another `norm`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.irfft(cp.fft.rfft(cp.asarray([1.0, 2.0]))).tolist()
    [1.0, 2.0]
    """
    array = _operand(a)
    return _core.irfft(array, _real_length(array, n, axis), axis, _norm(norm), out)


def hfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`fft` of a signal whose second half is the conjugate of the first: `n` real numbers.

    Parameters
    ----------
    a : array_like
    n : int, optional
        How many elements along the axis: cut off, or followed by zeros.
    axis : int
    norm : {'backward', 'ortho', 'forward'}
    out : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For `n` below 1 and another `norm`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.hfft(cp.asarray([1.0, 0.0])).tolist()
    [1.0, 1.0]
    """
    array = _operand(a)
    return _core.hfft(array, _real_length(array, n, axis), axis, _norm(norm), out)


def ihfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Inverse of `hfft`.

    Parameters
    ----------
    a : array_like
    n : int, optional
        How many elements along the axis: cut off, or followed by zeros.
    axis : int
    norm : {'backward', 'ortho', 'forward'}
    out : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For `n` below 1 and another `norm`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ihfft(cp.asarray([1.0, 1.0])).real.tolist()
    [1.0, 0.0]
    """
    array = _operand(a)
    return _core.ihfft(array, _length(array, n, axis), axis, _norm(norm), out)


def _lengths_and_axes(
    a: ndarray, s: Sequence[int] | None, axes: Sequence[int] | None, to_real: bool = False
) -> tuple[list[int], list[int]]:
    """One length for each axis, by numpy.fft's rules."""
    if axes is None:
        if s is not None:
            warnings.warn(
                "`axes` should not be `None` if `s` is not `None`: pass the axes that the lengths "
                "belong to",
                DeprecationWarning,
                stacklevel=4,
            )
        count = a.ndim if s is None else len(s)
        axes = range(-count, 0)
    if isinstance(axes, ndarray) and axes.dtype.kind not in "iu":
        raise TypeError(f"axes are integers, not {axes.dtype}")
    places = [place.__index__() for place in axes]
    given = [None] * len(places) if s is None else list(s)
    if len(given) != len(places):
        raise ValueError("Shape and axes have different lengths.")
    pairs = zip(given, places, strict=True)
    lengths = [a.shape[place] if n is None else n for n, place in pairs]
    if to_real and places and given[-1] is None:
        lengths[-1] = _real_length(a, None, places[-1])
    return lengths, places


def _along_axes(
    function: Callable[..., ndarray],
    a: ArrayLike,
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: str | None,
    out: ndarray | None,
    to_real: bool = False,
) -> ndarray:
    array = _operand(a)
    lengths, places = _lengths_and_axes(array, s, axes, to_real)
    return function(array, lengths, places, _norm(norm), out)


def fftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Discrete Fourier transform along several axes.

    Parameters
    ----------
    a : array
        Real or complex.
    s : sequence of ints, optional
        Elements along each of `axes` that take part; missing ones are 0, -1 stands for all.
    axes : sequence of ints, optional
        All by default. An axis may be named several times.
    norm, out
        As in `fft`.

    Raises
    ------
    ValueError
        For `s` and `axes` of different lengths, and as `fft`.
    """
    return _along_axes(_core.fftn, a, s, axes, norm, out)


def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Inverse of `fftn`."""
    return _along_axes(_core.ifftn, a, s, axes, norm, out)


def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`rfft` along the last axis, then `fft` along the others."""
    return _along_axes(_core.rfftn, a, s, axes, norm, out)


def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Inverse of `rfftn`."""
    return _along_axes(_core.irfftn, a, s, axes, norm, out, to_real=True)


def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`fftn` along two axes."""
    return _along_axes(_core.fftn, a, s, axes, norm, out)


def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`ifftn` along two axes."""
    return _along_axes(_core.ifftn, a, s, axes, norm, out)


def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`rfftn` along two axes."""
    return _along_axes(_core.rfftn, a, s, axes, norm, out)


def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`irfftn` along two axes."""
    return _along_axes(_core.irfftn, a, s, axes, norm, out, to_real=True)


def _count_and_spacing(n: Any, d: Any) -> tuple[int, float]:
    if not isinstance(n, int | np.integer):
        raise ValueError("n should be an integer")
    if n * d == 0:
        raise ZeroDivisionError("float division by zero")
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
    """
    return _as_frequencies(_core.fftfreq(*_count_and_spacing(n, d), device), dtype)


def rfftfreq(
    n: int, d: float = 1.0, device: DeviceLike = None, *, dtype: DTypeLike = None
) -> ndarray:
    """Frequencies of the results of `rfft`: ``[0, 1, ..., n // 2] / (n * d)``.

    The arguments are those of `fftfreq`.
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
    axes : int or sequence of ints, optional
        Default: all.

    Returns
    -------
    ndarray

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
    axes : int or sequence of ints, optional
        Default: all.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ifftshift(cp.arange(3)).tolist()
    [1, 2, 0]
    """
    array = _operand(x)
    return _core.ifftshift(array, _axes(array, axes))
