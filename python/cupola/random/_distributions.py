"""Distributions that are made of standard ones, under NumPy's names."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.random._draws import Draws
from cupola.random._parameters import Parameters, as_dtype, float_dtype, has_no_sign, target_of

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

_ufuncs = _core._ufuncs


def _is_not_above(a: Any, b: Any) -> Any:
    """Also of NaN, which makes numbers that are NaN."""
    return (a <= b) | (a != a) | (b != b)


def _is_range(low: Any, high: Any) -> Any:
    return has_no_sign(high - low) & (high - low < math.inf)


class Distributions:
    """What generators of both kinds have.

    Every method takes one draw. `size` is the shape of the result; None stands for that of the
    parameters, and an array without dimensions where these are numbers. `dtype` is float32 or
    float64, `device` the device of the result: by default that of the parameters, else the
    current one. Errors in parameters are NumPy's; to check the values of arrays on a device waits
    for it.
    """

    _draws: Draws
    _uniform_may_descend = False  # from the higher bound to the lower one

    def _standard(
        self,
        make: Any,
        name: str,
        size: Any,
        dtype: DTypeLike,
        out: ndarray | None,
        device: DeviceLike,
    ) -> ndarray:
        wanted = float_dtype(dtype, name)
        shape = target_of(size, wanted, out)
        key, draw = self._draws.take()
        return make(key, draw, shape, wanted, device, out)

    def _drawn(
        self, make: Any, name: str, given: Parameters, size: Any, dtype: DTypeLike
    ) -> ndarray:
        """Standard numbers of the shape and device of the parameters."""
        wanted = float_dtype(dtype, name)
        key, draw = self._draws.take()
        return make(key, draw, given.shape(size), wanted, given.device)

    def _sampled(
        self,
        make: Any,
        given: Parameters,
        names: tuple[str, ...],
        size: Any,
        out: ndarray | None = None,
    ) -> ndarray:
        """Numbers of a method of rejection, of the shape and device of all parameters."""
        key, draw = self._draws.take()
        shape = given.shape(size) if out is None else out.shape
        return make(key, draw, *(given[name] for name in names), shape, given.device, out)

    def _symmetric(self, name: str, given: Parameters, size: Any, dtype: DTypeLike) -> ndarray:
        """Uniform in (-1, 1): as far from either end as the numbers are from each other."""
        numbers = self._drawn(_core.random_uniform, name, given, size, dtype)
        half_step = 2.0**-25 if numbers.dtype == np.float32 else 2.0**-54
        return ((numbers - 0.5) + half_step) * 2.0

    def uniform(
        self,
        low: ArrayLike = 0.0,
        high: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers in [low, high), each as likely.

        Parameters
        ----------
        low, high : array_like
            They broadcast. In `RandomState`, and in the functions of the module, `high` may be the
            lower one: the numbers are in (high, low] then.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        OverflowError
            For bounds that are not finite.
        ValueError
            For a `high` below `low` in `Generator`.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.uniform(0, 1, size=3).shape
        (3,)
        """
        given = Parameters(device, low=low, high=high)
        if not given.hold(_is_range, "low", "high"):
            self._check_bounds(given)
        numbers = self._drawn(_core.random_uniform, "uniform", given, size, dtype)
        return as_dtype(given["low"] + (given["high"] - given["low"]) * numbers, dtype)

    def _check_bounds(self, given: Parameters) -> None:
        given.require(
            lambda low, high: abs(high - low) < math.inf,
            "high - low range exceeds valid bounds",
            "low",
            "high",
            error=OverflowError,
        )
        if not self._uniform_may_descend:
            given.require(
                lambda low, high: has_no_sign(high - low), "high - low < 0", "low", "high"
            )

    def standard_normal(
        self,
        size: Any = None,
        dtype: DTypeLike = float,
        out: ndarray | None = None,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the normal distribution of mean 0 and deviation 1.

        Parameters
        ----------
        size : int or tuple of ints, optional
        dtype, out, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.standard_normal(size=3).shape
        (3,)
        """
        return self._standard(_core.random_normal, "standard_normal", size, dtype, out, device)

    def normal(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the normal distribution of mean `loc` and deviation `scale`.

        Parameters
        ----------
        loc, scale : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.normal(0, 1, size=3).shape
        (3,)
        """
        given = Parameters(device, loc=loc, scale=scale).not_negative("scale")
        numbers = self._drawn(_core.random_normal, "normal", given, size, dtype)
        return as_dtype(given["loc"] + given["scale"] * numbers, dtype)

    def lognormal(
        self,
        mean: ArrayLike = 0.0,
        sigma: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers whose logarithms have the normal distribution.

        Parameters
        ----------
        mean, sigma : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.lognormal(size=3).shape
        (3,)
        """
        given = Parameters(device, mean=mean, sigma=sigma).not_negative("sigma")
        numbers = self._drawn(_core.random_normal, "lognormal", given, size, dtype)
        return as_dtype(_ufuncs["exp"](given["mean"] + given["sigma"] * numbers), dtype)

    def standard_exponential(
        self,
        size: Any = None,
        dtype: DTypeLike = float,
        method: str = "zig",
        out: ndarray | None = None,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the exponential distribution of mean 1; `method` changes nothing.

        Parameters
        ----------
        size : int or tuple of ints, optional
        dtype, out, method, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.standard_exponential(size=3).shape
        (3,)
        """
        return self._standard(
            _core.random_exponential, "standard_exponential", size, dtype, out, device
        )

    def exponential(
        self,
        scale: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the exponential distribution of mean `scale`.

        Parameters
        ----------
        scale : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.exponential(2.0, size=3).shape
        (3,)
        """
        given = Parameters(device, scale=scale).not_negative("scale")
        numbers = self._drawn(_core.random_exponential, "exponential", given, size, dtype)
        return as_dtype(given["scale"] * numbers, dtype)

    def laplace(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the Laplace distribution, exponential on both sides of `loc`.

        Parameters
        ----------
        loc, scale : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.laplace(size=3).shape
        (3,)
        """
        given = Parameters(device, loc=loc, scale=scale).not_negative("scale")
        side = self._symmetric("laplace", given, size, dtype)
        distance = _ufuncs["log1p"](-_ufuncs["absolute"](side))
        return as_dtype(given["loc"] - given["scale"] * _ufuncs["copysign"](distance, side), dtype)

    def logistic(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the logistic distribution.

        Parameters
        ----------
        loc, scale : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.logistic(size=3).shape
        (3,)
        """
        given = Parameters(device, loc=loc, scale=scale).not_negative("scale")
        side = self._symmetric("logistic", given, size, dtype)
        return as_dtype(given["loc"] + given["scale"] * (2.0 * _ufuncs["arctanh"](side)), dtype)

    def gumbel(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the Gumbel distribution, that of largest values.

        Parameters
        ----------
        loc, scale : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.gumbel(size=3).shape
        (3,)
        """
        given = Parameters(device, loc=loc, scale=scale).not_negative("scale")
        numbers = self._drawn(_core.random_exponential, "gumbel", given, size, dtype)
        # Zero stands for what is nearer to it than half a step of the uniform numbers.
        least = 2.0**-26 if numbers.dtype == np.float32 else 2.0**-54
        logarithms = _ufuncs["log"](_ufuncs["maximum"](numbers, least))
        return as_dtype(given["loc"] - given["scale"] * logarithms, dtype)

    def standard_cauchy(
        self, size: Any = None, dtype: DTypeLike = float, *, device: DeviceLike = None
    ) -> ndarray:
        """Numbers of the Cauchy distribution.

        Parameters
        ----------
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.standard_cauchy(size=3).shape
        (3,)
        """
        side = self._symmetric("standard_cauchy", Parameters(device), size, dtype)
        return _ufuncs["tan"](side * (math.pi / 2))

    def rayleigh(
        self,
        scale: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Lengths of vectors of two normal numbers of deviation `scale`.

        Parameters
        ----------
        scale : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.rayleigh(size=3).shape
        (3,)
        """
        given = Parameters(device, scale=scale).not_negative("scale")
        numbers = self._drawn(_core.random_exponential, "rayleigh", given, size, dtype)
        return as_dtype(given["scale"] * _ufuncs["sqrt"](2.0 * numbers), dtype)

    def weibull(
        self, a: ArrayLike, size: Any = None, dtype: DTypeLike = float, *, device: DeviceLike = None
    ) -> ndarray:
        """Numbers of the Weibull distribution of shape `a`.

        Parameters
        ----------
        a : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.weibull(2, size=3).shape
        (3,)
        """
        given = Parameters(device, a=a).not_negative("a")
        numbers = self._drawn(_core.random_exponential, "weibull", given, size, dtype)
        form = given["a"]
        if isinstance(form, ndarray):
            power = _ufuncs["power"](numbers, 1.0 / form)
            return as_dtype(_core.where(form == 0.0, 0.0, power), dtype)
        return as_dtype(_ufuncs["power"](numbers, 1.0 / form) if form else numbers * 0.0, dtype)

    def pareto(
        self, a: ArrayLike, size: Any = None, dtype: DTypeLike = float, *, device: DeviceLike = None
    ) -> ndarray:
        """Numbers of the Pareto distribution of the second kind (Lomax) of shape `a`.

        Parameters
        ----------
        a : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.pareto(3, size=3).shape
        (3,)
        """
        given = Parameters(device, a=a).positive("a")
        numbers = self._drawn(_core.random_exponential, "pareto", given, size, dtype)
        return as_dtype(_ufuncs["expm1"](numbers / given["a"]), dtype)

    def power(
        self, a: ArrayLike, size: Any = None, dtype: DTypeLike = float, *, device: DeviceLike = None
    ) -> ndarray:
        """Numbers in [0, 1] of density a * x**(a - 1).

        Parameters
        ----------
        a : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.power(2, size=3).shape
        (3,)
        """
        given = Parameters(device, a=a).positive("a")
        numbers = self._drawn(_core.random_exponential, "power", given, size, dtype)
        return as_dtype(_ufuncs["exp"](numbers / -given["a"]), dtype)

    def triangular(
        self,
        left: ArrayLike,
        mode: ArrayLike,
        right: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers between `left` and `right`, the nearer to `mode` the more likely.

        Parameters
        ----------
        left, mode, right : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.triangular(0, 1, 2, size=3).shape
        (3,)
        """
        given = Parameters(device, left=left, mode=mode, right=right)
        given.require(_is_not_above, "left > mode", "left", "mode")
        given.require(_is_not_above, "mode > right", "mode", "right")
        given.require(operator.ne, "left == right", "left", "right")
        numbers = self._drawn(_core.random_uniform, "triangular", given, size, dtype)
        low, top, high = given["left"], given["mode"], given["right"]
        rising = low + _ufuncs["sqrt"](numbers * ((top - low) * (high - low)))
        falling = high - _ufuncs["sqrt"]((1.0 - numbers) * ((high - top) * (high - low)))
        return as_dtype(_core.where(numbers * (high - low) <= top - low, rising, falling), dtype)

    def geometric(
        self, p: ArrayLike, size: Any = None, dtype: DTypeLike = int, *, device: DeviceLike = None
    ) -> ndarray:
        """How many trials of probability `p` there are up to the first success.

        Parameters
        ----------
        p : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.geometric(0.5, size=3).shape
        (3,)
        """
        given = Parameters(device, p=p).require(
            lambda p: (p > 0) & (p <= 1),
            "p <= 0, p > 1 or p contains NaNs",
            "p",
        )
        numbers = self._drawn(_core.random_exponential, "geometric", given, size, float)
        chance = given["p"]
        failure = _ufuncs["log1p"](-chance) if isinstance(chance, ndarray) else _log1p(-chance)
        trials = _ufuncs["maximum"](_ufuncs["ceil"](numbers / -failure), 1.0)
        known = _core.astype(_ufuncs["minimum"](trials, math.nextafter(2.0**63, 0.0)), "int64")
        counts = _core.where(trials < 2.0**63, known, 2**63 - 1)
        return _core.astype(counts, dtype, "K", "unsafe", False)


def _log1p(value: float) -> float:
    return math.log1p(value) if value > -1.0 else -math.inf
