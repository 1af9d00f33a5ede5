"""Expressions of Python as values of C++."""

from __future__ import annotations

import ast
import builtins
import operator
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola._translation.values import (
    WEAK,
    Type,
    Value,
    chosen,
    constant,
    converted,
    find_function,
    is_weak,
    native,
    stored,
    truth,
)

if TYPE_CHECKING:
    from cupola._translation.functions import Program

BINARY: dict[type, tuple[str, Any]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("subtract", operator.sub),
    ast.Mult: ("multiply", operator.mul),
    ast.Div: ("divide", operator.truediv),
    ast.FloorDiv: ("floor_divide", operator.floordiv),
    ast.Mod: ("remainder", operator.mod),
    ast.Pow: ("power", operator.pow),
    ast.BitAnd: ("bitwise_and", operator.and_),
    ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor),
    ast.LShift: ("left_shift", operator.lshift),
    ast.RShift: ("right_shift", operator.rshift),
}
UNARY: dict[type, tuple[str, Any]] = {
    ast.USub: ("negative", operator.neg),
    ast.UAdd: ("positive", operator.pos),
    ast.Invert: ("invert", operator.invert),
}
COMPARISONS: dict[type, tuple[str, Any]] = {
    ast.Lt: ("less", operator.lt),
    ast.LtE: ("less_equal", operator.le),
    ast.Gt: ("greater", operator.gt),
    ast.GtE: ("greater_equal", operator.ge),
    ast.Eq: ("equal", operator.eq),
    ast.NotEq: ("not_equal", operator.ne),
}


class UntranslatableError(Exception):
    """What has no translation, why, and as which error it is raised."""

    def __init__(self, node: ast.AST, what: str, kind: type[Exception] = TypeError) -> None:
        super().__init__(what)
        self.node = node
        self.what = what
        self.kind = kind


@dataclass
class Scope:
    """What names mean in a function."""

    outside: dict[str, Any]
    variables: dict[str, Type]
    known: dict[str, Value]
    assigned: set[str]  # what has a value on every way to here
    local: set[str]  # what has one somewhere
    tuples: dict[str, int] = field(default_factory=dict)  # how many elements names stand for


def element_of(name: str, number: int) -> str:
    """The variable of an element of a tuple: no name that Python has."""
    return f"{number}_{name}"


class Expressions:
    """The expressions of one function."""

    unknown_name: type[Exception] = TypeError

    def __init__(self, program: Program, scope: Scope) -> None:
        self.program = program
        self.scope = scope

    def value(self, node: ast.expr) -> Value:
        """One value."""
        values = self.values(node)
        if len(values) != 1:
            raise UntranslatableError(node, "a tuple where one value is needed")
        return values[0]

    def values(self, node: ast.expr) -> list[Value]:
        """The elements of a tuple, or the only value."""
        elements = self.elements(node)
        if elements is not None:
            return [self.value(each) for each in elements]
        method = getattr(self, f"value_{type(node).__name__}", None)
        if method is None:
            raise UntranslatableError(node, f"{type(node).__name__} has no translation")
        found = method(node)
        return found if isinstance(found, list) else [found]

    def elements(self, node: ast.expr) -> list[ast.expr] | None:
        """Those of a tuple that is written there, or that a name stands for."""
        if isinstance(node, ast.Tuple):
            return node.elts
        if isinstance(node, ast.Name) and node.id in self.scope.tuples:
            names = (element_of(node.id, k) for k in range(self.scope.tuples[node.id]))
            return [ast.copy_location(ast.Name(name, ast.Load()), node) for name in names]
        return None

    def step(self, node: ast.AST, name: str, *operands: Value) -> Value:
        """A universal function."""
        try:
            return self.program.steps.call(name, *operands)
        except TypeError as error:
            raise UntranslatableError(node, str(error)) from None

    def folded(self, node: ast.AST, function: Any, *operands: Value) -> Value | None:
        """The result where all operands are known."""
        if any(each.number is None for each in operands):
            return None
        try:
            return constant(function(*(each.number for each in operands)))
        except Exception as error:
            raise UntranslatableError(node, f"{type(error).__name__}: {error}") from None

    # ---- kinds of expressions

    def value_Constant(self, node: ast.Constant) -> Value:  # noqa: N802
        """A number."""
        if not isinstance(node.value, WEAK):
            raise UntranslatableError(node, f"{node.value!r} is no number")
        return constant(node.value)

    def value_Name(self, node: ast.Name) -> Value:  # noqa: N802
        """A variable, or a number from outside."""
        name = node.id
        if name in self.scope.known:
            return self.scope.known[name]
        if name in self.scope.local and name not in self.scope.assigned:
            shown = name.partition("_")[2] if name[0].isdigit() else name
            raise UntranslatableError(node, f"{shown} may have no value here")
        if name in self.scope.variables:
            return Value(f"v_{name}", self.scope.variables[name])
        return self.outside(node, self.target(node))

    def outside(self, node: ast.expr, target: Any) -> Value:
        """A number that does not belong to the function."""
        if isinstance(target, (*WEAK, np.generic)):
            return constant(target)
        raise UntranslatableError(
            node, f"{ast.unparse(node)} is no number but {type(target).__name__}"
        )

    def target(self, node: ast.expr) -> Any:
        """The object that a name from outside, with its attributes, stands for."""
        if isinstance(node, ast.Name):
            if node.id in self.scope.variables or node.id in self.scope.known:
                raise UntranslatableError(node, f"{node.id} is a number")
            if node.id in self.scope.outside:
                return self.scope.outside[node.id]
            if hasattr(builtins, node.id):
                return getattr(builtins, node.id)
            raise UntranslatableError(node, f"the name {node.id} is not defined", self.unknown_name)
        if isinstance(node, ast.Attribute):
            owner = self.target(node.value)
            if hasattr(owner, node.attr):
                return getattr(owner, node.attr)
            raise UntranslatableError(node, f"{ast.unparse(node)} does not exist")
        if isinstance(node, ast.Call) and self.target(node.func) is np.dtype and not node.keywords:
            name = node.args[0] if len(node.args) == 1 else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                return np.dtype(name.value)
        raise UntranslatableError(
            node, f"{ast.unparse(node)} is no function that can be translated"
        )

    def value_Attribute(self, node: ast.Attribute) -> Value:  # noqa: N802
        """A part of a complex number, or a number from outside."""
        if node.attr not in ("real", "imag") or self.is_outside(node.value):
            return self.outside(node, self.target(node))
        value = self.value(node.value)
        kind = stored(value.type)
        if kind.kind != "c":
            zero = Value(converted(constant(0), value.type), value.type)
            return value if node.attr == "real" else zero
        part = float if is_weak(value.type) else np.dtype(f"f{kind.itemsize // 2}")
        return Value(f"({value.text}).{'re' if node.attr == 'real' else 'im'}", part)

    def is_outside(self, node: ast.expr) -> bool:
        """Whether it names a module or the like."""
        while isinstance(node, ast.Attribute):
            node = node.value
        names = self.scope
        return (
            isinstance(node, ast.Name)
            and node.id not in names.variables
            and node.id not in names.known
            and not isinstance(names.outside.get(node.id), (*WEAK, np.generic))
        )

    def value_Subscript(self, node: ast.Subscript) -> Value:  # noqa: N802
        """An element of a tuple, by a number that is known."""
        elements = self.elements(node.value)
        place = None if elements is None else self.value(node.slice).number
        if elements is None or not isinstance(place, (int, np.integer)):
            raise UntranslatableError(node, "only tuples have elements, at numbers that are known")
        if not -len(elements) <= place < len(elements):
            raise UntranslatableError(node, "tuple index out of range", IndexError)
        return self.value(elements[place])

    def value_BinOp(self, node: ast.BinOp) -> Value:  # noqa: N802
        """An operation of two numbers."""
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node: ast.AST, op: ast.operator, *operands: Value) -> Value:
        """An operation of two values."""
        if type(op) not in BINARY:
            raise UntranslatableError(node, f"{type(op).__name__} has no translation")
        name, function = BINARY[type(op)]
        return self.folded(node, function, *operands) or self.step(node, name, *operands)

    def value_UnaryOp(self, node: ast.UnaryOp) -> Value:  # noqa: N802
        """A sign, ~ or not."""
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            folded = self.folded(node, operator.not_, operand)
            return folded or Value(f"(!{truth(operand)})", bool)
        name, function = UNARY[type(node.op)]
        return self.folded(node, function, operand) or self.step(node, name, operand)

    def value_Compare(self, node: ast.Compare) -> Value:  # noqa: N802
        """Also a chain."""
        operands = [self.value(each) for each in (node.left, *node.comparators)]
        return self.compared(node, operands)

    def compared(self, node: ast.Compare, operands: list[Value]) -> Value:
        """The comparisons of `node` between its operands."""
        # What two comparisons share is computed once.
        shared = {
            number: each
            for number, each in enumerate(operands[1:-1])
            if each.number is None and not each.text.isidentifier()
        }
        for number, each in shared.items():
            operands[number + 1] = Value(f"m_{number}", each.type)
        parts = []
        for number, op in enumerate(node.ops):
            if type(op) not in COMPARISONS:
                raise UntranslatableError(node, f"{type(op).__name__} has no translation")
            name, function = COMPARISONS[type(op)]
            pair = operands[number : number + 2]
            parts.append(self.folded(node, function, *pair) or self.step(node, name, *pair))
        if len(parts) == 1:
            return parts[0]
        kind = bool if all(is_weak(each.type) for each in parts) else np.dtype(bool)
        text = f"({' && '.join(truth(each) for each in parts)})"
        if shared:
            names = ", ".join(f"{native(each.type)} m_{number}" for number, each in shared.items())
            given = ", ".join(each.text for each in shared.values())
            text = f"[&]({names}) {{ return {text}; }}({given})"
        return Value(text, kind)

    def value_BoolOp(self, node: ast.BoolOp) -> Value:  # noqa: N802
        """`and` and `or`, which give one of their operands."""
        result = self.value(node.values[-1])
        for each in reversed(node.values[:-1]):
            first = self.value(each)
            if isinstance(node.op, ast.And):
                result = chosen(truth(first), result, first)
            else:
                result = chosen(truth(first), first, result)
        return result

    def value_IfExp(self, node: ast.IfExp) -> Value:  # noqa: N802
        """a if condition else b."""
        condition = truth(self.value(node.test))
        return chosen(condition, self.value(node.body), self.value(node.orelse))

    def value_Call(self, node: ast.Call) -> Value | list[Value]:  # noqa: N802
        """A function that has a translation, or one of Python."""
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise UntranslatableError(node, "arguments with *")
        operands = [self.value(each) for each in node.args]
        method = node.func if isinstance(node.func, ast.Attribute) else None
        if method and not operands and method.attr in ("conjugate", "conj"):
            return self.step(node, "conjugate", self.value(method.value))
        target = self.target(node.func)
        function = find_function(target)
        if function is None:
            return self.call(node, target, operands)
        if node.keywords:
            raise UntranslatableError(node, f"keyword arguments of {ast.unparse(node.func)}")
        try:
            return function(self.program.steps, *operands)
        except TypeError as error:
            raise UntranslatableError(node, str(error)) from None

    def call(self, node: ast.Call, target: Any, operands: list[Value]) -> list[Value]:
        """A function of Python, or what vectorize made of one."""
        import inspect

        target = getattr(target, "pyfunc", target)
        if not isinstance(target, types.FunctionType):
            raise UntranslatableError(node, f"{ast.unparse(node.func)}() has no translation")
        named = {each.arg: self.value(each.value) for each in node.keywords if each.arg}
        try:
            bound = inspect.signature(target, follow_wrapped=False).bind(*operands, **named)
        except TypeError as error:
            raise UntranslatableError(node, f"{target.__name__}: {error}") from None
        bound.apply_defaults()
        values = {
            name: each if isinstance(each, Value) else self.outside(node, each)
            for name, each in bound.arguments.items()
        }
        arguments: dict[str, Type | Value] = {
            name: each if each.number is not None else each.type for name, each in values.items()
        }
        compiled = self.program.function(target, arguments)
        given = ", ".join(each.text for each in values.values() if each.number is None)
        text = f"{compiled.function}({given})"
        return [Value(f"{text}.r{i}", kind) for i, kind in enumerate(compiled.outputs)]
