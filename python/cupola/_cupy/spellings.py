"""Parameters of functions under CuPy's name: what CuPy calls them, and its order of positions.

The functions have NumPy's; with `install_as` they take CuPy's keywords too, and positions mean
what they mean there. NumPy's own calls (`numpy.histogram(a, ...)`) keep NumPy's order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["take_spellings"]

_RENAMED = {
    "array": "obj=object",
    "array_str": "arr=a",
    "concatenate": "tup=0",
    "corrcoef": "a=x",
    "cov": "a=m",
    "delete": "indices=obj",
    "ediff1d": "arr=ary",
    "extract": "a=arr",
    "flip": "a=m",
    "fliplr": "a=m",
    "flipud": "a=m",
    "from_dlpack": "array=0",
    "histogram": "x=a",
    "intersect1d": "arr1=ar1 arr2=ar2",
    "percentile": "interpolation=method",
    "quantile": "interpolation=method",
    "reshape": "newshape=shape",
    "rot90": "a=m",
    "stack": "tup=0",
    "take_along_axis": "a=arr",
    "union1d": "arr1=ar1 arr2=ar2",
    "unravel_index": "dims=shape",
    "linalg.matrix_power": "M=a",
    "linalg.matrix_rank": "M=A",
    "random.permutation": "a=x",
    "random.shuffle": "a=x",
}
"""CuPy's keywords, and the package's; 0 for a first parameter that has no keyword there."""

_ORDER = {
    "argmax": (2, "dtype out keepdims"),
    "argmin": (2, "dtype out keepdims"),
    "array": (2, "copy order subok ndmin"),
    "corrcoef": (3, "bias ddof"),
    "histogram": (3, "weights density"),
    "histogram2d": (4, "weights density"),
    "histogramdd": (3, "weights density"),
    "nanargmax": (2, "dtype out keepdims"),
    "nanargmin": (2, "dtype out keepdims"),
    "unpackbits": (2, "bitorder"),
    "random.multivariate_normal": (5, "method dtype"),
}
"""The position from which CuPy's order is another, and its parameters from there."""

_WITHOUT_EFFECT = frozenset(
    (name, key)
    for name, keys in {
        "bincount": ("minlength",),
        "corrcoef": ("bias", "ddof"),
        "histogram": ("density",),
        "histogramdd": ("density",),
        "nanargmax": ("dtype",),
        "nanargmin": ("dtype",),
    }.items()
    for key in keys
)
"""Where None, or False, says nothing, and the package's function may not have the parameter."""

_INSTEAD = {"array": ("copy", None)}
"""A keyword that may be False in CuPy, and what that is called in NumPy 2: copy where needed."""


def _in_positions(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments that stay positional; the others go to `kwargs`."""
    same, rest = _ORDER[name]
    keys = rest.split()
    if len(args) > same + len(keys):
        raise TypeError(f"{name}() takes {same + len(keys)} arguments, {len(args)} were given")
    for key, value in zip(keys, args[same:], strict=False):
        if key in kwargs:
            raise TypeError(f"{name}() got several values for {key!r}")
        kwargs[key] = value
    return args[:same]


def _with_spellings(name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
    place = name.rpartition(".")[0]
    renamed = dict(pair.split("=") for pair in _RENAMED.get(name, "").split())
    order = _ORDER.get(name)
    instead = _INSTEAD.get(name)

    @functools.wraps(ours)
    def function(*args: Any, **kwargs: Any) -> Any:
        if order is not None and len(args) > order[0]:
            args = _in_positions(name, args, kwargs)
        for key in kwargs.keys() & renamed.keys():
            own = renamed[key]
            if own in kwargs or (own == "0" and args):
                raise TypeError(f"{name}() got several values for {key!r}")
            if own == "0":
                args = (kwargs.pop(key),)
            else:
                kwargs[own] = kwargs.pop(key)
        for key in [key for key in kwargs if (name, key) in _WITHOUT_EFFECT and not kwargs[key]]:
            del kwargs[key]
        if instead is not None and kwargs.get(instead[0]) is False:
            kwargs[instead[0]] = instead[1]
        return ours(*args, **kwargs)

    function.__numpy_form__ = ours  # type: ignore[attr-defined]
    function.__module__ = f"cupola.{place}" if place else "cupola"  # where a pickle finds it
    return function


def take_spellings(package: Any) -> None:
    """Let the functions of the package take CuPy's keywords and positions."""
    for name in sorted(_RENAMED.keys() | _ORDER.keys() | {name for name, _ in _WITHOUT_EFFECT}):
        place, _, last = name.rpartition(".")
        owner = getattr(package, place) if place else package
        function = getattr(owner, last)
        if getattr(function, "__numpy_form__", None) is None:
            setattr(owner, last, _with_spellings(name, function))
