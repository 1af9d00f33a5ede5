"""NumPy arrays as arguments of functions that take them in CuPy.

What CuPy makes of a method of the first argument is NumPy's of a NumPy array: `cupy.sum(a)` is
`a.sum()` there. Other functions make arrays of what they are given, and those like an array ask it
only for its shape and dtype. The package itself refuses NumPy arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from cupola import _later

__all__ = ["COPIED", "LIKE", "NAMES", "take_numpy_arrays"]

NAMES = (
    *("sum", "prod", "max", "min", "amax", "amin", "ptp", "mean", "std", "var", "all", "any"),
    *("argmax", "argmin", "argsort", "argpartition", "nonzero", "choose", "compress", "take"),
    *("transpose", "ravel", "reshape", "squeeze", "swapaxes", "repeat", "diagonal", "trace"),
    *("dot", "clip", "copy"),
)
"""Whose results of NumPy arrays are NumPy's, on the host."""

COPIED = (
    *("append", "around", "atleast_1d", "atleast_2d", "atleast_3d", "average", "corrcoef", "cov"),
    *("cross", "diag", "diagflat", "diff", "einsum", "extract", "gradient", "histogram"),
    *("histogram2d", "histogramdd", "imag", "isclose", "place", "polyval", "put", "ndarray.put"),
    *("real", "resize", "round", "round_", "tile", "tril", "triu", "unwrap", "vander"),
    *("lib.stride_tricks.sliding_window_view", "ufunc.at"),
    *("cupyx.scatter_add", "cupyx.scatter_max", "cupyx.scatter_min"),
    *("ndarray.scatter_add", "ndarray.scatter_max", "ndarray.scatter_min"),
)
"""That copy NumPy arrays to the current device."""

RANDOM = (
    *("beta", "binomial", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma"),
    *("geometric", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal", "logseries"),
    *("multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f"),
    *("normal", "pareto", "poisson", "power", "rayleigh", "standard_gamma", "standard_t"),
    *("triangular", "uniform", "vonmises", "wald", "weibull", "zipf"),
)
"""Functions of `random`, and methods of its classes, that copy NumPy arrays as well."""

_WRITTEN = {
    **dict.fromkeys(("place", "put"), 1),
    **dict.fromkeys(("cupyx.scatter_add", "cupyx.scatter_max", "cupyx.scatter_min"), 1),
    "ufunc.at": 2,
}
"""How many of the first arguments are not copied: what is written to."""

LIKE = ("empty_like", "full_like", "ones_like", "zeros_like")
"""That give arrays on the current device of a NumPy array's shape and dtype."""

_DISTRIBUTED = "__cupy_override_elementwise_kernel__"
"""What distributed arrays have: NumPy's functions call their methods."""


def _of_both(ours: Callable[..., Any], numpys: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(ours)
    def function(*args: Any, **kwargs: Any) -> Any:
        if args and (type(args[0]) is np.ndarray or hasattr(type(args[0]), _DISTRIBUTED)):
            return numpys(*args, **kwargs)
        return ours(*args, **kwargs)

    function.__numpys__ = numpys  # type: ignore[attr-defined]
    return function


def _copying(
    ours: Callable[..., Any], copy: Callable[[Any], Any], written: int
) -> Callable[..., Any]:
    def device_array(value: Any) -> Any:
        return copy(value) if type(value) is np.ndarray else value

    @functools.wraps(ours)
    def function(*args: Any, **kwargs: Any) -> Any:
        if np.ndarray in map(type, args):
            args = (*args[:written], *map(device_array, args[written:]))
        if kwargs and np.ndarray in map(type, kwargs.values()):
            kwargs = {key: device_array(value) for key, value in kwargs.items()}
        return ours(*args, **kwargs)

    function.__numpys__ = None  # type: ignore[attr-defined]
    return function


def _like(ours: Callable[..., Any], package: Any) -> Callable[..., Any]:
    def prototype(host: Any) -> Any:
        if type(host) is not np.ndarray:
            return host
        if host.flags.forc:
            order = "C" if host.flags.c_contiguous else "F"
            return package.empty(host.shape, host.dtype, order)
        return package.asarray(host)

    @functools.wraps(ours)
    def function(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is not np.ndarray:
            return ours(*args, **kwargs)
        if args:
            return ours(prototype(args[0]), *args[1:], **kwargs)
        return ours(**{key: prototype(value) for key, value in kwargs.items()})

    function.__numpys__ = None  # type: ignore[attr-defined]
    return function


def _replace(package: Any, path: str, wrapped: Callable[..., Any]) -> None:
    """Put what `wrapped` makes of a function of the package in its place."""
    place, _, name = path.rpartition(".")
    owner = functools.reduce(getattr, place.split("."), package) if place else package

    def replaced(ours: Callable[..., Any]) -> Callable[..., Any]:
        function = wrapped(ours)
        if not isinstance(owner, type):
            function.__qualname__ = name
            function.__module__ = f"cupola.{place}".removesuffix(".")  # where a pickle finds it
        return function

    if owner is package and path in _later.MODULE_OF and path not in vars(package):
        _later.WHEN_LOADED.setdefault(path, replaced)
        return
    ours = getattr(owner, name, None)
    if ours is not None and not hasattr(ours, "__numpys__"):
        setattr(owner, name, replaced(ours))


def take_numpy_arrays(package: Any) -> None:
    """Let the functions of the package take NumPy arrays."""

    def copying(written: int = 0) -> Callable[..., Any]:
        return functools.partial(_copying, copy=package.asarray, written=written)

    for name in NAMES:
        _replace(package, name, functools.partial(_of_both, numpys=getattr(np, name)))
    for name in COPIED:
        _replace(package, name, copying(_WRITTEN.get(name, 0)))
    for owner in ("random", "random.RandomState", "random.Generator"):
        for name in RANDOM:
            _replace(package, f"{owner}.{name}", copying())
    for name in LIKE:
        _replace(package, name, functools.partial(_like, package=package))
