"""Statements of kernels: variables keep their type, elements are assigned to."""

from __future__ import annotations

import ast
import os
from typing import Any

import numpy as np

from cupola._translation.expressions import UntranslatableError
from cupola._translation.statements import Writer
from cupola._translation.values import Value, constant
from cupola.cupyx.jit import _builtins
from cupola.cupyx.jit._expressions import KernelExpressions
from cupola.cupyx.jit._types import (
    VOID,
    ArrayType,
    DimensionsType,
    MethodType,
    ObjectType,
    PointerType,
    TupleType,
    is_number,
    is_stored,
    shown,
    text_of,
)
from cupola.cupyx.jit._typing_rules import cast_text

_BOOL = np.dtype(bool)


class KernelStatements(Writer):
    """The statements of one kernel or device function."""

    expressions: KernelExpressions
    is_kernel = False
    result: Any = None  # the type of what is returned; a tuple of types of several

    def expressions_of(self, program: Any) -> KernelExpressions:
        """Those of kernels."""
        self.program = program
        # The platform's messages name lines of what is called so.
        name = os.path.basename(self.source.file)
        self.file = "kernel.cu@" + "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
        self.declared: list[str] = []
        return KernelExpressions(program, self.scope, self)

    def body(self) -> list[str]:
        """All statements."""
        self.block(self.source.body)
        return self.lines

    def block(self, statements: list[ast.stmt]) -> bool:
        """Whether nothing can come after it."""
        for statement in statements:
            self.write(f'#line {statement.lineno} "{self.file}"')  # messages name Python's lines
            if super().block([statement]):
                return True
        return False

    # ---- what expressions need

    def hoist(self, text: str) -> str:
        """A variable with the value, in front of the statement."""
        name = f"h_{self.program.next_number()}"
        self.write(f"const auto {name} = {text};")
        return name

    def shared(self, kind: Any, count: int | None, alignment: int | None) -> Value:
        """Shared memory, which is declared at the start of the function."""
        name = f"shared_{self.program.next_number()}"
        align = f"__align__({alignment}) " if alignment else ""
        extern = "extern " if count is None else ""
        size = "" if count is None else count
        self.declared.append(f"{extern}__shared__ {align}{text_of(kind)} {name}[{size}];")
        return Value(name, PointerType(kind))

    # ---- assignments

    def assign(self, target: ast.expr, value: Value) -> None:
        """To a name, an element, or several of them."""
        if isinstance(target, ast.Name):
            self._assign_name(target, value)
        elif isinstance(target, ast.Subscript):
            self.write(f"{self._place(target, value)};")
        elif isinstance(target, ast.Tuple):
            if not isinstance(value.type, TupleType):
                message = f"{shown(value.type)} cannot be unpacked"
                raise UntranslatableError(target, message, ValueError)
            self._assign_items(target, list(value.type.items))
        else:
            raise UntranslatableError(target, f"{ast.unparse(target)} cannot be assigned to")

    def _assign_items(self, target: ast.Tuple, values: list[Value]) -> None:
        if len(values) != len(target.elts):
            message = f"{len(values)} values for {len(target.elts)} names"
            raise UntranslatableError(target, message, ValueError)
        self.assign_together(target.elts, values)

    def _assign_name(self, target: ast.Name, value: Value) -> None:
        name = target.id
        if isinstance(value.type, TupleType):
            self._assign_tuple(target, value.type)
            return
        if isinstance(value.type, (ObjectType, MethodType)):
            self._assign_object(target, value)
            return
        if isinstance(value.type, DimensionsType):
            self.scope.known[name] = value  # which is the same wherever it is read
            return
        if name in self.scope.known:
            message = f"{name} is {shown(self.scope.known[name].type)} and keeps its type"
            raise UntranslatableError(target, message)
        value = self.expressions.settled(value)
        if not is_stored(value.type):
            raise UntranslatableError(target, f"{name} cannot be {shown(value.type)}")
        kind = self.variables.setdefault(name, value.type)
        text = self.expressions.converted(target, value, kind, f"the variable {name}")
        self.write(f"{variable(name)} = {text};")

    def _assign_object(self, target: ast.Name, value: Value) -> None:
        """Which has no place in C++: the name stands for it."""
        if target.id in self.variables:
            kind = shown(self.variables[target.id])
            raise UntranslatableError(target, f"the variable {target.id} is {kind}")
        if self.depth > 0:
            message = f"{target.id} stands for {shown(value.type)}, which cannot depend on anything"
            raise UntranslatableError(target, message)
        self.scope.known[target.id] = value

    def _assign_tuple(self, target: ast.Name, kind: TupleType) -> None:
        """Its items become variables of their own, all at once."""
        names = [f"{target.id}.{i}" for i in range(len(kind.items))]
        before = self.scope.known.get(target.id)
        if target.id in self.variables or (
            before is not None
            and not (isinstance(before.type, TupleType) and len(before.type.items) == len(names))
        ):
            raise UntranslatableError(target, f"{target.id} keeps its type, which is no such tuple")
        targets: list[ast.expr] = [
            ast.copy_location(ast.Name(name, ast.Store()), target) for name in names
        ]
        self.assign_together(targets, list(kind.items))
        items = tuple(Value(variable(name), self.variables[name]) for name in names)
        self.scope.known[target.id] = Value("", TupleType(items))

    def _place(self, target: ast.Subscript, value: Value) -> str:
        """The assignment to an element."""
        place = self._element(target)
        text = self.expressions.converted(target, value, place.type, "the element")
        return f"{place.text} = {text}"

    def _element(self, target: ast.Subscript) -> Value:
        owner = self.expressions.value(target.value)
        if isinstance(owner.type, (ArrayType, PointerType)) and not owner.type.writable:
            message = f"{ast.unparse(target.value)} is read-only"
            raise UntranslatableError(target, message, ValueError)
        place = self.expressions.value(target)
        if not is_number(place.type) or not isinstance(owner.type, (ArrayType, PointerType)):
            message = f"{ast.unparse(target)} is {shown(place.type)}: only elements can be assigned"
            raise UntranslatableError(target, message)
        return place

    def assign_together(self, targets: list[ast.expr], values: list[Value]) -> None:
        """All values are complete before the first target changes."""
        kept = []
        self.write("{")
        self.depth += 1
        for value in values:
            if isinstance(value.type, (TupleType, ObjectType, MethodType)):
                raise UntranslatableError(targets[0], f"{shown(value.type)} in a tuple")
            if isinstance(value.type, DimensionsType):
                kept.append(value)
                continue
            value = self.expressions.settled(value)
            name = f"t_{self.program.next_number()}"
            self.write(f"const auto {name} = {value.text};")
            kept.append(Value(name, value.type))
        for target, value in zip(targets, kept, strict=True):
            self.assign(target, value)
        self.depth -= 1
        self.write("}")

    # ---- statements

    def write_Assign(self, node: ast.Assign) -> None:  # noqa: N802
        """One target or several, each a name, an element or a tuple of them."""
        value = self.value(node.value)
        if len(node.targets) > 1 and is_number(value.type) and value.number is None:
            value = Value(self.hoist(value.text), value.type)
        for target in node.targets:
            self.assign(target, value)

    def write_AugAssign(self, node: ast.AugAssign) -> None:  # noqa: N802
        """An element's place is found once."""
        if isinstance(node.target, ast.Name):
            read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            result = self.expressions.binary(
                node, node.op, self.value(read), self.value(node.value)
            )
            self.assign(node.target, result)
            return
        if not isinstance(node.target, ast.Subscript):
            raise UntranslatableError(node, f"{ast.unparse(node.target)} cannot be assigned to")
        operand = self.value(node.value)
        place = self._element(node.target)
        name = f"e_{self.program.next_number()}"
        result = self.expressions.binary(node, node.op, Value(name, place.type), operand)
        text = self.expressions.converted(node, result, place.type, "the element")
        self.write(f"{{ auto& {name} = {place.text}; {name} = {text}; }}")

    def write_Expr(self, node: ast.Expr) -> None:  # noqa: N802
        """A call, or a docstring."""
        if isinstance(node.value, ast.Constant):
            return
        value = self.value(node.value)
        if value.text:
            self.write(f"{value.text};")

    def write_Assert(self, node: ast.Assert) -> None:  # noqa: N802
        """Of what is known now."""
        condition = self.expressions.number(node.test)
        if condition.number is None:
            raise UntranslatableError(node, "assert of what is not a constant has no translation")
        if not condition.number:
            message = "" if node.msg is None else f": {ast.unparse(node.msg)}"
            raise UntranslatableError(node, f"the assertion fails{message}", AssertionError)

    def write_Return(self, node: ast.Return) -> bool:  # noqa: N802
        """Nothing in kernels; always of the same types in device functions."""
        returns_nothing = node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        )
        if returns_nothing:
            self._returns(node, VOID)
            self.write("return;")
            return True
        assert node.value is not None
        value = self.expressions.settled(self.value(node.value))
        if self.is_kernel:
            raise UntranslatableError(node, "a kernel returns nothing", ValueError)
        if isinstance(value.type, TupleType):
            items = [self.expressions.settled(each) for each in value.type.items]
            self._returns(node, tuple(each.type for each in items))
            self.write(f"return {{{', '.join(each.text for each in items)}}};")
        else:
            self._returns(node, value.type)
            self.write(f"return {value.text};")
        return True

    def _returns(self, node: ast.Return, kind: Any) -> None:
        parts = kind if isinstance(kind, tuple) else (kind,)
        for part in parts:
            if part is not VOID and not is_stored(part):
                raise UntranslatableError(node, f"{shown(part)} cannot be returned")
        if self.result is not None and self.result != kind:
            raise UntranslatableError(node, "returns of different types", ValueError)
        self.result = kind

    def write_If(self, node: ast.If) -> bool:  # noqa: N802
        """Where the condition is known, only what it chooses is translated."""
        condition = self.expressions.number(node.test)
        if condition.number is not None:
            return self.block(node.body if condition.number else node.orelse)
        self.write(f"if ({cast_text(condition, _BOOL)}) {{")
        first_ends = self.indented(node.body)
        self.write("} else {")
        second_ends = self.indented(node.orelse)
        self.write("}")
        return first_ends and second_ends

    def write_While(self, node: ast.While) -> bool:  # noqa: N802
        """The condition is evaluated before each round."""
        self.expressions.conditional += 1
        condition = self.expressions.number(node.test)
        self.expressions.conditional -= 1
        if condition.number is not None:
            condition = constant(bool(condition.number))
        self.write(f"while ({cast_text(condition, _BOOL)}) {{")
        self.loop(node)
        return False

    def write_For(self, node: ast.For) -> None:  # noqa: N802
        """Over range() or jit.range()."""
        bounds, unroll = self._range(node.iter)
        if not isinstance(node.target, ast.Name):
            raise UntranslatableError(node.target, "only a name can count")
        if len(bounds) == 1:
            bounds.insert(0, constant(0))
        if len(bounds) == 2:
            bounds.append(constant(1))
        kind = self._counter(*bounds)
        before = self.variables.get(node.target.id)
        if before is not None and before != kind:
            message = (
                f"the variable {node.target.id} is {shown(before)}, and the range is of {kind}"
            )
            raise UntranslatableError(node, message)
        first, last, step = (cast_text(each, kind) for each in bounds)
        k = f"k_{self.program.next_number()}"
        condition = f"{k} < {k}_last"
        if bounds[2].number is None and kind.kind == "i":
            condition = f"{k}_step > 0 ? {condition} : {k} > {k}_last"
        elif bounds[2].number is not None and bounds[2].number < 0:
            condition = f"{k} > {k}_last"
        elif bounds[2].number == 0:
            raise UntranslatableError(node, "the step of a range is 0", ValueError)
        names = f"{text_of(kind)} {k} = {first}, {k}_last = {last}, {k}_step = {step}"
        self.write(f"{unroll}for ({names}; {condition}; {k} += {k}_step) {{")
        self.depth += 1
        self.assign(node.target, Value(k, kind))
        self.depth -= 1
        self.loop(node)

    def _range(self, call: ast.expr) -> tuple[list[Value], str]:
        callee = self.value(call.func) if isinstance(call, ast.Call) else None
        target = getattr(callee.type, "target", None) if callee else None
        if not isinstance(call, ast.Call) or target not in (range, _builtins.range_):
            raise UntranslatableError(call, "only range() and jit.range() can be iterated over")
        bounds = [self.value(each) for each in call.args]
        if not 1 <= len(bounds) <= 3:
            raise UntranslatableError(call, f"range() takes 1 to 3 numbers, not {len(bounds)}")
        for bound in bounds:
            kind = self.expressions.settled(bound).type
            if not is_number(kind) or kind.kind not in "iu":
                raise UntranslatableError(call, f"range() of {shown(kind)}, which is no integer")
        unroll = ""
        for keyword in call.keywords:
            if target is range or keyword.arg != "unroll":
                raise UntranslatableError(call, f"range() has no argument {keyword.arg}")
            unroll = _unrolled(_builtins.literal(self.value(keyword.value), "unroll"))
        return bounds, unroll

    def _counter(self, first: Value, last: Value, step: Value) -> np.dtype:
        """The end's type in mode 'cuda', unless only the end is a constant."""
        settled = self.expressions.settled
        if self.program.mode != "cuda":
            return np.dtype(np.int64)
        if last.number is not None and first.number is None:
            kind = settled(first).type
            if kind.kind == "i" and kind.itemsize >= 4:
                return kind
        return settled(last).type


def _unrolled(how: Any) -> str:
    if how is None:
        return ""
    if how is True:
        return "\n#pragma unroll\n"
    if not isinstance(how, (int, bool)) or how < 0:
        raise TypeError(f"unroll must be a bool or a positive int, not {how!r}")
    return f"\n#pragma unroll {int(how) or 1}\n"


def variable(name: str) -> str:
    """The C++ name of a variable; that of an item of a tuple has a dot."""
    owner, _, item = name.partition(".")
    return f"t{item}_{owner}" if item else f"v_{owner}"
