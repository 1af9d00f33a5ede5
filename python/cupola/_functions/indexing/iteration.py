"""Going over elements, and NumPy's own functions in which arrays play no part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import arrays_of

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "base_repr",
    "binary_repr",
    "broadcast",
    "format_float_positional",
    "format_float_scientific",
    "get_printoptions",
    "iterable",
    "mintypecode",
    "ndenumerate",
    "ndindex",
    "printoptions",
    "set_printoptions",
    "typename",
]

base_repr = np.base_repr
binary_repr = np.binary_repr
get_printoptions = np.get_printoptions
mintypecode = np.mintypecode
ndindex = np.ndindex
printoptions = np.printoptions
set_printoptions = np.set_printoptions
typename = np.typename


def iterable(y: object) -> bool:
    """Whether an object can be iterated over; an array without dimensions cannot.

    Parameters
    ----------
    y : any

    Returns
    -------
    bool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.iterable(cp.ones(2)), cp.iterable(cp.asarray(1.0))
    (True, False)
    """
    return bool(np.iterable(y))


def format_float_positional(
    x: Any,
    precision: int | None = None,
    unique: bool = True,
    fractional: bool = True,
    trim: Literal["k", ".", "0", "-"] = "k",
    sign: bool = False,
    pad_left: int | None = None,
    pad_right: int | None = None,
    min_digits: int | None = None,
) -> str:
    """A number as a text without an exponent.

    Parameters
    ----------
    x : number, or array without dimensions, which is copied to the host
    precision : int, optional
        Digits at most: behind the point if `fractional`, else in all.
    unique : bool
        As few digits as tell the number from its neighbours; False: as many as `precision` says.
    fractional : bool
    trim : {'k', '.', '0', '-'}
        Of zeros at the end: keep them; leave the point; leave one zero; leave neither.
    sign : bool
        Whether a positive number has one.
    pad_left, pad_right : int, optional
        Characters before and behind the point, with spaces.
    min_digits : int, optional
        Digits at least, of `unique` ones.

    Returns
    -------
    str

    Examples
    --------
    >>> import cupola as cp
    >>> cp.format_float_positional(cp.asarray(1e-3))
    '0.001'
    """
    return np.format_float_positional(
        _on_host(x), precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits
    )


def format_float_scientific(
    x: Any,
    precision: int | None = None,
    unique: bool = True,
    trim: Literal["k", ".", "0", "-"] = "k",
    sign: bool = False,
    pad_left: int | None = None,
    exp_digits: int | None = None,
    min_digits: int | None = None,
) -> str:
    """A number as a text with an exponent.

    Parameters
    ----------
    x : number, or array without dimensions, which is copied to the host
    precision : int, optional
        Digits behind the point at most.
    unique, trim, sign, pad_left, min_digits
        As those of `format_float_positional`.
    exp_digits : int, optional
        Digits of the exponent at least.

    Returns
    -------
    str

    Examples
    --------
    >>> import cupola as cp
    >>> cp.format_float_scientific(cp.asarray(1024.0))
    '1.024e+03'
    """
    return np.format_float_scientific(
        _on_host(x), precision, unique, trim, sign, pad_left, exp_digits, min_digits
    )


def _on_host(x: Any) -> Any:
    return _core.download(x) if isinstance(x, ndarray) else x


class ndenumerate:  # noqa: N801
    """An iterator of the indices and elements of an array.

    Parameters
    ----------
    arr : array_like
        Each element is an array without dimensions, on its device.

    Examples
    --------
    >>> import cupola as cp
    >>> [(index, int(value)) for index, value in cp.ndenumerate(cp.asarray([[5, 6]]))]
    [((0, 0), 5), ((0, 1), 6)]
    """

    def __init__(self, arr: ArrayLike) -> None:
        self._array = _core.as_array(arr)
        self._indices = np.ndindex(self._array.shape)

    def __next__(self) -> tuple[tuple[int, ...], ndarray]:
        index = next(self._indices)
        return index, self._array[index]

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], ndarray]]:
        return self


class broadcast:  # noqa: N801
    """Arrays broadcast against one another, an iterator of tuples of their elements.

    Parameters
    ----------
    *args : array_like
        Each element is an array without dimensions, on its device.

    Attributes
    ----------
    shape : tuple of ints
        That the arrays broadcast to.
    index : int
        How many tuples the iterator has given.
    iters : tuple of iterators
        Of the elements of each array.

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.broadcast(cp.ones((3, 1)), cp.ones(2)).shape
    (3, 2)
    """

    shape: tuple[int, ...]
    index: int

    def __init__(self, *args: Any) -> None:
        given: list[Any] = []
        for each in args:
            given += each._arrays if isinstance(each, broadcast) else [each]
        self._arrays: list[ndarray] = []
        if given:
            self._arrays += _core.broadcast_arrays(arrays_of(given))
        self.shape = self._arrays[0].shape if given else ()
        self.reset()

    def reset(self) -> None:
        """Start again, at the first tuple.

        Examples
        --------
        >>> import cupola as cp
        >>> pairs = cp.broadcast(cp.arange(2), 5)
        >>> first = next(pairs)
        >>> pairs.reset()
        >>> pairs.index
        0
        """
        self.index = 0
        self._indices = np.ndindex(self.shape)

    @property
    def nd(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    ndim = nd

    @property
    def numiter(self) -> int:
        """The number of arrays."""
        return len(self._arrays)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def values(self) -> tuple[ndarray, ...]:
        """The arrays, each broadcast to the shape."""
        return tuple(self._arrays)

    @property
    def iters(self) -> tuple[Iterator[ndarray], ...]:
        """Iterators of the elements of each array."""
        return tuple(array.flat for array in self._arrays)

    def __next__(self) -> tuple[ndarray, ...]:
        index = next(self._indices)
        self.index += 1
        return tuple(array[index] for array in self._arrays)

    def __iter__(self) -> Iterator[tuple[ndarray, ...]]:
        return self
