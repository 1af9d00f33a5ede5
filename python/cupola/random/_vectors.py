"""Distributions of vectors, under NumPy's names. The components lie along the last axis."""

from __future__ import annotations

import math
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.random._draws import Draws
from cupola.random._gamma_family import LEAST_SHAPE
from cupola.random._parameters import as_dtype, float_dtype, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from cupola._typing import ArrayLike, DeviceLike, DTypeLike

_ufuncs = _core._ufuncs


def _real_array(value: Any, device: DeviceLike) -> ndarray:
    """As float64, on its device or `device`."""
    array = value if isinstance(value, ndarray) else _core.upload(np.asarray(value), None, device)
    if array.dtype.kind == "c":
        raise TypeError("the parameters of random vectors must be real, not complex")
    return _core.astype(array, "float64")


def _require(condition: Any, message: str) -> None:
    if not bool(_core.all(condition)):
        raise ValueError(message)


class Vectors:
    """What generators of both kinds have."""

    _draws: Draws

    def dirichlet(
        self,
        alpha: ArrayLike,
        size: Any = None,
        dtype: DTypeLike = float,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Vectors of shares that add to 1: gamma numbers divided by their sum.

        Parameters
        ----------
        alpha : array_like of floats, of one dimension
            The shapes of the k gamma distributions, at least 0.
        size : int or tuple of ints, optional
            The result has this shape and (k,) at its end; default: (k,) alone.
        dtype : float32 or float64
        device : optional
            Default: that of `alpha`, else the current device.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For negative shapes, and for other than one dimension.

        Examples
        --------
        >>> import cupola as cp
        >>> shares = cp.random.default_rng(5).dirichlet([1.0, 2.0, 3.0], size=4)
        >>> bool(cp.allclose(shares.sum(axis=-1), 1.0))
        True
        """
        wanted = float_dtype(dtype, "dirichlet")
        if np.ndim(alpha) == 0:
            raise TypeError(f"alpha must be a sequence, not {type(alpha).__name__}")
        shapes = _real_array(alpha, device)
        if shapes.ndim != 1:
            raise ValueError("alpha must be of one dimension")
        if shapes.size == 0:
            return _core.empty((*_leading(size), 0), wanted, device=shapes.device)
        self._require_alpha(shapes)
        key, draw = self._draws.take()
        shape = (*_leading(size), shapes.size)
        if not isinstance(alpha, ndarray) and bool(np.min(np.asarray(alpha)) >= LEAST_SHAPE):
            drawn = _core.random_gamma(key, draw, shapes, shape, shapes.device)
            return as_dtype(drawn / drawn.sum(axis=-1, keepdims=True), wanted)
        logarithms = _core.random_log_gamma(key, draw, shapes, shape, shapes.device)
        largest = logarithms.max(axis=-1, keepdims=True)
        # Where all shapes are zero, so are all shares, as in NumPy.
        largest = _core.where(largest == -math.inf, 0.0, largest)
        parts = _core.portable_exp(logarithms - largest)
        total = parts.sum(axis=-1, keepdims=True)
        return as_dtype(parts / _core.where(total == 0.0, 1.0, total), wanted)

    def _require_alpha(self, shapes: ndarray) -> None:
        _require(~(shapes < 0.0), "alpha < 0")

    def multinomial(
        self,
        n: ArrayLike,
        pvals: ArrayLike,
        size: Any = None,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """How many of `n` trials have each of k outcomes.

        Parameters
        ----------
        n : int or array_like of ints
        pvals : array_like of floats
            The probabilities of the outcomes along the last axis. What is missing to 1 belongs to
            the last one. `n` and the other axes broadcast.
        size : int or tuple of ints, optional
            The result has this shape and (k,) at its end; default: that of the parameters.
        device : optional
            Default: that of the parameters, else the current device.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> int(cp.random.multinomial(10, [0.5, 0.5]).sum())
        10
        """
        given = [value for value in (n, pvals) if isinstance(value, ndarray)]
        where = given[0].device if device is None and given else device
        shares = _real_array(pvals, where)
        if shares.ndim == 0 or shares.shape[-1] == 0:
            raise ValueError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be "
                "greater than 0."
            )
        _require((shares >= 0.0) & (shares <= 1.0), "pvals < 0, pvals > 1 or pvals contains NaNs")
        rest = 1.0 - shares[..., :-1].sum(axis=-1, keepdims=True)
        _require(rest >= -1e-12, "sum(pvals[:-1]) > 1.0")
        shares = _core.concatenate([shares[..., :-1], _ufuncs["maximum"](rest, 0.0)], -1)
        trials = _integers(n, where)
        _require(trials >= 0, "n < 0")
        shape = np.broadcast_shapes(trials.shape, shares.shape[:-1])
        if size is not None:
            wanted = shape_of(size)
            if np.broadcast_shapes(wanted, shape) != wanted:
                raise ValueError(
                    f"Output size {wanted} is not compatible with broadcast dimensions of inputs "
                    f"{shape}."
                )
            shape = wanted

        def first_half(counts: ndarray, first: ndarray, second: ndarray) -> ndarray:
            both = first + second
            chance = first / _core.where(both == 0.0, 1.0, both)
            key, draw = self._draws.take()
            return _core.random_binomial(key, draw, counts, chance, counts.shape, counts.device)

        return _halved(_core.broadcast_to(trials, shape), shares, first_half)

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
        dtype: DTypeLike = None,
        device: DeviceLike = None,
    ) -> ndarray:
        """Vectors of normal numbers of a mean and a covariance.

        Parameters
        ----------
        mean : array_like of shape (k,)
        cov : array_like of shape (k, k)
            Symmetric and positive semidefinite.
        size : int or tuple of ints, optional
            The result has this shape and (k,) at its end; default: (k,) alone.
        check_valid : {'warn', 'raise', 'ignore'}
            What happens if `cov` is not; to know it waits for the device.
        tol : float
            Of singular values and of the covariance that they make again.
        method : {'svd', 'eigh', 'cholesky'}
            The factor of `cov` that standard normal vectors are multiplied by.
        dtype : dtype, optional
            float64, or what the numbers are rounded to.
        device : optional
            Default: that of the parameters, else the current device.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For other shapes and words, and with check_valid='raise'.
        LinAlgError
            If 'cholesky' finds `cov` not positive definite.
        TypeError
            For complex parameters.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.multivariate_normal([0, 0], [[1, 0], [0, 1]], size=3).shape
        (3, 2)

        Warns
        -----
        RuntimeWarning
            With check_valid='warn'.
        """
        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        given = [value for value in (mean, cov) if isinstance(value, ndarray)]
        where = given[0].device if device is None and given else device
        center, spread = _real_array(mean, where), _real_array(cov, where)
        if center.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if spread.ndim != 2 or spread.shape[0] != spread.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if center.shape[0] != spread.shape[0]:
            raise ValueError("mean and cov must have same length")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        factor, is_valid = _factor(spread, method, tol, check_valid != "ignore")
        if not is_valid:
            message = "covariance is not symmetric positive-semidefinite."
            if check_valid == "raise":
                raise ValueError(message)
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        key, draw = self._draws.take()
        shape = (*_leading(size), center.shape[0])
        numbers = _core.random_normal(key, draw, shape, "float64", center.device)
        result = center + numbers @ factor
        return result if dtype is None else result.astype(dtype, copy=False)


class UrnVectors:
    """What `Generator` has in addition."""

    _draws: Draws

    def multivariate_hypergeometric(
        self,
        colors: ArrayLike,
        nsample: int,
        size: Any = None,
        method: str = "marginals",
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """How many elements of each color are among `nsample` ones drawn without replacement.

        Parameters
        ----------
        colors : array_like of ints, of one dimension
            How many elements there are of each of the k colors.
        nsample : int
            At most as many as there are.
        size : int or tuple of ints, optional
            The result has this shape and (k,) at its end; default: (k,) alone.
        method : {'marginals', 'count'}
            Changes nothing but the bound of the sum of `colors`: 10**9 and 2**32.
        device : optional
            Default: that of `colors`, else the current device.

        Returns
        -------
        ndarray
            Of int64.

        Raises
        ------
        ValueError
            For other numbers, dimensions and methods.

        Notes
        -----
        The colors are halved again and again: a hypergeometric number of a part's elements has the
        colors of its first half.

        Examples
        --------
        >>> import cupola as cp
        >>> drawn = cp.random.default_rng(5).multivariate_hypergeometric([16, 8, 4], 6, size=2)
        >>> drawn.sum(axis=1).tolist()
        [6, 6]
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        parts = _whole_numbers(colors, device)
        _require(parts >= 0, "colors must be a one-dimensional sequence of nonnegative integers")
        total = int(_core.sum(_core.astype(parts, "float64")))
        try:
            wanted = operator.index(nsample)
        except TypeError:
            raise ValueError("nsample must be an integer") from None
        if wanted < 0:
            raise ValueError("nsample must be nonnegative.")
        if wanted > total:
            raise ValueError("nsample > sum(colors)")
        if method == "marginals" and total >= 10**9:
            raise ValueError(
                'When method is "marginals", sum(colors) must be less than 1000000000.'
            )
        if total >= 2**32:
            raise ValueError("sum(colors) must be less than 2**32.")
        shape = _leading(size)
        if parts.size == 0:
            return _core.empty((*shape, 0), "int64", device=parts.device)
        samples = _core.full(shape, wanted, "int64", device=parts.device)

        def first_half(counts: ndarray, first: ndarray, second: ndarray) -> ndarray:
            key, draw = self._draws.take()
            balls = first * 2**32 + second
            return _core.random_hypergeometric(
                key, draw, balls, counts, counts.shape, counts.device
            )

        return _halved(samples, parts, first_half)


def _halved(
    counts: ndarray,
    weights: ndarray,
    first_half: Callable[[ndarray, ndarray, ndarray], ndarray],
) -> ndarray:
    """Counts of outcomes along a new last axis, by the weights along theirs.

    Parts of the outcomes are of 2**level ones. `first_half` gives how many of the counts of parts
    fall to the first halves, of the weights of both halves.
    """
    length = weights.shape[-1]
    sums = [weights]  # of parts of 1, 2, 4, ... outcomes
    while sums[-1].shape[-1] > 1:
        parts = _padded(sums[-1])
        sums.append(parts[..., ::2] + parts[..., 1::2])
    counts = _core.reshape(counts, (*counts.shape, 1))
    for parts in reversed(sums[:-1]):
        halves = _padded(parts)
        first = first_half(counts, halves[..., ::2], halves[..., 1::2])
        both = _core.stack([first, counts - first], -1)
        counts = _core.reshape(both, (*counts.shape[:-1], 2 * counts.shape[-1]))
        counts = counts[..., : parts.shape[-1]]
    return counts[..., :length]


def _padded(parts: ndarray) -> ndarray:
    """With a zero at the end where their number is odd."""
    if parts.shape[-1] % 2 == 0:
        return parts
    zeros = _core.full((*parts.shape[:-1], 1), 0, parts.dtype, device=parts.device)
    return _core.concatenate([parts, zeros], -1)


def _factor(cov: ndarray, method: str, tol: float, checks: bool) -> tuple[ndarray, bool]:
    """What standard normal rows are multiplied by, and whether the covariance is one."""
    from cupola import linalg  # needs a library that other programs do not load

    if method == "cholesky":
        return _core.transpose(linalg.cholesky(cov)), True
    if method == "eigh":
        values, vectors = linalg.eigh(cov)
        is_valid = not checks or bool(_core.all(values >= -tol))
        roots = _ufuncs["sqrt"](_ufuncs["absolute"](values))
        return _core.transpose(vectors * roots), is_valid
    _, values, rows = linalg.svd(cov)
    again = (_core.transpose(rows) * values) @ rows
    bound = tol + tol * _ufuncs["absolute"](cov)
    is_valid = not checks or bool(_core.all(_ufuncs["absolute"](again - cov) <= bound))
    return _core.reshape(_ufuncs["sqrt"](values), (-1, 1)) * rows, is_valid


def _whole_numbers(colors: Any, device: DeviceLike) -> ndarray:
    """As int64, on their device or `device`."""
    given = colors
    if not isinstance(given, ndarray):
        given = np.asarray(colors) if np.size(colors) else np.zeros(np.shape(colors), np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError("colors must be a one-dimensional sequence of nonnegative integers")
    if not isinstance(given, ndarray):
        given = _core.upload(given, None, device)
    return _core.astype(given, "int64")


def _leading(size: Any) -> tuple[int, ...]:
    return () if size is None else shape_of(size)


def _integers(value: Any, device: DeviceLike) -> ndarray:
    if not isinstance(value, ndarray):
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "biuf":
            raise TypeError(f"an integer is required, not {type(value).__name__}")
        value = _core.upload(numbers.astype(np.int64), None, device)
    return _core.astype(value, "int64", "K", "unsafe", False)
