"""What `help` shows of compiled functions: sections that their short texts leave out."""

from __future__ import annotations

import inspect
import re
from typing import Any

_EXAMPLES = """
all: cp.all([[1, 0], [1, 1]], axis=1).tolist() -> [False, True]
any: cp.any([[0, 0], [1, 0]], axis=1).tolist() -> [False, True]
argmax: cp.argmax([1, 3, 2]).tolist() -> 1
argmin: cp.argmin([2, 1, 3]).tolist() -> 1
asarray: cp.asarray([1, 2], dtype="float32").tolist() -> [1.0, 2.0]
count_nonzero: cp.count_nonzero([0, 3, 0, 4]).tolist() -> 2
cumprod: cp.cumprod([1, 2, 3]).tolist() -> [1, 2, 6]
cumsum: cp.cumsum([1, 2, 3]).tolist() -> [1, 3, 6]
current_device: cp.current_device() == cp.empty(0).device -> True
current_stream: cp.current_stream() == cp.current_stream() -> True
diagonal: cp.diagonal([[1, 2], [3, 4]]).tolist() -> [1, 4]
empty: cp.empty((2, 3)).shape -> (2, 3)
flip: cp.flip([1, 2, 3]).tolist() -> [3, 2, 1]
max: cp.max([[1, 5], [7, 3]], axis=0).tolist() -> [7, 5]
mean: cp.mean([1, 2, 6]).tolist() -> 3.0
min: cp.min([[1, 5], [7, 3]], axis=1).tolist() -> [1, 3]
moveaxis: cp.moveaxis(cp.ones((2, 3, 4)), 0, -1).shape -> (3, 4, 2)
nanargmax: cp.nanargmax([1.0, cp.nan, 3.0]).tolist() -> 2
nanargmin: cp.nanargmin([cp.nan, 1.0, 3.0]).tolist() -> 1
nanmax: cp.nanmax([1.0, cp.nan, 3.0]).tolist() -> 3.0
nanmean: cp.nanmean([1.0, cp.nan, 3.0]).tolist() -> 2.0
nanmin: cp.nanmin([1.0, cp.nan, 3.0]).tolist() -> 1.0
nanprod: cp.nanprod([2.0, cp.nan, 3.0]).tolist() -> 6.0
nanstd: cp.nanstd([1.0, cp.nan, 3.0]).tolist() -> 1.0
nansum: cp.nansum([1.0, cp.nan, 3.0]).tolist() -> 4.0
nanvar: cp.nanvar([1.0, cp.nan, 3.0]).tolist() -> 1.0
ones: cp.ones((2, 2)).tolist() -> [[1.0, 1.0], [1.0, 1.0]]
prod: cp.prod([2, 3, 4]).tolist() -> 24
promote_types: cp.promote_types("int8", "uint8") -> dtype('int16')
ravel: cp.ravel([[1, 2], [3, 4]]).tolist() -> [1, 2, 3, 4]
reshape: cp.reshape(cp.arange(6), (2, -1)).tolist() -> [[0, 1, 2], [3, 4, 5]]
std: cp.std([1, 3]).tolist() -> 1.0
swapaxes: cp.swapaxes(cp.ones((2, 3, 4)), 0, 2).shape -> (4, 3, 2)
take: cp.take([10, 20, 30], [2, 0]).tolist() -> [30, 10]
tile: cp.tile([1, 2], 2).tolist() -> [1, 2, 1, 2]
transpose: cp.transpose([[1, 2], [3, 4]]).tolist() -> [[1, 3], [2, 4]]
var: cp.var([1, 3]).tolist() -> 1.0
zeros: cp.zeros((2, 2), dtype="int32").tolist() -> [[0, 0], [0, 0]]
"""
"""Name, call and result of an example of each."""

_PARAMETERS = {
    "a": "array_like",
    "m": "array_like",
    "A": "array_like",
    "axis": "int or tuple of ints, optional\n    None: all of them, or the flattened array.",
    "axes": "sequence of ints, optional\n    The dimensions in their new order.",
    "axis1": "int",
    "axis2": "int",
    "copy": "bool, optional\n    False: an error where a copy would be needed.",
    "blocking": "bool, optional\n    False: the call does not wait for its stream.",
    "correction": "number, optional\n    The array standard's name of `ddof`.",
    "ddof": "number, optional\n    The squares are divided by their number less this.",
    "destination": "int or sequence of ints\n    Where they are in the result.",
    "device": "Device or str, optional\n    The current one by default.",
    "dtype": "optional\n    Of the computation and the result.",
    "indices": "array of integers",
    "initial": "number, optional\n    Where the reduction starts.",
    "keepdims": "bool, optional\n    Keep the reduced dimensions, with extent 1.",
    "mean": "array, optional\n    The mean, where it is known.",
    "mode": "{'raise', 'wrap', 'clip'}, optional\n    What becomes of an index out of bounds.",
    "offset": "int, optional\n    Which diagonal.",
    "order": "{'C', 'F', 'A', 'K'}, optional\n    In which elements lie, or are read.",
    "out": "ndarray, optional\n    Takes the result.",
    "reps": "int or tuple of ints\n    How often along each dimension.",
    "shape": "int or tuple of ints",
    "source": "int or sequence of ints\n    Which dimensions move.",
    "stream": "Stream, optional\n    The current one by default.",
    "type1": "dtype",
    "type2": "dtype",
    "where": "array of bool, optional\n    The elements to include.",
}
_PARAMETERS_OF = {
    "asarray": {
        "a": "array_like",
        "dtype": "optional",
        "source": "{'snapshot', 'keepalive', 'borrow'}, optional\n    How host memory is read.",
        "stream": "Stream, optional\n    On which the copy is; the current one by default.",
    },
    "permute_dims": {"axes": "tuple of ints, optional\n    The dimensions in their new order."},
    "reshape": {"shape": "int or tuple of ints\n    One extent may be -1: what is left."},
}
"""Where a name means something else than usually."""

_RAISES = {
    "axis": "numpy.exceptions.AxisError\n    For an axis that is not there.",
    "axes": "ValueError\n    For what is no order of the dimensions.",
    "axis1": "numpy.exceptions.AxisError\n    For an axis that is not there.",
    "source": "numpy.exceptions.AxisError\n    For an axis that is not there.",
    "shape": "ValueError\n    For negative extents, and a shape of another number of elements.",
    "type1": "TypeError\n    Where there is none.",
    "copy": "ValueError\n    With ``copy=False``, where a copy would be needed.",
    "reps": "ValueError\n    For negative numbers.",
}
_NEVER = {("asarray", "source")}
_RETURNS = {
    "current_device": "Device",
    "current_stream": "Stream",
    "promote_types": "dtype",
}


def _example(name: str) -> tuple[str, str] | None:
    """The call and its result; none for functions that are no part of the public namespace."""
    for row in _EXAMPLES.strip().splitlines():
        key, _, text = row.partition(": ")
        if key == name:
            call, _, result = text.partition(" -> ")
            return call, result
    return None


def _sections(function: Any, example: tuple[str, str]) -> dict[str, str]:
    """Titles and texts, in their order."""
    names = list(inspect.signature(function).parameters)
    said = {**_PARAMETERS, **_PARAMETERS_OF.get(function.__name__, {})}
    names_with_errors = [name for name in names if (function.__name__, name) not in _NEVER]
    errors = dict.fromkeys(_RAISES[name] for name in names_with_errors if name in _RAISES)
    sections = {
        "Parameters": "\n".join(f"{name} : {said.get(name, 'optional')}" for name in names),
        "Returns": _RETURNS.get(function.__name__, "ndarray"),
        "Raises": "\n".join(errors),
        "Examples": f">>> import cupola as cp\n>>> {example[0]}\n{example[1]}\n",
    }
    return {title: text for title, text in sections.items() if text}


def documentation(function: Any, text: str) -> str:
    """What a compiled function says, with the sections that it has not."""
    example = _example(function.__name__)
    if example is None or "\nExamples\n" in text:
        return text
    opening, *parts = re.split(r"^(Parameters|Returns|Raises|Notes)\n-+\n", text, flags=re.M)
    own = dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
    sections = {**_sections(function, example), **own}
    order = ["Parameters", "Returns", "Raises", "Notes", "Examples"]
    texts = [f"{t}\n{'-' * len(t)}\n{sections[t].rstrip()}" for t in order if t in sections]
    return "\n\n".join([opening.rstrip(), *texts]) + "\n"
