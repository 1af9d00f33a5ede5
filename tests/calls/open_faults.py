"""Differences from NumPy that are faults of the library, to be mended; a run counts them."""

from __future__ import annotations

from collections.abc import Callable

from call import Call
from comparison import Difference, Outcome
from rules import Rule, difference, says


def open_fault(fault: str, *kinds: str) -> Callable[[Rule], Rule]:
    return difference(f"open: {fault}", *kinds)


@open_fault("at() of several places takes negative exponents", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "power.at" and says(expected.error, "negative integer powers")


@open_fault("extremes for an output of another dtype are found before they are cast", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("min", "max", "amin", "amax") and "out" in call.options


@open_fault("values of series at points that repeat have another order in memory", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("polynomial.") and call.target.short.endswith("val")
