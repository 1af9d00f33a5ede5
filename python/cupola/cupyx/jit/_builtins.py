"""Functions and values that only kernels have."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._translation.values import Value, constant
from cupola.cupyx.jit._texts import of_shuffle
from cupola.cupyx.jit._types import (
    VOID,
    ArrayType,
    DimensionsType,
    ObjectType,
    PointerType,
    StorageType,
    TupleType,
    is_number,
    shown,
)
from cupola.cupyx.jit._typing_rules import cast_text

UINT32 = np.dtype(np.uint32)
INT32 = np.dtype(np.int32)
_ALL_LANES = constant(0xFFFFFFFF)
_WARP = constant(32)


class Variable:
    """A value that each thread, block or launch has."""

    def __init__(self, name: str, value: Value, doc: str) -> None:
        self._name = name
        self.value = value
        self.__doc__ = doc

    def __repr__(self) -> str:
        return f"<{self._name} of cupyx.jit>"


def _signature_in_kernels(translate: Callable[..., Value]) -> inspect.Signature:
    """That of a call, without what translates it and without types of the translation."""
    parameters = list(inspect.signature(translate).parameters.values())
    empty = inspect.Parameter.empty
    shown = [
        each.replace(annotation=empty, default=getattr(each.default, "number", each.default))
        for each in parameters
        if each.name != "expressions"
    ]
    return inspect.Signature(shown)


class Builtin:
    """A function that kernels call."""

    def __init__(self, name: str, doc: str, translate: Callable[..., Value]) -> None:
        self.__name__ = name
        self.__doc__ = doc
        self._translate = translate
        self.__signature__ = _signature_in_kernels(translate)

    def translate(self, expressions: Any, node: ast.Call, *args: Value, **kwargs: Value) -> Value:
        """A call of it as a value of C++."""
        try:
            bound = inspect.signature(self._translate).bind(expressions, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}") from None
        expressions.node = node
        return self._translate(*bound.args, **bound.kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"cupyx.jit.{self.__name__} is called in functions that jit.rawkernel translates"
        )

    def __repr__(self) -> str:
        return f"<function cupyx.jit.{self.__name__}>"


def builtin(translate: Callable[..., Value]) -> Builtin:
    """The function of that name and documentation."""
    return Builtin(translate.__name__.rstrip("_"), translate.__doc__ or "", translate)


def literal(value: Value, what: str) -> Any:
    """The object of Python that an argument is, which must be known."""
    if value.number is not None:
        return value.number.item() if isinstance(value.number, np.generic) else value.number
    if isinstance(value.type, ObjectType):
        return value.type.target
    raise TypeError(f"{what} must be a constant")


def integer(expressions: Any, value: Value, kind: np.dtype, what: str) -> str:
    """The text of an integer as that type."""
    if not is_number(value.type) or expressions.settled(value).type.kind not in "iu":
        raise TypeError(f"{what} must be an integer, not {shown(value.type)}")
    return cast_text(value, kind)


def _dimensions(name: str, doc: str) -> Variable:
    return Variable(name, Value(name, DimensionsType()), doc)


threadIdx = _dimensions("threadIdx", "The thread's place in its block: x, y and z.")  # noqa: N816
blockIdx = _dimensions("blockIdx", "The block's place in the grid: x, y and z.")  # noqa: N816
blockDim = _dimensions("blockDim", "The block's extents in threads: x, y and z.")  # noqa: N816
gridDim = _dimensions("gridDim", "The grid's extents in blocks: x, y and z.")  # noqa: N816
warpsize = Variable("warpsize", Value("int32_t(warpSize)", INT32), "Threads of a warp.")


def _by_dimension(ndim: Value, text: str) -> Value:
    number = literal(ndim, "ndim")
    if type(number) is not int:
        raise TypeError(f"ndim must be 1, 2 or 3, not {number!r}")
    if number not in (1, 2, 3):
        raise ValueError(f"ndim must be 1, 2 or 3, not {number}")
    items = tuple(Value(f"({text.replace('@', axis)})", UINT32) for axis in "xyz"[:number])
    return items[0] if number == 1 else Value("", TupleType(items))


@builtin
def grid(expressions: Any, ndim: Value) -> Value:
    """The thread's place in the whole grid.

    Parameters
    ----------
    ndim : {1, 2, 3}
        A constant.

    Returns
    -------
    int or tuple of int
        With 1 a number of type uint32, otherwise `ndim` of them: x, y and z.

    Raises
    ------
    TypeError, ValueError
        When the kernel is launched, for another `ndim`.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def kernel(x):
    ...     i, j = jit.grid(2)
    ...     x[j, i] = 10 * j + i
    >>> x = cp.zeros((2, 4), "int32")
    >>> kernel[(2, 1), (2, 2)](x)
    >>> x
    array([[ 0,  1,  2,  3],
           [10, 11, 12, 13]], dtype=int32)
    """
    return _by_dimension(ndim, "threadIdx.@ + blockIdx.@ * blockDim.@")


@builtin
def gridsize(expressions: Any, ndim: Value) -> Value:
    """The grid's extents in threads.

    Parameters
    ----------
    ndim : {1, 2, 3}
        A constant.

    Returns
    -------
    int or tuple of int
        With 1 a number of type uint32, otherwise `ndim` of them: x, y and z.

    Raises
    ------
    TypeError, ValueError
        When the kernel is launched, for another `ndim`.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def kernel(x):
    ...     for i in range(jit.grid(1), x.size, jit.gridsize(1)):
    ...         x[i] = jit.gridsize(1)
    >>> x = cp.zeros(10, "int32")
    >>> kernel[2, 3](x)
    >>> x
    array([6, 6, 6, 6, 6, 6, 6, 6, 6, 6], dtype=int32)
    """
    return _by_dimension(ndim, "blockDim.@ * gridDim.@")


@builtin
def laneid(expressions: Any) -> Value:
    """The thread's place in its warp.

    Returns
    -------
    int
        From 0 to 31, of type uint32.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def kernel(x):
    ...     x[jit.threadIdx.x] = jit.laneid()
    >>> x = cp.zeros(35, "int32")
    >>> kernel[1, 35](x)
    >>> x[29:]
    array([29, 30, 31,  0,  1,  2], dtype=int32)
    """
    return Value("lane_number()", UINT32)


@builtin
def syncthreads(expressions: Any) -> Value:
    """Wait until all threads of the block are here.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def backwards(x):
    ...     shared, i = jit.shared_memory(cp.int32, 4), jit.threadIdx.x
    ...     shared[i] = x[i]
    ...     jit.syncthreads()
    ...     x[i] = shared[3 - i]
    >>> x = cp.arange(4, dtype="int32")
    >>> backwards[1, 4](x)
    >>> x
    array([3, 2, 1, 0], dtype=int32)
    """
    return Value("__syncthreads()", VOID)


@builtin
def syncwarp(expressions: Any, *, mask: Value = _ALL_LANES) -> Value:
    """Wait until threads of the warp are here.

    Parameters
    ----------
    mask : int, optional
        A bit for each of them; default: all.

    Raises
    ------
    ValueError
        When the kernel is launched, for a `mask` of more than 32 bits.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def turned(x):
    ...     shared, i = jit.shared_memory(cp.int32, 32), jit.laneid()
    ...     shared[i] = x[i]
    ...     jit.syncwarp()
    ...     x[i] = shared[(i + 1) % 32]
    >>> x = cp.arange(32, dtype="int32")
    >>> turned[1, 32](x)
    >>> x[-3:]
    array([30, 31,  0], dtype=int32)
    """
    checked_mask(mask)
    return Value(f"__syncwarp({integer(expressions, mask, UINT32, 'mask')})", VOID)


def checked_mask(mask: Value) -> None:
    """ValueError for a constant that is no mask of 32 lanes."""
    if mask.number is not None and not 0 <= mask.number <= 0xFFFFFFFF:
        raise ValueError(f"mask {mask.number} is out of range: a warp has 32 lanes")


@builtin
def shared_memory(
    expressions: Any, dtype: Value, size: Value, alignment: Value | None = None
) -> Value:
    """An array that the threads of a block share.

    Parameters
    ----------
    dtype : dtype
        Of its elements, a constant.
    size : int or None
        Elements, a constant. None: the bytes that the launch gives by `shared_mem`.
    alignment : int, optional
        A power of 2: the start is a multiple of so many bytes.

    Returns
    -------
    array
        Of one dimension; its elements have no value yet.

    Raises
    ------
    TypeError
        When the kernel is launched, for another `size`.
    ValueError
        When the kernel is launched, for another `alignment`.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def total(x):
    ...     shared, i = jit.shared_memory(cp.int32, None), jit.threadIdx.x
    ...     shared[i] = x[i]
    ...     jit.syncthreads()
    ...     if i == 0:
    ...         for k in range(1, jit.blockDim.x):
    ...             x[0] += shared[k]
    >>> x = cp.arange(5, dtype="int32")
    >>> total[1, 5, 5 * 4](x)
    >>> int(x[0])
    10
    """
    kind = literal(dtype, "dtype")
    if not isinstance(kind, StorageType):
        kind = _core.dtype(kind)
    count = literal(size, "the size of shared memory")
    if count is not None and (type(count) is not int or count < 1):
        raise TypeError(f"the size of shared memory must be a positive int or None, not {count!r}")
    align = None if alignment is None else literal(alignment, "alignment")
    if align is not None and (type(align) is not int or align < 1 or align & (align - 1)):
        raise ValueError(f"alignment must be a power of 2, not {align!r}")
    return expressions.statements.shared(kind, count, align)


@builtin
def length(expressions: Any, array: Value) -> Value:
    """The extent of the first dimension, or the number of items of a tuple."""
    if isinstance(array.type, TupleType):
        return constant(len(array.type.items))
    if not isinstance(array.type, ArrayType):
        raise TypeError(f"len() of {shown(array.type)}")
    if array.type.ndim == 0:
        raise TypeError("len() of an array without dimensions")
    return Value(f"{array.text}.shape(0)", np.dtype(np.int64))


@builtin
def range_(expressions: Any, *args: Value, unroll: Value | None = None) -> Value:
    """Python's range in a for statement of a kernel, whose loop is unrolled.

    Parameters
    ----------
    *args : int
        As those of Python's range.
    unroll : int or bool, optional
        How many rounds become one; True leaves it to the compiler, False keeps the loop.

    Returns
    -------
    range
        What a for statement takes.

    Raises
    ------
    TypeError
        When the kernel is launched, for another place than a for statement.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def squares(x):
    ...     for i in jit.range(4, unroll=True):
    ...         x[i] = i * i
    >>> x = cp.zeros(4, "int32")
    >>> squares[1, 1](x)
    >>> x
    array([0, 1, 4, 9], dtype=int32)
    """
    raise TypeError("range() stands in a for statement only")


# ---- shuffles


def _shuffle(
    name: str,
    function: str,
    lane_type: np.dtype,
    what: str,
    example: tuple[int, list[int]],
) -> Builtin:
    """`example` is a lane, and what the first six lanes get by it."""

    def translate(
        expressions: Any, mask: Value, var: Value, val_id: Value, *, width: Value = _WARP
    ) -> Value:
        if not is_number(var.type):
            raise TypeError(f"{name} of {shown(var.type)}")
        checked_mask(mask)
        if width.number is not None and width.number not in (2, 4, 8, 16, 32):
            raise ValueError(f"width must be a power of 2 up to 32, not {width.number}")
        value = expressions.settled(var)
        text = ", ".join(
            [
                integer(expressions, mask, UINT32, "mask"),
                value.text,
                integer(expressions, val_id, lane_type, what),
                integer(expressions, width, INT32, "width"),
            ]
        )
        return Value(f"{function}({text})", value.type)

    return Builtin(name, of_shuffle(name, *example), translate)


shfl_sync = _shuffle("shfl_sync", "shuffle", INT32, "lane", (2, [2, 2, 2, 2, 2, 2]))
shfl_up_sync = _shuffle("shfl_up_sync", "shuffle_up", UINT32, "distance", (2, [0, 1, 0, 1, 2, 3]))
shfl_down_sync = _shuffle(
    "shfl_down_sync", "shuffle_down", UINT32, "distance", (2, [2, 3, 4, 5, 6, 7])
)
shfl_xor_sync = _shuffle(
    "shfl_xor_sync", "shuffle_xor", INT32, "mask of the lane's number", (1, [1, 0, 3, 2, 5, 4])
)


def pointed(value: Value) -> tuple[Any, bool]:
    """The type of a pointer's or array's elements, and whether they can be written."""
    if isinstance(value.type, ArrayType):
        return value.type.dtype, value.type.writable
    if isinstance(value.type, PointerType):
        return value.type.element, value.type.writable
    raise TypeError(f"an array is needed, not {shown(value.type)}")
