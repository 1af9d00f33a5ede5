"""The differences from NumPy that are meant, in results that both give."""

from __future__ import annotations

import re

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import (
    argument_values,
    difference,
    first_operand,
    flattened,
    is_finite,
    kinds,
    same_elements,
    without_dtype,
)
from support.ufuncs import TRANSCENDENTAL


@difference("lists and tuples become arrays", "type")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.result, list | tuple)


@difference("einsum() chooses its own order of products", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "einsum" and "optimize" in call.options


@difference("dimensions of one element or none have strides of no meaning", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.strides" and bool(
        {0, 1} & set(expected.names[call.receiver].shape)
    )


@difference("what NaN and infinities make of the rest of a transform", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.") and not is_finite(expected)


@difference("new memory holds anything", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "'empty'" in call.expression


@difference("what overwrite_input leaves behind is not said", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "overwrite_input" in call.options


@difference("sorting is always stable, and values found by sorting are in order", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short == "argsort":
        stable = ("stable=True", "'stable'", "'mergesort'")
        return not any(word in call.expression for word in stable)
    is_unsorted = call.target.short == "unique_values" or "sorted=" in call.expression
    return is_unsorted and same_elements(expected.result, ours.result)


@difference("a partition is in an order of its own on both sides", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short == "argpartition":
        return True
    result = call.receiver or "result"
    return call.target.short == "partition" and same_elements(
        expected.names[result], ours.names[result]
    )


@difference("places in what is not sorted mean nothing", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    line = first_operand(call, expected)
    given = call.target.short == "searchsorted" and line is not None
    return given and ("sorter" in call.options or bool(np.any(line[:-1] > line[1:])))


@difference("numbers out of range become integers as the platform casts them", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    """From NaN, infinities and what is too large: undefined in C and in NumPy."""
    values = [
        np.asarray(v) for v in flattened(list((expected.names or {}).values())) if v is not None
    ]
    with np.errstate(all="ignore"):
        wild = any(a.dtype.kind in "fc" and not np.all(np.abs(a) < 2**7) for a in values)
    wild = wild or "2**" in call.text()
    written = "out" in call.options or found.kind == "written"
    return wild and ("i" in kinds(expected.result) or "u" in kinds(expected.result) or written)


@difference("eigenvalues are complex whatever they are, as NumPy's from 2.5 on", "dtype", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("eig", "eigvals") and set(kinds(expected.result)) <= {"f"}


@difference("reductions of nothing are in C order", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    if operand is None or not isinstance(expected.result, np.ndarray):
        return False
    is_of_nothing = operand.size == 0 or call.target.short == "trace"
    return is_of_nothing and expected.result.size > 0 and not expected.result.any()


@difference("products in another order are zero times infinity", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.name not in ("multiply.reduce", "prod", "ndarray.prod", "nanprod"):
        return False
    if "out" in call.options:
        return False
    product, own = np.asarray(expected.result), ours.result.array
    return bool(np.all((product == own) | ((product == 0) & np.isnan(own))))


@difference("bytes other than 0 are True in views as booleans", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    flags = np.asarray(expected.result)
    if call.target.short not in ("view", "getfield") or flags.dtype != bool:
        return False
    return np.array_equal(flags.view("u1") != 0, ours.result.array.view("u1") != 0)


@difference("NumPy's real roots lie where complex ones did", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.endswith("roots")


@difference("quantiles without NaN along no axes are in C order", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("nanmedian", "nanpercentile", "nanquantile") and (
        "()" in call.text()
    )


@difference("singular vectors and eigenvectors may have other signs", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("svd", "eig", "eigh", "pinv")


@difference("products of infinite complex numbers have NaN in other parts", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "c" in kinds(expected.result) and not is_finite(expected)


@difference("Python's booleans are booleans", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("real", "imag")


@difference("which of two outputs in the same memory stays is not said", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    outputs = [expected.names[n] for n in re.findall(r"a\d+", call.options.get("out", ""))]
    return len(outputs) == 2 and np.shares_memory(*outputs)


@difference("dtype= may be less precise than out=", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return {"dtype", "out"} <= call.options.keys()


@difference("positions of nonzero elements are arrays of their own", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.result, tuple)


@difference("transforms are stored row by row", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.")


@difference("arrays are of this machine's byte order", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    dtypes = [np.asarray(value).dtype for value in flattened(expected.result) if value is not None]
    return any(not dtype.isnative for dtype in dtypes)


@difference("powers that are cut to integers are cut as the platform does, or as they are rounded")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("logspace", "geomspace") or found.kind != "value":
        return False
    result = np.asarray(expected.result)
    if result.dtype.kind not in "iu":
        return False
    powers = without_dtype(call, 5 if call.target.short == "logspace" else 4)
    limits = np.iinfo(result.dtype)
    if not np.all((powers.real > limits.min - 1) & (powers.real < limits.max)):
        return True  # undefined in C and in NumPy
    bound = 1 + 64 * np.finfo(powers.dtype).eps * np.abs(powers).max()
    return bool(np.all(np.abs(ours.result.array.astype(float) - result) <= bound))


@difference("one random number has a dtype", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(expected.result, float)


@difference("sums beyond the range of dtype= are infinite, or no number", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "dtype" in call.options and not np.all(np.isfinite(np.asarray(expected.result)))


@difference("the condition of a matrix without full rank is what rounding makes of zero", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short != "cond":
        return False
    values = np.asarray(expected.result)
    return bool(np.min(values) > 1 / np.finfo(values.dtype).eps)


@difference("elements that are said to be unique are not", "value", "shape")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("isin", "setdiff1d") or "assume_unique" not in call.options:
        return False
    given = (argument_values(call, position) for position in (0, 1))
    return any(values.size > np.unique(values).size for values in given)


@difference("sample points that are not sorted have no values between them", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short != "interp" or "period" in call.options:
        return False
    points = argument_values(call, 1)
    return not np.all(points[:-1] <= points[1:])


@difference("what is cut to integers is one off where the last bit is another", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    name = call.target.ufunc or call.target.name.partition(".")[0]
    arrays = expected.names or {}
    integers = [n for n, value in arrays.items() if set(kinds(value)) <= {"i", "u"}]
    return name in TRANSCENDENTAL and all(
        np.all(np.abs(ours.names[n].array.astype(float) - np.asarray(arrays[n]).astype(float)) <= 1)
        for n in integers
        if hasattr(ours.names[n], "array")
    )


@difference("Q of a matrix without full rank is one of many", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    matrix = first_operand(call, expected)
    if call.target.short != "qr" or matrix is None or len(ours.result) != 2:
        return False
    q, r = (part.array for part in ours.result)
    if q.ndim < 2:  # reflectors
        return False
    error = 100 * np.finfo(q.dtype).eps * (1 + np.abs(matrix).max())
    diagonal = np.abs(np.diagonal(expected.result[1], axis1=-2, axis2=-1))
    columns = np.swapaxes(q.conj(), -1, -2) @ q
    return bool(
        diagonal.min() < error
        and np.allclose(q @ r, matrix, 0, error)
        and np.allclose(columns, np.eye(columns.shape[-1]), 0, error)
    )


@difference("the inverse of a matrix without full rank is what rounding makes of it", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    matrix = first_operand(call, expected)
    if call.target.short not in ("inv", "solve", "matrix_power") or matrix is None:
        return False
    with np.errstate(all="ignore"):
        condition = np.linalg.cond(matrix.astype(np.complex128))
    return bool(np.max(condition) > 0.1 / np.finfo(np.asarray(expected.result).dtype).eps)


@difference("moments of 16-bit floats are computed in float32", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    is_small = operand is not None and operand.dtype == np.float16
    given = call.target.short in ("std", "var", "nanstd", "nanvar")
    return given and is_small and not np.all(np.isfinite(np.asarray(expected.result)))


@difference("a number has no axis, whatever dimensions its mean has", "shape")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    return "mean" in call.options and operand is not None and operand.ndim == 0
