"""Expressions of kernels: those of numbers, and arrays, tuples, objects and built-in functions."""

from __future__ import annotations

import ast
import inspect
import math
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola._translation.expressions import Expressions, UntranslatableError
from cupola._translation.values import (
    MATH_UFUNCS,
    WEAK,
    Value,
    constant,
    find_function,
    is_weak,
)
from cupola.cupyx.jit._builtins import Builtin, Variable
from cupola.cupyx.jit._indexing import attribute, element
from cupola.cupyx.jit._types import (
    MethodType,
    ObjectType,
    PointerType,
    TupleType,
    is_number,
    is_stored,
    object_value,
    shown,
)
from cupola.cupyx.jit._typing_rules import cast_text, may_become

if TYPE_CHECKING:
    from cupola.cupyx.jit._program import KernelProgram

_NUMBERS = (*WEAK, np.generic)
_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def wrapped(target: Any) -> Value:
    """The value of an object from outside."""
    if isinstance(target, _NUMBERS) and not isinstance(target, (np.void, np.str_, np.bytes_)):
        return constant(target)
    if isinstance(target, Variable):
        return target.value
    if isinstance(target, tuple):
        return Value("", TupleType(tuple(wrapped(each) for each in target)))
    return object_value(target)


def _is_none(node: ast.Compare) -> bool:
    """Whether it is `a == None` or `a != None`."""
    last = node.comparators[0]
    is_equality = isinstance(node.ops[0], (ast.Eq, ast.NotEq))
    return is_equality and isinstance(last, ast.Constant) and last.value is None


class KernelExpressions(Expressions):
    """The expressions of one kernel or device function."""

    program: KernelProgram  # type: ignore[assignment]
    node: ast.Call  # the call of a function of kernels that is being translated
    unknown_name = NameError

    def __init__(self, program: Any, scope: Any, statements: Any) -> None:
        super().__init__(program, scope)
        self.statements = statements
        self.conditional = 0  # what is evaluated sometimes only

    def value(self, node: ast.expr) -> Value:
        """One value; a tuple is one."""
        if isinstance(node, ast.Tuple):
            return Value("", TupleType(tuple(self.value(each) for each in node.elts)))
        method = getattr(self, f"value_{type(node).__name__}", None)
        if method is None:
            raise UntranslatableError(node, f"{type(node).__name__} has no translation")
        return method(node)

    def values(self, node: ast.expr) -> list[Value]:
        """The elements of a tuple."""
        value = self.value(node)
        if not isinstance(value.type, TupleType):
            message = f"{shown(value.type)} cannot be unpacked"
            raise UntranslatableError(node, message, ValueError)
        return list(value.type.items)

    def number(self, node: ast.expr) -> Value:
        """A value that is a number."""
        value = self.value(node)
        if not is_number(value.type):
            raise UntranslatableError(node, f"{shown(value.type)} where a number is needed")
        return value

    def settled(self, value: Value) -> Value:
        """The value as a variable of it would be."""
        return self.program.steps.settled(value) if is_number(value.type) else value

    def converted(self, node: ast.AST, value: Value, kind: Any, what: str) -> str:
        """The text of the value for a place of that type; TypeError unless it may become one."""
        if is_number(kind) and is_number(value.type):
            source = self.settled(value).type
            if not may_become(source, kind):
                raise UntranslatableError(
                    node, f"{what} is {shown(kind)}, which a value of {shown(source)} cannot become"
                )
            return cast_text(value, kind)
        if is_number(kind) or value.type != kind:
            raise UntranslatableError(node, f"{what} is {shown(kind)}, not {shown(value.type)}")
        return value.text

    # ---- kinds of expressions

    def value_Constant(self, node: ast.Constant) -> Value:  # noqa: N802
        """A number, or None, a text or ... for the functions that take it."""
        return wrapped(node.value)

    def value_Name(self, node: ast.Name) -> Value:  # noqa: N802
        """A variable, or what the name means outside."""
        name = node.id
        if name in self.scope.known:
            return self.scope.known[name]
        if name in self.scope.variables:
            return Value(f"v_{name}", self.scope.variables[name])
        if name in self.scope.local:
            raise UntranslatableError(node, f"{name} has no value here", NameError)
        return wrapped(self.target(node))

    def value_Attribute(self, node: ast.Attribute) -> Value:  # noqa: N802
        """Of an object, an array, a group or a complex number."""
        owner = self.value(node.value)
        if isinstance(owner.type, ObjectType):
            if not hasattr(owner.type.target, node.attr):
                raise UntranslatableError(
                    node, f"{ast.unparse(node)} does not exist", AttributeError
                )
            return wrapped(getattr(owner.type.target, node.attr))
        if is_number(owner.type):
            return self._part(node, owner)
        found = attribute(owner, node.attr)
        if found is None:
            message = f"{shown(owner.type)} has no {node.attr} in a kernel"
            raise UntranslatableError(node, message, AttributeError)
        return found

    def _part(self, node: ast.Attribute, owner: Value) -> Value:
        if node.attr in ("conjugate", "conj"):
            from cupola.cupyx.jit._types import method_value

            return method_value(node.attr, lambda *_: self.step(node, "conjugate", owner))
        if node.attr not in ("real", "imag"):
            message = f"{shown(owner.type)} has no {node.attr} in a kernel"
            raise UntranslatableError(node, message, AttributeError)
        owner = self.settled(owner)
        if owner.type.kind == "c":
            part = np.dtype(f"f{owner.type.itemsize // 2}")
            return Value(f"({owner.text}).{'re' if node.attr == 'real' else 'im'}", part)
        return (
            owner if node.attr == "real" else Value(cast_text(constant(0), owner.type), owner.type)
        )

    def value_Subscript(self, node: ast.Subscript) -> Value:  # noqa: N802
        """An element, a view of a row, an item of a tuple, an instance of a template."""
        owner = self.value(node.value)
        return element(self, node, owner, self.value(node.slice))

    def binary(self, node: ast.AST, op: ast.operator, *operands: Value) -> Value:
        """Of numbers, or of a pointer and a number."""
        left, right = operands
        pointers = [each for each in operands if isinstance(each.type, PointerType)]
        if not pointers:
            return super().binary(node, op, left, right)
        sign = {ast.Add: "+", ast.Sub: "-"}.get(type(op))
        if sign is None or (sign == "-" and pointers[0] is not left):
            raise UntranslatableError(node, f"{type(op).__name__} of a pointer has no translation")
        text = f"({left.text} {sign} {right.text})"
        if len(pointers) == 2 and sign == "-" and left.type == right.type:
            return Value(f"int64_t{text}", np.dtype(np.int64))
        other = self.settled(right if pointers[0] is left else left)
        if len(pointers) == 2 or not is_number(other.type) or other.type.kind not in "iu":
            message = f"{shown(left.type)} {sign} {shown(right.type)}"
            raise UntranslatableError(node, message)
        return Value(text, pointers[0].type)

    def value_UnaryOp(self, node: ast.UnaryOp) -> Value:  # noqa: N802
        """A sign, ~ or not."""
        value = super().value_UnaryOp(node)
        return self.settled(value) if value.number is None else value

    def value_Compare(self, node: ast.Compare) -> Value:  # noqa: N802
        """Also a chain, and `is None` of constants, which may be written as `== None`."""
        if len(node.ops) == 1 and (isinstance(node.ops[0], (ast.Is, ast.IsNot)) or _is_none(node)):
            left, right = self.value(node.left), self.value(node.comparators[0])
            targets = [
                each.type.target if isinstance(each.type, ObjectType) else each
                for each in (left, right)
            ]
            return constant((targets[0] is targets[1]) == isinstance(node.ops[0], (ast.Is, ast.Eq)))
        value = super().value_Compare(node)
        return self.settled(value) if value.number is None else value

    def compared(self, node: ast.Compare, operands: list[Value]) -> Value:
        """Of numbers, or of two pointers or iterators of one type."""
        left, right = operands[0], operands[-1]
        if not any(isinstance(each.type, PointerType) for each in operands):
            return super().compared(node, operands)
        sign = _SIGNS.get(type(node.ops[0]))
        if len(node.ops) != 1 or sign is None or left.type != right.type:
            message = f"{shown(left.type)} compared with {shown(right.type)}"
            raise UntranslatableError(node, message)
        return Value(f"({left.text} - {right.text} {sign} 0)", np.dtype(bool))

    def value_BoolOp(self, node: ast.BoolOp) -> Value:  # noqa: N802
        """True or False; the second operand is not evaluated where the first decides."""
        is_and = isinstance(node.op, ast.And)
        texts: list[str] = []
        for each in node.values:
            self.conditional += bool(texts)
            try:
                operand = self.number(each)
            finally:
                self.conditional -= bool(texts)
            if operand.number is None:
                texts.append(cast_text(operand, np.dtype(bool)))
            elif bool(operand.number) != is_and:  # it decides
                if not texts:
                    return constant(not is_and)
                texts.append("false" if is_and else "true")
                break
        if not texts:
            return constant(is_and)
        return Value(f"({(' && ' if is_and else ' || ').join(texts)})", np.dtype(bool))

    def value_IfExp(self, node: ast.IfExp) -> Value:  # noqa: N802
        """a if condition else b, of one type."""
        condition = self.number(node.test)
        if condition.number is not None:
            return self.value(node.body if condition.number else node.orelse)
        self.conditional += 1
        first, second = self.value(node.body), self.value(node.orelse)
        self.conditional -= 1
        if is_number(first.type) and is_number(second.type):
            kind = self._common(node, first, second)
            texts = [cast_text(each, kind) for each in (first, second)]
        else:
            kind = first.type
            if not is_stored(kind) or kind != second.type:
                message = f"{shown(first.type)} or {shown(second.type)}, by a condition"
                raise UntranslatableError(node, message)
            texts = [first.text, second.text]
        test = cast_text(condition, np.dtype(bool))
        return Value(f"({test} ? {texts[0]} : {texts[1]})", kind)

    def _common(self, node: ast.AST, first: Value, second: Value) -> np.dtype:
        """A constant takes the type of what is none."""
        types = [self.settled(each).type for each in (first, second)]
        for number, other in ((first, 1), (second, 0)):
            is_constant = number.number is not None and is_weak(number.type)
            if is_constant and may_become(types[1 - other], types[other]):
                return types[other]
        if types[0] != types[1]:
            message = f"{types[0]} or {types[1]}, by a condition; convert one of them"
            raise UntranslatableError(node, message)
        return types[0]

    # ---- calls

    def value_Call(self, node: ast.Call) -> Value:  # noqa: N802
        """A function of kernels, a conversion, a universal function, a function of Python."""
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise UntranslatableError(node, "arguments with *")
        if any(each.arg is None for each in node.keywords):
            raise UntranslatableError(node, "arguments with **")
        callee = self.value(node.func)
        operands = [self.value(each) for each in node.args]
        named = {str(each.arg): self.value(each.value) for each in node.keywords}
        try:
            return self._called(node, callee, operands, named)
        except UntranslatableError:
            raise
        except (TypeError, ValueError) as error:
            raise UntranslatableError(node, str(error), type(error)) from None

    def _called(
        self, node: ast.Call, callee: Value, operands: list[Value], named: dict[str, Value]
    ) -> Value:
        if isinstance(callee.type, MethodType):
            return callee.type.call(self, node, *operands, **named)
        if not isinstance(callee.type, ObjectType):
            raise TypeError(f"{shown(callee.type)} cannot be called")
        target = callee.type.target
        if target is len or target is range:
            from cupola.cupyx.jit import _builtins

            target = _builtins.length if target is len else _builtins.range_
        if isinstance(target, Builtin):
            return target.translate(self, node, *operands, **named)
        if is_device_function(target):
            return self._device_call(node, target._func, operands, named)
        constants = [_constant_of(each) for each in (*operands, *named.values())]
        if not any(each is _VARIES for each in constants):
            return self._host_call(node, target, constants[: len(operands)], named)
        function = self._function(target)
        if function is not None:
            if named:
                raise TypeError(f"keyword arguments of {ast.unparse(node.func)}")
            for each in operands:
                if not is_number(each.type):
                    raise TypeError(f"{shown(each.type)} where a number is needed")
            return self.settled(function(self.program.steps, *operands))
        target = getattr(target, "pyfunc", target)
        if isinstance(target, types.FunctionType):
            return self._device_call(node, target, operands, named)
        raise TypeError(f"{ast.unparse(node.func)}() has no translation")

    def _function(self, target: Any) -> Any:
        """How a call with numbers is translated; min, max and those of math are ufuncs here."""
        if target is min or target is max:
            extreme = "minimum" if target is min else "maximum"
            return lambda steps, *operands: _folded(steps, extreme, operands)
        name = getattr(target, "__name__", "")
        if self.program.mode == "cuda" and getattr(math, name, None) is target:
            ufunc = MATH_UFUNCS.get(name)
            if ufunc is not None:
                return lambda steps, *operands: steps.call(ufunc, *operands)
        return find_function(target)

    def _host_call(
        self, node: ast.Call, target: Any, operands: list[Any], named: dict[str, Value]
    ) -> Value:
        """Of constants only: called now."""
        if not callable(target):
            raise TypeError(f"{ast.unparse(node.func)} cannot be called")
        try:
            result = target(*operands, **{k: _constant_of(each) for k, each in named.items()})
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            raise UntranslatableError(node, message) from None
        return wrapped(result)

    def _device_call(
        self, node: ast.Call, function: Any, operands: list[Value], named: dict[str, Value]
    ) -> Value:
        bound = inspect.signature(function, follow_wrapped=False).bind(*operands, **named)
        bound.apply_defaults()
        values = {
            name: self.settled(each if isinstance(each, Value) else wrapped(each))
            for name, each in bound.arguments.items()
        }
        compiled = self.program.device_function(
            function,
            {name: each.type if is_stored(each.type) else each for name, each in values.items()},
        )
        given = ", ".join(each.text for each in values.values() if is_stored(each.type))
        text = f"{compiled.function}({given})"
        if not isinstance(compiled.result, tuple):
            return Value(text, compiled.result)
        if self.conditional:
            raise TypeError("a call that returns a tuple is not evaluated conditionally")
        name = self.statements.hoist(text)
        items = (Value(f"{name}.r{i}", kind) for i, kind in enumerate(compiled.result))
        return Value("", TupleType(tuple(items)))


_VARIES = object()


def _constant_of(value: Value) -> Any:
    """The object of Python that is known."""
    if value.number is not None:
        return value.number
    if isinstance(value.type, ObjectType):
        return value.type.target
    if isinstance(value.type, TupleType):
        items = [_constant_of(each) for each in value.type.items]
        return _VARIES if any(each is _VARIES for each in items) else tuple(items)
    return _VARIES


def _folded(steps: Any, name: str, operands: tuple[Value, ...]) -> Value:
    if len(operands) < 2:
        raise TypeError(f"{name[:3]}() takes at least 2 numbers")
    result = operands[0]
    for each in operands[1:]:
        result = steps.call(name, result, each)
    return result


def is_device_function(target: Any) -> bool:
    """Whether rawkernel(device=True) made it."""
    return getattr(target, "_device", None) is True and hasattr(target, "_func")
