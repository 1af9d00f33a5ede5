"""Transforms along several axes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.linalg.products import _operand
from cupola.fft._one_axis import _norm, _real_length

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn"]


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


_COMPLEX = (_core.fftn, _core.ifftn)


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
    if not places and function in _COMPLEX:
        return array  # as in NumPy, whatever `norm` and `out` are
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

    Returns
    -------
    ndarray
        Complex.

    Raises
    ------
    ValueError
        For `s` and `axes` of different lengths, and as `fft`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.fftn(cp.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return _along_axes(_core.fftn, a, s, axes, norm, out)


def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Inverse of `fftn`.

    Parameters
    ----------
    a : array_like
    s : tuple of ints, optional
        Lengths along the axes.
    axes : tuple of ints, optional
        All by default, or as many last ones as there are lengths.
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex.

    Raises
    ------
    ValueError
        For no elements, or lengths and axes of different numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ifftn(cp.ones((2, 2))).real.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return _along_axes(_core.ifftn, a, s, axes, norm, out)


def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`rfft` along the last axis, then `fft` along the others.

    Parameters
    ----------
    a : array_like
        Real.
    s : tuple of ints, optional
        Lengths along the axes.
    axes : tuple of ints, optional
        All by default, or as many last ones as there are lengths.
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex; half of the last axis and one.

    Raises
    ------
    TypeError
        For complex numbers.
    ValueError
        For no elements, or lengths and axes of different numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.rfftn(cp.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return _along_axes(_core.rfftn, a, s, axes, norm, out)


def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Inverse of `rfftn`.

    Parameters
    ----------
    a : array_like
        What `rfftn` gives.
    s : tuple of ints, optional
        Lengths of the result along the axes.
    axes : tuple of ints, optional
        All by default, or as many last ones as there are lengths.
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    ValueError
        For no elements, or lengths and axes of different numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.irfftn(cp.fft.rfftn(cp.ones((2, 2)))).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _along_axes(_core.irfftn, a, s, axes, norm, out, to_real=True)


def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`fftn` along two axes.

    Parameters
    ----------
    a : array_like
    s : tuple of ints, optional
        Lengths along the axes.
    axes : tuple of ints, optional
        The two last ones by default.
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex.

    Raises
    ------
    ValueError
        For no elements, or lengths and axes of different numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.fft2(cp.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return _along_axes(_core.fftn, a, s, axes, norm, out)


def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`ifftn` along two axes.

    Parameters
    ----------
    a : array_like
    s : tuple of ints, optional
        Lengths along the axes.
    axes : tuple of ints, optional
        The two last ones by default.
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex.

    Raises
    ------
    ValueError
        For no elements, or lengths and axes of different numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ifft2(cp.ones((2, 2))).real.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return _along_axes(_core.ifftn, a, s, axes, norm, out)


def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`rfftn` along two axes.

    Parameters
    ----------
    a : array_like
        Real.
    s : tuple of ints, optional
        Lengths along the axes.
    axes : tuple of ints, optional
        The two last ones by default.
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex; half of the last axis and one.

    Raises
    ------
    TypeError
        For complex numbers.
    ValueError
        For no elements, or lengths and axes of different numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.rfft2(cp.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return _along_axes(_core.rfftn, a, s, axes, norm, out)


def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """`irfftn` along two axes.

    Parameters
    ----------
    a : array_like
        What `rfft2` gives.
    s : tuple of ints, optional
        Lengths of the result along the axes.
    axes : tuple of ints, optional
        The two last ones by default.
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    ValueError
        For no elements, or lengths and axes of different numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.irfft2(cp.fft.rfft2(cp.ones((2, 2)))).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _along_axes(_core.irfftn, a, s, axes, norm, out, to_real=True)
