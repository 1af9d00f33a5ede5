"""The differences from NumPy that are meant, in what single functions take and refuse."""

from __future__ import annotations

import ast
import re

import numpy as np
from call import Call
from comparison import Difference, Outcome
from rules import (
    ARGUMENT_ERRORS,
    difference,
    first_operand,
    is_finite,
    says,
)


@difference("tolerances are real numbers", "value", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    given = [call.options.get(name, "") for name in ("rtol", "atol")]
    return any(re.search(r"complex|j|\*\*", text) for text in given)


@difference("points of a series in a range are points in a list", "shape", "value", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_evaluation = re.search(r"(grid|val)([23]d)?$|valfromroots$", call.target.short) is not None
    if not call.target.name.startswith("polynomial.") or not is_evaluation:
        return False
    arguments = ast.parse(call.expression, mode="eval").body.args  # type: ignore[attr-defined]
    return any(ast.unparse(each).startswith("range(") for each in arguments[:-1])


@difference("ndmax=0 is as many dimensions as there are, as NumPy says it", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "array" and call.options.get("ndmax") in ("0", "False")


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


@difference("casting=None allows every conversion, as CuPy's astype()", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "astype" and call.options.get("casting") == "None"


@difference("arrays have no fields to sort by", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(ours.error, "has no fields")


@difference("the spacing of frequencies is a number in double precision")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("fftfreq", "rfftfreq") and "d" in call.options


@difference("strides, dtypes and flags of an array are not set", "rejects", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name in ("ndarray.strides.set", "ndarray.dtype.set")


@difference("booleans of arrays are no numbers of repetitions", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    words = ("'numpy.bool' object cannot", "only integer scalar arrays")
    is_boolean = "True" in call.expression or "False" in call.expression
    return call.target.short == "tile" and is_boolean and says(ours.error, *words)


@difference("views that repeat elements stay read-only", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.setflags" and says(ours.error, "cannot set WRITEABLE")


@difference("one extent may stand in an array without dimensions, as of new arrays", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "resize" and says(expected.error, "iteration over a 0-d array")


@difference("positions of a sorter are those of any index", "error", "accepts", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "sorter" in call.options


@difference("extents are integers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = (
        "tri",
        "tril",
        "triu",
        "tril_indices",
        "triu_indices",
        "tril_indices_from",
        "triu_indices_from",
        "diagflat",
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


@difference("place() also places arrays on devices", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "place" and says(expected.error, "missing 2 required positional")


@difference("devices have numbers", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "to_device"


@difference("whether arrays share memory is always told exactly", "accepts", "error", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return "max_work" in call.options


@difference(
    "an array owns its memory or shares it: it is resized in either case", "accepts", "error"
)
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.resize"


@difference("numbers are permuted as arrays without dimensions", "accepts", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return says(expected.error, "len() of unsized")


@difference("what is no number differs from every array", "shape", "value", "rejects", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    names = ("__eq__", "__ne__", "array_equiv", "array_equal")
    return call.target.short in names and call.mistakes > 0


@difference("memory that is not contiguous is told as Python's buffers tell it", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(ours.error, BufferError)


@difference("booleans are rounded as numbers are", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("round", "around") and says(expected.error, "'multiply'")


@difference("one condition without dimensions is one for all elements", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "piecewise" and says(expected.error, "array is 0-dimensional")


@difference("numbers to select from are cast as in where()", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "select" and says(expected.error, "Cannot cast scalar from dtype")


@difference("at() needs its operands, also for no places", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "at" and says(ours.error, "second operand needed for ufunc")


@difference("what is no number fills no array, also of booleans", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short in ("full", "full_like") and says(ours.error, "a number is needed")


@difference("a text is no axis, also without letters", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return isinstance(ours.error, TypeError) and call.options.get("axis") == "''"


@difference("the norm of a transform is looked at, also along no axes", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name.startswith("fft.") and says(
        ours.error, "Invalid norm value", "unhashable"
    )


@difference("None is no shape", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "reshape" and "None" in call.expression


@difference("choose() chooses among any number of arrays", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "choose" and says(expected.error, "at most 64 array objects")


@difference("the period of samples is one number", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = isinstance(ours.error, ARGUMENT_ERRORS) and isinstance(
        expected.error, ARGUMENT_ERRORS
    )
    return call.target.short == "interp" and "period" in call.options and is_told


@difference("points may be given by a range", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_series = call.target.name.startswith("polynomial.") and "range(" in call.expression
    return is_series and says(expected.error, "'range'")


@difference("elements of boolean arrays are no truth values of sequences", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    is_told = says(ours.error, "setting an array element with a sequence")
    is_set = call.target.name == "operator.__setitem__" and operand is not None
    return is_told and is_set and operand.dtype == bool


@difference("singular values of what is not finite may take LAPACK for ever", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    operand = first_operand(call, expected)
    is_told = says(ours.error, "SVD did not converge")
    return is_told and operand is not None and not np.isfinite(operand).all()


@difference("what is written to is an array of the library", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "copyto" and says(ours.error, "must be cupola.ndarray")


@difference("lengths of transforms are integers", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_told = says(ours.error, "'numpy.bool' object cannot be interpreted as an integer")
    return call.target.name.startswith("fft.") and is_told


@difference("the only boolean number of a weight is an array", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.endswith("weight") and "np.bool_(" in call.expression


@difference("what is fitted to values that are not finite is not said", "value")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.endswith("fit") and not is_finite(expected)


@difference("what a function gives for a row is an array of the library", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    is_numpys = says(ours.error, "operand is a numpy.ndarray")
    return call.target.short in ("apply_along_axis", "apply_over_axes") and is_numpys


@difference("an empty text is no tuple of axes", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.options.get("axis") in ("''", '""', "b''") and says(ours.error, "as an integer")


@difference("which of two wrong arguments of sort() is told", "error")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.sort" and {"axis", "kind", "stable"} <= call.options.keys()


@difference("bounds without elements broadcast to no elements", "rejects")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short == "integers" and says(ours.error, "do not broadcast to shape")


@difference("arrays are not flagged as copies to be written back", "accepts")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.name == "ndarray.setflags" and "uic" in call.options


@difference("NumPy's booleans are arrays of one, whose squares are in half precision", "dtype")
def _(call: Call, found: Difference, expected: Outcome, ours: Outcome) -> bool:
    return call.target.short.endswith("weight") and "np.dtype('?')" in call.expression
