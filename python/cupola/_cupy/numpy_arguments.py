"""NumPy arrays as arguments of functions that CuPy makes of a method of their first argument.

`cupy.sum(a)` is `a.sum()` there, so that of a NumPy array it is NumPy's sum. The package itself
refuses NumPy arrays; under CuPy's name these functions give what NumPy gives, on the host.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["NAMES", "take_numpy_arrays"]

NAMES = (
    *("sum", "prod", "max", "min", "amax", "amin", "ptp", "mean", "std", "var", "all", "any"),
    *("argmax", "argmin", "argsort", "argpartition", "nonzero", "choose", "compress", "take"),
    *("transpose", "ravel", "reshape", "squeeze", "swapaxes", "repeat", "diagonal", "trace"),
    *("dot", "clip", "round", "around", "copy"),
)


_DISTRIBUTED = "__cupy_override_elementwise_kernel__"
"""What distributed arrays have: NumPy's functions call their methods."""


def _of_both(ours: Callable[..., Any], numpys: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(ours)
    def function(*args: Any, **kwargs: Any) -> Any:
        if args and (type(args[0]) is np.ndarray or hasattr(type(args[0]), _DISTRIBUTED)):
            return numpys(*args, **kwargs)
        return ours(*args, **kwargs)

    function.__numpys__ = numpys  # type: ignore[attr-defined]
    function.__module__ = "cupola"  # where a pickle finds it
    return function


def take_numpy_arrays(package: Any) -> None:
    """Let the functions of the package take NumPy arrays."""
    for name in NAMES:
        function = getattr(package, name)
        if not hasattr(function, "__numpys__"):
            setattr(package, name, _of_both(function, getattr(np, name)))
