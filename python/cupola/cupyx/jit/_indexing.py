"""What kernels ask of arrays, pointers, tuples and threads' indices."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from cupola._translation.expressions import UntranslatableError
from cupola._translation.values import Value, constant
from cupola.cupyx.jit._types import (
    ArrayType,
    DimensionsType,
    GroupType,
    ObjectType,
    PointerType,
    ReducerType,
    TupleType,
    is_number,
    method_value,
    object_value,
    shown,
)

INT64 = np.dtype(np.int64)
UINT32 = np.dtype(np.uint32)


def attribute(owner: Value, name: str) -> Value | None:
    """An attribute of a value that is neither a number nor an object; None: it has no such."""
    kind = owner.type
    if isinstance(kind, ArrayType):
        return _of_array(owner, kind, name)
    if isinstance(kind, DimensionsType) and name in ("x", "y", "z"):
        return Value(f"{owner.text}.{name}", UINT32)
    if isinstance(kind, PointerType) and name == "ndim":
        return constant(1)
    if isinstance(kind, GroupType):
        from cupola.cupyx.jit.cg import group_method

        return group_method(kind, name)
    if isinstance(kind, ReducerType):
        from cupola.cupyx.jit.cub import reducer_method

        return reducer_method(owner, kind, name)
    return None


def _of_array(owner: Value, kind: ArrayType, name: str) -> Value | None:
    if name == "ndim":
        return constant(kind.ndim)
    if name == "dtype":
        return object_value(kind.dtype)
    if name == "size":
        return Value(f"{owner.text}.size()", INT64)
    if name in ("shape", "strides"):
        function = name.removesuffix("s")
        items = (Value(f"{owner.text}.{function}({i})", INT64) for i in range(kind.ndim))
        return Value("", TupleType(tuple(items)))
    if name in ("begin", "end", "ravel"):
        return method_value(
            name, lambda expressions, node: _whole(expressions, node, owner, kind, name)
        )
    return None


def _whole(expressions: Any, node: ast.AST, owner: Value, kind: ArrayType, name: str) -> Value:
    """Of arrays whose elements are one after the other, and iterators of one dimension."""
    if not kind.c_contiguous and (name == "ravel" or kind.ndim > 1):
        message = f"{name}() of an array that is not C-contiguous; copy it"
        raise UntranslatableError(node, message, ValueError)
    if name == "ravel":
        return Value(f"{owner.text}.ravel()", ArrayType(kind.dtype, 1, True, kind.writable))
    if not kind.c_contiguous:
        expressions.program.uses_algorithms = True
        iterator = PointerType(kind.dtype, kind.writable, "strided")
        index = f"{owner.text}.shape(0)" if name == "end" else "0"
        text = f"{iterator.text()}{{{owner.text}.data, {owner.text}.stride(0), {index}}}"
        return Value(text, iterator)
    pointer = PointerType(kind.dtype, kind.writable)
    end = f" + {owner.text}.size()" if name == "end" else ""
    return Value(f"({owner.text}.data{end})", pointer)


def element(expressions: Any, node: ast.AST, owner: Value, index: Value) -> Value:
    """owner[index]."""
    kind = owner.type
    if isinstance(kind, ObjectType):
        return _of_object(node, kind.target, index)
    if isinstance(kind, TupleType):
        if not isinstance(index.number, (int, np.integer)):
            raise UntranslatableError(node, "the index of a tuple must be a constant integer")
        if not -len(kind.items) <= index.number < len(kind.items):
            message = f"index {index.number} of a tuple of {len(kind.items)}"
            raise UntranslatableError(node, message, IndexError)
        return kind.items[int(index.number)]
    items = index.type.items if isinstance(index.type, TupleType) else (index,)
    indices = [_index_text(expressions, node, each) for each in items]
    if isinstance(kind, PointerType):
        if len(indices) != 1:
            message = f"shared memory and pointers have one index, not {len(indices)}"
            raise UntranslatableError(node, message, IndexError)
        return Value(f"{owner.text}[{indices[0]}]", kind.element)
    if not isinstance(kind, ArrayType):
        raise UntranslatableError(node, f"{shown(kind)} has no elements")
    if len(indices) > kind.ndim:
        message = f"{len(indices)} indices of an array with {kind.ndim} dimensions"
        raise UntranslatableError(node, message, IndexError)
    if len(indices) == kind.ndim:
        return Value(f"{owner.text}.at({', '.join(indices)})", kind.dtype)
    rows = "".join(f".row({each})" for each in indices)
    ndim = kind.ndim - len(indices)
    return Value(owner.text + rows, ArrayType(kind.dtype, ndim, kind.c_contiguous, kind.writable))


def _index_text(expressions: Any, node: ast.AST, index: Value) -> str:
    if not is_number(index.type):
        what = "an array" if isinstance(index.type, ArrayType) else shown(index.type)
        raise UntranslatableError(node, f"{what} as an index: kernels take integers only")
    index = expressions.settled(index)
    if index.type.kind not in "iu":
        raise UntranslatableError(node, f"an index must be an integer, not {index.type}")
    return index.text


def _of_object(node: ast.AST, target: Any, index: Value) -> Value:
    from cupola.cupyx.jit._expressions import _VARIES, _constant_of, wrapped

    key = _constant_of(index)
    if key is _VARIES:
        message = f"{target!r} is not part of the kernel: only constants can index it"
        raise UntranslatableError(node, message)
    try:
        return wrapped(target[key])
    except Exception as error:
        raise UntranslatableError(node, f"{type(error).__name__}: {error}") from None
