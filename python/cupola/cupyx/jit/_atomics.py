"""Atomic functions of kernels."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from cupola._translation.values import Value, native
from cupola.cupyx.jit._builtins import Builtin
from cupola.cupyx.jit._indexing import element
from cupola.cupyx.jit._texts import of_atomic
from cupola.cupyx.jit._types import ArrayType, PointerType, is_number, shown

_WORDS = "int32 uint32 int64 uint64"
_REALS = "float32 float64"
_COMPARED = f"{_WORDS} uint16 int16 {_REALS}"


def _place(expressions: Any, name: str, array: Value, index: Value, dtypes: str) -> Value:
    if not isinstance(array.type, (ArrayType, PointerType)):
        raise TypeError(f"{name}: the first argument must be an array, not {shown(array.type)}")
    if not array.type.writable:
        raise ValueError(f"{name} of a read-only array")
    place = element(expressions, expressions.node, array, index)
    if not is_number(place.type):
        raise TypeError(f"{name} of {shown(place.type)}: an index is missing")
    if place.type.name not in dtypes.split():
        raise TypeError(f"{name} has no {place.type}, but {dtypes.replace(' ', ', ')}")
    return place


def _operand(expressions: Any, name: str, value: Value, place: Value) -> str:
    node: ast.AST = expressions.node
    return expressions.converted(node, value, place.type, f"the element for {name}")


def _atomic(
    name: str, function: str, dtypes: str, doc: str, example: tuple[int, int], ufunc: str = ""
) -> Builtin:
    """With `ufunc`, types for which CUDA has no function of its own use that of NumPy.

    `example` is a value, and what three threads make of 5 with it.
    """

    def translate(expressions: Any, array: Value, index: Value, value: Value) -> Value:
        place = _place(expressions, name, array, index, dtypes)
        text = f"{function}(&{place.text}, {_operand(expressions, name, value, place)}"
        if ufunc:
            text += ", " + binary_function(expressions, ufunc, place.type)
        return Value(text + ")", place.type)

    given, result = example
    return Builtin(name, of_atomic(name, doc, dtypes, str(given), result), translate)


def binary_function(expressions: Any, ufunc: str, dtype: np.dtype) -> str:
    """A universal function of two values of that dtype, as a function object of C++."""
    result = expressions.program.steps.call(ufunc, Value("a", dtype), Value("b", dtype))
    kind = native(dtype)
    return f"[]({kind} a, {kind} b) {{ return cast<{kind}>({result.text}); }}"


def _compare_and_swap(
    expressions: Any, array: Value, index: Value, value: Value, alt_value: Value
) -> Value:
    name = "atomic_cas"
    place = _place(expressions, name, array, index, _COMPARED)
    texts = [_operand(expressions, name, each, place) for each in (value, alt_value)]
    return Value(f"atomic_compare(&{place.text}, {', '.join(texts)})", place.type)


_ADDED = f"{_WORDS} {_REALS} float16 bfloat16"
_NUMBERS = f"{_WORDS} {_REALS}"
atomic_add = _atomic("atomic_add", "atomic_add", _ADDED, "array[index] += value.", (2, 11), "add")
atomic_sub = _atomic(
    "atomic_sub", "atomic_update", _ADDED, "array[index] -= value.", (1, 2), "subtract"
)
atomic_exch = _atomic("atomic_exch", "atomic_exchange", _NUMBERS, "array[index] = value.", (2, 2))
atomic_min = _atomic(
    "atomic_min", "atomic_minimum", _NUMBERS, "The smaller of both is stored.", (2, 2)
)
atomic_max = _atomic(
    "atomic_max", "atomic_maximum", _NUMBERS, "The larger of both is stored.", (9, 9)
)
atomic_inc = _atomic(
    "atomic_inc", "atomic_increment", "uint32", "One more is stored, 0 after `value`.", (6, 1)
)
atomic_dec = _atomic(
    "atomic_dec",
    "atomic_decrement",
    "uint32",
    "One less is stored; `value` after 0 and instead of what is larger than it.",
    (6, 2),
)
atomic_and = _atomic("atomic_and", "atomic_and", _WORDS, "array[index] &= value.", (4, 4))
atomic_or = _atomic("atomic_or", "atomic_or", _WORDS, "array[index] |= value.", (8, 13))
atomic_xor = _atomic("atomic_xor", "atomic_xor", _WORDS, "array[index] ^= value.", (1, 4))
atomic_cas = Builtin(
    "atomic_cas",
    of_atomic(
        "atomic_cas",
        "alt_value is stored if the element equals value.",
        _COMPARED,
        "5, 7",
        7,
        "value, alt_value",
    ),
    _compare_and_swap,
)
