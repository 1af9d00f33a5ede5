"""The differences from NumPy that are meant, in what kinds of arguments all functions take.

Those of single functions stand in function_differences.py, of random numbers in
random_differences.py, of results in result_differences.py, NumPy's own faults in numpy_faults.py.
"""

from __future__ import annotations

import re

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import (
    ARGUMENT_ERRORS,
    NO_NUMBERS,
    difference,
    flags,
    flattened,
    kinds,
    operand_of,
    says,
)


@difference("arrays hold numbers: objects, strings, dates, records and byte orders are refused")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if found.kind in ("rejects", "error") and NO_NUMBERS.search(str(ours.error)):
        return True
    if found.kind == "rejects" and not isinstance(ours.error, ARGUMENT_ERRORS):
        return False
    arrays = [v for v in flattened(expected.result) if isinstance(v, np.ndarray | np.generic)]
    return found.kind != "error" and any(kind in "OSUVMm" for kind in kinds(arrays))


@difference("of several mistakes another one is told", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.mistakes > 1


@difference("what no function takes: an error of arguments, of one type or another", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_ours = isinstance(ours.error, ARGUMENT_ERRORS) and not says(
        ours.error, "incompatible function"
    )
    return call.mistakes > 0 and is_ours and isinstance(expected.error, ARGUMENT_ERRORS)


@difference(
    "numbers beyond all extents: too large to convert, or out of bounds",
    "error",
    "accepts",
    "rejects",
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = (
        "too large",
        "too big",
        "than maximum",
        "than minimum",
        "index-sized",
        "Maximum allowed",
    )
    is_large = "**" in call.text() or "inf" in call.text()
    return is_large and (says(expected.error, *words) or says(ours.error, *words))


@difference("of dtypes, shapes and read-only outputs another one is told first", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = (
        "input types",
        "No loop",
        "ast ",
        "read-only",
        "broadcast",
        "core dim",
        "not acceptable",
    )
    is_told = says(expected.error, *words) or says(ours.error, *words)
    return is_told and isinstance(ours.error, ARGUMENT_ERRORS)


@difference("numbers, lists and tuples are taken for arrays everywhere", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.error, AttributeError) or says(expected.error, "descriptor")


@difference("flags are truth values, of what Python finds one for", "accepts", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return any(text not in ("True", "False") for text in flags(call))


@difference(
    "functions of the library have options that NumPy's forms of them lack", "accepts", "error"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "unexpected keyword", "positional argument")


@difference("an array in the place of a dtype means its dtype", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "Cannot construct a dtype from an array")


@difference("True and False are axes 1 and 0", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "an integer is required")


@difference("an array without dimensions has the axes 0 and -1 in reductions", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    zero = any(np.ndim(value) == 0 for value in (expected.names or {"": 0}).values())
    return (
        zero
        and isinstance(expected.error, np.exceptions.AxisError)
        and "(0,)" in call.text() + ("(0,)" if says(expected.error, "of dimension 0") else "")
    )


@difference("a reduction starts at a number", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "initial" in call.options and says(ours.error, "with a sequence")


@difference("masks are boolean, of what is no number too", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "where= must be boolean")


@difference("no dtype holds Python's integers beyond 64 bits", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_large = bool(re.search(r"2\*\*6[34]|10\*\*30", call.expression))
    return is_large and bool(call.target.ufunc) and says(ours.error, "out of bounds for int64")


@difference("sizes are numbers, True and False too", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("expected a sequence of integers", "integer argument expected", "int() argument")
    return says(expected.error, *words)


@difference(
    "an array without dimensions is a number where it cannot be changed in place", "accepts"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.startswith("__i") and np.ndim(operand_of(call)) == 0


@difference("an array of more bytes than the host may have is not copied there", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(ours.error, MemoryError) and any(
        getattr(value, "nbytes", 0) > 2**26 for value in flattened(expected.result)
    )


@difference("axes may stand in any sequence, arrays too", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("only integer scalar arrays", "'str' object cannot", "'list' object cannot")
    words += ("invalid literal for int()", "'range' object cannot")
    return bool({"axis", "axes"} & call.options.keys()) and says(expected.error, *words)


@difference("corrections are real numbers", "rejects", "error", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    given = [call.options.get(name, "") for name in ("correction", "ddof")]
    return says(ours.error, "complex", "real number, not") or any(
        "complex" in text or "j" in text for text in given
    )


@difference(
    "numbers of NumPy are numbers, and nothing is written to them", "accepts", "rejects", "error"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("cupola.ndarray is needed", "should be a cupola array", "or an integer, not")
    words += ("must be a cupola.ndarray",)
    return says(ours.error, *words) or says(expected.error, "must be an array")


@difference("where=None is where=True: nothing is left out")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.options.get("where") == "None"


@difference("what NumPy has no memory for may need none here", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.error, MemoryError) and "**" in call.text()


@difference("the memory of a GPU is not the host's", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "cupola.asnumpy copies", "copy it to the host with cupola.asnumpy")


@difference("a NumPy array is not written to by operators", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.startswith("__i") and says(ours.error, "must be of ArrayType")


@difference("dictionaries and sets are no sequences", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return bool(re.search(r"\{\}|set\(\)", call.expression)) and isinstance(ours.error, TypeError)


@difference("elements are aligned in memory: views that would not be are refused", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "the elements of this view are not aligned")
