"""Few elements in the host's memory: NumPy's functions end before kernels have begun."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

P = ParamSpec("P")
R = TypeVar("R")

# Tests of what kernels do ask nobody else.
asks_numpy = True
MOST_BY_NUMPY = 1 << 12  # elements
MOST_DEPTH = 3  # of sequences within one another

_PLAIN = (bool, int, float, complex, str, type(None), np.generic, np.dtype, type)


def are_few(most: int, *arrays: ndarray) -> bool:
    """Whether so few elements lie in the host's memory, and nobody has to wait for them."""
    return asks_numpy and _core.are_few(arrays, most)


def few_by_numpy(
    function_of_numpy: Callable[..., Any],
    most: int = MOST_BY_NUMPY,
    keeps_scalars: bool = False,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates a function that NumPy has, too, and that gives arrays or tuples of them.

    NumPy computes where the arrays among the arguments are few elements of its dtypes, and nothing
    else but Python's and NumPy's scalars is there, and no `out`. What it refuses the function
    itself refuses. Scalars among its results become arrays, unless they are kept.
    """

    quiet = np.errstate(all="ignore")(function_of_numpy)

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        names = function.__code__.co_varnames
        out = names.index("out") if "out" in names else len(names)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if (args[out] if len(args) > out else kwargs.get("out")) is None:
                result = _by_numpy(quiet, most, keeps_scalars, args, kwargs)
                if result is not None:
                    return result
            return function(*args, **kwargs)

        return call

    return decorated


def _by_numpy(
    function: Callable[..., Any],
    most: int,
    keeps_scalars: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """What NumPy's function gives, on the arrays' device; None where it is not asked."""
    arrays = _arrays_among((*args, *kwargs.values()) if kwargs else args)
    if not arrays or not are_few(most, *arrays):
        return None
    device = arrays[0].device
    for array in arrays:
        if array.dtype.isbuiltin != 1 or (array is not arrays[0] and array.device != device):
            return None
    # Outside of what is tried: to observe values may raise what was wrong with work before.
    on_host = [_on_host(each) for each in args]
    options = {name: _on_host(value) for name, value in kwargs.items()} if kwargs else kwargs
    try:
        result = function(*on_host, **options)
    except Exception:
        return None
    return _uploaded(result, device, keeps_scalars)


def _arrays_among(arguments: Sequence[Any], depth: int = 0) -> list[ndarray] | None:
    """The arrays, of which sequences may consist; None where there is anything else, or much."""
    if len(arguments) > MOST_BY_NUMPY or depth > MOST_DEPTH:
        return None
    arrays: list[ndarray] = []
    for argument in arguments:
        if type(argument) is ndarray:
            arrays.append(argument)
        elif type(argument) in (list, tuple):
            within = _arrays_among(argument, depth + 1)
            if within is None:
                return None
            arrays += within
        elif not isinstance(argument, _PLAIN):
            return None
    return arrays


def _on_host(argument: Any) -> Any:
    if type(argument) is ndarray:
        return _core.download(argument, "K")
    if type(argument) in (list, tuple):
        return type(argument)(map(_on_host, argument))
    return argument


def _uploaded(result: Any, device: Any, keeps_scalars: bool) -> Any:
    if type(result) is np.ndarray:
        return _core.upload(result, None, device, "K")
    if isinstance(result, (list, tuple)):
        return type(result)(_uploaded(each, device, keeps_scalars) for each in result)
    if keeps_scalars:
        return result
    return _core.upload(np.asarray(result), None, device, "K")
