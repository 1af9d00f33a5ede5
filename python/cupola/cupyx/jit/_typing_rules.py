"""The types of kernels' expressions, as CuPy has them in its mode 'cuda'."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._translation.values import Steps, Type, Value, constant, converted, is_weak, stored
from cupola.cupyx.jit._types import is_number, shown

_ORDER = "?bBhHiIlLqQeEfdFD"
_KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}  # bfloat16 is none of NumPy's


def scalar_type(mode: str, number: Any) -> np.dtype:
    """The dtype of an argument or a constant."""
    if isinstance(number, np.generic):
        return _core.dtype(number.dtype)
    if isinstance(number, bool):
        return np.dtype(bool)
    if isinstance(number, int):
        small = mode == "cuda" and -(2**31) <= number < 2**31
        if number >= 2**63:
            return np.dtype(np.uint64)
        return np.dtype(np.int32 if small else np.int64)
    if isinstance(number, float):
        return np.dtype(np.float32 if mode == "cuda" else np.float64)
    return np.dtype(np.complex64 if mode == "cuda" else np.complex128)


def may_become(value: np.dtype, target: np.dtype) -> bool:
    """Casting 'same_kind' of scalars: integers become each other, no real number an integer."""
    return _KINDS[value.kind] <= _KINDS[target.kind]


def cast_text(value: Value, kind: np.dtype) -> str:
    """The text of the number in that type; constants wrap around as in C."""
    if (
        value.number is not None
        and kind.kind in "iu"
        and isinstance(value.number, (int, np.integer))
    ):
        bits = 8 * kind.itemsize
        number = int(value.number) % 2**bits
        if kind.kind == "i" and number >= 2 ** (bits - 1):
            number -= 2**bits
        return constant(kind.type(number)).text
    return converted(value, kind)


def _rank(dtype: np.dtype) -> int:
    char = "E" if dtype.name == "bfloat16" else dtype.char
    return _ORDER.index({"l": "q", "L": "Q"}.get(char, char))


class KernelSteps(Steps):
    """Universal functions of kernels' values."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode

    def settled(self, value: Value) -> Value:
        """The value with the dtype that a variable of it gets."""
        if not is_weak(value.type):
            return value
        kind = stored(value.type) if value.number is None else scalar_type(self.mode, value.number)
        return Value(cast_text(value, kind), kind)

    def call_all(self, name: str, *operands: Value) -> list[Value]:
        """The results of the universal function of that name."""
        for each in operands:
            if not is_number(each.type):
                raise TypeError(f"{shown(each.type)} where a number is needed")
        if self.mode == "cuda":
            operands = self._promoted(name, operands)
        results = super().call_all(name, *operands)
        if any(each.number is None for each in operands):
            results = [self.settled(each) for each in results]
        return results

    def _promoted(self, name: str, operands: tuple[Value, ...]) -> tuple[Value, ...]:
        """The operands in the types of the loop that C's order of types leads to."""
        types = [self._type(each) for each in operands]
        if name == "divide" and all(kind.kind in "biu" for kind in types):
            is_small = max(map(_rank, types)) <= _ORDER.index("H")
            is_small = is_small and any(kind.kind != "b" for kind in types)
            loop = [np.dtype(np.float32 if is_small else np.float64)] * len(types)
        else:
            loop = _loop(name, types)
        return tuple(
            Value(cast_text(each, kind), kind) for each, kind in zip(operands, loop, strict=True)
        )

    def _type(self, value: Value) -> np.dtype:
        if is_weak(value.type) and value.number is not None:
            return scalar_type(self.mode, value.number)
        return stored(value.type)


def _loop(name: str, types: list[Type]) -> list[np.dtype]:
    """The first loop that takes all operands; NumPy's where integers have none."""
    is_integer = all(kind.kind in "biu" for kind in types)
    for loop in _core._ufuncs[name].types:
        inputs = [_dtype_of(char) for char in loop.split("->")[0]]
        if is_integer and any(kind.kind not in "biu" for kind in inputs):
            continue
        if all(_rank(a) <= _rank(b) for a, b in zip(types, inputs, strict=True)):
            return inputs
    return types


def _dtype_of(char: str) -> np.dtype:
    return _core.dtype("bfloat16") if char == "E" else np.dtype(char)
