"""The documentation of the algorithms, from the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cupola.cupyx.jit.thrust._algorithm import Parameter
    from cupola.cupyx.jit.thrust._table import Row

_RESULTS = {
    "void": ("None", "The ranges that are written have the result."),
    "bool": ("bool", "True or False."),
    "int32": ("int32", "The number."),
    "init": ("number", "Of the dtype of `init`."),
}

_NUMBERS = {
    "value": "What elements are compared with, or set to.",
    "old_value": "What elements are compared with.",
    "new_value": "What takes the place of those that equal it.",
    "init": "What the sums, or the numbers, begin with.",
    "step": "From one element to the next.",
}


def documentation(row: Row, parameters: list[Parameter], ranges: list[Parameter] | None) -> str:
    """In NumPy's sections; `ranges` are the parameters of the form for many values."""
    lines = [f"{row.summary}\n", "Parameters", "----------", "exec_policy : Policy"]
    lines.append("    `thrust.seq` or `thrust.device`: the calling thread does all of it.")
    for each in parameters:
        lines += [f"{each.name} : {_type(each)}", f"    {_meaning(each)}"]
    kind, meaning = _RESULTS.get(row.result, ("iterator", "The end of what was written."))
    names = row.result.split()
    if len(names) == 2:
        kind, meaning = "tuple of iterator", "Where the results end, or the two places."
    elif row.result == "first":
        meaning = "The place in the range."
    lines += ["\nReturns", "-------", kind, f"    {meaning}"]
    lines += ["\nRaises", "------", "TypeError"]
    lines.append("    At the first launch, for arguments of other types.")
    if any(each.is_written for each in parameters):
        lines += [
            "ValueError",
            "    At the first launch, where a range to be written is read-only.",
        ]
    if any(each.kind == "-" for each in parameters):
        lines += ["NotImplementedError", "    At the first launch, for a function of your own."]
    if ranges:
        listed = ", ".join(each.name for each in ranges if each.kind != "-")
        lines += ["\nNotes", "-----", f"Of many values: ``{row.name}(exec_policy, {listed})``."]
    return "\n".join([*lines, *_example(row, parameters)]) + "\n"


def _type(parameter: Parameter) -> str:
    if parameter.kind in ":=":
        return "iterator"
    return (
        "None, optional"
        if parameter.kind == "-"
        else "number" + ", optional" * bool(parameter.default)
    )


def _meaning(parameter: Parameter) -> str:
    if parameter.kind == "=":
        return f"The end of the range that begins at `{parameter.group}`."
    if parameter.kind == ":":
        return "The start of a range" + (", which is written." if parameter.is_written else ".")
    if parameter.kind == "-":
        return "The order, equality, sum or product is that of the dtypes."
    default = f" By default {parameter.default}." if parameter.default else ""
    return _NUMBERS[parameter.name] + default


def _example(row: Row, parameters: list[Parameter]) -> list[str]:
    """A kernel that calls it, one row of two dimensions for each thread."""
    arrays, arguments = [], ["jit.thrust.seq"]
    for each in parameters:
        if each.kind == ":":
            arrays.append(re.sub(r"^first", "x", each.name).replace("_first", ""))
            arguments.append(f"{arrays[-1]}[i].begin()")
        elif each.kind == "=":
            arguments.append(f"{arrays[-1]}[i].end()")
        elif each.kind != "-" and not each.default:
            arguments.append("1")
    call = f"jit.thrust.{row.name}({', '.join(arguments)})"
    return [
        "\nExamples",
        "--------",
        ">>> from cupola.cupyx import jit",
        ">>> @jit.rawkernel()",
        f"... def kernel({', '.join(arrays)}):",
        "...     i = jit.grid(1)",
        f"...     {call}",
    ]
