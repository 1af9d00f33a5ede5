"""One definition gives a function of the namespace and a method of `ndarray`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

METHODS: dict[str, FunctionType] = {}
"""The methods that `as_method` made, by name."""


def as_method(
    *, positional_only: bool = False, **defaults: Any
) -> Callable[[AnyFunction], AnyFunction]:
    """Make a function a method of `ndarray` as well; its first argument is the array.

    The method has the function's code, so it is called as directly as one written by hand, and
    its first argument must not be used by a function within. Its docstring is the function's
    without the line for that argument.

    Parameters
    ----------
    positional_only : bool
        NumPy's method takes no argument by name.
    **defaults : Any
        Where those of NumPy's method differ from those of the function.
    """

    def register(function: AnyFunction) -> AnyFunction:
        assert isinstance(function, FunctionType)
        METHODS[function.__name__] = _method_of(function, positional_only, defaults)
        return function

    return register


def _method_of(
    function: FunctionType, positional_only: bool, defaults: dict[str, Any]
) -> FunctionType:
    code = function.__code__
    first, *others = code.co_varnames
    assert first not in code.co_cellvars
    limit = code.co_argcount if positional_only else code.co_posonlyargcount
    code = code.replace(co_varnames=("self", *others), co_posonlyargcount=limit)
    method = FunctionType(code, function.__globals__, function.__name__)
    values = function.__defaults__ or ()
    named = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    method.__defaults__ = tuple(
        defaults.get(name, value) for name, value in zip(named, values, strict=True)
    )
    method.__kwdefaults__ = {
        name: defaults.get(name, value) for name, value in (function.__kwdefaults__ or {}).items()
    }
    method.__annotations__ = {
        name: kind for name, kind in function.__annotations__.items() if name != first
    }
    lines = (function.__doc__ or "").split("\n")
    own = [line for line in lines if not line.strip().startswith(f"{first} : ")]
    method.__doc__ = "\n".join(own)
    return method
