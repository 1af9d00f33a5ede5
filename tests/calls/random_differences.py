"""The differences from NumPy that are meant, in what functions of random numbers take."""

from __future__ import annotations

import re

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import (
    ARGUMENT_ERRORS,
    difference,
    flattened,
    says,
)

COUNTED = ("repeat", "take", "searchsorted")


@difference("counts of random numbers may be arrays of any integers", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(expected.error, "from dtype('uint64') to dtype('int64')")
    return call.target.group == "random" and is_told


@difference("bounds of random_integers() may be arrays, as those of randint()", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(expected.error, "only 0-dimensional arrays can be converted")
    return call.target.short == "random_integers" and is_told


@difference("random numbers are written to arrays of any strides", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("Supplied output array must be contiguous", "must be C-contiguous")
    return says(expected.error, *words)


@difference("any object may be named as the method of exponential numbers", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_named = call.target.short == "standard_exponential" and "method" in call.options
    return is_named and says(expected.error, "truth value")


@difference("counts of random numbers are whole", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(ours.error, TypeError)


@difference("parameters of random numbers are looked at in another order", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(ours.error, ARGUMENT_ERRORS)


@difference("NaN is no bound of random numbers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and bool(re.search("nan|None", call.expression))


@difference("bounds and counts are looked at, also where nothing is made", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_empty = all(np.size(value) == 0 for value in flattened(expected.result))
    return is_empty and (call.target.group == "random" or call.target.short in COUNTED)
