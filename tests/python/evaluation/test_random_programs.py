"""Random programs of views, operations, writes in place and dropped names mean what NumPy's do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from cupola_under_test import on_cuda
from support.draws import seeds

import cupola as cp

pytestmark = pytest.mark.usefixtures("deferred")

# Each has kernels of its own, which are compiled there.
PROGRAMS = 25 if on_cuda() else 150
STATEMENTS = 40
MOST_VARIABLES = 8
# Of arrays; beyond some sizes programs run in other ways.
SIDES = (1, 2, 3, 4, 5, 300)
MOST_ELEMENTS = 400_000


@dataclass
class Variable:
    name: str
    host: np.ndarray
    device: Any


class Program:
    """Random statements, run with NumPy and with cupola as they are made."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.variables: list[Variable] = []
        self.lines: list[str] = []

    def pick(self, choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def assign(self, expression: str, *operands: Variable) -> None:
        """`expression` calls its operands x and y, and the library xp."""
        host = self.evaluate(expression, np, [each.host for each in operands])
        device = self.evaluate(expression, cp, [each.device for each in operands])
        if len(self.variables) == MOST_VARIABLES:
            self.drop()
        name = f"a{len(self.lines)}"
        self.note(f"{name} = {expression}", *operands)
        self.variables.append(Variable(name, np.asarray(host), device))

    def change(self, statement: str, *operands: Variable) -> None:
        self.note(statement, *operands)
        for xp, arrays in (
            (np, [each.host for each in operands]),
            (cp, [each.device for each in operands]),
        ):
            exec(statement, {"xp": xp, "x": arrays[0], "y": arrays[-1]})

    @staticmethod
    def evaluate(expression: str, xp: Any, arrays: list[Any]) -> Any:
        return eval(expression, {"xp": xp, "x": arrays[0], "y": arrays[-1]})

    def note(self, line: str, *operands: Variable) -> None:
        names = [each.name for each in operands]
        self.lines.append(f"{line}  # x = {names[0]}, y = {names[-1]}" if names else line)

    def make(self) -> None:
        shape = [self.pick(SIDES) for _ in range(self.random.integers(1, 4))]
        while np.prod(shape) > MOST_ELEMENTS:
            shape.pop()
        order = self.pick("CCF")
        host = np.array(self.random.integers(-9, 9, shape), order=order)
        name = f"a{len(self.lines)}"
        self.note(f"{name} = numbers{tuple(shape)}, order {order}")
        self.variables.append(Variable(name, host, cp.asarray(host)))

    def drop(self) -> None:
        gone = self.variables.pop(int(self.random.integers(len(self.variables))))
        self.note(f"del {gone.name}")

    def index(self, shape: tuple[int, ...]) -> str:
        parts = list(self.index_parts(shape))
        return ", ".join([*parts, "..."])  # so that what has no dimensions is an array, too

    def index_parts(self, shape: tuple[int, ...]) -> Iterator[str]:
        for extent in shape:
            kind = self.random.random()
            if kind < 0.2:
                yield "None"
            if kind < 0.4:
                yield f"::{self.pick((1, 2, -1, -2))}"
            elif kind < 0.7 and extent:
                first = int(self.random.integers(extent))
                yield f"{first}:{int(self.random.integers(first, extent)) + 1}"
            elif kind < 0.8 and extent:
                yield str(self.random.integers(-extent, extent))
            else:
                yield ":"

    def view(self) -> None:
        x = self.pick(self.variables)
        kind = self.random.integers(5)
        if kind == 0:
            self.assign("x.T", x)
        elif kind == 1:
            axes = tuple(int(axis) for axis in self.random.permutation(x.host.ndim))
            self.assign(f"x.transpose({axes})", x)
        elif kind == 2 and x.host.size:
            part = self.pick([part for part in range(1, 7) if x.host.size % part == 0])
            self.assign(f"x.reshape({part}, -1)", x)
        else:
            self.assign(f"x[{self.index(x.host.shape)}]", x)

    def combine(self) -> None:
        x, y = self.pick(self.variables), self.pick(self.variables)
        try:
            fits = np.prod(np.broadcast_shapes(x.host.shape, y.host.shape)) <= MOST_ELEMENTS
        except ValueError:
            fits = False
        right = "y" if fits else str(self.random.integers(-4, 5))
        text = f"x {self.pick('+-*')} {right}"
        self.assign(text if self.random.random() < 0.8 else f"xp.where(x > 3, {text}, 1)", x, y)

    def reduce(self) -> None:
        x = self.pick(self.variables)
        if x.host.ndim == 0 or x.host.size == 0:
            return
        axis = int(self.random.integers(x.host.ndim))
        name = self.pick(("sum", "max", "prod"))
        spelling = self.pick(
            (
                f"x.{name}({axis})",
                f"x.{name}({axis}, keepdims=True)",
                f"xp.expand_dims(x.{name}({axis}), {axis})",
            )
        )
        # NumPy's have the memory order of their operands, which decides what reshape() copies.
        self.assign(f"xp.asarray({spelling}, order='C')", x)

    def write(self) -> None:
        x, y = self.pick(self.variables), self.pick(self.variables)
        if not x.host.flags.writeable or x.host.ndim == 0:
            return
        try:
            fits = np.broadcast_shapes(x.host.shape, y.host.shape) == x.host.shape
        except ValueError:
            fits = False
        right = "y" if fits else "3"
        self.change(
            self.pick(
                (
                    f"x {self.pick('+-*')}= {right}",
                    f"x[...] = {right}",
                    f"x[{self.index(x.host.shape)}] = 4",
                    "x[x > 0] = 5",
                    f"xp.subtract(x, {right}, out=x)",
                )
            ),
            x,
            y,
        )

    def compare(self, variable: Variable) -> None:
        found = cp.asnumpy(variable.device)
        message = "\n".join([*self.lines, f"{variable.name}:"])
        np.testing.assert_array_equal(found, variable.host, message, strict=True)

    def run(self) -> None:
        statements = [self.view] * 6 + [self.combine] * 6 + [self.reduce] * 2 + [self.write] * 2
        statements += [self.make, self.drop]
        for _ in range(STATEMENTS):
            if not self.variables:
                self.make()
            self.pick(statements)()
            if self.variables and self.random.random() < 0.1:
                self.compare(self.pick(self.variables))
        for variable in self.variables:
            self.compare(variable)


@pytest.mark.parametrize("seed", seeds(PROGRAMS))
def test_random_programs(seed: int) -> None:
    Program(seed).run()
