"""Statements of Python as lines of C++."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from cupola._translation.expressions import (
    Expressions,
    Scope,
    UntranslatableError,
    element_of,
)
from cupola._translation.source import Source
from cupola._translation.values import Type, Value, constant, converted, joined, stored, truth

if TYPE_CHECKING:
    from cupola._translation.functions import Program


class Writer:
    """Statements as lines of C++, with the types that variables have so far."""

    def __init__(
        self,
        program: Program,
        source: Source,
        arguments: dict[str, Type | Value],
        variables: dict[str, Type],
        results: list[Type],
    ) -> None:
        self.source = source
        self.variables = variables
        self.results = results
        known = {name: each for name, each in arguments.items() if isinstance(each, Value)}
        names = dict(source.names)
        self.scope = Scope(names, variables, known, set(arguments), _stored(source.body))
        self.expressions = self.expressions_of(program)
        self.lines: list[str] = []
        self.depth = 0
        self.loops = 0

    def expressions_of(self, program: Program) -> Expressions:
        """How expressions are translated."""
        return Expressions(program, self.scope)

    def body(self) -> list[str]:
        """All statements."""
        for name in sorted(self.scope.known.keys() & self.scope.local):
            self.assign(ast.Name(name, ast.Store()), self.scope.known[name])
        if not self.block(self.source.body):
            raise self.source.error(self.source.body[-1], "it may end without a return")
        return self.lines

    def block(self, statements: list[ast.stmt]) -> bool:
        """Whether nothing can come after it."""
        for statement in statements:
            try:
                if self.statement(statement):
                    return True
            except UntranslatableError as error:
                raise self.source.error(error.node, error.what, error.kind) from None
            except OverflowError as error:
                raise self.source.error(statement, str(error)) from None
        return False

    def write(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def value(self, node: ast.expr) -> Value:
        return self.expressions.value(node)

    def statement(self, node: ast.stmt) -> bool:
        method = getattr(self, f"write_{type(node).__name__}", None)
        if method is None:
            raise UntranslatableError(node, f"{type(node).__name__} has no translation")
        return bool(method(node))

    def assign(self, target: ast.expr, value: Value) -> None:
        if not isinstance(target, ast.Name):
            raise UntranslatableError(target, "only names can be assigned to")
        name = target.id
        if name in self.scope.tuples:
            raise UntranslatableError(target, f"Data type mismatch of variable: {name} is a tuple")
        self.scope.known.pop(name, None)
        self.variables[name] = joined(self.variables.get(name), value.type)
        self.scope.assigned.add(name)
        self.write(f"v_{name} = {converted(value, self.variables[name])};")

    # ---- statements

    def write_Pass(self, node: ast.Pass) -> None:  # noqa: N802
        """Nothing."""

    def write_Expr(self, node: ast.Expr) -> None:  # noqa: N802
        """A docstring."""
        if not isinstance(node.value, ast.Constant):
            raise UntranslatableError(node, "an expression whose value is not used")

    def write_Assign(self, node: ast.Assign) -> None:  # noqa: N802
        """One target or several: names, which may stand for tuples, and patterns of names."""
        for target in node.targets:
            if self.names_a_type(target, node.value):
                continue
            names, values = zip(*self.matched(target, node.value), strict=True)
            if len(names) == 1:
                self.assign(names[0], values[0])
            else:
                self.assign_together(list(names), list(values))

    def names_a_type(self, target: ast.expr, node: ast.expr) -> bool:
        """Whether a name stands for a type of numbers from here on, as in `t = np.dtype("f").type`.
        Not within branches and loops, behind which it would depend on the elements."""
        if (
            self.depth > 0
            or not isinstance(target, ast.Name)
            or not isinstance(node, ast.Attribute)
        ):
            return False
        try:
            found = self.expressions.target(node)
        except UntranslatableError:
            return False
        is_type = isinstance(found, type) and issubclass(found, np.generic)
        if is_type and target.id not in self.variables:
            self.scope.outside[target.id] = found
            return True
        return False

    def matched(self, target: ast.expr, node: ast.expr) -> list[tuple[ast.expr, Value]]:
        """The names of a pattern, each with its value."""
        elements = self.expressions.elements(node)
        if isinstance(target, ast.Tuple):
            if elements is None:
                values = self.expressions.values(node)
                _check_count(node, len(values), len(target.elts))
                return list(zip(target.elts, values, strict=True))
            _check_count(node, len(elements), len(target.elts))
            pairs = zip(target.elts, elements, strict=True)
            return [each for pair in pairs for each in self.matched(*pair)]
        if elements is None:
            values = self.expressions.values(node)
            if len(values) == 1:
                return [(target, values[0])]
        else:
            values = [self.value(each) for each in elements]
        if not isinstance(target, ast.Name):
            raise UntranslatableError(target, "only names can be assigned to")
        if self.scope.tuples.get(target.id, len(values)) != len(values) or (
            target.id in self.variables
        ):
            raise UntranslatableError(
                target, f"Data type mismatch of variable: {target.id} becomes a tuple"
            )
        self.scope.tuples[target.id] = len(values)
        names = [element_of(target.id, number) for number in range(len(values))]
        self.scope.local.update(names)
        return [
            (ast.copy_location(ast.Name(name, ast.Store()), target), value)
            for name, value in zip(names, values, strict=True)
        ]

    def assign_together(self, targets: list[ast.expr], values: list[Value]) -> None:
        """All values are complete before the first name changes."""
        self.write("{")
        self.depth += 1
        for number, value in enumerate(values):
            self.write(f"const auto t_{number} = {value.text};")
        for number, (target, value) in enumerate(zip(targets, values, strict=True)):
            self.assign(target, Value(f"t_{number}", value.type))
        self.depth -= 1
        self.write("}")

    def write_AnnAssign(self, node: ast.AnnAssign) -> None:  # noqa: N802
        """The annotation says nothing."""
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def write_AugAssign(self, node: ast.AugAssign) -> None:  # noqa: N802
        """As the operation and an assignment."""
        if not isinstance(node.target, ast.Name):
            raise UntranslatableError(node.target, "only names can be assigned to")
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        both = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        self.assign(node.target, self.value(both))

    def write_Return(self, node: ast.Return) -> bool:  # noqa: N802
        """A value, or a tuple of them."""
        if node.value is None:
            raise UntranslatableError(node, "a return without a value")
        values = self.expressions.values(node.value)
        if self.results and len(self.results) != len(values):
            raise UntranslatableError(
                node, f"{len(values)} results here, {len(self.results)} elsewhere"
            )
        before = self.results or [None] * len(values)
        self.results = [
            joined(kind, value.type) for kind, value in zip(before, values, strict=True)
        ]
        texts = ", ".join(
            converted(value, kind) for kind, value in zip(self.results, values, strict=True)
        )
        self.write(f"return @Results@{{{texts}}};")
        return True

    def write_If(self, node: ast.If) -> bool:  # noqa: N802
        """Names that both ways give a value have one afterwards."""
        self.write(f"if ({truth(self.value(node.test))}) {{")
        before = set(self.scope.assigned)
        first_ends = self.indented(node.body)
        first = self.scope.assigned
        self.scope.assigned = before
        self.write("} else {")
        second_ends = self.indented(node.orelse)
        self.write("}")
        if first_ends:
            return second_ends
        if not second_ends:
            self.scope.assigned &= first
        else:
            self.scope.assigned = first
        return False

    def indented(self, statements: list[ast.stmt]) -> bool:
        self.depth += 1
        ends = self.block(statements)
        self.depth -= 1
        return ends

    def loop(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            raise UntranslatableError(node, "a loop with else")
        before = set(self.scope.assigned)
        self.indented(node.body)
        self.scope.assigned = before
        self.write("}")

    def write_While(self, node: ast.While) -> bool:  # noqa: N802
        """An endless loop ends the function unless it has a break."""
        condition = self.value(node.test)
        self.write(f"while ({truth(condition)}) {{")
        self.loop(node)
        always = condition.number is not None and bool(condition.number)
        return always and not _has_break(node.body)

    def write_For(self, node: ast.For) -> None:  # noqa: N802
        """Over range()."""
        call = node.iter
        if (
            not isinstance(call, ast.Call)
            or call.keywords
            or self.expressions.target(call.func) is not range
        ):
            raise UntranslatableError(node, "only range() can be iterated over")
        if not isinstance(node.target, ast.Name):
            raise UntranslatableError(node.target, "only names can be assigned to")
        bounds = [self.value(each) for each in call.args]
        if not 1 <= len(bounds) <= 3:
            raise UntranslatableError(call, "range() takes 1 to 3 numbers")
        for bound in bounds:
            if stored(bound.type).kind not in "iub":
                raise UntranslatableError(call, f"range() of {stored(bound.type)}")
        if len(bounds) == 1:
            bounds.insert(0, constant(0))
        if len(bounds) == 2:
            bounds.append(constant(1))
        first, last, step = (converted(each, int) for each in bounds)
        self.loops += 1
        k = f"k_{self.loops}"
        self.write(f"const int64_t {k}_last = {last}, {k}_step = {step};")
        self.write(
            f"for (int64_t {k} = {first}; {k}_step > 0 ? {k} < {k}_last : "
            f"{k}_step < 0 && {k} > {k}_last; {k} += {k}_step) {{"
        )
        before = set(self.scope.assigned)
        self.depth += 1
        self.assign(node.target, Value(k, int))
        self.depth -= 1
        self.loop(node)
        self.scope.assigned = before | ({node.target.id} if _runs(bounds) else set())

    def write_Break(self, node: ast.Break) -> bool:  # noqa: N802
        """What follows in the block is not reached."""
        self.write("break;")
        return True

    def write_Continue(self, node: ast.Continue) -> bool:  # noqa: N802
        """The same."""
        self.write("continue;")
        return True


def _check_count(node: ast.expr, values: int, names: int) -> None:
    if values != names:
        raise UntranslatableError(node, f"{values} values for {names} names")


def _stored(statements: list[ast.stmt]) -> set[str]:
    """The names that are assigned to somewhere."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    return {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _runs(bounds: list[Value]) -> bool:
    """Whether a range is known to have numbers."""
    numbers = [each.number for each in bounds]
    return None not in numbers and numbers[2] != 0 and len(range(*map(int, numbers))) > 0


def _has_break(statements: list[ast.stmt]) -> bool:
    for statement in statements:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.If) and _has_break([*statement.body, *statement.orelse]):
            return True
    return False
