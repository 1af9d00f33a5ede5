"""Transforms along one axis, and the checks of lengths and norms that all share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.linalg.products import _operand

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]


_NORMS = frozenset(("backward", "ortho", "forward"))


def _norm(norm: Any) -> str:
    if norm is None:
        return "backward"
    if norm not in _NORMS:
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

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.fft(cp.array([1.0, 0.0, 0.0, 0.0])).real.tolist()
    [1.0, 1.0, 1.0, 1.0]
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
        Elements along the axis that take part; missing ones are 0.
    axis : int, optional
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex.

    Raises
    ------
    ValueError
        For no elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ifft(cp.array([4.0, 0.0, 0.0, 0.0])).real.tolist()
    [1.0, 1.0, 1.0, 1.0]
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

    Parameters
    ----------
    a : array_like
        Real.
    n : int, optional
        Elements along the axis that take part; missing ones are 0.
    axis : int, optional
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex; n / 2 + 1 elements along the axis.

    Raises
    ------
    TypeError
        For complex input.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.rfft(cp.ones(4)).real.tolist()
    [4.0, 0.0, 0.0]
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
        What `rfft` gives.
    n : int, optional
        Elements of the result; 2 (m - 1) by default.
    axis : int, optional
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    ValueError
        For no elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.irfft(cp.fft.rfft(cp.ones(4))).tolist()
    [1.0, 1.0, 1.0, 1.0]
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
        The first half of a sequence that is its own conjugate backwards.
    n : int, optional
        Elements of the result; 2 (m - 1) by default.
    axis : int, optional
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    ValueError
        For no elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.hfft(cp.array([1.0, 0.0])).tolist()
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
        Real.
    n : int, optional
        Elements along the axis that take part.
    axis : int, optional
    norm : {'backward', 'ortho', 'forward'}, optional
    out : ndarray, optional

    Returns
    -------
    ndarray
        Complex; n / 2 + 1 elements along the axis.

    Raises
    ------
    TypeError
        For complex numbers.
    ValueError
        For no elements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.ihfft(cp.ones(4)).real.tolist()
    [1.0, 0.0, 0.0]
    """
    array = _operand(a)
    return _core.ihfft(array, _length(array, n, axis), axis, _norm(norm), out)
