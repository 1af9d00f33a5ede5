"""The one list of differences from NumPy that are no findings, each a rule with its reason.

Those that are meant stand in differences.py, function_differences.py, random_differences.py and
result_differences.py, NumPy's own faults in numpy_faults.py and numpy_output_faults.py, faults of
the library that are open in open_faults.py; a run counts them. A rule is about calls, never a list
of them.
"""

from __future__ import annotations

import ast
import math
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
# What NumPy's cov() says of weights with a RuntimeError.
WEIGHTS = ("cannot handle multidimensional", "incompatible numbers of samples")

Rule = Callable[[Call, Difference, Outcome, Outcome], bool]
RULES: list[tuple[str, Rule]] = []

# The words of the library where it refuses what no array of its holds.
NO_NUMBERS = re.compile(
    r"is not supported; arrays hold|unsupported operand type|no integer dtype holds"
    r"|elements must be bool, integers|not supported between instances"
    r"|not in the byte order of this machine|numpy\.dtypes\.VoidDType"
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
    if type(ours.error) in INTERNAL_ERRORS and not says(ours.error, *WEIGHTS):
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


def bound(call: Call) -> dict[str, Any]:
    """What the names in a call mean to NumPy before it is made."""
    names: dict[str, Any] = {"xp": np, "np": np, "inf": math.inf, "nan": math.nan}
    for name, value in call.lines:
        names[name] = eval(value, names)
    return names


def evaluated(call: Call, text: str) -> Any:
    """An argument of a call, as NumPy sees it."""
    with np.errstate(all="ignore"):
        return eval(text, bound(call))


def argument_text(call: Call, position: int) -> str:
    """Of an argument that is given by position."""
    return ast.unparse(ast.parse(call.expression, mode="eval").body.args[position])  # type: ignore[attr-defined]


def argument_values(call: Call, position: int) -> np.ndarray:
    """Of an argument that is given by position, as NumPy sees it."""
    return np.asarray(evaluated(call, argument_text(call, position)))


def operand_of(call: Call) -> np.ndarray:
    """What a method belongs to, or the first argument of a function."""
    return np.asarray(bound(call)[call.receiver]) if call.receiver else argument_values(call, 0)


def outputs_of(call: Call) -> list[str]:
    """The names of the arrays in out=."""
    return re.findall(r"\ba\d+\b", call.options.get("out", ""))


def is_written_over(call: Call, output: str, *others: str) -> bool:
    """Whether the memory of an output is that of an argument as well."""
    names = bound(call)
    written, *values = [np.asarray(eval(text, names)) for text in (output, *others)]
    return any(np.may_share_memory(written, value) for value in values)


def without_dtype(call: Call, positional: int) -> np.ndarray:
    """What NumPy gives without dtype=, which may stand after so many arguments."""
    tree = ast.parse(call.expression, mode="eval")
    call_node: Any = tree.body
    call_node.args = call_node.args[:positional]
    call_node.keywords = [k for k in call_node.keywords if k.arg != "dtype"]
    return np.asarray(evaluated(call, ast.unparse(tree)))


def pairs(call: Call, expected: Outcome, ours: Outcome) -> list[tuple[np.ndarray, np.ndarray]]:
    """The arrays of results and of out= in both libraries."""
    names = ["result", *outputs_of(call)]
    both = [(flattened(expected.names[name]), flattened(ours.names[name])) for name in names]  # type: ignore[index]
    return [
        (np.asarray(want), getattr(got, "array", got))
        for wanted, found in both
        for want, got in zip(wanted, found, strict=True)
        if want is not None
    ]


def agree_where_finite(want: np.ndarray, got: np.ndarray, step: float = 0.0) -> bool:
    """Whether numbers are the same to some roundings, but for those that are infinite or NaN."""
    if want.shape != got.shape:
        return False
    step = step or (np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0.0)
    both = np.isfinite(want) & np.isfinite(got)
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    one, other = want[both].astype(wide), got[both].astype(wide)
    bound = 64 * step * max(1.0, *np.abs(one).ravel(), 1.0)
    cut = 1.0 if want.dtype.kind in "iu" and step else 0.0
    return bool(np.all(np.abs(one - other) <= bound + cut))


def same_elements(expected: Any, found: Any) -> bool:
    """In some order."""
    arrays = (np.asarray(expected), found.array if hasattr(found, "array") else found)
    one, other = (np.sort(np.ravel(array)) for array in arrays)
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
