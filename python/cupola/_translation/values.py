"""Values of a translated function: a C++ expression and its type, and what is done with them.

A type is a dtype, or Python's bool, int, float or complex for what takes part in promotion with
its kind only, as in NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from cupola import _cupola as _core
from cupola._functions.dtypes import result_type

Type: TypeAlias = Any
WEAK: tuple[type, ...] = (bool, int, float, complex)

_NATIVE = {
    "bool": "bool",
    "float32": "float",
    "float64": "double",
    "float16": "float16",
    "bfloat16": "bfloat16",
    "complex64": "complex64",
    "complex128": "complex128",
}


@dataclass(frozen=True)
class Value:
    """`number` is known of what does not depend on an argument."""

    text: str
    type: Type
    number: Any = None


def is_weak(kind: Type) -> bool:
    """Whether it is a type of Python; a dtype would even be equal to one."""
    return isinstance(kind, type)


def stored(kind: Type) -> np.dtype:
    """The dtype in which a value of that type is computed."""
    return np.dtype(kind) if is_weak(kind) else kind


def native(kind: Type) -> str:
    """The type in C++."""
    name = stored(kind).name
    return _NATIVE.get(name) or f"{name}_t"


def joined(first: Type | None, second: Type) -> Type:
    """The type of what is sometimes one and sometimes the other."""
    if first is None or (is_weak(first) == is_weak(second) and first == second):
        return second
    if is_weak(first) and is_weak(second):
        return max(first, second, key=WEAK.index)
    numbers = [kind(0) if is_weak(kind) else kind for kind in (first, second)]
    return result_type(*numbers)


def constant(number: Any) -> Value:
    """A number of Python, or a scalar of NumPy."""
    if isinstance(number, np.generic):
        value = number.item()
        return Value(_literal(value, number.dtype), number.dtype, number)
    kind = next(each for each in WEAK if isinstance(number, each))
    return Value(_literal(number, np.dtype(kind)), kind, number)


def _literal(number: Any, dtype: np.dtype) -> str:
    kind = native(dtype)
    if dtype.kind == "b":
        return "true" if number else "false"
    if dtype.kind in "iu":
        if number == -(2**63):
            return f"static_cast<{kind}>(-9223372036854775807ll - 1)"
        if not -(2**63) <= number < 2**64:
            raise OverflowError(f"{number} does not fit 64 bits")
        return f"static_cast<{kind}>({number}{'ull' if number >= 2**63 else 'll'})"
    if dtype.kind == "c":
        part = "float" if dtype.itemsize == 8 else "double"
        real, imag = _real_literal(number.real), _real_literal(number.imag)
        return f"{kind}{{static_cast<{part}>({real}), static_cast<{part}>({imag})}}"
    return f"cast<{kind}>({_real_literal(float(number))})"


def _real_literal(number: float) -> str:
    if math.isnan(number):
        return "quiet_nan<double>()"
    if math.isinf(number):
        return "infinity<double>()" if number > 0 else "-infinity<double>()"
    return repr(number) if any(c in repr(number) for c in ".e") else f"{number}.0"


def converted(value: Value, kind: Type) -> str:
    """The text of the value in that type."""
    if stored(value.type) == stored(kind):
        return value.text
    if value.number is not None and is_weak(value.type) and stored(kind).kind != "b":
        number = stored(kind).type(value.number)
        return _literal(number.item(), stored(kind))
    return f"cast<{native(kind)}>({value.text})"


def truth(value: Value) -> str:
    """The text of its truth."""
    return converted(value, bool)


def chosen(condition: str, first: Value, second: Value) -> Value:
    """One of two values."""
    kind = joined(first.type, second.type)
    return Value(f"({condition} ? {converted(first, kind)} : {converted(second, kind)})", kind)


class Steps:
    """The small C++ functions that universal functions become, each once."""

    def __init__(self) -> None:
        self.texts: dict[tuple[Any, ...], str] = {}

    def call(self, name: str, *operands: Value) -> Value:
        """The universal function of that name; TypeError for types that it does not take."""
        return self.call_all(name, *operands)[0]

    def call_all(self, name: str, *operands: Value) -> list[Value]:
        """The same, with all its results."""
        step = _core.ufunc_step(_core._ufuncs[name], [each.type for each in operands])
        expressions, inputs, outputs, raw_halves = step
        arguments = ", ".join(
            converted(each, kind) for each, kind in zip(operands, inputs, strict=True)
        )
        all_weak = all(is_weak(each.type) for each in operands)
        results = []
        for number, (expression, output) in enumerate(zip(expressions, outputs, strict=True)):
            function = self._function((name, number, inputs), expression, output, raw_halves)
            kind = _weak_of(output) if all_weak else output
            results.append(Value(f"{function}({arguments})", kind))
        return results

    def _function(
        self, key: tuple[Any, ...], expression: str, output: np.dtype, raw_halves: bool
    ) -> str:
        name, _, inputs = key
        if key in self.texts:
            return f"step_{list(self.texts).index(key)}"
        function = f"step_{len(self.texts)}"
        names = "ab"[: len(inputs)]
        parameters = ", ".join(
            f"{native(kind)} {each}_" for each, kind in zip(names, inputs, strict=True)
        )
        lines = [f"CUPOLA_FN {native(output)} {function}({parameters}) {{  // {name}"]
        read = "" if raw_halves else "widen"
        lines += [f"  const auto {each} = {read}({each}_);" for each in names]
        lines.append(f"  return cast<{native(output)}>({expression});\n}}\n")
        self.texts[key] = "\n".join(lines)
        return function


def _weak_of(dtype: np.dtype) -> Type:
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind]


Function: TypeAlias = Callable[..., Value]


def _c_function(name: str) -> Function:
    """A function of the C library, in double, as those of `math` are."""

    def call(steps: Steps, *operands: Value) -> Value:
        arguments = ", ".join(converted(each, np.dtype(float)) for each in operands)
        return Value(f"::{name}({arguments})", float)

    return call


def _of_math(name: str) -> Function:
    """A universal function of Python floats, which gives a Python float."""

    def call(steps: Steps, *operands: Value) -> Value:
        floats = [Value(converted(each, np.dtype(float)), np.dtype(float)) for each in operands]
        value = steps.call(name, *floats)
        return Value(value.text, _weak_of(stored(value.type)))

    return call


def _whole(name: str) -> Function:
    """floor and the like, which give an int."""

    def call(steps: Steps, operand: Value) -> Value:
        value = steps.call(name, Value(converted(operand, np.dtype(float)), np.dtype(float)))
        return Value(f"cast<int64_t>({value.text})", int)

    return call


def _extreme(name: str) -> Function:
    """Python's min and max: the first of equal values."""
    compare = "less" if name == "min" else "greater"

    def call(steps: Steps, *operands: Value) -> Value:
        best = operands[0]
        for each in operands[1:]:
            best = chosen(truth(steps.call(compare, each, best)), each, best)
        return best

    return call


def _converter(kind: Any) -> Function:
    def call(steps: Steps, operand: Value | None = None) -> Value:
        return Value(converted(operand or constant(0), kind), kind)

    return call


def _round(steps: Steps, operand: Value) -> Value:
    return Value(f"cast<int64_t>({steps.call('rint', operand).text})", int)


def _logarithm(steps: Steps, operand: Value, base: Value | None = None) -> Value:
    value = _of_math("log")(steps, operand)
    return value if base is None else steps.call("divide", value, _of_math("log")(steps, base))


def _where(steps: Steps, condition: Value, first: Value, second: Value) -> Value:
    return chosen(truth(condition), first, second)


def _clip(steps: Steps, operand: Value, low: Value, high: Value) -> Value:
    return steps.call("minimum", steps.call("maximum", operand, low), high)


FUNCTIONS: dict[Any, Function] = {
    abs: lambda steps, operand: steps.call("absolute", operand),
    min: _extreme("min"),
    max: _extreme("max"),
    round: _round,
    pow: lambda steps, a, b: steps.call("power", a, b),
    math.log: _logarithm,
    math.floor: _whole("floor"),
    math.ceil: _whole("ceil"),
    math.trunc: _whole("trunc"),
    np.where: _where,
    np.clip: _clip,
}
FUNCTIONS |= {kind: _converter(kind) for kind in WEAK}
_SAME_NAME = (
    "sin cos tan sinh cosh tanh exp expm1 log2 log10 log1p sqrt fabs hypot fmod copysign degrees "
    "radians isnan isinf isfinite"
)
MATH_UFUNCS = {
    **{name: name for name in _SAME_NAME.split()},
    **{f"a{name}": f"arc{name}" for name in ["sin", "cos", "tan", "sinh", "cosh", "tanh"]},
    "atan2": "arctan2",
    "pow": "power",
}
"""The universal functions that functions of `math` are."""

FUNCTIONS |= {getattr(math, name): _of_math(ours) for name, ours in MATH_UFUNCS.items()}
FUNCTIONS |= {
    getattr(math, name): _c_function(c_name)
    for name, c_name in {
        "erf": "erf",
        "erfc": "erfc",
        "gamma": "tgamma",
        "lgamma": "lgamma",
    }.items()
}


def find_function(target: Any) -> Function | None:
    """How a call of that object is translated; None for a function of Python and for all else."""
    try:
        if target in FUNCTIONS:
            return FUNCTIONS[target]
    except TypeError:  # not hashable
        return None
    if isinstance(target, (np.ufunc, _core.ufunc)):
        name = target.__name__
        if name in _core._ufuncs and target.nout == 1:
            return lambda steps, *operands: steps.call(name, *operands)
    if isinstance(target, type) and issubclass(target, np.generic):
        return _converter(_core.dtype(target))
    return None
