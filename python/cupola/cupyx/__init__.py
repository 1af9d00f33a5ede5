"""CuPy's names beyond NumPy's: what CuPy programs import as `cupyx`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cupola._cupy.scatter import scatter_add as scatter_add
from cupola._cupy.scatter import scatter_max as scatter_max
from cupola._cupy.scatter import scatter_min as scatter_min
from cupola._memory.pinned_arrays import empty_like_pinned as empty_like_pinned
from cupola._memory.pinned_arrays import empty_pinned as empty_pinned
from cupola._memory.pinned_arrays import zeros_like_pinned as zeros_like_pinned
from cupola._memory.pinned_arrays import zeros_pinned as zeros_pinned
from cupola.cupyx._error_state import errstate as errstate
from cupola.cupyx._error_state import geterr as geterr
from cupola.cupyx._error_state import seterr as seterr
from cupola.cupyx._rsqrt import rsqrt as rsqrt
from cupola.cupyx._runtime_info import get_runtime_info as get_runtime_info
from cupola.cupyx._synchronization import DeviceSynchronized as DeviceSynchronized
from cupola.cupyx._synchronization import allow_synchronize as allow_synchronize

if TYPE_CHECKING:
    from cupola.cupyx import distributed as distributed
    from cupola.cupyx import jit as jit
    from cupola.cupyx import linalg as linalg
    from cupola.cupyx import optimizing as optimizing
    from cupola.cupyx import profiler as profiler
    from cupola.cupyx import time as time
    from cupola.cupyx._generalized_ufunc import GeneralizedUFunc as GeneralizedUFunc

_MODULES = ("distributed", "jit", "linalg", "optimizing", "profiler", "time")

__all__ = [
    "DeviceSynchronized",
    "GeneralizedUFunc",
    "allow_synchronize",
    "distributed",
    "empty_like_pinned",
    "empty_pinned",
    "errstate",
    "get_runtime_info",
    "geterr",
    "jit",
    "linalg",
    "optimizing",
    "profiler",
    "rsqrt",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "seterr",
    "time",
    "zeros_like_pinned",
    "zeros_pinned",
]

if not TYPE_CHECKING:  # which would allow every name

    def __getattr__(name: str) -> Any:
        if name == "GeneralizedUFunc":
            from cupola.cupyx._generalized_ufunc import GeneralizedUFunc

            return GeneralizedUFunc
        if name in _MODULES:
            return import_module(f"cupola.cupyx.{name}")
        from cupola._cupy.differences import absence

        raise AttributeError(absence("cupyx", name))


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, "GeneralizedUFunc"})
