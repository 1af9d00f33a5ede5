"""Differences from NumPy where it is NumPy that writes what is wrong, or where."""

from __future__ import annotations

import re

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import (
    argument_text,
    bound,
    difference,
    evaluated,
    first_operand,
    flattened,
    is_written_over,
    operand_of,
    outputs_of,
    pairs,
    says,
)


@difference("NumPy's choose() writes over positions that it has yet to read", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    others = [name for name, _ in call.lines]
    return call.target.short == "choose" and any(
        is_written_over(call, name, *(n for n in others if n != name)) for name in outputs_of(call)
    )


@difference("NumPy casts to out='s dtype before it compares, or after it", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("min", "max", "amin", "amax", "nanmin", "nanmax")
    if call.target.short not in names or "out" not in call.options:
        return False
    return operand_of(call).dtype != evaluated(call, call.options["out"]).dtype


@difference("NumPy looks for signs and infinities at wrong places, with order= and out=", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("isfinite", "isinf", "isnan", "signbit")
    return call.target.short in names and {"order", "out"} <= call.options.keys()


@difference("NumPy's choose() writes to outputs with gaps as to others", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    outputs = [np.asarray(bound(call)[name]) for name in outputs_of(call)]
    return call.target.short == "choose" and any(not o.flags.c_contiguous for o in outputs)


@difference("NumPy writes over values that place() has yet to read", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "place" and is_written_over(
        call, argument_text(call, 0), call.options.get("vals") or argument_text(call, 2)
    )


@difference("NumPy transforms several axes in out=, whatever shape is between them", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.") and {"out", "s"} <= call.options.keys()


@difference("NumPy casts quantiles to out= by one rule or another, and writes to copies", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_one = call.target.short.endswith(("median", "percentile", "quantile"))
    words = ("Cannot cast scalar from", "Cannot cast array data from")
    return is_one and ("overwrite_input" in call.options or says(expected.error, *words))


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
    differ = [
        ~np.isclose(want, got, 1e-5, 0, equal_nan=True) for want, got in pairs(call, expected, ours)
    ]
    count = len(flattened(expected.names["result"]))  # type: ignore[index]
    results, owners = differ[:count], differ[count:]  # an output may be a view of its owner
    return not any(np.any(each & kept) for each in results) and (
        sum(map(np.sum, owners)) == sum(map(np.sum, results))
    )


@difference("NumPy's abs() writes to its operand where that is flagged as not aligned", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.name != "ndarray.setflags" or "align" not in call.options:
        return False
    want, got = expected.names["a0"], ours.names["a0"].array  # type: ignore[index]
    return np.array_equal(want, np.abs(got), equal_nan=True)


@difference("NumPy's setflags(uic=False) gives the memory of a view back", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.setflags" and "uic" in call.options


@difference("NumPy's transforms look at no length where out= is given", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(ours.error, "cannot be interpreted as an integer")
    return call.target.name.startswith("fft.") and "out" in call.options and is_told


@difference("NumPy's at() does not notice all read-only arrays", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "at" and says(ours.error, "read-only")


@difference("NumPy broadcasts results to out= of accumulate and reduceat", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "out" in call.options and says(ours.error, "the output has shape")


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


@difference("NumPy divides means by the sum of where=, which may hold numbers", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    where = call.options.get("where", "True")
    names = ("std", "var", "mean", "nanstd", "nanvar", "nanmean")
    return call.target.short in names and not where.startswith(("a", "True", "False"))


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


@difference("NumPy's concatenate() writes to read-only arrays", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(ours.error, "output array is read-only")
    return call.target.short in ("concat", "concatenate", "stack") and is_told


@difference("NumPy leaves dimensions of products away where an output has none", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return (
        says(ours.error, "matmul: Output operand 0", "matmul: Input operand 1")
        and ("out" in call.options or "imatmul" in call.target.name)
        and (np.ndim(expected.result) < 2 or "imatmul" in call.target.name)
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
