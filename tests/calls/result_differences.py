"""The differences from NumPy that are meant, in results that both give."""

from __future__ import annotations

import re

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import (
    agree_where_finite,
    argument_values,
    difference,
    evaluated,
    first_operand,
    flattened,
    is_finite,
    kinds,
    operand_of,
    pairs,
    same_elements,
    says,
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


def along_axis(call: Call) -> tuple[np.ndarray, int]:
    """The operand and the axis along which it is sorted."""
    axis = evaluated(call, call.options.get("axis", "-1"))
    operand = operand_of(call)
    return (operand.ravel(), 0) if axis is None or operand.ndim == 0 else (operand, int(axis))


@difference("sorting is always stable", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    stable = ("stable=True", "'stable'", "'mergesort'")
    if call.target.short != "argsort" or any(word in call.expression for word in stable):
        return False
    operand, axis = along_axis(call)
    places = [np.reshape(p, operand.shape) for p in (expected.result, ours.result.array)]
    one, other = (np.take_along_axis(operand, each, axis) for each in places)
    is_permutation = np.array_equal(*(np.sort(each, axis) for each in places))
    return is_permutation and np.array_equal(one, other, equal_nan=operand.dtype.kind in "fc")


@difference("values found by sorting are in order", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_unsorted = call.target.short == "unique_values" or "sorted=" in call.expression
    return is_unsorted and same_elements(expected.result, ours.result)


@difference("a partition is in an order of its own on both sides", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("partition", "argpartition"):
        return False
    operand, axis = along_axis(call)
    result = call.receiver if call.target.name == "ndarray.partition" else "result"
    both = [np.asarray(expected.names[result]), ours.names[result].array]
    if call.target.short == "argpartition":
        both = [np.take_along_axis(operand, p.reshape(operand.shape), axis) for p in both]
    else:
        both = [each.reshape(operand.shape) for each in both]
    known = np.asarray(argument_values(call, 0 if call.receiver else 1)).ravel().astype(int)
    exact = {"equal_nan": operand.dtype.kind in "fc"}
    placed = (np.take(each, known, axis) for each in both)
    return np.array_equal(*(np.sort(b, axis) for b in both), **exact) and np.array_equal(
        *placed, **exact
    )


@difference("places in what is not sorted mean nothing", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short != "searchsorted":
        return False
    line = operand_of(call)
    if "sorter" in call.options:
        line = line[evaluated(call, call.options["sorter"])]
    return not np.array_equal(line, np.sort(line), equal_nan=line.dtype.kind in "fc")


@difference("numbers out of range become integers as the platform casts them", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    """From NaN, infinities and what is too large: undefined in C and in NumPy."""
    values = [
        np.asarray(v) for v in flattened(list((expected.names or {}).values())) if v is not None
    ]
    integers = [np.iinfo(a.dtype) for a in values if a.dtype.kind in "iu"]
    if not integers:
        return False
    # Squares and products of elements grow; below zero nothing is in the range of some.
    lowest = min(min(-limits.min, limits.max) if limits.min else 0 for limits in integers)
    most = min(limits.max for limits in integers)
    with np.errstate(all="ignore"):
        for a in (a for a in values if a.dtype.kind in "fc"):
            if not np.all(np.abs(a) ** 2 * max(a.size, 1) <= most) or np.any(a.real < -lowest):
                return True
    name, _, method = call.target.name.rpartition(".")
    grows = name in TRANSCENDENTAL and method in ("at", "reduce", "reduceat", "accumulate")
    return grows or "2**" in call.text()


@difference("eigenvalues are complex whatever they are, as NumPy's from 2.5 on", "dtype", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("eig", "eigvals") and set(kinds(expected.result)) <= {"f"}


@difference("partial products in another order overflow before they meet zero", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.name not in ("multiply.reduce", "prod", "ndarray.prod", "nanprod"):
        return False
    if "out" in call.options or not is_finite(expected):
        return False
    product, own = np.asarray(expected.result), ours.result.array
    rest = (product == 0) & np.isnan(own) | (own == 0) & np.isnan(product)
    return bool(np.all((product == own) | rest))


@difference(
    "einsum() adds up before or after it multiplies, as infinities show", "value", "written"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short != "einsum" or is_finite(expected):
        return False
    return all(agree_where_finite(want, got) for want, got in pairs(call, expected, ours))


@difference("bytes other than 0 are True in views as booleans", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("view", "getfield") or kinds(expected.result) != ["b"]:
        return False
    flags = np.asarray(expected.result)
    return np.array_equal(flags.view("u1") != 0, ours.result.array.view("u1") != 0)


@difference("roots that rounding alone orders", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if not call.target.short.endswith("roots"):
        return False
    left = list(np.asarray(expected.result))
    for root in ours.result.array:
        near = [i for i, each in enumerate(left) if np.isclose(each, root)]
        if not near:
            return False
        del left[near[0]]
    return not left


@difference("NumPy's real roots lie where complex ones did", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    roots = expected.result
    return call.target.short.endswith("roots") and roots.strides == (2 * roots.itemsize,)


@difference("quantiles without NaN along no axes are in C order", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("nanmedian", "nanpercentile", "nanquantile")
    return call.target.short in names and call.options.get("axis") == "()"


@difference("singular vectors and eigenvectors may have other signs", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("svd", "eig", "eigh") or not isinstance(expected.result, tuple):
        return False
    want, got = list(expected.result), [part.array for part in ours.result]
    if call.target.short == "svd":
        return same_product(*want, *got)
    matrix = operand_of(call)
    values, vectors = got
    if call.target.short == "eigh":
        turned = [np.swapaxes(v.conj(), -1, -2) for v in (want[1], vectors)]
        return same_product(want[1], want[0], turned[0], vectors, values, turned[1])
    step = 1000 * np.finfo(vectors.dtype).eps * (1 + np.abs(matrix).max())
    return np.allclose(matrix @ vectors, vectors * values[..., None, :], 0, step) and np.allclose(
        np.sort_complex(np.round(values, 3)), np.sort_complex(np.round(want[0], 3)), 0, 0.002
    )


def same_product(*factors: np.ndarray) -> bool:
    """Whether left * values @ right is the same of both, with the same values."""
    products = []
    for left, values, right in (factors[:3], factors[3:]):
        count = values.shape[-1]
        products.append((left[..., :count] * values[..., None, :]) @ right[..., :count, :])
    sizes = np.abs(products[0])
    largest = sizes.max(initial=0, where=np.isfinite(sizes))
    step = 1000 * np.finfo(factors[1].dtype).eps * (1 + largest)
    both = (products, (factors[1], factors[4]))
    return all(np.allclose(*each, 0, step, equal_nan=True) for each in both)


@difference("products of infinite complex numbers have NaN in other parts", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if "c" not in kinds(expected.result) or is_finite(expected):
        return False
    both = pairs(call, expected, ours)
    return all(
        np.array_equal(np.isfinite(want), np.isfinite(got)) and agree_where_finite(want, got)
        for want, got in both
    )


@difference("Python's booleans are booleans", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("real", "imag")


@difference("which of two outputs in the same memory stays is not said", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    outputs = [expected.names[n] for n in re.findall(r"a\d+", call.options.get("out", ""))]
    return len(outputs) == 2 and np.shares_memory(*outputs)


@difference("dtype= may be less precise than out=", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if not {"dtype", "out"} <= call.options.keys():
        return False
    dtype = np.dtype(evaluated(call, call.options["dtype"]))
    step = np.finfo(dtype).eps if dtype.kind in "fc" else 0.0
    return step > 0 and all(agree_where_finite(*b, step) for b in pairs(call, expected, ours))


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


@difference("variances along no elements lie row by row", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("std", "var") and operand_of(call).size == 0


@difference("sums of diagonals without elements lie row by row", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "trace" and not np.any(expected.result)


@difference("a number that int() refuses is cast to out=, and not looked at", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "out" in call.options and says(
        expected.error, "cannot convert float infinity", "cannot convert float NaN"
    )


@difference("integers that are rounded beyond their dtype are cut as the platform does", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("round", "around"):
        return False
    result = np.asarray(expected.result)
    if result.dtype.kind not in "iu":
        return False
    unit = 10.0 ** -int(evaluated(call, call.options.get("decimals", "0")))
    rounded = np.round(operand_of(call).astype(float) / unit) * unit
    limits = np.iinfo(result.dtype)
    is_beyond = (rounded < limits.min) | (rounded > limits.max)
    return bool(np.any(is_beyond)) and np.array_equal(
        ours.result.array[~is_beyond], result[~is_beyond]
    )


@difference("one random number has a dtype", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(expected.result, float)


@difference("sums beyond the range of dtype= are infinite, or no number", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if "dtype" not in call.options or not set(kinds(expected.result)) <= {"f", "c"}:
        return False
    both = pairs(call, expected, ours)
    is_beyond = not all(np.all(np.isfinite(want)) for want, _ in both)
    return is_beyond and all(agree_where_finite(want, got) for want, got in both)


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


@difference(
    "factors and inverses of a matrix without full rank are what rounding makes", "value", "accepts"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("inv", "pinv", "solve", "matrix_power", "cholesky", "qr")
    if call.target.short not in names:
        return False
    matrix = operand_of(call)
    if matrix.ndim < 2 or not np.isfinite(matrix).all():
        return False
    with np.errstate(all="ignore"):
        condition = np.linalg.cond(matrix.astype(np.complex128))
    computed = flattened(ours.result)[0].array.dtype
    return bool(np.max(condition, initial=0) > 0.1 / np.finfo(computed).eps)


@difference("moments of 16-bit floats are computed in float32", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    is_small = operand is not None and operand.dtype == np.float16
    given = call.target.short in ("std", "var", "nanstd", "nanvar")
    if not given or not is_small:
        return False
    both = pairs(call, expected, ours)
    is_beyond = not all(np.all(np.isfinite(want)) for want, _ in both)
    return is_beyond and all(agree_where_finite(want, got) for want, got in both)


@difference("a number has no axis, whatever dimensions its mean has", "shape")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    return "mean" in call.options and operand is not None and operand.ndim == 0
