"""`inspect.signature` for the functions and methods of the compiled part.

Their parameters stand in the text that the bindings generate for stubs. Operators and the other
special methods that the interpreter calls take their arguments by position.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from inspect import Parameter, Signature

_BY_NAME = {"__array__", "__array_namespace__", "__dlpack__", "__init__"}
"""Special methods that are called with arguments by name."""


def _parameters(function: Any) -> list[Parameter]:
    from inspect import Parameter

    text, _, defaults = function.__nb_signature__[0]
    tree = ast.parse(_parsable(text) + ": ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    given = tree.args
    positional = [*given.posonlyargs, *given.args]
    values = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    name = function.__name__
    special = name.startswith("__") and name.endswith("__") and name not in _BY_NAME
    found = []
    for place, (parameter, value) in enumerate(zip(positional, values, strict=True)):
        alone = special or place < len(given.posonlyargs)
        kind = Parameter.POSITIONAL_ONLY if alone else Parameter.POSITIONAL_OR_KEYWORD
        found.append(Parameter(parameter.arg, kind, default=_default(value, defaults)))
    if given.vararg:
        found.append(Parameter(given.vararg.arg, Parameter.VAR_POSITIONAL))
    for parameter, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        default = _default(value, defaults)
        found.append(Parameter(parameter.arg, Parameter.KEYWORD_ONLY, default=default))
    if given.kwarg:
        found.append(Parameter(given.kwarg.arg, Parameter.VAR_KEYWORD))
    return found


def _parsable(text: str) -> str:
    r"""The text with defaults that are objects (`\0`, `\1`) as names."""
    return text.replace("\\", "_default_")


def _default(value: Any, defaults: Any) -> Any:
    from inspect import Parameter

    if value is None:
        return Parameter.empty
    if isinstance(value, ast.Name) and value.id.startswith("_default_"):
        return defaults[int(value.id.removeprefix("_default_"))]
    return ast.literal_eval(value)


def _signature(function: Any) -> Signature:
    from inspect import Signature

    return Signature(_parameters(function))


def _bound_signature(method: Any) -> Signature:
    from inspect import Signature

    return Signature(_parameters(method)[1:])


def install() -> None:
    """Give the binding's classes of functions, which no other package uses, `__signature__`."""
    method = vars(ndarray)["__add__"]
    for kind in (type(method), type(_core.as_array)):
        _core.set_class_attribute(kind, "__signature__", property(_signature))
    bound = type(method.__get__(0, int))
    _core.set_class_attribute(bound, "__signature__", property(_bound_signature))
