"""What makes a program slow, by file and line.

With CUPOLA_DOCTOR=1 in the environment the whole program is watched, and a report is printed at its
end to stderr. `start()`, `report()` and `stop()` do the same for a part of it.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections import defaultdict
from dataclasses import dataclass

from cupola import _cupola as _core
from cupola._observation.quantities import bytes_text, duration_text

__all__ = ["Finding", "clear", "findings", "report", "start", "stop"]

# At one line: fewer are no loop worth a word.
MANY = 100

_ADVICE = {
    "synchronisation": "the host waits for the device here: keep the value in an array, or read "
    "many at once, after the loop",
    "host_copy": "pageable memory is copied twice: keep it in pinned memory (cp.empty_pinned, "
    "cp.pin), or on the device",
    "small_kernel": "each launch costs more than its work: compute on larger arrays, over all "
    "steps of the loop at once",
    "gathered": "what lies on several devices is computed by one of them here: it cannot be "
    "divided, or not as its operands lie",
    "spill": "the devices have no room, so that arrays go to the host and come back: drop what is "
    "needed no more, compute on parts, or take more devices",
    "element": "single elements in a loop: use slices, masks or index arrays, or cp.asnumpy once "
    "before the loop",
}
_ORDER = tuple(_ADVICE)


@dataclass(frozen=True)
class Finding:
    """Something slow at one line of the program."""

    # 'synchronisation', 'host_copy', 'small_kernel', 'gathered', 'spill' or 'element'
    kind: str
    what: str  # "float(a)", "copy to the device", "multiply, add", "brought back", "a[i]"
    file: str  # '' where no line is known
    line: int
    count: int
    bytes: int  # copied, or moved by the kernels
    seconds: float  # that the host waited

    @property
    def advice(self) -> str:
        """What to do instead, in one line."""
        return _ADVICE[self.kind]

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file else "(no line known)"
        text = f"{where}: {self.what}, {self.count} time{'s' if self.count > 1 else ''}"
        if self.kind == "synchronisation":
            return f"{text}, {duration_text(self.seconds)} waited"
        if self.kind in ("host_copy", "spill"):
            return f"{text}, {bytes_text(self.bytes)}"
        if self.kind in ("small_kernel", "gathered"):
            return f"{text}, {bytes_text(self.bytes / self.count)} each"
        return text


def start() -> None:
    """Count from now on, besides what was counted before."""
    _core.start_doctor()


def stop() -> None:
    """Count no more; what was counted stays."""
    _core.stop_doctor()


def clear() -> None:
    """Forget what was counted."""
    _core.forget_findings()


def findings() -> list[Finding]:
    """What was counted so far and is worth a word, by kind, the most frequent first.

    Implicit synchronisations (`float(a)`, `bool(a)`, `a.item()`, printing, `np.asarray(a)`,
    `cp.asnumpy(a)`, operations that need values), copies of pageable host memory of 64 KiB and
    more, lines that launch kernels of less than 256 KiB a hundred times or more, work on several
    devices as one that one of them does alone, arrays that pools with `spill=True` move, and lines
    that pick single elements a hundred times or more.
    """
    groups: dict[tuple[str, str, str, int], list[tuple[int, int, int, str]]] = defaultdict(list)
    for kind, what, place, count, size, nanoseconds in _core.doctor_findings():
        file, line, _ = place or ("", 0, "")
        # What a line of a loop launches need not be the same each time.
        group = "" if kind == "small_kernel" else what
        groups[kind, group, file, line].append((count, size, nanoseconds, what))
    found = []
    for (kind, _, file, line), rows in groups.items():
        count, size, nanoseconds = (sum(column) for column in list(zip(*rows, strict=True))[:3])
        what = max(rows)[3]
        if kind in ("small_kernel", "element") and count < MANY:
            continue
        found.append(Finding(kind, what, file, line, count, size, nanoseconds / 1e9))
    found.sort(key=lambda one: (_ORDER.index(one.kind), -one.count, one.file, one.line, one.what))
    return found


def report() -> str:
    """The findings as text, with what to do instead."""
    found = findings()
    if not found:
        return "cupola doctor: nothing found"
    titles = {
        "synchronisation": "implicit synchronisations",
        "host_copy": "copies of pageable host memory",
        "small_kernel": "small kernels in loops",
        "gathered": "work of several devices that one of them did",
        "spill": "arrays moved for want of memory",
        "element": "single elements in loops",
    }
    lines = ["cupola doctor:"]
    for kind in _ORDER:
        of_kind = [one for one in found if one.kind == kind]
        if of_kind:
            lines.append(f"{titles[kind]} ({_ADVICE[kind]}):")
            lines += [f"  {one}" for one in of_kind]
    return "\n".join(lines)


def _report_at_exit() -> None:
    print(report(), file=sys.stderr)


def install() -> None:
    """Called once, at import of the package: CUPOLA_DOCTOR=1."""
    if os.environ.get("CUPOLA_DOCTOR", "0") not in ("", "0"):
        start()
        atexit.register(_report_at_exit)
