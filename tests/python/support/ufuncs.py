"""NumPy's universal functions, their loops, and what their results must be.

bfloat16 is measured by the same function in float32, rounded once.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .dtypes import NUMPY_CODES, bfloat16, is_float, wide_dtype

# Generalised ufuncs are linear algebra; isnat is about dates.
NOT_ELEMENTWISE = {"isnat", "matmul", "matvec", "vecdot", "vecmat"}

UFUNC_ALIASES = sorted(
    name
    for name in dir(np)
    if isinstance(getattr(np, name), np.ufunc) and name not in NOT_ELEMENTWISE
)
UFUNC_NAMES = sorted({getattr(np, name).__name__ for name in UFUNC_ALIASES})
BINARY_NAMES = [n for n in UFUNC_NAMES if getattr(np, n).nin == 2]
UNARY_NAMES = [n for n in UFUNC_NAMES if getattr(np, n).nin == 1]
# Methods need two inputs and one output.
METHOD_NAMES = [n for n in BINARY_NAMES if getattr(np, n).nout == 1]

# Results are rounded from a value that is computed with more digits; how far they may be from the
# exact one is a matter of tolerances.py. All other functions must give NumPy's bits.
EXPONENTIAL = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "power"}
EXPONENTIAL |= {"float_power", "logaddexp", "logaddexp2"}
TRIGONOMETRIC = {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "hypot"}
TRIGONOMETRIC |= {"sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"}
TRIGONOMETRIC |= {"degrees", "radians", "deg2rad", "rad2deg"}
TRANSCENDENTAL = EXPONENTIAL | TRIGONOMETRIC
# For complex numbers these as well: NumPy itself uses fused operations on some machines.
COMPLEX_ROUNDED = TRANSCENDENTAL | {"multiply", "square", "absolute", "sqrt", "reciprocal", "sign"}
COMPLEX_ROUNDED |= {"divide"}

# NumPy has no type of its own for these in 16 bits: they are not tested for bfloat16.
NO_BFLOAT16 = {"float_power"}


def loops(name: str) -> list[tuple[np.dtype, ...]]:
    """Input types of the numeric loops of a ufunc, those of bfloat16 included."""
    result = []
    for types in getattr(np, name).types:
        inputs = types.split("->")[0]
        if all(code in NUMPY_CODES for code in inputs):
            result.append(tuple(NUMPY_CODES[code] for code in inputs))
    half = tuple(np.dtype(np.float16) for _ in range(getattr(np, name).nin))
    if half in result and name not in NO_BFLOAT16:
        result.append(tuple(bfloat16 for _ in half))
    return list(dict.fromkeys(result))


def is_exact(name: str, dtypes: tuple[np.dtype, ...]) -> bool:
    """Whether the loop's results must be NumPy's bit by bit."""
    if any(t.kind == "c" for t in dtypes):
        return name not in COMPLEX_ROUNDED
    return name not in TRANSCENDENTAL or (not any(is_float(t) for t in dtypes) and name == "power")


def expected(name: str, arguments: list[Any], **keywords: Any) -> Any:
    """What the ufunc must give for NumPy arrays."""
    dtypes = tuple(a.dtype for a in arguments)
    ufunc = getattr(np, name)
    if bfloat16 in dtypes:
        return as_bfloat16(name, arguments, keywords)
    if is_exact(name, dtypes) or not all(is_float(t) or t.kind == "c" for t in dtypes):
        return ufunc(*arguments, **keywords)
    result = ufunc(*arguments, **keywords).dtype
    wide = [a.astype(wide_dtype(a.dtype)) for a in arguments]
    return ufunc(*wide, **keywords).astype(result)


def as_bfloat16(name: str, arguments: list[Any], keywords: dict) -> Any:
    """The function in float32 with floating results rounded to bfloat16."""
    if name in ("nextafter", "spacing"):
        return bfloat16_neighbour(name, arguments)
    raised = [a.astype(np.float32) if a.dtype == bfloat16 else a for a in arguments]
    result = getattr(np, name)(*raised, **keywords)
    if isinstance(result, tuple):
        return tuple(rounded_to_bfloat16(r) for r in result)
    return rounded_to_bfloat16(result)


def rounded_to_bfloat16(result: np.ndarray) -> np.ndarray:
    """float32 to bfloat16; other types unchanged."""
    return result.astype(bfloat16) if result.dtype == np.float32 else result


def bfloat16_neighbour(name: str, arguments: list[np.ndarray]) -> np.ndarray:
    """nextafter and spacing through the bits of the 16-bit pattern."""
    if name == "spacing":
        (a,) = arguments
        away = np.where(a < 0, -np.inf, np.inf).astype(bfloat16)
        following = bfloat16_neighbour("nextafter", [a, away]).astype(np.float64)
        step = (following - a.astype(np.float64)).astype(bfloat16)
        return np.where(np.isfinite(a), step, np.array(np.nan).astype(bfloat16))
    a, towards = np.broadcast_arrays(*arguments)
    bits = np.ascontiguousarray(a).view(np.int16)
    up = (towards > a) == (a > 0)
    moved = np.where(up, bits + 1, bits - 1).astype(np.int16).view(bfloat16)
    smallest = np.array(1, np.int16).view(bfloat16)
    from_zero = np.where(towards > 0, smallest, -smallest)
    result = np.where(a == 0, from_zero, moved)
    result = np.where(a == towards, a, result)
    nan = np.isnan(a) | np.isnan(towards)
    return np.where(nan, np.array(np.nan).astype(bfloat16), result).astype(bfloat16)


@functools.cache
def result_dtypes(name: str, *dtypes: np.dtype) -> tuple[np.dtype, ...]:
    """The output types for empty operands of these types."""
    result = expected(name, [np.empty(0, t) for t in dtypes])
    return tuple(r.dtype for r in (result if isinstance(result, tuple) else (result,)))


def in_module(module: Any, name: str) -> Callable[..., Any]:
    """The ufunc of that name of NumPy or the module under test."""
    return getattr(module, name)
