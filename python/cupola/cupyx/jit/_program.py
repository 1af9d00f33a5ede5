"""A kernel and the device functions that it calls, as one text of CUDA C++."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any

from cupola import _cupola as _core
from cupola._translation.source import Source
from cupola._translation.values import Value
from cupola.cupyx.jit._statements import KernelStatements, variable
from cupola.cupyx.jit._types import VOID, ArrayType, PointerType, text_of
from cupola.cupyx.jit._typing_rules import KernelSteps

TRANSLATOR = "jit.rawkernel"
_LIMIT = 100  # of functions: what generates ever more of them does not end


@dataclass(frozen=True)
class DeviceFunction:
    """A function in C++, and the type of what it returns; a tuple of types for several."""

    function: str
    result: Any


class KernelProgram:
    """What is called comes before its callers."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.steps = KernelSteps(mode)
        self.texts: list[str] = []
        self.is_cooperative = False
        self.uses_algorithms = False
        self._known: dict[Any, DeviceFunction] = {}
        self._open: list[Any] = []
        self._numbers = 0

    def next_number(self) -> int:
        """For names that differ."""
        self._numbers += 1
        return self._numbers

    def device_function(self, function: Any, arguments: dict[str, Any]) -> DeviceFunction:
        """The function for arguments of these types; those that are Values are known."""
        key = (
            function,
            tuple(
                (name, id(kind) if isinstance(kind, Value) else kind)
                for name, kind in arguments.items()
            ),
        )
        if key not in self._known:
            if key in self._open:
                raise ValueError(f"{function.__name__} calls itself with the same types")
            if len(self._known) + len(self._open) >= _LIMIT:
                raise ValueError(f"more than {_LIMIT} device functions")
            self._open.append(key)
            self._known[key] = self._device_function(function, arguments)
            self._open.pop()
        return self._known[key]

    def _device_function(self, function: Any, arguments: dict[str, Any]) -> DeviceFunction:
        statements = self._statements(function, arguments)
        body = statements.body()
        number = self.next_number()
        name = f"device_{number}"
        result = VOID if statements.result is None else statements.result
        kind = "void" if result is VOID else ""
        lines = []
        if isinstance(result, tuple):
            members = " ".join(f"{text_of(each)} r{i};" for i, each in enumerate(result))
            lines.append(f"struct Results_{number} {{ {members} }};")
            kind = f"Results_{number}"
        kind = kind or text_of(result)
        given = [each for each, type_ in arguments.items() if not isinstance(type_, Value)]
        parameters = ", ".join(f"{text_of(arguments[each])} p_{each}" for each in given)
        lines.append(
            f"static inline __device__ {kind} {name}({parameters}) {{  // {function.__name__}"
        )
        starts = {each: f" = p_{each}" for each in given}
        self.texts.append("\n".join(lines + self._body(statements, starts, body)))
        return DeviceFunction(name, result)

    def kernel(self, function: Any, arguments: dict[str, Any]) -> str:
        """The text of the kernel."""
        statements = self._statements(function, arguments)
        statements.is_kernel = True
        body = statements.body()
        parameters, starts = [], {}
        for name, kind in arguments.items():
            if isinstance(kind, ArrayType):
                pointer = PointerType(kind.dtype, kind.writable)
                parameters += [
                    (text_of(pointer), f"p_{name}"),
                    (f"Layout<{kind.ndim}>", f"l_{name}"),
                ]
                starts[name] = f"{{p_{name}, l_{name}}}"
            else:
                parameters.append((text_of(kind), f"p_{name}"))
                starts[name] = f" = p_{name}"
        listed = ", ".join(f"{kind} {name}" for kind, name in parameters)
        head = f"static inline __device__ void kernel_body({listed}) {{  // {function.__name__}"
        self.texts.append("\n".join([head, *self._body(statements, starts, body)]))
        return self._whole(kernel_name(function), parameters)

    def _statements(self, function: Any, arguments: dict[str, Any]) -> KernelStatements:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"{TRANSLATOR} translates functions of Python, not {function!r}")
        self._check_parameters(function)
        source = Source.of(function, TRANSLATOR)
        variables = {name: each for name, each in arguments.items() if not isinstance(each, Value)}
        return KernelStatements(self, source, arguments, variables, [])  # type: ignore[arg-type]

    def _check_parameters(self, function: Any) -> None:
        code = function.__code__
        if code.co_flags & 0x0C:  # CO_VARARGS, CO_VARKEYWORDS
            raise TypeError(f"{TRANSLATOR}: {function.__name__} has parameters with * or **")

    def _body(
        self, statements: KernelStatements, starts: dict[str, str], body: list[str]
    ) -> list[str]:
        lines = [f"  {each}" for each in statements.declared]
        for name, kind in statements.variables.items():
            lines.append(f"  {text_of(kind)} {variable(name)}{starts.get(name, '{}')};")
        return [*lines, *(f"  {line}" for line in body), "}\n"]

    def _algorithms(self) -> str:
        if not self.uses_algorithms:
            return ""
        from cupola.cupyx.jit.thrust import _order_text, _sequence_text

        return _order_text.TEXT + _sequence_text.TEXT

    def _whole(self, name: str, parameters: list[tuple[str, str]]) -> str:
        texts = "".join([self._algorithms(), *self.steps.texts.values(), *self.texts])
        includes = "#include <cooperative_groups.h>\n" if self.is_cooperative else ""
        aliases, listed = [], []
        for number, (kind, each) in enumerate(parameters):
            const, element = kind.startswith("const "), kind.removeprefix("const ").rstrip("*")
            aliases.append(f"using parameter_{number} = {element};\n")
            star = "*" if kind.endswith("*") else ""
            listed.append(
                f"{'const ' if const else ''}cupola_device::parameter_{number}{star} {each}"
            )
        given = ", ".join(each for _, each in parameters)
        return (
            f"{includes}{_support('complex' in texts)}namespace cupola_device {{\n{texts}"
            f"{''.join(aliases)}}}\n"
            f'extern "C" __global__ void {name}({", ".join(listed)}) {{\n'
            f"  cupola_device::kernel_body({given});\n}}\n"
        )


def _support(has_complex: bool) -> str:
    """The device headers; on the CPU platform they are those of the host."""
    headers = ["bits.cuh", "compare.cuh"]
    if has_complex:
        headers += [
            "complex_arithmetic.cuh",
            "complex_exponential.cuh",
            "complex_trigonometric.cuh",
            "complex_inverse.cuh",
        ]
    macros = ("__CUDACC__", "__CUDACC_RTC__", "__CUDA_ARCH__")
    lines = ["#ifdef CUPOLA_DEVICE_SIMT_THREADS"]
    lines += [f'#pragma push_macro("{macro}")\n#undef {macro}' for macro in macros]
    lines += ["#endif", _core.device_text(headers), "#ifdef CUPOLA_DEVICE_SIMT_THREADS"]
    lines += [f'#pragma pop_macro("{macro}")' for macro in macros]
    return "\n".join([*lines, "#endif", _core.device_text(["python_kernel.cuh"]), ""])


def kernel_name(function: Any) -> str:
    """The function's, where C++ allows it."""
    name = function.__name__
    return f"kernel_{name}" if name.isidentifier() and name.isascii() else "kernel_of_python"


def written_names(function: Any, ranks: dict[str, int]) -> set[str]:
    """The arrays, of so many dimensions, of which more is done than that elements are read."""
    source = Source.of(function, TRANSLATOR)
    written, reads = set(), set()
    for node in (each for statement in source.body for each in ast.walk(statement)):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            index = node.slice
            count = len(index.elts) if isinstance(index, ast.Tuple) else 1
            if isinstance(node.value, ast.Name) and count == ranks.get(node.value.id):
                reads.add(id(node.value))
        elif isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim", "strides"):
            reads.add(id(node.value))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "len":
            reads.update(id(each) for each in node.args)
    for node in (each for statement in source.body for each in ast.walk(statement)):
        if isinstance(node, ast.Name) and node.id in ranks and id(node) not in reads:
            written.add(node.id)
    return written
