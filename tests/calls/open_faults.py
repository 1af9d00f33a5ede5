"""Differences from NumPy that are faults of the library, to be mended; a run counts them."""

from __future__ import annotations

from collections.abc import Callable

from call import Call
from comparison import Difference, Outcome
from rules import Rule, difference, says


def open_fault(fault: str, *kinds: str) -> Callable[[Rule], Rule]:
    return difference(f"open: {fault}", *kinds)


@open_fault("std and var are laid out like the array, not like its deviations", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "mean" in call.options and call.target.short in ("std", "var", "nanstd", "nanvar")


@open_fault("None is refused as order=, mode=, a shape and an operand", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "incompatible function") and "None" in call.expression


@open_fault("numbers alone are cast by the rules of arrays", "accepts", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    """Of Python's and NumPy's numbers as operands of ufuncs."""
    words = ("out of bounds for", "Python int", "No loop matching", "Cannot cast ufunc")
    return bool(call.target.ufunc) and (says(expected.error, *words) or says(ours.error, *words))


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


@open_fault("None, and numbers that fit nowhere, fill arrays by other rules", "accepts", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("full_like", "full", "fill")


@open_fault("Python integers beyond 64 bits make float64 of small integers", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return bool(call.target.ufunc) and "**" in call.expression
