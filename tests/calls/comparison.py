"""What two runs of a call must have in common."""

from __future__ import annotations

import numbers
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from support.compare import UNSIGNED_ZERO, Tolerance, mismatches, public_type
from support.dtypes import epsilon, is_inexact
from support.tolerances import REAL_ULPS
from support.ufuncs import is_exact
from targets import Target

# A result that is rounded on its way may be so many steps of the largest number around off.
ROUNDINGS = 64


@dataclass(frozen=True)
class Difference:
    """What one library does and the other does not."""

    kind: str  # crash, slow, accepts, rejects, error, value, written, dtype, shape, type, strides
    text: str


@dataclass
class Outcome:
    """How a run ended."""

    names: dict[str, Any] | None
    error: BaseException | None = None

    @property
    def result(self) -> Any:
        return self.names["result"] if self.names is not None else None


def is_ours(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "cupola" and hasattr(value, "__array__")


def fetched(value: Any) -> Any:
    """The same with arrays of the library as NumPy arrays of the same strides' order."""
    import cupola

    if isinstance(value, cupola.ndarray):
        return Fetched(cupola.asnumpy(value), value.strides)
    if isinstance(value, tuple | list):
        return [fetched(each) for each in value]
    return value


@dataclass(frozen=True)
class Fetched:
    """An array of the library on the host."""

    array: np.ndarray
    strides: tuple[int, ...]


def errors_differ(expected: BaseException, found: BaseException) -> bool:
    """Whether a handler of the one would miss the other."""
    wanted = public_type(expected)  # type: ignore[arg-type]
    return not (isinstance(found, wanted) or issubclass(wanted, type(found)))


def compare(target: Target, expected: Outcome, found: Outcome) -> Difference | None:
    """The first difference, if there is one."""
    if expected.error is not None and found.error is not None:
        if errors_differ(expected.error, found.error):
            return Difference("error", f"{found.error!r} instead of {expected.error!r}")
        return None
    if expected.error is not None:
        return Difference("accepts", f"{brief(found.result)} instead of {expected.error!r}")
    if found.error is not None:
        return Difference("rejects", f"{found.error!r} instead of {brief(expected.result)}")
    assert expected.names is not None
    assert found.names is not None
    operands = [np.asarray(value) for name, value in expected.names.items() if name != "result"]
    for name in (*(name for name in expected.names if name != "result"), "result"):
        rule = Rule(operands, target)
        difference = values_differ(expected.names[name], found.names[name], rule)
        if difference is not None:
            if name != "result":
                return Difference("written", f"{name}: {difference.text}")
            return difference
    return None


def largest_of(array: np.ndarray) -> float:
    """The largest absolute value that is finite, at least 1."""
    with np.errstate(all="ignore"):
        finite = np.abs(array[np.isfinite(array)].astype(np.complex128))
        return max(1.0, float(finite.max())) if finite.size else 1.0


@dataclass(frozen=True)
class Rule:
    """How far results may be off."""

    operands: list[np.ndarray]
    target: Target

    def tolerance(self, expected: np.ndarray) -> Tolerance:
        if not is_inexact(expected.dtype):
            return Tolerance()
        if self.target.ufunc in ("maximum", "minimum", "fmax", "fmin"):
            return UNSIGNED_ZERO
        if self.target.ufunc and expected.dtype.kind != "c" and self.is_exact(expected.dtype):
            return Tolerance()
        if self.target.ufunc in REAL_ULPS and expected.dtype.kind == "f":
            return self.of_function(expected)
        inexact = [a.dtype for a in self.operands if is_inexact(a.dtype)]
        step = max((epsilon(t) for t in (*inexact, expected.dtype)), default=0.0)
        largest = 1.0
        for array in (*self.operands, expected):
            largest *= largest_of(array)
        count = max((a.size for a in self.operands), default=1)
        return Tolerance(0, ROUNDINGS * step * largest * max(count, 1) ** 0.5)

    def of_function(self, expected: np.ndarray) -> Tolerance:
        """Of a function element by element: both may be off by what each of them may be."""
        # Small integers are computed in small floats; out= may be of another dtype than results.
        dtypes = [np.result_type(a.dtype, np.float16) for a in (*self.operands, expected)]
        step = max(epsilon(dtype) for dtype in dtypes)
        wide = np.longdouble
        size = np.where(np.isfinite(expected), np.abs(expected.astype(wide)), 0)
        for a in self.operands if self.target.ufunc.startswith("logaddexp") else ():
            size = size + largest_of(a)  # the two terms cancel
        size = np.maximum(size, np.finfo(expected.dtype).tiny)
        return Tolerance(0, 2 * max(REAL_ULPS[self.target.ufunc]) * step * size)

    def is_exact(self, result: np.dtype) -> bool:
        # Python's numbers are no operands here, but make the result what it is: complex ones have
        # real absolute values.
        if self.target.ufunc == "absolute" and not self.operands:
            return False
        dtypes = (*(a.dtype for a in self.operands), result)
        return all(t.kind != "c" for t in dtypes) and is_exact(self.target.ufunc, dtypes)


def values_differ(expected: Any, found: Any, rule: Rule) -> Difference | None:
    if isinstance(expected, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(expected):
            return Difference("type", f"{brief(found)} instead of {brief(expected)}")
        for each, other in zip(expected, found, strict=True):
            difference = values_differ(each, other, rule)
            if difference is not None:
                return difference
        return None
    if isinstance(expected, np.ndarray | np.generic | bool | numbers.Number):
        return numbers_differ(expected, found, rule)
    if isinstance(expected, str | bytes | np.dtype | type | None | slice):
        same = type(expected) is type(found) and (
            without_addresses(expected) == without_addresses(found) or isinstance(expected, bytes)
        )
        return None if same else Difference("value", f"{found!r} instead of {expected!r}")
    return None


def without_addresses(value: Any) -> Any:
    """A text without the places of objects in memory."""
    return re.sub(r" at 0x[0-9a-f]+", "", value) if isinstance(value, str) else value


def numbers_differ(expected: Any, found: Any, rule: Rule) -> Difference | None:
    want = np.asarray(expected)
    if isinstance(found, Fetched):
        got, strides = found.array, found.strides
    elif isinstance(found, np.ndarray | np.generic | bool | numbers.Number):
        got = np.asarray(found)
        strides = got.strides
    else:
        return Difference("type", f"{brief(found)} instead of {brief(expected)}")
    if got.shape != want.shape:
        return Difference("shape", f"shape {got.shape} instead of {want.shape}")
    if got.dtype != want.dtype:
        return Difference("dtype", f"{got.dtype} instead of {want.dtype}")
    if want.dtype.kind not in "biufc":
        return None
    if rule.target.group == "random" or rule.target.short.startswith("empty"):
        return None
    with np.errstate(all="ignore"):
        bad = mismatches(got, want, rule.tolerance(want))
    if bad.any():
        return Difference("value", f"{brief(got)} instead of {brief(want)}")
    if isinstance(expected, np.ndarray) and memory_order(strides, want) != memory_order(
        want.strides, want
    ):
        return Difference("strides", f"strides {strides} instead of {want.strides}")
    return None


def memory_order(strides: tuple[int, ...], array: np.ndarray) -> tuple[int, ...]:
    """The strides that count: those of dimensions with several elements."""
    if not array.size:
        return ()
    return tuple(s for s, extent in zip(strides, array.shape, strict=True) if extent > 1)


def brief(value: Any) -> str:
    if isinstance(value, Fetched):
        value = value.array
    text = " ".join(repr(value).split())
    return text if len(text) < 160 else f"{text[:150]}..."
