"""What makes a program slow, by file and line.

With CUPOLA_DOCTOR=1 in the environment the whole program is watched, and a report is printed at its
end to stderr. `start()`, `report()` and `stop()` do the same for a part of it.
"""

from __future__ import annotations

import atexit
import linecache
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from cupola import _cupola as _core
from cupola._observation.quantities import bytes_text, duration_text

__all__ = ["Finding", "clear", "findings", "report", "start", "stop"]

# At one line: fewer are no loop worth a word.
MANY = 100

# What waits, and how a program begins that says just so; others do it on the way.
_NOT_SAID = "\n"
_CALLS = {
    "an operation that needs values": _NOT_SAID,
    "an array as a number": _NOT_SAID,
    "float(a)": "float(",
    "int(a)": "int(",
}


class _Kind(NamedTuple):
    title: str
    advice: str
    least: int = 1  # times at one line


_KINDS = {
    "synchronisation": _Kind(
        "implicit synchronisations",
        "the host waits for the device here: keep the value in an array, or read many at once, "
        "after the loop",
    ),
    "host_copy": _Kind(
        "copies of pageable host memory",
        "pageable memory is copied twice: keep it in pinned memory (cp.empty_pinned, cp.pin), or "
        "on the device",
    ),
    "small_kernel": _Kind(
        "small kernels in loops",
        "each launch costs more than its work: compute on larger arrays, over all steps of the "
        "loop at once",
        MANY,
    ),
    "gathered": _Kind(
        "work of several devices that one of them did",
        "what lies on several devices is computed by one of them here: it cannot be divided, or "
        "not as its operands lie",
    ),
    "spill": _Kind(
        "arrays moved for want of memory",
        "the devices have no room, so that arrays go to the host and come back: drop what is "
        "needed no more, compute on parts, or take more devices",
    ),
    "update": _Kind(
        "updates of an array, one after the other",
        "the array was updated by the operation before, and is read and written once more: say "
        "both in one expression, as in a += x - y",
    ),
    "detached": _Kind(
        "writes over what they read",
        "the new values are computed into other memory and then copied, because the write changes "
        "what they are made of: write into another array, and exchange the two",
    ),
    "unfused": _Kind(
        "updates that are more than one kernel",
        "a part of the new values is computed into memory of its own, and read from there: where "
        "no other array shares the memory, a = a + x * y is one kernel",
    ),
    "sorted_part": _Kind(
        "full sorts behind a selection",
        "of a sorted array a few elements were taken: if no others are used, cp.partition, "
        "cp.argpartition, cp.percentile or cp.median find them without sorting the rest",
    ),
    "matrix_vector": _Kind(
        "products of a matrix and a vector in loops",
        "each product reads the whole matrix for one vector: where the vectors do not depend on "
        "each other, make them the columns of a matrix, and multiply once",
        MANY,
    ),
    "element_loop": _Kind(
        "loops over elements",
        "elements are read and written one by one in this function: give its body to cp.vectorize, "
        "which makes one kernel of it, branches and loops included",
        MANY,
    ),
    "element": _Kind(
        "single elements in loops",
        "single elements in a loop: use slices, masks or index arrays, or cp.asnumpy once before "
        "the loop",
        MANY,
    ),
}
_ORDER = tuple(_KINDS)
_MOST_OF_SOURCE = 60  # characters
_NAMED_BY_SOURCE = ("update", "detached", "unfused", "sorted_part", "matrix_vector")
_BY_SOURCE = (*_NAMED_BY_SOURCE, "element_read", "element_write")


@dataclass(frozen=True)
class Finding:
    """Something slow at one line of the program.

    Parameters
    ----------
    kind : str
        As "synchronisation", "host_copy", "small_kernel" or "spill".
    what : str
        As "float(a)", "copy to the device" or "multiply, add".
    file : str
        Empty where no line is known.
    line : int
    count : int
        How often.
    bytes : int
        Copied, or moved by the kernels.
    seconds : float
        That the host waited.
    source : str, optional
        The call or operation as the program says it.

    Examples
    --------
    >>> from cupola.doctor import Finding
    >>> print(Finding("small_kernel", "add", "a.py", 3, 12, 96, 0.0))
    a.py:3: add, 12 times, 8 B each
    """

    # 'synchronisation', 'host_copy', 'small_kernel', 'gathered', 'spill', 'update', 'detached',
    # 'unfused', 'sorted_part', 'matrix_vector', 'element_loop' or 'element'
    kind: str
    what: str  # "float(a)", "copy to the device", "multiply, add", "brought back", "a[i]"
    file: str  # '' where no line is known
    line: int
    count: int
    bytes: int  # copied, or moved by the kernels
    seconds: float  # that the host waited
    source: str = ""  # the call or operation as the program says it, where its text is there

    @property
    def advice(self) -> str:
        """What to do instead, in one line."""
        return _KINDS[self.kind].advice

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file else "(no line known)"
        text = f"{where}: {self.what}, {self.count} time{'s' if self.count > 1 else ''}"
        if self.kind == "synchronisation":
            return f"{text}, {duration_text(self.seconds)} waited"
        if self.kind in ("host_copy", "spill"):
            return f"{text}, {bytes_text(self.bytes)}"
        if self.bytes:
            return f"{text}, {bytes_text(self.bytes / self.count)} each"
        return text


def start() -> None:
    """Count from now on, besides what was counted before.

    Returns
    -------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> cp.doctor.start()
    >>> cp.doctor.stop()
    """
    _core.start_doctor()


def stop() -> None:
    """Count no more; what was counted stays.

    Returns
    -------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> cp.doctor.stop()
    """
    _core.stop_doctor()


def clear() -> None:
    """Forget what was counted.

    Returns
    -------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> cp.doctor.clear()
    >>> cp.doctor.findings()
    []
    """
    _core.forget_findings()


def _source_text(file: str, place: tuple[int, int, int, int] | None) -> str:
    """What stands there in the file; '' where it is not to be had."""
    if not file or place is None:
        return ""
    line, column, end_line, end_column = place
    lines = [linecache.getline(file, number).encode() for number in range(line, end_line + 1)]
    if not all(lines):
        return ""
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    text = " ".join(part.decode(errors="replace").strip() for part in lines)
    return text if len(text) <= _MOST_OF_SOURCE else f"{text[: _MOST_OF_SOURCE - 3]}..."


def _named(kind: str, what: str, source: str) -> str:
    """An operation that waits has the name that the program gives it."""
    if kind == "synchronisation" and source and not source.startswith(_CALLS[what]):
        return f"{source}, which needs values"
    if kind in _NAMED_BY_SOURCE and source:
        return source
    return what


def _counted() -> list[tuple[Finding, str]]:
    """Each with the function that it is in."""
    sums: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for kind, what, place, position, *numbers in _core.doctor_findings():
        file, line, function = place or ("", 0, "")
        is_asked = kind in _BY_SOURCE or what in _CALLS
        source = _source_text(file, position) if is_asked else ""
        what = _named(kind, what, source)
        source = source if kind in _BY_SOURCE else ""
        key = (kind, what, file, str(line), function, source)
        sums[key] = [a + b for a, b in zip(sums[key], numbers, strict=True)]
    return [
        (Finding(kind, what, file, int(line), count, size, waited / 1e9, source), function)
        for (kind, what, file, line, function, source), (count, size, waited) in sums.items()
    ]


def _of_elements(found: list[tuple[Finding, str]]) -> list[Finding]:
    """Single elements by line; where a function reads and writes many, as one loop."""
    functions: dict[tuple[str, str], dict[str, list[Finding]]] = defaultdict(
        lambda: {"element_read": [], "element_write": []}
    )
    for finding, function in found:
        functions[finding.file, function][finding.kind].append(finding)
    result = []
    for (file, _), kinds in functions.items():
        reads, writes = kinds["element_read"], kinds["element_write"]
        every = reads + writes
        count = sum(each.count for each in every)
        if min(sum(each.count for each in side) for side in (reads, writes)) >= MANY:
            line = min(each.line for each in every)
            what = ", ".join(dict.fromkeys(each.source or each.what for each in every))
            result.append(Finding("element_loop", what, file, line, count, 0, 0.0))
            continue
        lines: dict[int, int] = defaultdict(int)
        for each in every:
            lines[each.line] += each.count
        result += [
            Finding("element", "a[i]", file, line, number, 0, 0.0)
            for line, number in lines.items()
            if number >= MANY
        ]
    return result


def findings() -> list[Finding]:
    """What was counted so far and is worth a word, by kind, the most frequent first.

    Implicit synchronisations (`float(a)`, `bool(a)`, `a.item()`, printing, `np.asarray(a)`,
    `cp.asnumpy(a)`, operations that need values, by their text), copies of pageable host memory of
    64 KiB and more where pinned memory is faster, lines that launch kernels of less than 256 KiB a
    hundred times or more, work on several devices as one that one of them does alone, arrays that
    pools with `spill=True` move, updates of an array directly after each other, writes over what
    they read or in several kernels, sorted arrays of which less than a quarter is taken, products
    of a matrix and a vector and single elements, a hundred times or more at one line, and functions
    that read and write single elements.

    What one line does is told by operation: each has its own count.

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> import cupola as cp
    >>> cp.doctor.clear()
    >>> cp.doctor.start()
    >>> total = float(cp.ones(3).sum())
    >>> cp.doctor.stop()
    >>> "synchronisation" in [finding.kind for finding in cp.doctor.findings()]
    True
    """
    counted = _counted()
    elements = [each for each in counted if each[0].kind in ("element_read", "element_write")]
    others = [finding for finding, _ in counted if finding.kind in _KINDS]
    # What a line of a loop launches need not be the same each time.
    of_line: dict[tuple[str, str, int], int] = defaultdict(int)
    for one in others:
        of_line[one.kind, one.file, one.line] += one.count
    found = [
        one for one in others if of_line[one.kind, one.file, one.line] >= _KINDS[one.kind].least
    ]
    found += _of_elements(elements)
    found.sort(key=lambda one: (_ORDER.index(one.kind), -one.count, one.file, one.line, one.what))
    return found


def report() -> str:
    """The findings as text, with what to do instead.

    Returns
    -------
    str

    Examples
    --------
    >>> import cupola as cp
    >>> cp.doctor.clear()
    >>> cp.doctor.report()
    'cupola doctor: nothing found'
    """
    found = findings()
    if not found:
        return "cupola doctor: nothing found"
    lines = ["cupola doctor:"]
    for name, kind in _KINDS.items():
        of_kind = [one for one in found if one.kind == name]
        if of_kind:
            lines.append(f"{kind.title} ({kind.advice}):")
            lines += [f"  {one}" for one in of_kind]
    return "\n".join(lines)


def _report_at_exit() -> None:
    print(report(), file=sys.stderr)


def install() -> None:
    """Called once, at import of the package: CUPOLA_DOCTOR=1."""
    if os.environ.get("CUPOLA_DOCTOR", "0") not in ("", "0"):
        start()
        atexit.register(_report_at_exit)
