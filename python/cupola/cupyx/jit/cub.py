"""Reductions of a warp and of a block, by the names of CUB.

A class is chosen by its types, ``WarpReduce[dtype]`` or ``BlockReduce[dtype, threads]``; its
`TempStorage` is the dtype of one element of shared memory, and an instance is made of that element.
The first thread of the warp or block gets the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._translation.values import Value, native
from cupola.cupyx.jit._atomics import binary_function
from cupola.cupyx.jit._builtins import Builtin
from cupola.cupyx.jit._texts import of_operation, of_reduction
from cupola.cupyx.jit._types import (
    ObjectType,
    ReducerType,
    StorageType,
    method_value,
    object_value,
    shown,
)

__all__ = ["BlockReduce", "Max", "Min", "Sum", "WarpReduce"]


class _Reduction(Builtin):
    """A class with its types: what kernels make instances of."""

    def __init__(self, name: str, owner: str, dtype: np.dtype) -> None:
        super().__init__(name, "", self._instance)
        self._owner = owner
        self._dtype = dtype
        self.TempStorage = StorageType(owner)

    def _instance(self, expressions: Any, temp_storage: Value) -> Value:
        if temp_storage.type != self.TempStorage:
            raise TypeError(
                f"{self.__name__} takes an element of shared memory of its TempStorage, not "
                f"{shown(temp_storage.type)}"
            )
        return Value(f"(&{temp_storage.text})", ReducerType(self._dtype, self._owner))


class _Template:
    def __init__(self, name: str, doc: str, has_threads: bool) -> None:
        self.__name__ = name
        self.__doc__ = doc
        self._has_threads = has_threads

    def __getitem__(self, types: Any) -> _Reduction:
        given = types if isinstance(types, tuple) else (types,)
        if len(given) != 1 + self._has_threads:
            wanted = "a dtype and a number of threads" if self._has_threads else "a dtype"
            raise TypeError(f"{self.__name__}[...] takes {wanted}")
        dtype = _core.dtype(given[0])
        arguments = native(dtype)
        if self._has_threads:
            threads = given[1]
            if not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 1024:
                raise ValueError(f"a block has 1 to 1024 threads, not {threads!r}")
            arguments += f", {threads}"
        return _Reduction(self.__name__, f"{self.__name__}<{arguments}>", dtype)

    def __repr__(self) -> str:
        return f"<class cupyx.jit.cub.{self.__name__}>"


WarpReduce = _Template(
    "WarpReduce",
    of_reduction(
        "The reduction of one value of each thread of a warp.", "WarpReduce[cp.int32]", 32
    ),
    False,
)
BlockReduce = _Template(
    "BlockReduce",
    of_reduction(
        "The reduction of one value of each thread of a block of so many threads.",
        "BlockReduce[cp.int32, 64]",
        64,
    ),
    True,
)


class _Operation(Builtin):
    """What two values become."""

    def __init__(self, name: str, ufunc: str, doc: str, result: int) -> None:
        super().__init__(
            name, of_operation(name, doc, result), lambda expressions: object_value(self)
        )
        self.ufunc = ufunc


Sum = _Operation("Sum", "add", "The sum of two values, as an operation of Reduce.", 528)
Max = _Operation("Max", "maximum", "The larger of two values, as an operation of Reduce.", 32)
Min = _Operation("Min", "minimum", "The smaller of two values, as an operation of Reduce.", 1)


def reducer_method(owner: Value, kind: ReducerType, name: str) -> Value | None:
    """Sum(value) or Reduce(value, operation)."""

    def reduced(expressions: Any, input: Value, operation: _Operation) -> Value:
        value = expressions.settled(input)
        if value.type != kind.dtype:
            raise TypeError(f"a reduction of {kind.dtype} takes no {shown(value.type)}")
        function = binary_function(expressions, operation.ufunc, kind.dtype)
        text = f"{kind.owner}::reduce(*{owner.text}, {value.text}, {function})"
        return Value(text, kind.dtype)

    def sum_of(expressions: Any, node: Any, input: Value) -> Value:
        return reduced(expressions, input, Sum)

    def reduce(expressions: Any, node: Any, input: Value, reduction_op: Value) -> Value:
        operation = reduction_op.type.target if isinstance(reduction_op.type, ObjectType) else None
        if not isinstance(operation, _Operation):
            raise TypeError("Reduce takes cub.Sum(), cub.Max() or cub.Min()")
        return reduced(expressions, input, operation)

    methods = {"Sum": sum_of, "Reduce": reduce}
    return method_value(name, methods[name]) if name in methods else None
