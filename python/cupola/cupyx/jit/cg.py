"""Cooperative groups: the threads of a block, and those of the whole grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola._translation.values import Value
from cupola.cupyx.jit._atomics import element
from cupola.cupyx.jit._builtins import Builtin, integer, literal, pointed
from cupola.cupyx.jit._texts import COPIES, of_group
from cupola.cupyx.jit._types import (
    VOID,
    DimensionsType,
    GroupType,
    PointerType,
    method_value,
    shown,
)

__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]

UINT32 = np.dtype(np.uint32)
UINT64 = np.dtype(np.uint64)
_DIMENSIONS = DimensionsType()
_BLOCK = {
    "thread_rank": ("thread_number()", UINT32),
    "num_threads": ("block_threads()", UINT32),
    "size": ("block_threads()", UINT32),
    "group_index": ("blockIdx", _DIMENSIONS),
    "thread_index": ("threadIdx", _DIMENSIONS),
    "group_dim": ("blockDim", _DIMENSIONS),
    "dim_threads": ("blockDim", _DIMENSIONS),
}
_GRID = {
    "is_valid": ("cooperative_groups::this_grid().is_valid()", np.dtype(bool)),
    "thread_rank": ("(block_number() * block_threads() + thread_number())", UINT64),
    "block_rank": ("block_number()", UINT64),
    "num_threads": ("(grid_blocks() * block_threads())", UINT64),
    "num_blocks": ("grid_blocks()", UINT64),
    "size": ("(grid_blocks() * block_threads())", UINT64),
    "dim_blocks": ("gridDim", _DIMENSIONS),
    "block_index": ("blockIdx", _DIMENSIONS),
    "group_dim": ("gridDim", _DIMENSIONS),
}
_METHODS = {"thread_block": _BLOCK, "grid": _GRID}


def _synchronised(expressions: Any, kind: GroupType) -> Value:
    if kind.name == "thread_block":
        return Value("__syncthreads()", VOID)
    expressions.program.is_cooperative = True
    return Value("cooperative_groups::this_grid().sync()", VOID)


def group_method(kind: GroupType, name: str) -> Value | None:
    """A method of a group."""
    if name == "sync":
        return method_value(name, lambda expressions, node: _synchronised(expressions, kind))
    if name not in _METHODS[kind.name]:
        return None
    text, result = _METHODS[kind.name][name]

    def call(expressions: Any, node: Any) -> Value:
        if name == "is_valid":
            expressions.program.is_cooperative = True
        return Value(text, result)

    return method_value(name, call)


def _this(name: str, doc: str, size: int) -> Builtin:
    def translate(expressions: Any) -> Value:
        return Value("0", GroupType(name))

    full = f"this_{name}"
    return Builtin(full, of_group(full, doc, size), translate)


this_thread_block = _this("thread_block", "The group of the threads of the block.", 3)
this_grid = _this(
    "grid",
    "The group of all threads; a kernel that synchronises it is launched as cooperative.",
    6,
)


def _group(value: Value) -> GroupType:
    if not isinstance(value.type, GroupType):
        raise TypeError(f"a group of threads is needed, not {shown(value.type)}")
    return value.type


def _sync(expressions: Any, group: Value) -> Value:
    return _synchronised(expressions, _group(group))


def _wait_prior(expressions: Any, group: Value, step: Value) -> Value:
    if type(literal(step, "step")) is not int:
        raise TypeError("step must be a constant integer")
    return _synchronised(expressions, _group(group))


def _memcpy_async(
    expressions: Any,
    group: Value,
    dst: Value,
    dst_idx: Value,
    src: Value,
    src_idx: Value,
    size: Value,
    *,
    aligned_size: Value | None = None,
) -> Value:
    methods = _METHODS[_group(group).name]
    rank, threads = methods["thread_rank"][0], methods["num_threads"][0]
    for array in (dst, src):
        if isinstance(array.type, PointerType) and array.type.form != "address":
            raise TypeError(f"memcpy_async of {shown(array.type)}: its elements are not in a row")
    if not pointed(dst)[1]:
        raise ValueError("memcpy_async to a read-only array")
    places = [
        element(expressions, expressions.node, array, index)
        for array, index in ((dst, dst_idx), (src, src_idx))
    ]
    given = integer(expressions, size, UINT64, "size")
    text = f"copy_together({rank}, {threads}, &{places[0].text}, &{places[1].text}, {given})"
    return Value(text, VOID)


sync = Builtin("sync", COPIES["sync"], _sync)
wait = Builtin("wait", COPIES["wait"], _sync)
wait_prior = Builtin("wait_prior", COPIES["wait_prior"], _wait_prior)
memcpy_async = Builtin("memcpy_async", COPIES["memcpy_async"], _memcpy_async)
