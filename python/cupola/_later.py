"""Public functions whose modules are loaded when one of them is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMES_OF = {
    "_array.nditer": "nditer",
    "_bits": "packbits unpackbits",
    "_blocks": "block",
    "_callbacks": "apply_along_axis apply_over_axes piecewise",
    "_concatenators": "c_ index_exp r_ s_",
    "_convolution": "convolve correlate",
    "_covariance": "corrcoef cov",
    "_differences": "gradient trapezoid unwrap",
    "_interpolation": "interp",
    "_iteration": (
        "base_repr binary_repr broadcast format_float_positional format_float_scientific "
        "get_printoptions iterable mintypecode ndenumerate ndindex printoptions "
        "set_printoptions typename"
    ),
    "_set_operations": "intersect1d isin setdiff1d setxor1d union1d",
    "_windows": "bartlett blackman hamming hanning i0 kaiser",
}
"""What each module's `__all__` says, in one string."""

MODULE_OF = {name: module for module, names in NAMES_OF.items() for name in names.split()}


def load(name: str) -> Any:
    """The value of a name of `MODULE_OF`."""
    return getattr(import_module(f"cupola.{MODULE_OF[name]}"), name)
