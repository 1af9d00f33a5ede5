"""Differences from NumPy that are faults of the library, to be mended; a run counts them."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import Rule, bound, difference, says


def open_fault(fault: str, *kinds: str) -> Callable[[Rule], Rule]:
    return difference(f"open: {fault}", *kinds)


@open_fault("at() of several places takes negative exponents", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "power.at" and says(expected.error, "negative integer powers")


@open_fault("values of series at points that repeat have another order in memory", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if not call.target.name.startswith("polynomial.") or not call.target.short.endswith("val"):
        return False
    arrays = [each for each in bound(call).values() if isinstance(each, np.ndarray)]
    return any(0 in each.strides for each in arrays)


@open_fault("einsum of three operands, of which some broadcast, has another order", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "einsum" and len(set(re.findall(r"\ba\d+", call.expression))) > 2


@open_fault("divisions are reduced in the operand's dtype, not the output's", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("mod.reduce", "remainder.reduce", "floor_divide.reduce", "fmod.reduce", "power.reduce")
    return call.target.name in names and "out" in call.options
