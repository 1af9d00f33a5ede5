"""Differences from NumPy that are faults of the library, to be mended; a run counts them."""

from __future__ import annotations

from collections.abc import Callable

from rules import Rule, difference


def open_fault(fault: str, *kinds: str) -> Callable[[Rule], Rule]:
    return difference(f"open: {fault}", *kinds)
