"""`inspect.signature` for the functions and methods of the compiled part.

Public functions are declared by a text such as stubs have, others described by the text that the
bindings generate for stubs. Operators and the other special methods that the interpreter calls take
their arguments by position.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue

if TYPE_CHECKING:
    from inspect import Parameter, Signature

_BY_NAME = {"__array__", "__array_namespace__", "__dlpack__", "__init__"}
"""Special methods that are called with arguments by name."""


def _parameters(function: Any) -> list[Parameter]:
    from inspect import Parameter

    text, _, defaults = function.__nb_signature__[0]
    name = function.__name__
    special = name.startswith("__") and name.endswith("__") and name not in _BY_NAME
    parameters = _given(_parsable(text), defaults).parameters.values()
    bare = [each.replace(annotation=Parameter.empty) for each in parameters]
    by_name = Parameter.POSITIONAL_OR_KEYWORD
    return [
        each.replace(kind=Parameter.POSITIONAL_ONLY) if special and each.kind is by_name else each
        for each in bare
    ]


def _given(text: str, defaults: Any) -> Signature:
    """What `def name(...) -> type` says; types stay texts."""
    from inspect import Parameter, Signature

    tree = ast.parse(text + ": ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    given = tree.args
    positional = [*given.posonlyargs, *given.args]
    values = [*[None] * (len(positional) - len(given.defaults)), *given.defaults]
    kinds: list[Any] = [Parameter.POSITIONAL_ONLY] * len(given.posonlyargs)
    kinds += [Parameter.POSITIONAL_OR_KEYWORD] * len(given.args)
    rows: list[tuple[Any, Any, Any]] = list(zip(positional, kinds, values, strict=True))
    if given.vararg:
        rows.append((given.vararg, Parameter.VAR_POSITIONAL, None))
    for parameter, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        rows.append((parameter, Parameter.KEYWORD_ONLY, value))
    if given.kwarg:
        rows.append((given.kwarg, Parameter.VAR_KEYWORD, None))
    found = [
        Parameter(
            parameter.arg, kind, default=_default(value, defaults), annotation=_type(parameter)
        )
        for parameter, kind, value in rows
    ]
    returned = ast.unparse(tree.returns) if tree.returns else Signature.empty
    return Signature(found, return_annotation=returned)


def _type(parameter: ast.arg) -> Any:
    from inspect import Parameter

    return ast.unparse(parameter.annotation) if parameter.annotation else Parameter.empty


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


def _declared_signature(function: Any) -> Signature:
    text = function.__text_signature__.replace("<no value>", "_default_0")
    return _given(f"def {function.__name__}{text}", [NoValue])


def _bound_signature(method: Any) -> Signature:
    from inspect import Signature

    return Signature(_parameters(method)[1:])


class _SignatureOfClass:
    """`__signature__` of a compiled class. Python 3.11.2 does not look at its `__init__`."""

    def __get__(self, instance: Any, owner: type) -> Signature:
        from inspect import Signature

        initialize = owner.__init__  # type: ignore[misc]
        if instance is not None or not hasattr(initialize, "__nb_signature__"):
            raise AttributeError("__signature__")
        return Signature(_parameters(initialize)[1:])


def install() -> None:
    """Give compiled classes and those of compiled functions `__signature__`; all are ours alone."""
    method = vars(ndarray)["__add__"]
    for kind in (type(method), type(_core.as_array)):
        _core.set_class_attribute(kind, "__signature__", property(_signature))
    _core.set_class_attribute(type(_core.sum), "__signature__", property(_declared_signature))
    bound = type(method.__get__(0, int))
    _core.set_class_attribute(bound, "__signature__", property(_bound_signature))
    for public in vars(_core).values():
        if type(public) is type(ndarray):
            _core.set_class_attribute(public, "__signature__", _SignatureOfClass())
