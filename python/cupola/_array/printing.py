"""Texts of arrays, made by NumPy from a copy on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

__all__ = ["array2string", "array_repr", "array_str"]


def _host(a: ndarray) -> np.ndarray:
    """The elements that a text shows, in an array that NumPy prints as it would print all."""
    source = a if isinstance(a.dtype, np.dtype) else _core.astype(a, np.float32)
    return _core.download_to_print(source)


def array_repr(
    arr: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text of `repr(arr)`.

    Parameters
    ----------
    arr : ndarray
    max_line_width, precision, suppress_small : optional
        NumPy's print options for this call.

    Returns
    -------
    str

    Examples
    --------
    >>> import cupola as cp
    >>> cp.array_repr(cp.array([1, 2]))
    'array([1, 2])'
    """
    # NumPy shows the type of its scalars.
    shown: Any = arr if isinstance(arr, np.generic) else _printable(arr)
    text = np.array_repr(shown, max_line_width, precision, suppress_small)
    if isinstance(arr, ndarray) and not isinstance(arr.dtype, np.dtype):
        text = text.replace("dtype=float32", f"dtype={arr.dtype}")
    return text


def array_str(
    a: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text of `str(a)`.

    Parameters
    ----------
    a : ndarray
    max_line_width, precision, suppress_small : optional
        NumPy's print options for this call.

    Returns
    -------
    str

    Examples
    --------
    >>> import cupola as cp
    >>> cp.array_str(cp.array([1, 2]))
    '[1 2]'
    """
    return np.array_str(_printable(a), max_line_width, precision, suppress_small)


def array2string(
    a: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: dict[str, Callable[[Any], str]] | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sign: Any = None,
    floatmode: Any = None,
    suffix: str = "",
    legacy: Any = None,
) -> str:
    """The elements as a text.

    Parameters
    ----------
    a : array_like
    max_line_width : int, optional
        Characters of a line.
    precision : int, optional
        Digits behind the point.
    suppress_small : bool, optional
        Numbers that are 0 to that precision are shown so.
    separator, prefix, suffix : str
        What stands between elements; what the text will stand behind, and before, for the width of
        its lines.
    formatter : dict of functions by kind, optional
        Make texts of NumPy's scalars.
    threshold, edgeitems : int, optional
        From how many elements on only those at the edges are shown, and how many.
    sign : {'-', '+', ' '}, optional
    floatmode : {'fixed', 'unique', 'maxprec', 'maxprec_equal'}, optional
    legacy : optional
        A version of NumPy whose texts are made.

    What is not given is what `set_printoptions` says.

    Returns
    -------
    str

    Examples
    --------
    >>> import cupola as cp
    >>> cp.array2string(cp.asarray([1.5, 2.25]), separator=", ")
    '[1.5 , 2.25]'
    """
    printed: Any = np.array2string
    text: str = printed(
        _printable(a),
        _option(max_line_width),
        _option(precision),
        suppress_small,
        separator,
        prefix,
        formatter=formatter,
        threshold=_option(threshold),
        edgeitems=_option(edgeitems),
        sign=sign,
        floatmode=floatmode,
        suffix=suffix,
        legacy=legacy,
    )
    return text


def _option(value: Any) -> Any:
    """A number of an array's, which NumPy takes from its own."""
    return _host(value) if isinstance(value, ndarray) else value


def _printable(a: Any) -> np.ndarray:
    return _host(a) if isinstance(a, ndarray) else np.asarray(a)


def _without_contents(self: ndarray) -> str:
    """What is known of an array whose device is out of reach."""
    return f"<array of shape {self.shape}, dtype {self.dtype} on {self.device}, out of reach here>"


def _repr(self: ndarray) -> str:
    try:
        return array_repr(self)
    except _core.ForkedProcessError:
        return _without_contents(self)


def _str(self: ndarray) -> str:
    try:
        return array_str(self)
    except _core.ForkedProcessError:
        return _without_contents(self)


def _format(self: ndarray, format_spec: str) -> str:
    if self.ndim == 0:
        return format(_core.item(self), format_spec)
    if format_spec:
        raise TypeError("unsupported format string passed to cupola.ndarray.__format__")
    return array_str(self)


def _repr_html(self: ndarray) -> str:
    """The array in a notebook: what it is, where it lies, and a few values, which are all that is
    copied. It is evaluated where `repr` would evaluate it."""
    from cupola._notebook.arrays import array_html

    return array_html(self)


def install() -> None:
    """Give `ndarray` its texts."""
    ndarray.__repr__ = _repr  # type: ignore[method-assign]
    ndarray.__str__ = _str  # type: ignore[method-assign]
    ndarray.__format__ = _format  # type: ignore[method-assign]
    ndarray._repr_html_ = _repr_html  # type: ignore[method-assign]
