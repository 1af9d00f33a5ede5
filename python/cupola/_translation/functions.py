"""Functions of Python numbers as C++, for `vectorize`."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cupola._cupola import ElementwiseKernel
from cupola._translation.source import Source
from cupola._translation.statements import Writer
from cupola._translation.values import (
    Steps,
    Type,
    Value,
    constant,
    converted,
    native,
    stored,
)


@dataclass(frozen=True)
class Translated:
    """A function for arguments of certain types."""

    name: str
    inputs: tuple[np.dtype, ...]
    outputs: tuple[np.dtype, ...]
    function: str
    text: str

    def kernel(self, outputs: Sequence[np.dtype]) -> ElementwiseKernel:
        """Results are converted to the types given."""
        names = [f"a{number}" for number in range(len(self.inputs))]
        in_params = [f"{kind.name} {name}" for kind, name in zip(self.inputs, names, strict=True)]
        out_params = [f"{kind.name} r{number}" for number, kind in enumerate(outputs)]
        # Through templates: in the kernel, 16-bit floats and complex numbers are other classes.
        values = ", ".join(
            f"__builtin_bit_cast({native(kind)}, {name})"
            for kind, name in zip(self.inputs, names, strict=True)
        )
        everything = names + [f"r{number}" for number in range(len(outputs))]
        parameters = ", ".join(f"auto& {name}" for name in everything)
        # Not memcpy: byte by byte, ptxas 13.0 stores the wrong low byte of a converted float16.
        lines = [
            "template <class T> CUPOLA_FN void store(T& target, auto value) {\n"
            "  target = __builtin_bit_cast(T, value);\n}\n"
            f"CUPOLA_FN void whole({parameters}) {{"
        ]
        lines.append(f"  const auto results = {self.function}({values});")
        lines += [
            f"  store(r{number}, cast<{native(kind)}>(results.r{number}));"
            for number, kind in enumerate(outputs)
        ]
        text = self.text + "\n".join(lines) + "\n}\n"
        # Texts of different functions may stand in one kernel.
        namespace = f"cupola_device::vectorized_{_fingerprint(text)}"
        return ElementwiseKernel(
            ", ".join(in_params),
            ", ".join(out_params),
            f"{namespace}::whole({', '.join(everything)});",
            self.name,
            options=("--fmad=false",),  # values as NumPy rounds them
            preamble=f"namespace {namespace} {{\n{text}}}  // namespace {namespace}",
        )


def _fingerprint(text: str) -> str:
    import hashlib  # costs an import of the package a millisecond

    return hashlib.sha256(text.encode()).hexdigest()[:32]


def translate(function: Any, arguments: dict[str, np.dtype], numbers: dict[str, Any]) -> Translated:
    """A function of Python, for arguments of those types; `numbers` are known.

    Raises
    ------
    TypeError
        For what has no translation, with the line.
    """
    program = Program()
    values: dict[str, Type | Value] = {**arguments}
    values |= {name: constant(number) for name, number in numbers.items()}
    compiled = program.function(function, values)
    text = "".join(program.steps.texts.values()) + "".join(program.texts)
    name = compiled.name if compiled.name.isidentifier() and compiled.name.isascii() else "function"
    outputs = tuple(stored(kind) for kind in compiled.outputs)
    return Translated(name, tuple(arguments.values()), outputs, compiled.function, text)


@dataclass(frozen=True)
class Compiled:
    """A C++ function, which returns a struct of results r0, r1 ..."""

    name: str
    function: str
    outputs: tuple[Type, ...]


class Program:
    """The functions of one translation: what is called comes before its callers."""

    def __init__(self) -> None:
        self.steps = Steps()
        self.texts: list[str] = []
        self._known: dict[Any, Compiled] = {}
        self._open: list[Any] = []

    def function(self, function: Any, arguments: dict[str, Type | Value]) -> Compiled:
        """The function for such arguments: types, or values that are known."""
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"vectorize translates functions of Python, not {function!r}")
        key = (function, tuple((name, type(kind), kind) for name, kind in arguments.items()))
        if key not in self._known:
            if function in self._open:
                raise TypeError(f"vectorize cannot translate {function.__name__}: it calls itself")
            self._open.append(function)
            self._known[key] = self._translated(function, arguments)
            self._open.pop()
        return self._known[key]

    def _translated(self, function: Any, arguments: dict[str, Type | Value]) -> Compiled:
        source = Source.of(function)
        variables = {name: kind for name, kind in arguments.items() if not isinstance(kind, Value)}
        results: list[Type] = []
        while True:  # types only ever widen
            writer = Writer(self, source, arguments, dict(variables), list(results))
            body = writer.body()
            if _same(writer.variables, variables) and _same(writer.results, results):
                break
            variables, results = writer.variables, writer.results
        number = len(self.texts)
        self.texts.append(_function_text(number, source.name, arguments, variables, results, body))
        return Compiled(source.name, f"function_{number}", tuple(results))


def _same(first: Any, second: Any) -> bool:
    """Dtypes and types of Python are equal, but not the same."""
    return repr(first) == repr(second)


def _function_text(
    number: int,
    name: str,
    arguments: dict[str, Type | Value],
    variables: dict[str, Type],
    results: list[Type],
    body: list[str],
) -> str:
    inputs = [each for each, kind in arguments.items() if not isinstance(kind, Value)]
    members = " ".join(f"{native(kind)} r{i};" for i, kind in enumerate(results))
    parameters = ", ".join(f"{native(arguments[each])} p_{each}" for each in inputs)
    lines = [f"struct Results_{number} {{ {members} }};"]
    lines.append(f"CUPOLA_FN Results_{number} function_{number}({parameters}) {{  // {name}")
    for variable, kind in variables.items():
        start = "{}"
        if variable in inputs:
            given = Value(f"p_{variable}", arguments[variable])
            start = f" = {converted(given, kind)}"
        lines.append(f"  {native(kind)} v_{variable}{start};")
    lines += ["  " + line.replace("@Results@", f"Results_{number}") for line in body]
    return "\n".join(lines) + "\n}\n"
