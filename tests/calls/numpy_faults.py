"""Differences from NumPy where it is NumPy that is wrong."""

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
    is_written_over,
    outputs_of,
    pairs,
    says,
)


@difference("NumPy's products with the number zero do not look at the other operand", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short not in ("inner", "dot"):
        return False
    product, own = np.asarray(expected.result), ours.result.array
    rest = (product == 0) & ~np.isfinite(own)
    return bool(np.all(rest | (product == own) | np.isnan(product) & np.isnan(own)))


@difference("NumPy's average of nothing divides by the number of its results", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_division = isinstance(expected.error, ZeroDivisionError)
    results = flattened(ours.result)
    return call.target.short == "average" and is_division and results[0].array.size == 0


@difference("NumPy's choose() writes over positions that it has yet to read", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    others = [name for name, _ in call.lines]
    return call.target.short == "choose" and any(
        is_written_over(call, bound(call)[name], *(n for n in others if n != name))
        for name in outputs_of(call)
    )


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


@difference("NumPy writes over values that place() has yet to read", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "place" and is_written_over(
        call, argument_values(call, 0), call.options["vals"]
    )


@difference("NumPy transforms several axes in out=, whatever shape is between them", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.") and {"out", "s"} <= call.options.keys()


@difference("NumPy forgets its errors, or that it has one", "error", "accepts", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.error, SystemError)


@difference("NumPy's permutation() and arange() of uint64 are floats", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "permutation" and "u8" in call.expression


@difference("NumPy's arange() has no length of more than 63 bits", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "arange" and says(ours.error, "Maximum allowed size")


@difference("NumPy casts quantiles to out= by one rule or another, and writes to copies", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "overwrite_input" in call.options or says(expected.error, "Cannot cast scalar from")


@difference("NumPy asks orders for arrays before it refuses them", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "did not return an iterable")


@difference("NumPy cannot count complex numbers into bins", "accepts", "error", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "histogram" and "complex" in call.text()


@difference("NumPy finds no dtype for a product with an empty list", "dtype", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("dot", "inner", "vdot", "multi_dot") and bool(
        re.search(r"\[\]|\(\)", call.expression)
    )


@difference("NumPy cannot take logarithms of integers beyond 64 bits", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "no callable", "too large to convert to C long")


@difference("NumPy refuses to shift arrays without dimensions", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("fftshift", "ifftshift") and says(expected.error, "unpack")


@difference("NumPy returns the operand itself, and not out=, of a transform along no axes")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return (
        call.target.name.startswith("fft.")
        and "out" in call.options
        and (
            re.search(r"\(\)|\[\]|''", call.expression) is not None or np.ndim(expected.result) == 0
        )
    )


@difference("NumPy's hfft, ifft2 and irfft2 ignore out=")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("hfft", "ifft2", "irfft2") and "out" in call.options


@difference("NumPy casts masked elements of out= to the loop's dtype and back", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if not call.target.ufunc or not {"where", "out"} <= call.options.keys():
        return False
    kept = np.asarray(evaluated(call, call.options["where"]), bool)
    return all(
        np.all((want == got) | (want != want) & (got != got) | ~np.broadcast_to(kept, want.shape))
        for want, got in pairs(call, expected, ours)
    )


@difference("NumPy's einsum ignores dtype= where it computes nothing", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "einsum" and "dtype" in call.options


@difference("NumPy's at() does not notice all read-only arrays", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "at" and says(ours.error, "read-only")


@difference("NumPy takes positions modulo 2**64", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "kth(=18446744073709551615)")


@difference("NumPy makes an integer of NaN", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "repeat" and "nan" in call.expression


@difference("NumPy broadcasts results to out= of accumulate and reduceat", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "out" in call.options and says(ours.error, "the output has shape")


@difference("NumPy casts what is assigned to real by any rule", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name in ("ndarray.real.set", "ndarray.imag.set")


@difference(
    "NumPy's reductions by power and arctan2 start at the wrong end", "value", "accepts", "written"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    name, _, method = call.target.name.partition(".")
    names = ("power", "pow", "float_power", "arctan2", "atan2")
    return method in ("reduce", "reduceat") and name in names


@difference("NumPy writes to a read-only array in round() of integers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("round", "around") and says(ours.error, "read-only")


@difference("NumPy takes axes modulo 2**32, and the lowest one for all", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = isinstance(ours.error, np.exceptions.AxisError) or says(ours.error, "zero-dim")
    return is_told and "2**" in call.expression


@difference("NumPy divides means by the sum of where=, which may hold numbers", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    where = call.options.get("where", "True")
    names = ("std", "var", "mean", "nanstd", "nanvar", "nanmean")
    return call.target.short in names and not where.startswith(("a", "True", "False"))


@difference("NumPy's unravel_index() takes negative extents whose product is not -1")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "unravel_index" and says(ours.error, "no array has the shape")


@difference("NumPy's arrays on the host are not changed in place", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "nan_to_num" and says(ours.error, "cannot be changed in place")


@difference("NumPy keeps what it has combined so far in out=, of whatever dtype", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    out = (expected.names or {}).get(call.options.get("out", ""))
    operand = first_operand(call, expected)
    names = ("max", "min", "amax", "amin", "reduce")
    if call.target.short not in names and "initial" not in call.options:
        return False
    if out is None or operand is None:
        return False
    with np.errstate(all="ignore"):  # what is combined does not survive it
        cast = operand.astype(out.dtype)
    return not np.array_equal(cast, operand, equal_nan=operand.dtype.kind in "fc")


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


@difference("NumPy writes over elements that the setter of flat has yet to read", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = re.findall(r"\ba\d+\b", call.expression)
    arrays = [np.asarray(expected.names[name]) for name in names]
    is_set = call.target.name == "ndarray.flat.set" and len(arrays) == 2
    return is_set and np.shares_memory(*arrays)


@difference("NumPy does not notice that what is copied to itself is read-only", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(ours.error, "assignment destination is read-only")
    return call.target.name == "copyto" and is_told


@difference("NumPy's arange() counts in floats", "shape")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "arange" and "2**" in call.text()


@difference("NumPy's diagonals of offsets beyond 31 bits are as long as the overflow says")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_large = any("2**31" in text for text in (*call.options.values(), call.expression))
    return call.target.short in ("diagonal", "trace") and is_large


@difference("NumPy computes the widths of lines in the arrays that they are given in", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    width = re.search(r"\(\w+[^,]*, (max_line_width=)?a\d+", call.expression)
    return call.target.short == "array2string" and width is not None


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


@difference("NumPy's concatenate() writes to read-only arrays", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(ours.error, "output array is read-only")
    return call.target.short in ("concat", "concatenate", "stack") and is_told


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


@difference("NumPy leaves dimensions of products away where an output has none", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return (
        says(ours.error, "matmul: Output operand 0", "matmul: Input operand 1")
        and ("out" in call.options or "imatmul" in call.target.name)
        and np.ndim(expected.result) < 2
    )


@difference(
    "NumPy writes over operands of stack() and concatenate() before it reads them",
    "written",
    "value",
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    output = call.options.get("out", "")
    written = [expected.names[name] for name in re.findall(r"a\d+", output)]
    others = re.findall(r"a\d+", call.expression.replace(output, ""))
    is_shared = any(np.shares_memory(written[0], expected.names[n]) for n in others if written)
    return call.target.short in ("stack", "concatenate", "concat") and is_shared
