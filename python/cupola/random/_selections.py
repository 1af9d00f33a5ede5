"""Integers, and choices and orders of elements."""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.dtypes import finfo, isdtype
from cupola.random._draws import Draws
from cupola.random._parameters import shape_of

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

_ufuncs = _core._ufuncs
_LIMITS: dict[Any, tuple[int, int]] = {np.dtype(bool): (0, 1)}
_LARGE = 1 << 22
_FEW = 50
"""Of so many numbers, no more than one in `_FEW` are drawn without an order of all of them."""


def _limits(dtype: Any) -> tuple[int, int]:
    """The smallest and the largest value of an integer dtype or bool."""
    known = _LIMITS.get(dtype)
    if known is not None:
        return known
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iu":
        raise TypeError(f"Unsupported dtype {dtype!r} for integers")
    information = np.iinfo(dtype)  # which takes long
    return _LIMITS.setdefault(dtype, (int(information.min), int(information.max)))


def _wrapped(values: Any, device: DeviceLike) -> ndarray:
    """Python integers of any size as an array, modulo 2**64."""
    flat = [int(value) % 2**64 for value in values.ravel()]
    return _core.upload(np.array(flat, np.uint64).reshape(values.shape), None, device)


def _outside(compare: Any, bound: ndarray, limit: int) -> Any:
    """Compared with a limit, which the bound's dtype may not hold: then no value is outside."""
    least, most = _limits(bound.dtype)
    return compare(bound, limit) if least <= limit <= most else False


class _Bounds:
    """The smallest value and the number of values."""

    def __init__(self, low: Any, high: Any, dtype: Any, closed: bool, device: DeviceLike) -> None:
        if high is None:
            low, high = 0, low
        self.device = device
        self.shape: tuple[int, ...] = ()
        if type(low) is int and type(high) is int:
            self._set_numbers(low, high - (not closed), dtype, closed)
            return
        on_device = [bound for bound in (low, high) if isinstance(bound, ndarray)]
        if device is None and on_device:
            self.device = on_device[0].device
        self.low: int | ndarray
        self.count: int | ndarray
        if on_device:
            first, last = (self._uploaded(bound) for bound in (low, high))
            self._check_arrays(first, last, dtype, closed)
            count = last - first + int(closed)
            self.low, self.count, self.shape = first, count, count.shape
        elif np.ndim(low) == 0 and np.ndim(high) == 0:
            self._set_numbers(int(low), int(high) - (not closed), dtype, closed)
        else:
            self._set_arrays(low, high, dtype, closed)

    def _set_numbers(self, first: int, last: int, dtype: Any, closed: bool) -> None:
        self._check(first <= last, first, last, dtype, closed)
        self.low, self.count = first % 2**64, (last - first + 1) % 2**64

    def _set_arrays(self, low: Any, high: Any, dtype: Any, closed: bool) -> None:
        whole = np.frompyfunc(int, 1, 1)
        first = np.asarray(whole(np.asarray(low, object)), object)
        last = np.asarray(whole(np.asarray(high, object)), object) - (not closed)
        least, most = _limits(dtype)
        in_order = bool(np.all(np.less_equal(first, last)))
        self._check(
            in_order, np.min(first, initial=most), np.max(last, initial=least), dtype, closed
        )
        count = np.asarray(last - first + 1, object)
        self.shape = count.shape
        self.low, self.count = _wrapped(first, self.device), _wrapped(count, self.device)

    def _uploaded(self, bound: Any) -> ndarray:
        array = _core.as_array(bound, self.device)
        return array if array.dtype.kind in "iu" else _core.astype(array, "int64")

    @staticmethod
    def _check_arrays(first: ndarray, last: ndarray, dtype: Any, closed: bool) -> None:
        """Waits for the device: once, where all is well."""
        least, most = _limits(dtype)
        is_below = _outside(_ufuncs["less"], first, least)
        is_above = _outside(_ufuncs["greater"], last, most if closed else most + 1)
        crossed = _ufuncs["greater" if closed else "greater_equal"](first, last)
        if not bool(_core.any(is_below | is_above | crossed)):
            return
        if bool(_core.any(is_below)):
            raise ValueError(f"low is out of bounds for {dtype}")
        if bool(_core.any(is_above)):
            raise ValueError(f"high is out of bounds for {dtype}")
        raise ValueError("low > high" if closed else "low >= high")

    @staticmethod
    def _check(in_order: bool, first: int, last: int, dtype: Any, closed: bool) -> None:
        least, most = _limits(dtype)
        if first < least:
            raise ValueError(f"low is out of bounds for {dtype}")
        if last > most:
            raise ValueError(f"high is out of bounds for {dtype}")
        if not in_order:
            raise ValueError("low > high" if closed else "low >= high")


class Selections:
    """What generators of both kinds have. Every method takes one draw."""

    _draws: Draws
    _chooses_along_axes = True

    def _integers(
        self,
        low: Any,
        high: Any,
        size: Any,
        dtype: DTypeLike,
        closed: bool,
        device: DeviceLike,
    ) -> ndarray:
        wanted = _core.dtype(dtype)
        _limits(wanted)
        shape = None if size is None else shape_of(size)
        if shape is not None and 0 in shape:  # no number is out of bounds
            return _core.empty(shape, wanted, device=device)
        bounds = _Bounds(low, high, wanted, closed, device)
        shape = bounds.shape if shape is None else shape
        key, draw = self._draws.take()
        return _core.random_integers(
            key, draw, bounds.low, bounds.count, shape, wanted, bounds.device
        )

    def _bits(self, shape: tuple[int, ...], device: DeviceLike) -> ndarray:
        key, draw = self._draws.take()
        return _core.random_bits(key, draw, shape, "uint64", device)

    def _order(self, count: int, device: DeviceLike) -> ndarray:
        """0 ... count - 1 in a random order."""
        return _core.argsort(self._bits((count,), device))

    def bytes(self, length: int) -> builtins.bytes:
        """Random bytes, on the host.

        Parameters
        ----------
        length : int

        Returns
        -------
        bytes

        Examples
        --------
        >>> import cupola as cp
        >>> len(cp.random.bytes(4))
        4
        """
        words = self._bits(((length + 7) // 8,), None)
        return _core.download(words).astype("<u8").tobytes()[:length]

    def choice(
        self,
        a: ArrayLike,
        size: Any = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Elements of `a`, or integers below it.

        Parameters
        ----------
        a : int or array_like
        size : int or tuple of ints, optional
            Without it one element is chosen.
        replace : bool
            Whether an element may be chosen again.
        p : array_like of one dimension, optional
            The probability of each element; by default all are as likely.
        axis : int
            Along which the elements of `a` lie; a RandomState takes only arrays of one dimension.
        shuffle : bool
            Changes nothing: what is chosen without replacement is in random order.
        device : optional
            Where `a` is a number; default: the current device.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For an empty `a`, probabilities that are none, or more elements than there are.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.choice(5, 3, replace=False).shape
        (3,)
        """
        if isinstance(a, (ndarray, np.ndarray)) and not a.ndim and a.dtype.kind in "biu":
            a = int(a)
        source = None if isinstance(a, (int, np.integer)) else _population(a)
        where = device if source is None else source.device
        if source is None:
            count = int(a)  # type: ignore[arg-type]
        else:
            if source.ndim != 1 and not self._chooses_along_axes:
                raise ValueError("a must be 1-dimensional")
            axis = axis_in(axis, source.ndim)
            count = source.shape[axis]
        shape = () if size is None else shape_of(size)
        wanted = math.prod(shape)
        if count <= 0 and (wanted or count < 0):
            what = "a must be a positive integer" if source is None else "a cannot be empty"
            raise ValueError(f"{what} unless no samples are taken")
        weights = None if p is None else _probabilities(p, count, where)
        if replace:
            places = self._with_replacement(count, shape, weights, where)
        else:
            if wanted > count:
                raise ValueError(
                    "Cannot take a larger sample than population when replace is False"
                )
            places = self._without_replacement(count, wanted, weights, where)
            places = _core.reshape(places, shape)
        return places if source is None else _core.take(source, places, axis)

    def _with_replacement(
        self, count: int, shape: tuple[int, ...], weights: ndarray | None, device: DeviceLike
    ) -> ndarray:
        if weights is None:
            if count == 0:
                return _core.empty(shape, "int64", device=device)
            return self._integers(0, count, shape, np.int64, False, device)
        sums = _core.cumsum(weights)
        key, draw = self._draws.take()
        numbers = _core.random_uniform(key, draw, shape, "float64", device)
        return _core.searchsorted(sums / sums[-1], numbers, True)

    def _first_of(self, count: int, wanted: int, device: DeviceLike) -> ndarray:
        return self._order(count, device)[:wanted]

    def _distinct(self, count: int, wanted: int, device: DeviceLike) -> ndarray:
        """Few of many numbers: those that are drawn first, without memory for all of them."""
        from cupola._functions.sorting.unique import unique

        more = (wanted + wanted // 16 + 16,)
        drawn = self._integers(0, count, more, np.int64, False, device)
        while True:
            _, first = unique(drawn, return_index=True)
            if first.size >= wanted:
                return _core.take(drawn, _core.sort(first)[:wanted], 0)
            drawn = _core.concatenate(
                [drawn, self._integers(0, count, more, np.int64, False, device)], 0
            )

    def _without_replacement(
        self, count: int, wanted: int, weights: ndarray | None, device: DeviceLike
    ) -> ndarray:
        """With weights the smallest of exponential numbers of these rates: the first to happen."""
        if weights is None:
            is_few = count >= _LARGE and wanted <= count // _FEW
            return (self._distinct if is_few else self._first_of)(count, wanted, device)
        if wanted > int(_core.count_nonzero(weights)):
            raise ValueError("Fewer non-zero entries in p than size")
        key, draw = self._draws.take()
        numbers = _core.random_exponential(key, draw, (count,), "float64", device)
        times = _core.where(weights > 0.0, numbers / weights, math.inf)
        return _core.argsort(times)[:wanted]

    def permutation(self, x: ArrayLike, axis: int = 0, *, device: DeviceLike = None) -> ndarray:
        """The elements of `x` along an axis, or the integers below `x`, in random order.

        Parameters
        ----------
        x : int or array_like
        axis : int, optional
        device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        numpy.exceptions.AxisError
            For an axis that is not there.

        Examples
        --------
        >>> import cupola as cp
        >>> sorted(cp.random.permutation(4).tolist())
        [0, 1, 2, 3]
        """
        if isinstance(x, (int, np.integer)):
            return self._order(max(int(x), 0), device)
        source = _core.as_array(x, device)
        along = axis_in(axis, source.ndim)
        return _core.take(source, self._order(source.shape[along], source.device), along)

    def shuffle(self, x: ndarray, axis: int = 0) -> None:
        """Bring the elements of an array along an axis into random order, in place.

        Parameters
        ----------
        x : ndarray
        axis : int, optional

        Returns
        -------
        None

        Raises
        ------
        TypeError
            For what is no array, and for one without dimensions.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.arange(10)
        >>> cp.random.default_rng(5).shuffle(a)
        >>> sorted(a.tolist())
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        """
        if not isinstance(x, ndarray):
            raise TypeError(
                f"an array of cupola is shuffled in place, not {type(x).__name__}; permutation() "
                "makes a new array"
            )
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        x[...] = self.permutation(x, axis)


def _population(a: Any) -> ndarray:
    if isinstance(a, (str, float)) or (np.ndim(a) == 0 and not isinstance(a, ndarray)):
        raise ValueError(f"a must be a sequence or an integer, not {type(a)}")
    array = _core.as_array(a)
    if array.ndim == 0:
        raise ValueError(f"a must be a sequence or an integer, not {type(a)}")
    return array


def _tolerance(dtype: Any) -> float:
    """How far from 1 the sum of probabilities of a dtype may be, as NumPy has it."""
    is_coarse = isdtype(dtype, "real floating")
    eps = finfo(dtype).eps if is_coarse else 0.0
    return math.sqrt(builtins.max(eps, np.finfo(np.float64).eps))


def _probabilities(p: Any, count: int, device: DeviceLike) -> ndarray:
    """As float64 on the device."""
    if isinstance(p, ndarray):
        weights = _core.astype(p, "float64")
        if weights.shape == (count,):
            if not bool(_core.all(weights >= 0.0)):
                has_nan = bool(_core.any(_ufuncs["isnan"](weights)))
                raise ValueError(
                    f"Probabilities {'contain NaN' if has_nan else 'are not non-negative'}"
                )
            if abs(float(_core.sum(weights)) - 1.0) > _tolerance(p.dtype):
                raise ValueError("Probabilities do not sum to 1.")
    else:
        host = np.asarray(p, np.float64)
        if not np.all(host >= 0):
            which = "contain NaN" if np.any(np.isnan(host)) else "are not non-negative"
            raise ValueError(f"Probabilities {which}")
        given = p.dtype if getattr(p, "dtype", None) in (np.float16, np.float32) else host.dtype
        if host.shape == (count,) and abs(math.fsum(host) - 1.0) > _tolerance(given):
            raise ValueError("Probabilities do not sum to 1.")
        weights = _core.upload(host, None, device)
    if weights.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if weights.shape != (count,):
        raise ValueError("a and p must have same size")
    return weights
