"""Differences from NumPy that are faults of the library, to be mended; a run counts them."""

from __future__ import annotations

from collections.abc import Callable

from call import Call
from comparison import Difference, Outcome
from rules import Rule, difference


def open_fault(fault: str, *kinds: str) -> Callable[[Rule], Rule]:
    return difference(f"open: {fault}", *kinds)


@open_fault("reductions with where= do not lie as the array and the mask do", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "where" in call.options


@open_fault("spaced numbers between broadcast arrays do not lie as these do", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("linspace", "logspace", "geomspace")


@open_fault("products with broadcast integers do not lie as these do", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("dot", "inner")


@open_fault("Python's numbers have a dtype of their own where arrays are joined", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("concat", "concatenate")
