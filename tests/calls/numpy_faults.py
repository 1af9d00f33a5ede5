"""Differences from NumPy where it is NumPy that is wrong; those of outputs stand in
numpy_output_faults.py.
"""

from __future__ import annotations

import re

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import (
    argument_values,
    bound,
    difference,
    evaluated,
    first_operand,
    flattened,
    operand_of,
    says,
)


def breaks_numpy(call: Call) -> bool:
    """Whether NumPy would write beyond its memory, or fill it, so that the process may end."""
    if call.target.short == "binary_repr":
        return "2**31" in call.options.get("width", "")
    if call.target.short != "bincount":
        return False
    last = np.iinfo(np.intp).max  # one more counter than this is none
    arrays = [each for each in bound(call).values() if isinstance(each, np.ndarray)]
    return any(each.dtype.kind in "iu" and (each == last).any() for each in arrays)


@difference("NumPy's products with the number zero do not look at the other operand", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("inner", "dot", "multi_dot"):
        return False
    product, own = np.asarray(expected.result), ours.result.array
    rest = (product == 0) & ~np.isfinite(own)
    return bool(np.all(rest | (product == own) | np.isnan(product) & np.isnan(own)))


@difference("NumPy counts coefficients in the dtype of degrees", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_fit = call.target.name.startswith("polynomial.") and call.target.short.endswith("fit")
    return is_fit and says(expected.error, "out of bounds for axis 0 with size")


@difference("NumPy's average of nothing divides by the number of its results", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_division = isinstance(expected.error, ZeroDivisionError)
    results = flattened(ours.result)
    return call.target.short == "average" and is_division and results[0].array.size == 0


@difference("NumPy's arange() computes its length in the dtype of small scalars")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_scalar = "np.dtype(" in call.expression or re.search(r"np\.\w+\(", call.expression)
    return call.target.short == "arange" and bool(is_scalar) and found.kind != "dtype"


@difference(
    "NumPy finds loops for reductions by ldexp of integers only, and their dtypes", "rejects"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("ldexp.") and says(ours.error, "needs equal input")


@difference("NumPy reads a descending order into bins with NaN", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "digitize" and "nan" in call.text()


@difference("NumPy forgets its errors, or that it has one", "error", "accepts", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.error, SystemError)


@difference("NumPy's permutation() and arange() of uint64 are floats", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "permutation" and "u8" in call.expression


@difference("NumPy's arange() has no length of more than 63 bits", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "arange" and says(ours.error, "Maximum allowed size")


@difference("NumPy asks orders for arrays before it refuses them", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "did not return an iterable")


@difference("NumPy cannot count complex numbers into bins", "accepts", "error", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "histogram" and (
        "complex" in call.text() or "c" in operand_of(call).dtype.kind
    )


@difference("NumPy finds no dtype for a product with an empty list", "dtype", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("dot", "inner", "vdot", "multi_dot") and bool(
        re.search(r"\[\]|\(\)", call.expression)
    )


@difference("NumPy cannot take logarithms of integers beyond 64 bits", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "no callable", "too large to convert to C long")


@difference("NumPy cannot order complex numbers and integers beyond 64 bits", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "not supported between instances of 'complex' and 'int'")


@difference("NumPy refuses to shift arrays without dimensions", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("fftshift", "ifftshift") and says(expected.error, "unpack")


@difference("NumPy's einsum ignores dtype= where it computes nothing", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "einsum" and "dtype" in call.options


@difference("NumPy's einsum() finds diagonals in arrays without elements", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_empty = any(np.size(value) == 0 for value in (expected.names or {}).values())
    is_told = says(ours.error, "dimensions for collapsing index")
    return call.target.short == "einsum" and is_empty and is_told


@difference("NumPy takes positions modulo 2**64", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "kth(=18446744073709551615)")


@difference("NumPy makes an integer of NaN", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "repeat" and "nan" in call.expression


@difference("NumPy casts what is assigned to real by any rule", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name in ("ndarray.real.set", "ndarray.imag.set")


@difference("NumPy takes axes modulo 2**32, and the lowest one for all", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = isinstance(ours.error, np.exceptions.AxisError) or says(ours.error, "zero-dim")
    return is_told and "2**" in call.expression


@difference("NumPy's unravel_index() takes negative extents whose product is not -1")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "unravel_index" and says(ours.error, "no array has the shape")


@difference("NumPy's arrays on the host are not changed in place", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "nan_to_num" and says(ours.error, "cannot be changed in place")


@difference("NumPy's arange() of extents that it cannot count is empty", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "arange" and (
        says(ours.error, "array is too big")
        or (isinstance(ours.error, MemoryError) and np.size(expected.result) == 0)
    )


@difference("NumPy's einsum() of one operand looks at no dtype= where it returns a view", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "einsum" and "dtype" in call.options and says(ours.error, "rule")


@difference("NumPy does not put extents of nothing together for medians and the like", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_one = call.target.short.endswith(("median", "percentile", "quantile"))
    return is_one and says(expected.error, "newaxis")


@difference("NumPy's real transforms of nothing read beyond it", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    is_real = call.target.short in ("irfft", "hfft", "irfft2", "irfftn")
    return is_real and operand is not None and operand.size == 0


@difference("NumPy's last derivatives of HermiteE series forget the axis", "strides", "shape")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "hermeder" and np.size(expected.result) == ours.result.array.size


@difference("NumPy's matrix_power() has no answer for the lowest exponent", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "matrix_power" and expected.result is None


@difference("NumPy's at() of uint64 and Python's integers looks for loops of float64", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(expected.error, "loop", "input types")
    return call.target.short == "at" and is_told and "'u8'" in call.text()


@difference("NumPy's arange() counts in floats", "shape")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "arange" and "2**" in call.text()


@difference("NumPy's diagonals of offsets beyond 31 bits are as long as the overflow says")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_large = any("2**31" in text for text in (*call.options.values(), call.expression))
    return call.target.short in ("diagonal", "trace") and is_large


@difference(
    "NumPy computes the widths of lines in the arrays that they are given in",
    "accepts",
    "value",
    "written",
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    width = re.search(r"\(\w+[^,]*, (max_line_width=)?a\d+", call.expression)
    return call.target.short in ("array2string", "array_repr", "array_str") and width is not None


@difference("NumPy's select() gives numbers a dtype, which it then cannot cast", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "select" and says(expected.error, "Cannot cast array data")


@difference("NumPy compares infinities in the place of numbers beyond small floats", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("isclose", "allclose") and "1e300" in call.expression


@difference("NumPy's unpackbits() of nothing leaves what was in memory", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    return call.target.short == "unpackbits" and operand is not None and operand.size == 0


@difference("NumPy takes False for a probability of which it refuses the number", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "negative_binomial" and says(ours.error, "p <= 0")


@difference("NumPy's copyto() takes Python's numbers by the rule 'no', not by 'equiv'", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(expected.error, "under the casting rule 'equiv'")
    return call.target.short == "copyto" and is_told


@difference("NumPy's isin() inverts a part of its steps by what equals True only", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    text = call.options.get("invert", "True")
    if call.target.short != "isin" or text in ("True", "False"):
        return False
    given = (argument_values(call, position) for position in (0, 1))
    meant = np.isin(*given, invert=bool(evaluated(call, text)))
    return np.array_equal(meant, ours.result.array)


@difference("NumPy computes the number of terms in the dtype of the degrees", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(expected.error, "negative dimensions are not allowed")
    return call.target.short.endswith("fit") and is_told and "127" in call.text()


@difference("NumPy looks at no shape of nothing that is assigned to nothing", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(ours.error, "could not be broadcast to indexing result of shape")
    values = list(expected.names.values())
    is_set = call.target.name == "operator.__setitem__"
    return is_told and is_set and np.size(values[-2]) == 0


@difference("NumPy's permutation() of nothing shuffles its operand", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(expected.error, "array is read-only")
    return call.target.short == "permutation" and is_told and np.size(ours.result.array) == 0


@difference("NumPy's bincount() counts to less than nothing after the largest number", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    numbers = first_operand(call, expected)
    is_largest = numbers is not None and np.iinfo(np.int64).max in numbers
    return call.target.short == "bincount" and bool(is_largest)


@difference("NumPy's quantiles have another dtype where all elements are NaN", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_one = call.target.short.endswith(("percentile", "quantile"))
    return is_one and bool(
        np.all(np.isnan(expected.result)) and np.all(np.isnan(ours.result.array))
    )


@difference("NumPy draws between bounds that are not there", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_drawn = call.target.name.startswith("random.")
    return is_drawn and says(ours.error, "bounds of shape (0,) do not broadcast")


@difference("NumPy squares differences from mean= in their own precision", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("var", "std", "nanvar", "nanstd") or "mean" not in call.options:
        return False
    is_half = np.asarray(evaluated(call, call.options["mean"])).dtype == np.float16
    return is_half and not np.isfinite(expected.result).all()
