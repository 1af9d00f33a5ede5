"""The gamma distribution and those that are made of it, under NumPy's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.random._distributions import Distributions
from cupola.random._parameters import Parameters, as_dtype, float_dtype, target_of

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

_ufuncs = _core._ufuncs

# Numbers of this shape are above 2**-1000: those of u**(1 / shape) with u above 2**-54.
LEAST_SHAPE = 0.06


class GammaFamily(Distributions):
    """What generators of both kinds have. See `Distributions` for `size`, `dtype` and `device`.

    Numbers are computed in float64, by rejection: each element has a stream of random bits of its
    own, so that a call is one kernel and its numbers are those of positions.
    """

    def _gamma(self, shape: Any, size: tuple[int, ...], device: Any, out: Any = None) -> ndarray:
        key, draw = self._draws.take()
        return _core.random_gamma(key, draw, shape, size, device, out)

    def _log_gamma(self, shape: Any, size: tuple[int, ...], device: Any) -> ndarray:
        key, draw = self._draws.take()
        return _core.random_log_gamma(key, draw, shape, size, device)

    def _normal(self, size: tuple[int, ...], device: Any) -> ndarray:
        key, draw = self._draws.take()
        return _core.random_normal(key, draw, size, "float64", device)

    def standard_gamma(
        self,
        shape: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        out: ndarray | None = None,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the gamma distribution of scale 1.

        Parameters
        ----------
        shape : float or array_like of floats
            At least 0; the mean.
        size : int or tuple of ints, optional
            The shape of the result; default: that of `out`, else that of the parameter.
        dtype : float32 or float64
            Of the result; float32 numbers are rounded ones of float64.
        out : ndarray, optional
            Of this dtype: gets the numbers.
        device : optional
            Default: that of the parameter, else the current device.

        Returns
        -------
        ndarray
            `out` where it is given.

        Raises
        ------
        ValueError
            For a negative shape, and where shapes do not broadcast.
        TypeError
            For other dtypes.

        Notes
        -----
        The method of Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).

        Examples
        --------
        >>> import cupola as cp
        >>> generator = cp.random.default_rng(5)
        >>> generator.standard_gamma([1.0, 20.0], size=(3, 2)).shape
        (3, 2)
        """
        wanted = float_dtype(dtype, "standard_gamma")
        given = Parameters(device, shape=shape).not_negative("shape")
        if out is not None:
            size = target_of(size, wanted, out)
        drawn = self._gamma(given["shape"], given.shape(size), given.device, out)
        return drawn if out is not None else as_dtype(drawn, wanted)

    def gamma(
        self,
        shape: ArrayLike,
        scale: ArrayLike = 1.0,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the gamma distribution of mean shape * scale.

        Parameters
        ----------
        shape, scale : array_like
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

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.gamma(2.0, size=3).shape
        (3,)
        """
        given = Parameters(device, shape=shape, scale=scale)
        given.not_negative("shape").not_negative("scale")
        drawn = self._gamma(given["shape"], given.shape(size), given.device)
        return as_dtype(given["scale"] * drawn, dtype)

    def beta(
        self,
        a: ArrayLike,
        b: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers in [0, 1] of density proportional to x**(a - 1) * (1 - x)**(b - 1).

        Parameters
        ----------
        a, b : array_like
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

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.beta(2, 3, size=3).shape
        (3,)
        """
        given = Parameters(device, a=a, b=b).positive("a").positive("b")
        shape = given.shape(size)
        if given.hold(lambda a, b: (a >= LEAST_SHAPE) & (b >= LEAST_SHAPE), "a", "b"):
            first = self._gamma(given["a"], shape, given.device)
            second = self._gamma(given["b"], shape, given.device)
            return as_dtype(first / (first + second), dtype)
        # Numbers of small shapes may both be below the smallest that there are.
        first = self._log_gamma(given["a"], shape, given.device)
        second = self._log_gamma(given["b"], shape, given.device)
        ratio = _core.portable_exp(-abs(second - first))  # of the smaller number to the other one
        return as_dtype(_core.where(first < second, ratio, 1.0) / (1.0 + ratio), dtype)

    def chisquare(
        self,
        df: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Sums of the squares of `df` standard normal numbers; `df` need not be an integer.

        Parameters
        ----------
        df : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For parameters out of their range.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.chisquare(2, size=3).shape
        (3,)
        """
        given = Parameters(device, df=df).positive("df")
        drawn = self._gamma(given["df"] * 0.5, given.shape(size), given.device)
        return as_dtype(2.0 * drawn, dtype)

    def _noncentral_chisquare(self, df: Any, nonc: Any, shape: Any, device: Any) -> ndarray:
        if isinstance(df, float) and isinstance(nonc, float) and df > 1.0:
            square = self._normal(shape, device) + math.sqrt(nonc)
            return 2.0 * self._gamma((df - 1.0) * 0.5, shape, device) + square * square
        # For any df: of df and twice a Poisson number of degrees of freedom.
        key, draw = self._draws.take()
        further = _core.random_poisson(key, draw, nonc * 0.5, shape, device)
        numbers = 2.0 * self._gamma(df * 0.5 + further, shape, device)
        return numbers + (nonc - nonc)  # NaN of a NaN

    def noncentral_chisquare(
        self,
        df: ArrayLike,
        nonc: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Sums of the squares of `df` normal numbers, the squares of whose means add to `nonc`.

        Parameters
        ----------
        df, nonc : array_like
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

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.noncentral_chisquare(2, 1, size=3).shape
        (3,)
        """
        given = Parameters(device, df=df, nonc=nonc).positive("df").not_negative("nonc")
        shape = given.shape(size)
        drawn = self._noncentral_chisquare(given["df"], given["nonc"], shape, given.device)
        return as_dtype(drawn, dtype)

    def f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Quotients of chi-square numbers, each divided by its degrees of freedom.

        Parameters
        ----------
        dfnum, dfden : array_like
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

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.f(2, 3, size=3).shape
        (3,)
        """
        given = Parameters(device, dfnum=dfnum, dfden=dfden).positive("dfnum").positive("dfden")
        shape = given.shape(size)
        above = self._gamma(given["dfnum"] * 0.5, shape, given.device) * given["dfden"]
        below = self._gamma(given["dfden"] * 0.5, shape, given.device) * given["dfnum"]
        return as_dtype(above / below, dtype)

    def noncentral_f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        nonc: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """The same quotients, the first number being one of `noncentral_chisquare`.

        Parameters
        ----------
        dfnum, dfden, nonc : array_like
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

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.noncentral_f(2, 3, 1, size=3).shape
        (3,)
        """
        given = Parameters(device, dfnum=dfnum, dfden=dfden, nonc=nonc)
        given.positive("dfnum").positive("dfden").not_negative("nonc")
        shape, where = given.shape(size), given.device
        above = self._noncentral_chisquare(given["dfnum"], given["nonc"], shape, where)
        below = 2.0 * self._gamma(given["dfden"] * 0.5, shape, where)
        return as_dtype((above * given["dfden"]) / (below * given["dfnum"]), dtype)

    def standard_t(
        self,
        df: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of Student's t distribution of `df` degrees of freedom.

        Parameters
        ----------
        df : array_like
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For parameters out of their range.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.standard_t(3, size=3).shape
        (3,)
        """
        given = Parameters(device, df=df).positive("df")
        shape = given.shape(size)
        half = given["df"] * 0.5
        mean = self._gamma(half, shape, given.device) / half
        return as_dtype(self._normal(shape, given.device) / _ufuncs["sqrt"](mean), dtype)

    def wald(
        self,
        mean: ArrayLike,
        scale: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers of the Wald (inverse Gaussian) distribution.

        Parameters
        ----------
        mean, scale : array_like
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
        The method of Michael, Schucany and Haas, "Generating random variates using
        transformations with multiple roots" (1976), the smaller root as the quotient of their
        product and the larger one.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.wald(1, 1, size=3).shape
        (3,)
        """
        given = Parameters(device, mean=mean, scale=scale).positive("mean").positive("scale")
        shape, middle = given.shape(size), given["mean"]
        normal = self._normal(shape, given.device)
        key, draw = self._draws.take()
        side = _core.random_uniform(key, draw, shape, "float64", given.device)
        spread = (middle / (2.0 * given["scale"])) * (normal * normal)
        larger = 1.0 + (spread + _ufuncs["sqrt"](spread * (spread + 2.0)))
        is_smaller = side * (larger + 1.0) <= larger
        return as_dtype(middle * _core.where(is_smaller, 1.0 / larger, larger), dtype)

    def vonmises(
        self,
        mu: ArrayLike,
        kappa: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Angles in [-pi, pi] of the von Mises distribution of mode `mu` and dispersion `kappa`.

        Parameters
        ----------
        mu, kappa : array_like
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
        The method of Best and Fisher, "Efficient simulation of the von Mises distribution" (1979);
        above a dispersion of 10**6 a normal distribution.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.vonmises(0, 1, size=3).shape
        (3,)
        """
        given = Parameters(device, mu=mu, kappa=kappa).not_negative("kappa")
        angles = self._sampled(_core.random_vonmises, given, ("kappa",), size)
        if given.hold(lambda mu: mu == 0.0, "mu"):
            return as_dtype(angles, dtype)
        turned = _ufuncs["remainder"](angles + given["mu"] + math.pi, 2.0 * math.pi) - math.pi
        return as_dtype(turned, dtype)
