"""A row of the table as a function of kernels."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any, NamedTuple

import numpy as np

from cupola._translation.expressions import UntranslatableError
from cupola._translation.values import Value, constant, converted, native
from cupola.cupyx.jit._builtins import Builtin
from cupola.cupyx.jit._types import (
    VOID,
    ObjectType,
    PointerType,
    TupleType,
    is_number,
    object_value,
    shown,
)
from cupola.cupyx.jit.thrust._documentation import documentation
from cupola.cupyx.jit.thrust._table import Row

_NONE = object_value(None)
_DTYPES = {"int32": np.dtype(np.int32), "bool": np.dtype(bool)}
_PARAMETER = re.compile(
    r"(?P<name>\w+)(?P<kind>[:=~>-])(?P<group>[a-z_]\w*?)?(?P<default>[01])?(?P<written>\*)?"
)
_FUNCTION = re.compile(r"(?P<name>\w+)\((?P<first>\w+),(?P<second>\w+)\)(?:>(?P<result>\w+))?")


class Policy:
    """Where an algorithm runs: in kernels, in the calling thread."""

    def __init__(self, name: str, doc: str) -> None:
        self.name = name
        self.__doc__ = doc

    def __repr__(self) -> str:
        return f"<cupyx.jit.thrust.{self.name}>"


class Parameter(NamedTuple):
    """`kind` is one of the signs of the table."""

    name: str
    kind: str
    group: str
    default: str
    is_written: bool


def parameters_of(row: Row) -> list[Parameter]:
    """The parameters of a row, parsed."""
    found = []
    for text in row.parameters.split():
        match = _PARAMETER.fullmatch(text)
        assert match is not None, text
        name, kind, group, default, written = match.groups()
        if kind == "=":
            group, default = text.partition("=")[2], None
        found.append(Parameter(name, kind, group or "", default or "", bool(written)))
    return found


class _Call:
    """One call: what the dtypes of the table are, and the texts of the arguments."""

    def __init__(self, expressions: Any, row: Row) -> None:
        self.expressions = expressions
        self.row = row
        self.values: dict[str, Value] = {}
        self.dtypes: dict[str, np.dtype] = {}

    def take(self, parameter: Parameter, value: Value) -> None:
        """Check an argument and keep it as it is passed."""
        what = f"{self.row.name}: {parameter.name}"
        is_none = isinstance(value.type, ObjectType) and value.type.target is None
        if parameter.kind == "-":
            if not is_none:
                message = f"{what} has no translation; leave it out"
                raise UntranslatableError(self.expressions.node, message, NotImplementedError)
            return
        if parameter.kind in ":=":
            self._take_iterator(parameter, value, what)
            return
        if is_none and parameter.default:
            value = constant(self.dtypes[parameter.group].type(int(parameter.default)))
        if not is_number(value.type):
            raise TypeError(f"{what} must be a number, not {shown(value.type)}")
        kind = self.expressions.settled(value).type
        if parameter.kind == ">":
            kind = self.dtypes[parameter.group]
        text = self.expressions.converted(self.expressions.node, value, kind, what)
        self.values[parameter.name] = Value(f"{native(kind)}({text})", kind)
        self.dtypes[parameter.name] = kind

    def _take_iterator(self, parameter: Parameter, value: Value, what: str) -> None:
        kind = value.type
        if not isinstance(kind, PointerType) or not is_number(kind.element):
            hint = "array.begin() or shared memory"
            raise TypeError(f"{what} must be an iterator, as {hint}, not {shown(kind)}")
        if parameter.kind == "=":
            first = self.values[parameter.group]
            if kind != first.type:
                raise TypeError(f"{what} is {shown(kind)}, {parameter.group} {shown(first.type)}")
        elif not self._may_hold(parameter, kind.element):
            wanted = self.dtypes[parameter.group]
            raise TypeError(f"{what} is {shown(kind)}, whose elements must be {wanted}")
        if parameter.group == "m" and kind.element.kind not in "iu":
            raise TypeError(f"{what} must have integers, not {kind.element}")
        if parameter.is_written and not kind.writable:
            raise ValueError(f"{what} is read-only")
        self.values[parameter.name] = value

    def _may_hold(self, parameter: Parameter, element: Any) -> bool:
        """Whether elements are of the parameter's group; results are converted as C++ does."""
        group = self.dtypes.setdefault(parameter.group, element)
        if parameter.name.endswith(("result", "output")):
            return element.kind == "c" or group.kind != "c"
        return bool(group == element)

    def function(self, text: str) -> str:
        """A universal function of the table as a function object of C++."""
        match = _FUNCTION.fullmatch(text)
        assert match is not None, text
        name, *operands, result = match.groups()
        kinds = [self.dtypes[each] for each in operands]
        value = self.expressions.program.steps.call(
            name, Value("a", kinds[0]), Value("b", kinds[1])
        )
        kind = self.dtypes[result] if result else value.type
        first, second = (native(each) for each in kinds)
        return f"[]({first} a, {second} b) {{ return {native(kind)}({converted(value, kind)}); }}"

    def result(self) -> Value:
        """The call, and what it gives."""
        functions = [self.function(each) for each in self.row.functions.split()]
        texts = {name: each.text for name, each in self.values.items()}
        if self.row.name == "set_intersection_by_key":  # nothing comes from the second range
            texts = _with_second_values(texts)
        callee = self.row.callee or f"thrust_{self.row.name}"
        text = f"{callee}({', '.join([*texts.values(), *functions])})"
        if self.row.result == "void":
            return Value(text, VOID)
        if self.row.result in _DTYPES:
            return Value(text, _DTYPES[self.row.result])
        kinds = [self.values[name].type for name in self.row.result.split()]
        if len(kinds) == 1:
            return Value(text, kinds[0])
        if self.expressions.conditional:
            raise TypeError("a call that returns a tuple is not evaluated conditionally")
        pair = self.expressions.statements.hoist(text)
        items = (
            Value(f"{pair}.{part}", kind)
            for part, kind in zip(("first", "second"), kinds, strict=True)
        )
        return Value("", TupleType(tuple(items)))


def _with_second_values(texts: dict[str, str]) -> dict[str, str]:
    names = list(texts)
    place = names.index("values_first1") + 1
    items = list(texts.items())
    return dict([*items[:place], ("values_first2", texts["values_first1"]), *items[place:]])


class Algorithm(Builtin):
    """An algorithm; of several rows, the one that takes as many arguments."""

    def __init__(self, *rows: Row) -> None:
        super().__init__(rows[0].name, "", self._call)
        self._rows = [(row, parameters_of(row)) for row in rows]
        ranges = self._rows[1][1] if len(rows) > 1 else None
        self.__doc__ = documentation(rows[0], self._rows[0][1], ranges)
        if len(rows) == 1:
            self.__signature__ = _signature(self._rows[0][1])

    def _call(self, expressions: Any, *args: Value, **kwargs: Value) -> Value:
        row, parameters = self._rows[0]
        if len(self._rows) > 1 and len(args) > len(parameters) + 1:
            row, parameters = self._rows[1]
        bound = _signature(parameters).bind(*args, **kwargs)
        _check_policy(row, bound.arguments["exec_policy"])
        call = _Call(expressions, row)
        for parameter in parameters:
            call.take(parameter, bound.arguments.get(parameter.name, _NONE))
        expressions.program.uses_algorithms = True
        return call.result()


def _signature(parameters: list[Parameter]) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    found = [inspect.Parameter("exec_policy", kind)]
    for each in parameters:
        is_optional = each.kind == "-" or each.default
        default = None if is_optional else inspect.Parameter.empty
        found.append(inspect.Parameter(each.name, kind, default=default))
    return inspect.Signature(found)


def _check_policy(row: Row, value: Value) -> None:
    policy = value.type.target if isinstance(value.type, ObjectType) else None
    if not isinstance(policy, Policy):
        raise TypeError(f"{row.name}: exec_policy must be thrust.seq or thrust.device")
    if policy.name == "host":
        raise TypeError(f"{row.name}: thrust.host is not for kernels; use thrust.seq")


def iterator(name: str, form: str, doc: str) -> Builtin:
    """A function that makes an iterator without memory."""

    def translate(expressions: Any, x: Value, i: Value = _NONE) -> Value:
        node: ast.AST = expressions.node
        if not (isinstance(i.type, ObjectType) and i.type.target is None):
            message = f"{name}: i has no translation; leave it out"
            raise UntranslatableError(node, message, NotImplementedError)
        if not is_number(x.type):
            raise TypeError(f"{name}: x must be a number, not {shown(x.type)}")
        value = expressions.settled(x)
        if form == "counting" and value.type.kind not in "iu":
            raise TypeError(f"{name}: x must be an integer, not {value.type}")
        expressions.program.uses_algorithms = True
        kind = PointerType(value.type, False, form)
        return Value(f"{kind.text()}{{{native(value.type)}({value.text}), 0}}", kind)

    return Builtin(name, doc, translate)
