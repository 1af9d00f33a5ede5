"""Bytes and times as people read them."""

from __future__ import annotations


def bytes_text(count: float) -> str:
    """'12 B', '3.5 MB', in powers of ten."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.0f} B" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def duration_text(seconds: float) -> str:
    """'1.2 us', '35 ms'."""
    if seconds != seconds:
        return "an unknown time"
    for unit, size in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
