"""The differences from NumPy that are meant, in what is taken and refused.

Those of results stand in result_differences.py, NumPy's own faults in numpy_faults.py.
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
    first_operand,
    flags,
    flattened,
    kinds,
    says,
)


@difference("arrays hold numbers: objects, strings, dates, records and byte orders are refused")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if found.kind in ("rejects", "error"):
        return bool(NO_NUMBERS.search(str(ours.error)))
    return any(kind in "OSUVMm" for kind in kinds(expected.result))


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


@difference("tolerances are real numbers", "value", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    given = [call.options.get(name, "") for name in ("rtol", "atol")]
    return any(re.search(r"complex|j|\*\*", text) for text in given)


@difference("an element is a number", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "fill needs a number") or (
        call.target.short == "fill" and says(ours.error, "inhomogeneous shape")
    )


@difference("numbers that fit nowhere are refused, also where nothing is computed", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "at" and says(ours.error, "out of bounds for")


@difference("the second operand of at() may be named and None", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "at" and call.options.get("b") == "None"


@difference("numbers are reduced along their only axis, whatever holds its number", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.startswith("cumulative_") and np.size(expected.result) == 1


@difference("arrays have no fields to sort by", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "has no fields")


@difference("the spacing of frequencies is a number in double precision")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("fftfreq", "rfftfreq") and "d" in call.options


@difference("strides, dtypes and flags of an array are not set", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name in ("ndarray.strides.set", "ndarray.dtype.set")


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
    return says(expected.error, "Supplied output array must be contiguous")


@difference("any object may be named as the method of exponential numbers", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_named = call.target.short == "standard_exponential" and "method" in call.options
    return is_named and says(expected.error, "truth value")


@difference("booleans of arrays are no numbers of repetitions", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("'numpy.bool' object cannot", "only integer scalar arrays")
    is_boolean = "True" in call.expression or "False" in call.expression
    return call.target.short == "tile" and is_boolean and says(ours.error, *words)


@difference("no dtype holds Python's integers beyond 64 bits", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_large = bool(re.search(r"2\*\*6[34]|10\*\*30", call.expression))
    return is_large and bool(call.target.ufunc) and says(ours.error, "out of bounds for int64")


@difference("views that repeat elements stay read-only", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.setflags" and says(ours.error, "cannot set WRITEABLE")


@difference("counts of random numbers are whole", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(ours.error, TypeError)


@difference("parameters of random numbers are looked at in another order", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(ours.error, ARGUMENT_ERRORS)


@difference("sizes are numbers, True and False too", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("expected a sequence of integers", "integer argument expected", "int() argument")
    return says(expected.error, *words)


@difference("one extent may stand in an array without dimensions, as of new arrays", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "resize" and says(expected.error, "iteration over a 0-d array")


@difference("positions of a sorter are those of any index", "error", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "sorter" in call.options


@difference("NaN is no bound of random numbers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and bool(re.search("nan|None", call.expression))


@difference("extents are integers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = (
        "tri",
        "tril",
        "triu",
        "tril_indices",
        "triu_indices",
        "bincount",
        "rollaxis",
        "array_split",
        "split",
        "hsplit",
        "vsplit",
    )
    return call.target.short in (*names, "dsplit") and isinstance(ours.error, TypeError)


@difference("numbers have no axes: axis= counts for arrays", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("linspace", "logspace", "geomspace") and "axis" in call.options


@difference("a view without a dtype keeps that of the array", "accepts", "dtype", "value", "shape")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "view" and call.options.get("dtype") == "None"


@difference(
    "uniform() goes from the lower to the higher bound, in both generators", "rejects", "accepts"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(ours.error, "high - low") or says(expected.error, "high - low")
    return call.target.short == "uniform" and is_told


@difference("place() also places arrays on devices", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "place"


@difference("devices have numbers", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "to_device"


@difference("whether arrays share memory is always told exactly", "accepts", "error", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "max_work" in call.options


@difference(
    "an array without dimensions is a number where it cannot be changed in place", "accepts"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.startswith("__i") and np.ndim(ours.result) == 0


@difference("an array of more bytes than the host may have is not copied there", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(ours.error, MemoryError) and any(
        getattr(value, "nbytes", 0) > 2**26 for value in flattened(expected.result)
    )


@difference(
    "an array owns its memory or shares it: it is resized in either case", "accepts", "error"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.resize"


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


@difference("numbers are permuted as arrays without dimensions", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "len() of unsized")


@difference(
    "numbers of NumPy are numbers, and nothing is written to them", "accepts", "rejects", "error"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("cupola.ndarray is needed", "should be a cupola array", "or an integer, not")
    return says(ours.error, *words) or says(expected.error, "must be an array")


@difference("what is no number differs from every array", "shape", "value", "rejects", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("__eq__", "__ne__", "array_equiv", "array_equal")
    return call.target.short in names and call.mistakes > 0


@difference("bounds and counts are looked at, also where nothing is made", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_empty = all(np.size(value) == 0 for value in flattened(expected.result))
    return is_empty and (call.target.group == "random" or call.target.short in ("repeat", "take"))


@difference("memory that is not contiguous is told as Python's buffers tell it", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(ours.error, BufferError)


@difference("where=None is where=True: nothing is left out")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.options.get("where") == "None"


@difference("booleans are rounded as numbers are", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("round", "around") and says(expected.error, "'multiply'")


@difference("what NumPy has no memory for may need none here", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.error, MemoryError) and "**" in call.text()


@difference("the norm of a transform is looked at, also along no axes", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.") and says(
        ours.error, "Invalid norm value", "unhashable"
    )


@difference("None is no shape", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "reshape" and "None" in call.expression


@difference("a NumPy array is not written to by operators", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.startswith("__i") and says(ours.error, "must be of ArrayType")


@difference("dictionaries and sets are no sequences", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return bool(re.search(r"\{\}|set\(\)", call.expression)) and isinstance(ours.error, TypeError)


@difference("elements are aligned in memory: views that would not be are refused", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "the elements of this view are not aligned")


@difference("choose() chooses among any number of arrays", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "choose" and says(expected.error, "at most 64 array objects")


@difference("the period of samples is one number", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = isinstance(ours.error, ARGUMENT_ERRORS) and isinstance(
        expected.error, ARGUMENT_ERRORS
    )
    return call.target.short == "interp" and "period" in call.options and is_told


@difference("points may be given by a range", "accepts", "shape", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("polynomial.") and "range(" in call.expression


@difference("elements of boolean arrays are no truth values of sequences", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    is_told = says(ours.error, "setting an array element with a sequence")
    is_set = call.target.name == "operator.__setitem__" and operand is not None
    return is_told and is_set and operand.dtype == bool
