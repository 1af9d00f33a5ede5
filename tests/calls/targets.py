"""What can be called: everything public that both namespaces have, with its parameters.

Nothing is listed by name here, so that a new function, method or ufunc is called as soon as it is
in the namespace.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

SERIES = ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre", "polyutils")
MODULES = ("", "linalg", "fft", "random", "lib.stride_tricks")
MODULES += tuple(f"polynomial.{module}" for module in SERIES)
CLASSES = ("random.Generator", "random.RandomState")
# They speak of the machine or the process, wait for input, or end something.
LEFT_OUT = {"show_config", "get_state", "set_state", "seed", "default_rng", "dump", "tofile"}
LEFT_OUT |= {"set_printoptions", "seterr", "seterrcall", "setbufsize", "show_runtime", "info"}
# They write files of any name.
LEFT_OUT |= {"save", "savez", "savez_compressed", "savetxt"}
# They take texts, and functions.
LEFT_OUT |= {"genfromtxt", "loadtxt", "chebinterpolate"}
# Beyond its memory NumPy reads whatever is there.
LEFT_OUT |= {"as_strided"}
# NumPy takes any object for a bit generator, and crashes at the next number.
LEFT_OUT |= {"get_bit_generator", "set_bit_generator"}
# Where something is or is done means other things in the two.
PLACES = {"device", "stream", "blocking", "source"}
# Of the parameters of every NumPy ufunc.
UFUNC_KEYWORDS = "out=None, *, where=True, casting='same_kind', order='K', dtype=None"
# Python's own functions that call a special method of another name than their own.
OTHER_NAMES = {"__copy__": "copy.copy", "__deepcopy__": "copy.deepcopy"}


@dataclass(frozen=True)
class Parameter:
    name: str
    required: bool = True
    keyword: bool = False  # by name only
    repeated: bool = False  # *args
    default: Any = None
    positional: bool = False  # by position only


@dataclass(frozen=True)
class Target:
    """Something to call: `template` with its arguments in the place of `{}`."""

    name: str  # sum, linalg.norm, ndarray.sum, add.reduce, operator.add
    group: str
    template: str
    parameters: tuple[Parameter, ...]
    ufunc: str = ""  # NumPy's name of the ufunc that it calls, element by element

    @cached_property
    def number(self) -> int:
        """Of the name, the same in every process."""
        return zlib.crc32(self.name.encode())

    @property
    def short(self) -> str:
        """The name without its namespace."""
        return self.name.rpartition(".")[2]


def parse(line: str) -> list[Parameter]:
    """The parameters of a line like `sum(a: object, axis: int = 0, *, out=None) -> object`."""
    text = re.sub(r"<[^<>]*>", "None", line.split("\n")[0])
    arguments = ast.parse(f"def {text}: pass").body[0].args  # type: ignore[attr-defined]
    defaults = [None] * (len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults))
    result = [
        Parameter(argument.arg, default is None, default=literal(default))
        for argument, default in zip(
            arguments.posonlyargs + arguments.args, defaults + arguments.defaults, strict=True
        )
    ]
    if arguments.vararg:
        result.append(Parameter(arguments.vararg.arg, repeated=True))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        result.append(Parameter(argument.arg, default is None, True, default=literal(default)))
    return result


def literal(node: Any) -> Any:
    return node.value if isinstance(node, ast.Constant) else None


def parameters_of(function: Any) -> list[Parameter]:
    """By the signature, or by the first line of what it says about itself."""
    if hasattr(function, "nin") and not inspect.isfunction(function):
        inputs = ", ".join(f"x{i + 1}" for i in range(function.nin))
        return parse(f"ufunc({inputs}, /, {UFUNC_KEYWORDS})")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        try:
            return parse(function.__doc__ or "")
        except SyntaxError:
            return [Parameter("args", repeated=True)]
    return [
        Parameter(
            p.name,
            p.default is p.empty,
            p.kind == p.KEYWORD_ONLY,
            p.kind == p.VAR_POSITIONAL,
            None if p.default is p.empty else p.default,
        )
        for p in signature.parameters.values()
        if p.kind != p.VAR_KEYWORD
    ]


def shared(own: list[Parameter], other: Any) -> tuple[Parameter, ...]:
    """Without the options that the other library's function does not have, passed as it takes them.

    Of some functions of NumPy's nothing is known; of some only that they take more options.
    """
    own = [p for p in own if p.required or p.repeated or p.name not in PLACES]
    try:
        theirs = {p.name: p for p in parameters_of(other)}
        kinds = inspect.signature(other).parameters if is_inspectable(other) else {}
    except SyntaxError:
        return tuple(own)
    if any(p.kind == p.VAR_KEYWORD for p in kinds.values()) or not theirs:
        return tuple(own)
    by_position = {p.name for p in kinds.values() if p.kind == p.POSITIONAL_ONLY}
    return tuple(
        replace(
            p,
            positional=p.name in by_position,
            keyword=p.keyword or (p.name in theirs and theirs[p.name].keyword),
        )
        for p in own
        if p.required or p.repeated or p.name in theirs
    )


def is_inspectable(function: Any) -> bool:
    try:
        inspect.signature(function)
    except (TypeError, ValueError):
        return False
    return True


def member(module: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        module = getattr(module, name)
    return module


def public(own: Any, other: Any) -> Iterator[str]:
    """Names of what both have and that can be called."""
    for name in dir(own):
        if name.startswith("_") or name in LEFT_OUT or not hasattr(other, name):
            continue
        thing = getattr(own, name)
        if callable(thing) and not isinstance(thing, type):
            yield name


def functions(own: Any, other: Any) -> Iterator[Target]:
    for path in MODULES:
        modules = member(own, path), member(other, path)
        for name in public(*modules):
            full = f"{path}.{name}" if path else name
            mine, other_one = (getattr(module, name) for module in modules)
            parameters = shared(parameters_of(mine), other_one)
            group = "random" if path == "random" else "function"
            ufunc = other_one.__name__ if isinstance(mine, own.ufunc) else ""
            yield Target(full, group, f"xp.{full}({{}})", parameters, ufunc)


def generators(own: Any, other: Any) -> Iterator[Target]:
    for path in CLASSES:
        classes = member(own, path), member(other, path)
        maker = "xp.random.default_rng(3)" if path.endswith("Generator") else f"xp.{path}(3)"
        for name in public(*classes):
            parameters = parameters_of(getattr(classes[0], name))[1:]
            kept = shared(parameters, getattr(classes[1], name))
            yield Target(f"{path}.{name}", "random", f"{maker}.{name}({{}})", kept)


def methods(own: Any, other: Any) -> Iterator[Target]:
    for name in public(own.ndarray, other.ndarray):
        parameters = parameters_of(getattr(own.ndarray, name))[1:]
        kept = (Parameter("self"), *shared(parameters, getattr(other.ndarray, name)))
        yield Target(f"ndarray.{name}", "method", f"{{self}}.{name}({{}})", kept)


def special_methods(own: Any, other: Any) -> Iterator[Target]:
    """What Python's operators and its own functions call."""
    for name in dir(own.ndarray):
        if not name.startswith("__") or not hasattr(other.ndarray, name):
            continue
        plain = name.strip("_")
        if name in OTHER_NAMES:
            yield Target(name, "operator", f"{OTHER_NAMES[name]}({{}})", (Parameter("self"),))
        elif inspect.isbuiltin(vars(operator).get(name)):
            parameters = parameters_of(getattr(operator, name))
            yield Target(
                f"operator.{name}", "operator", f"operator.{name}({{}})", tuple(parameters)
            )
        elif callable(getattr(builtins, plain, None)) and plain not in ("dir", "format", "hash"):
            both = (Parameter("self"), *([Parameter("other")] if plain == "divmod" else []))
            yield Target(name, "operator", f"{plain}({{}})", both)


def attributes(own: Any, other: Any) -> Iterator[Target]:
    for name in dir(own.ndarray):
        if name.startswith("_") or not hasattr(other.ndarray, name):
            continue
        if callable(getattr(own.ndarray, name)) or name in ("base", "data", "device"):
            continue
        both = (Parameter("self"),)
        yield Target(f"ndarray.{name}", "attribute", f"{{self}}.{name}", both)
        value = Parameter({"T": "a", "mT": "a"}.get(name, name))
        setter = f"setattr({{self}}, {name!r}, {{}})"
        yield Target(f"ndarray.{name}.set", "attribute", setter, (*both, value))


def ufunc_methods(own: Any, other: Any) -> Iterator[Target]:
    for name in dir(own):
        if not isinstance(getattr(own, name), own.ufunc) or not hasattr(other, name):
            continue
        for method in public(own.ufunc, other.ufunc):
            parameters = parameters_of(getattr(own.ufunc, method))[1:]
            kept = shared(parameters, getattr(other.ufunc, method))
            yield Target(f"{name}.{method}", "ufunc method", f"xp.{name}.{method}({{}})", kept)


def targets(own: Any, other: Any, only: str = "*") -> dict[str, list[Target]]:
    """By group; only those whose names match the pattern."""
    result: dict[str, list[Target]] = {}
    for find in (functions, generators, methods, special_methods, attributes, ufunc_methods):
        for target in find(own, other):
            if fnmatchcase(target.name, only):
                result.setdefault(target.group, []).append(target)
    return result
