"""Stacks of matrices keep their order in memory: results lie as NumPy's do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray


def stack_order(*stacks: ndarray) -> tuple[int, ...] | None:
    """The dimensions of stacks, which broadcast, from the outermost in memory to the innermost.

    None where that is their own order.
    """
    if max(stack.ndim for stack in stacks) < 4 or not all(stack.size for stack in stacks):
        return None
    heads = [stack[..., 0, 0] for stack in stacks]
    alike = _core._ufuncs["logical_and"](heads[0], heads[-1])
    order = sorted(range(alike.ndim), key=lambda axis: -alike.strides[axis])
    return None if order == sorted(order) else tuple(order)


def reordered(stack: ndarray, order: tuple[int, ...]) -> ndarray:
    """A view with the dimensions of the stack in this order; what it has fewer of come first."""
    missing = len(order) + 2 - stack.ndim
    stack = stack[(None,) * missing] if missing > 0 else stack
    return _core.transpose(stack, (*order, len(order), len(order) + 1))


def restored(result: Any, order: tuple[int, ...]) -> Any:
    """A result of `reordered` stacks, or several, with the dimensions as they were."""
    if isinstance(result, tuple):
        parts = [restored(part, order) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    rest = range(len(order), result.ndim)
    return _core.transpose(result, (*(int(axis) for axis in np.argsort(order)), *rest))


_Function = TypeVar("_Function", bound=Callable[..., Any])


def in_order_of_stack(function: _Function) -> _Function:
    """Of one stack: computes with its dimensions in the order in which they lie in memory."""

    @functools.wraps(function)
    def wrapped(a: Any, *args: Any, **kwargs: Any) -> Any:
        order = stack_order(a) if isinstance(a, ndarray) else None
        if order is None:
            return function(a, *args, **kwargs)
        return restored(function(reordered(a, order), *args, **kwargs), order)

    return cast("_Function", wrapped)
