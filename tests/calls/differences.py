"""The differences from NumPy that are meant, and NumPy's own faults, each with its reason.

Each is a rule about calls, never a list of them. What is not here is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from call import Call
from comparison import Difference, Outcome

# What functions raise for arguments that they cannot do anything with.
ARGUMENT_ERRORS = (
    TypeError,
    ValueError,
    IndexError,
    OverflowError,
    AttributeError,
    ZeroDivisionError,
)

# Never an answer to an argument, whatever NumPy does.
INTERNAL_ERRORS = (NameError, SystemError, AssertionError, KeyError, RuntimeError)

Rule = Callable[[Call, Difference, Outcome, Outcome], bool]
RULES: list[tuple[str, Rule]] = []

# The words of the library where it refuses what no array of its holds.
NO_NUMBERS = re.compile(
    r"is not supported; arrays hold|unsupported operand type|no integer dtype holds"
    r"|elements must be bool, integers|not supported between instances"
    r"|not in the byte order of this machine"
)


def difference(reason: str, *kinds: str) -> Callable[[Rule], Rule]:
    """Add a rule for differences of these kinds."""

    def add(rule: Rule) -> Rule:
        RULES.append(
            (reason, lambda c, d, e, f: (not kinds or d.kind in kinds) and rule(c, d, e, f))
        )
        return rule

    return add


def reason_for(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> str | None:
    """Why this difference is right; None if it is a finding."""
    if type(ours.error) in INTERNAL_ERRORS:
        return None
    for reason, rule in RULES:
        if rule(call, found, expected, ours):
            return reason
    return None


def flattened(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [each for member in value for each in flattened(member)]
    return [value]


def kinds(value: Any) -> list[str]:
    """Of the dtypes in a result."""
    return [np.asarray(v).dtype.kind for v in flattened(value) if v is not None]


def is_finite(outcome: Outcome) -> bool:
    """Whether all numbers of a call are."""
    values = flattened(list((outcome.names or {}).values()))
    arrays = [np.asarray(value) for value in values if value is not None]
    return all(np.isfinite(a).all() for a in arrays if a.dtype.kind in "fc")


def says(error: BaseException | None, *words: str) -> bool:
    return error is not None and any(word in str(error) for word in words)


def flags(call: Call) -> list[str]:
    """What is given where True or False is meant."""
    defaults = {p.name: p.default for p in call.target.parameters}
    return [
        text
        for name, text in call.options.items()
        if isinstance(defaults.get(name), bool) or name in ("keepdims", "copy", "stable")
    ]


def first_operand(call: Call, outcome: Outcome) -> np.ndarray | None:
    """The first array of a call."""
    names = re.search(r"\b(a\d+)\b", call.expression)
    return np.asarray(outcome.names[names[1]]) if names and outcome.names else None


def same_elements(expected: Any, found: Any) -> bool:
    """In some order."""
    arrays = (np.asarray(expected), found.array if hasattr(found, "array") else found)
    one, other = (np.sort(np.ravel(array)) for array in arrays)
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


# ---- what is meant


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
    return "**" in call.text() and (says(expected.error, *words) or says(ours.error, *words))


@difference("quantiles have no weights", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "weights" in call.options and isinstance(ours.error, NotImplementedError)


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


@difference("lists become arrays", "type")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.result, list)


@difference("dimensions of one element or none have strides of no meaning", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.strides" and bool(
        {0, 1} & set(expected.names[call.receiver].shape)
    )


@difference("what NaN and infinities make of the rest of a transform", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.") and not is_finite(expected)


@difference("new memory holds anything", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "'empty'" in call.expression


@difference("the spacing of frequencies is a number in double precision")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("fftfreq", "rfftfreq") and "d" in call.options


@difference("strides, dtypes and flags of an array are not set", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name in ("ndarray.strides.set", "ndarray.dtype.set")


@difference("what overwrite_input leaves behind is not said", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "overwrite_input" in call.options


@difference("sorting is always stable, and values found by sorting are in order", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short == "argsort":
        return "stable" not in call.expression and "mergesort" not in call.expression
    return call.target.short == "unique_values" and same_elements(expected.result, ours.result)


@difference("a partition is in an order of its own on both sides", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    if call.target.short == "argpartition":
        return True
    result = call.receiver or "result"
    return call.target.short == "partition" and same_elements(
        expected.names[result], ours.names[result]
    )


@difference("places in what is not sorted mean nothing", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    line = first_operand(call, expected)
    given = call.target.short == "searchsorted" and line is not None
    return given and ("sorter" in call.options or bool(np.any(line[:-1] > line[1:])))


@difference("numbers out of range become integers as the platform casts them", "value", "written")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    """From NaN, infinities and what is too large: undefined in C and in NumPy."""
    values = [
        np.asarray(v) for v in flattened(list((expected.names or {}).values())) if v is not None
    ]
    with np.errstate(all="ignore"):
        wild = any(a.dtype.kind in "fc" and not np.all(np.abs(a) < 2**7) for a in values)
    written = "out" in call.options or found.kind == "written"
    return wild and ("i" in kinds(expected.result) or "u" in kinds(expected.result) or written)


@difference("random numbers of parameters in arrays: their values are not looked at", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and "asarray" in call.text()


@difference("counts of random numbers are whole", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(ours.error, TypeError)


@difference("parameters of random numbers are looked at in another order", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and isinstance(ours.error, ARGUMENT_ERRORS)


@difference("singular vectors and eigenvectors may have other signs", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("svd", "eigh", "pinv")


@difference("products of infinite complex numbers have NaN in other parts", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "c" in kinds(expected.result) and not is_finite(expected)


@difference("Python's booleans are booleans", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("real", "imag")


@difference("which of two outputs in the same memory stays is not said", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    outputs = [expected.names[n] for n in re.findall(r"a\d+", call.options.get("out", ""))]
    return len(outputs) == 2 and np.shares_memory(*outputs)


@difference("sizes are numbers, True and False too", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "expected a sequence of integers")


@difference("positions of a sorter are told as other positions", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "sorter" in call.options and isinstance(ours.error, ARGUMENT_ERRORS)


@difference("extents are integers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("tri", "tril_indices", "triu_indices", "array_split", "split", "hsplit", "vsplit")
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


@difference("positions of nonzero elements are arrays of their own", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(expected.result, tuple)


@difference("an array owns its memory or shares it: it is resized in either case", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.resize"


@difference("axes may stand in any sequence, arrays too", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("only integer scalar arrays", "'str' object cannot be interpreted")
    return "axis" in call.options and says(expected.error, *words)


@difference("corrections are real numbers", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return bool({"correction", "ddof"} & call.options.keys()) and says(ours.error, "complex")


@difference("numbers are permuted as arrays without dimensions", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "len() of unsized")


@difference("transforms are stored row by row", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.")


@difference(
    "numbers of NumPy are numbers, and nothing is written to them", "accepts", "rejects", "error"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("cupola.ndarray is needed", "should be a cupola array", "or an integer, not")
    return says(ours.error, *words) or says(expected.error, "must be an array")


@difference("what is no number differs from every array", "shape", "value", "rejects", "type")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("__eq__", "__ne__") and call.mistakes > 0


@difference("bounds are looked at, also where no number is drawn", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "random" and np.size(expected.result) == 0


@difference("memory that is not contiguous is told as Python's buffers tell it", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(ours.error, BufferError)


# ---- NumPy's own faults


@difference("NumPy cannot count complex numbers into bins", "accepts", "error", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "histogram" and "complex" in call.text()


@difference("NumPy finds no dtype for a product with an empty list", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("dot", "inner", "vdot") and "[]" in call.expression


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
        and ("()" in call.expression or "[]" in call.expression or np.ndim(expected.result) == 0)
    )


@difference("NumPy's hfft, ifft2 and irfft2 ignore out=")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("hfft", "ifft2", "irfft2") and "out" in call.options


@difference("NumPy casts masked elements of out= to the loop's dtype and back", "written", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return {"where", "out"} <= call.options.keys()


@difference("NumPy's einsum ignores dtype= where it computes nothing", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "einsum" and "dtype" in call.options


@difference("NumPy's at() does not notice all read-only arrays", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "at" and says(ours.error, "read-only")


@difference("NumPy makes an integer of NaN", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "repeat" and "nan" in call.expression


@difference("NumPy broadcasts results to out= of accumulate and reduceat", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "out" in call.options and says(ours.error, "the output has shape")


@difference("NumPy casts what is assigned to real by any rule", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name in ("ndarray.real.set", "ndarray.imag.set")


@difference("NumPy's reductions by power and arctan2 start at the wrong end", "value", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    name, _, method = call.target.name.partition(".")
    return method == "reduce" and name in ("power", "pow", "float_power", "arctan2", "atan2")


@difference("NumPy writes to a read-only array in round() of integers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("round", "around") and says(ours.error, "read-only")


@difference("NumPy takes axes modulo 2**32", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "transpose" and "2**" in call.expression


# ---- faults of the library that are open; a run counts them


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


@open_fault("order=None and mode=None are refused", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "incompatible function") and "None" in call.options.values()


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


@open_fault("memory order of results of transposed operands", "strides")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return True


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
    return call.target.short == "unravel_index" or call.target.name == "ndarray.flat.set"


@open_fault("accumulate() of integers takes negative exponents", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.group == "ufunc method" and says(expected.error, "negative integer powers")


@open_fault("None, and numbers that fit nowhere, fill arrays by other rules", "accepts", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("full_like", "full", "nan_to_num", "pad", "fill")
