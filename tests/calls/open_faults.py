"""Differences from NumPy that are faults of the library, to be mended; a run counts them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import Rule, difference, says


def open_fault(fault: str, *kinds: str) -> Callable[[Rule], Rule]:
    return difference(f"open: {fault}", *kinds)


@open_fault("outer() of ufuncs with two results returns one of them", "type", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    name, _, method = call.target.name.partition(".")
    return method == "outer" and getattr(np, name).nout == 2


@open_fault("outer() takes Python numbers for weak ones", "dtype", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "outer" and call.target.group == "ufunc method"


@open_fault("initial= is cast to what cannot hold it", "accepts", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "initial" in call.options and (says(expected.error, "out of bounds", "cast"))


@open_fault("where= of reductions takes any object for a flag", "accepts", "value", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    where = call.options.get("where", "True")
    return call.target.short in ("std", "var", "mean") and not where.startswith(
        ("a", "True", "False")
    )


@open_fault("clip(dtype=) casts its operands by any rule", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "clip"


@open_fault("std, var and quantiles take an integer dtype or out= that cannot hold them", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = (
        "std",
        "var",
        "nanstd",
        "nanvar",
        "mean",
        "nanmean",
        "percentile",
        "quantile",
        "median",
    )
    return call.target.short in names and bool({"dtype", "out"} & call.options.keys())


@open_fault(
    "mean= of std and var must have the shape of the array, and its dtype counts for little"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "mean" in call.options and call.target.short in ("std", "var", "nanstd", "nanvar")


@open_fault(
    "accumulate() and reduceat() refuse axis=None, (0,) and empty lists", "rejects", "error"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("accumulate", "reduceat", "cumulative_sum", "cumulative_prod")
    return call.target.short in names and says(
        ours.error, "incompatible function", "as an integer", "float64') to dtype('int64"
    )


@open_fault("None is refused as order=, mode=, a shape and an operand", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "incompatible function") and "None" in call.expression


@open_fault("numbers alone are cast by the rules of arrays", "accepts", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    """Of Python's and NumPy's numbers as operands of ufuncs."""
    words = ("out of bounds for", "Python int", "No loop matching", "Cannot cast ufunc")
    return bool(call.target.ufunc) and (says(expected.error, *words) or says(ours.error, *words))


@open_fault("an array of one element is stored as an item", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "setting an array element with a sequence")


@open_fault("dot() with a number refuses outputs in other orders", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "dot" and says(ours.error, "not acceptable")


@open_fault("logical ufuncs cast their operands to one dtype", "rejects", "error", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("logical_")


@open_fault("casting='equiv' and 'no' are not held against Python numbers and booleans", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "cannot cast Python", "to bool", "dtype('bool')")


@open_fault("methods of ufuncs of mixed dtypes, or that give booleans", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("needs equal input", "No loop matching", "not contain a loop", "the input types")
    return call.target.group == "ufunc method" and says(ours.error, *words)


@open_fault("choose() looks at positions of nothing", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "choose" and np.size(expected.result) == 0


@open_fault("arange() of complex numbers in a dtype that is not complex", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "arange" and says(expected.error, "not complex")


@open_fault("pinv() broadcasts its limits over more than the matrices", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "pinv" and says(expected.error, "broadcast")


@open_fault("no bounds and types are looked at where there is nothing to do", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("unravel_index", "insert", "vander", "roll", "put")
    return call.target.short in names or call.target.name == "ndarray.flat.set"


@open_fault("accumulate() of integers takes negative exponents", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "ufunc method" and says(expected.error, "negative integer powers")


@open_fault("None, and numbers that fit nowhere, fill arrays by other rules", "accepts", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("full_like", "full", "nan_to_num", "pad", "fill")


@open_fault("at() takes no other sequences than lists and tuples", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "at" and says(ours.error, "are valid indices")


@open_fault("Python integers beyond 64 bits make float64 of small integers", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return bool(call.target.ufunc) and "**" in call.expression


@open_fault("a boolean array to the power of a number is int64, not int8", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("__pow__", "__ipow__")


@open_fault("tile() refuses negative repetitions, which make nothing", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "tile" and np.size(expected.result) == 0
