"""`cupy._util`: memories of results, warnings and checks that libraries over CuPy use."""

from __future__ import annotations

import sys
import warnings

import cupola
from cupola import ndarray
from cupola._cupy.memo import clear_memo, memoize
from cupola.errors import PerformanceWarning

__all__ = [
    "PerformanceWarning",
    "check_array",
    "clear_memo",
    "experimental",
    "is_shutting_down",
    "memoize",
]


def check_array(obj: object, *, arg_name: str) -> None:
    """TypeError for what is no array."""
    if not isinstance(obj, ndarray):
        raise TypeError(f"{arg_name!r} must be a cupy.ndarray object, not {type(obj)}")


def experimental(api_name: str) -> None:
    """Warn that something is experimental, unless `disable_experimental_feature_warning`."""
    if not cupola.disable_experimental_feature_warning:
        text = f"{api_name} is experimental; it may change in the future"
        warnings.warn(text, FutureWarning, stacklevel=3)


is_shutting_down = sys.is_finalizing
