"""Distributions of counts, under NumPy's names."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola.random._distributions import Distributions
from cupola.random._parameters import Parameters, as_dtype

if TYPE_CHECKING:
    from cupola._cupola import ndarray
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

_ufuncs = _core._ufuncs

# Ten deviations above it int64 ends.
_MOST_POISSON = float(2**63 - 1) - math.sqrt(2**63 - 1) * 10
_MOST_BALLS = 10**9


class Counts(Distributions):
    """What generators of both kinds have. See `Distributions` for `size` and `device`.

    `dtype` is an integer dtype, by default int64; numbers that it does not hold wrap around.
    Numbers are computed by rejection, or by inversion where their mean is small: each element has
    a stream of random bits of its own, so that a call is one kernel.
    """

    _least_sample = 0  # of elements drawn without replacement

    def poisson(
        self,
        lam: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = int,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """How many events of a mean number of `lam` happen.

        Parameters
        ----------
        lam : float or array_like of floats
            From 0 to about 9.2e18.
        size : int or tuple of ints, optional
            The shape of the result; default: that of `lam`.
        dtype : integer dtype
        device : optional
            Default: that of `lam`, else the current device.

        Returns
        -------
        ndarray
            Of `dtype`.

        Raises
        ------
        ValueError
            For other means, and where shapes do not broadcast.

        Notes
        -----
        The method PTRS of Hoermann, "The transformed rejection method for generating Poisson
        random variables" (1993); inversion below a mean of 10.

        Examples
        --------
        >>> import cupola as cp
        >>> counts = cp.random.default_rng(5).poisson([0.5, 1e9], size=(1000, 2))
        >>> counts.dtype
        dtype('int64')
        """
        given = Parameters(device, lam=lam)
        given.require(lambda lam: lam >= 0, "lam < 0 or lam contains NaNs", "lam")
        given.require(lambda lam: lam <= _MOST_POISSON, "lam value too large", "lam")
        return as_dtype(self._sampled(_core.random_poisson, given, ("lam",), size), dtype)

    def binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = int,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """How many of `n` trials of probability `p` succeed.

        Parameters
        ----------
        n, p : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For parameters out of their range.

        Notes
        -----
        The method BTRS of Hoermann, "The generation of binomial random variates" (1993); inversion
        where the less likely outcome has a mean below 10.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.binomial(10, 0.5, size=3).shape
        (3,)
        """
        given = Parameters(device, integers=("n",), n=n, p=p).share("p")
        given.require(lambda n: n >= 0, "n < 0", "n")
        return as_dtype(self._sampled(_core.random_binomial, given, ("n", "p"), size), dtype)

    def negative_binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = int,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """How many trials of probability `p` fail before `n` succeed; `n` need not be an integer.

        Parameters
        ----------
        n, p : array_like
            They broadcast.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For parameters out of their range.

        Notes
        -----
        Poisson numbers whose means have a gamma distribution.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.negative_binomial(3, 0.5, size=3).shape
        (3,)
        """
        given = Parameters(device, n=n, p=p)
        given.require(lambda n: n > 0, "n <= 0 or n contains NaNs", "n")
        given.require(
            lambda p: (p > 0) & (p <= 1),
            "p <= 0, p > 1 or p contains NaNs",
            "p",
        )
        given.require(
            lambda n, p: (1.0 - p) / p * (n + 10.0 * n**0.5) <= _MOST_POISSON,
            "n too large or p too small",
            "n",
            "p",
        )
        means = self._sampled(_core.random_gamma, given, ("n",), size)
        means = means * ((1.0 - given["p"]) / given["p"])
        key, draw = self._draws.take()
        counts = _core.random_poisson(key, draw, means, means.shape, means.device)
        return as_dtype(counts, dtype)

    def hypergeometric(
        self,
        ngood: ArrayLike,
        nbad: ArrayLike,
        nsample: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = int,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """How many of `nsample` elements are good that are drawn without replacement.

        Parameters
        ----------
        ngood, nbad : int or array_like of ints
            Below 10**9.
        nsample : int or array_like of ints
            At most ngood + nbad, of a RandomState at least 1.
        size, dtype, device
            As of `poisson`.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For other numbers, and where shapes do not broadcast.

        Notes
        -----
        The method HRUA of Stadlober, "The ratio of uniforms approach for generating discrete
        random variates" (1990); inversion where no more than 9 elements are drawn, left, good or
        bad.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.hypergeometric(5, 5, 3, size=3).shape
        (3,)
        """
        names = ("ngood", "nbad", "nsample")
        given = Parameters(device, integers=names, ngood=ngood, nbad=nbad, nsample=nsample)
        for name in names:
            least = self._least_sample if name == "nsample" else 0
            given.require(partial(operator.le, least), f"{name} < {least}", name)
        given.require(
            lambda good, bad: (good < _MOST_BALLS) & (bad < _MOST_BALLS),
            f"both ngood and nbad must be less than {_MOST_BALLS}",
            "ngood",
            "nbad",
        )
        given.require(
            lambda good, bad, sample: good + bad >= sample,
            "ngood + nbad < nsample",
            *names,
        )
        shape = given.shape(size)
        key, draw = self._draws.take()
        balls = given["ngood"] * 2**32 + given["nbad"]
        counts = _core.random_hypergeometric(
            key, draw, balls, given["nsample"], shape, given.device
        )
        return as_dtype(counts, dtype)

    def zipf(
        self, a: ArrayLike, size: Any = None, dtype: DTypeLike = int, *, device: DeviceLike = None
    ) -> ndarray:
        """Integers from 1 to 2**63, k with a probability proportional to k**-a.

        Parameters
        ----------
        a : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For parameters out of their range.

        Notes
        -----
        The method of Devroye, "Non-uniform random variate generation" (1986), chapter X.6.1.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.zipf(3, size=3).shape
        (3,)
        """
        given = Parameters(device, a=a)
        given.require(lambda a: a > 1, "a <= 1 or a contains NaNs", "a")
        return as_dtype(self._sampled(_core.random_zipf, given, ("a",), size), dtype)

    def logseries(
        self, p: ArrayLike, size: Any = None, dtype: DTypeLike = int, *, device: DeviceLike = None
    ) -> ndarray:
        """Integers from 1 on, k with a probability proportional to p**k / k.

        Parameters
        ----------
        p : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For parameters out of their range.

        Notes
        -----
        The method of Kemp, "Efficient generation of logarithmically distributed pseudo-random
        variables" (1981).

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.logseries(0.5, size=3).shape
        (3,)
        """
        given = Parameters(device, p=p)
        given.require(
            lambda p: (p >= 0) & (p < 1),
            "p < 0, p >= 1 or p contains NaNs",
            "p",
        )
        return as_dtype(self._sampled(_core.random_logseries, given, ("p",), size), dtype)
