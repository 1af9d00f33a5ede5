#!/usr/bin/env python3
"""Writes docs/coverage.md from the built package: which of NumPy's names, of the array API
standard's and of CuPy's it has.

--check compares instead of writing and fails on a difference, if the page is of the NumPy that is
installed. Names that are neither there nor left out on purpose
(python/cupola/_functions/not_planned.py, and python/cupola/_cupy/differences.py for CuPy's) are
listed as missing.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import array_api_2025_12 as standard
import cupola
from cupola._cupy import differences
from cupola._cupy.check import counterpart as cupy_counterpart
from cupola._cupy.check import has_name
from cupola._cupy.names import NAMES as CUPY_NAMES
from cupola._cupy.names import VERSION as CUPY_VERSION
from cupola._functions.not_planned import DIFFERENT, reason_for

PAGE = Path(__file__).resolve().parent.parent / "docs/coverage.md"

NUMPY = [
    ("numpy", "cupola"),
    ("numpy.linalg", "cupola.linalg"),
    ("numpy.fft", "cupola.fft"),
    ("numpy.random", "cupola.random"),
    ("numpy.random.Generator", "cupola.random.Generator"),
    ("numpy.random.RandomState", "cupola.random.RandomState"),
    ("numpy.ndarray", "cupola.ndarray"),
    ("numpy.lib.stride_tricks", "cupola.lib.stride_tricks"),
    ("numpy.polynomial", "cupola.polynomial"),
    *(
        (f"numpy.polynomial.{name}", f"cupola.polynomial.{name}")
        for name in ["chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial"]
    ),
]

STANDARD = {
    "functions and constants": ("cupola", [*standard.MAIN, *standard.CONSTANTS, *standard.DTYPES]),
    "linalg": ("cupola.linalg", list(standard.LINALG)),
    "fft": ("cupola.fft", list(standard.FFT)),
    "arrays": ("cupola.ndarray", [*standard.METHODS, *standard.ATTRIBUTES]),
}


@dataclass(frozen=True)
class Row:
    """A name: "done", "different on purpose", "not planned" or "missing", and why."""

    name: str
    status: str
    why: str = ""


def resolve(path: str) -> Any:
    """A module, or a class in one; None where there is none."""
    try:
        return importlib.import_module(path)
    except ImportError:
        module, _, name = path.rpartition(".")
        return getattr(resolve(module), name, None) if module else None


def public_names(path: str) -> list[str]:
    """What NumPy calls public: `__all__`, or the attributes without an underscore."""
    owner = resolve(path)
    names = getattr(owner, "__all__", None) or dir(owner)
    return sorted({name for name in names if not name.startswith("_")})


def row(place: str, own: Any, name: str) -> Row:
    if own is not None and hasattr(own, name):
        why = DIFFERENT.get(f"{place}.{name}")
        return Row(name, "different on purpose", why) if why else Row(name, "done")
    reason = reason_for(place, name)
    return Row(name, "not planned", reason) if reason else Row(name, "missing")


def chapters() -> Iterator[tuple[str, list[Row]]]:
    """Their titles and rows."""
    for title, (path, names) in STANDARD.items():
        own = resolve(path)
        rows = [row("standard", own, name) for name in sorted(set(names))]
        yield f"The array API standard {cupola.__array_api_version__}: {title}", rows
    for path, counterpart in NUMPY:
        own = resolve(counterpart)
        yield path, [row(path, own, name) for name in public_names(path)]


def cupy_row(place: str, own: Any, name: str) -> Row:
    if own is not None and has_name(own, name):
        path = f"{place}.{name}"
        for status, reasons in (
            ("different", differences.DIFFERENT),
            ("done for CUDA", differences.CUDA_ONLY),
        ):
            if path in reasons:
                return Row(name, status, reasons[path])
        return Row(name, "done")
    reason = differences.reason_for(place, name)
    return Row(name, "not planned", reason) if reason else Row(name, "missing")


def cupy_chapters() -> Iterator[tuple[str, list[Row]]]:
    """Those of CuPy's names."""
    for place, public in CUPY_NAMES.items():
        own = cupy_counterpart(place)
        yield place, [cupy_row(place, own, name) for name in public]


def counts_of(rows: list[Row], *statuses: str) -> list[int]:
    return [sum(row.status == status for row in rows) for status in statuses]


def cupy_part() -> list[str]:
    """The lines of the page about CuPy."""
    found = list(cupy_chapters())
    statuses = ("done", "done for CUDA", "different", "not planned", "missing")
    total = [row for _, rows in found for row in rows]
    done, for_cuda, different, *_ = counts_of(total, *statuses)
    percent = 100 * (done + for_cuda) / len(total)
    lines = [
        "",
        f"## CuPy {CUPY_VERSION}",
        "",
        f"{done + for_cuda} of {len(total)} public names of `cupy`, its submodules and `cupyx`",
        f"(without `cupyx.scipy` and `cupyx.signal`) are done, {percent:.1f} %; {for_cuda} of them",
        "have a meaning on CUDA devices alone, and say so on the CPU platform.",
        f"{different} more are there with a difference.",
        "The list of names is `python/cupola/_cupy/names.py`;",
        "`python -m cupola.as_cupy --check` looks for them in programs.",
        "",
        "| | " + " | ".join(statuses) + " |",
        "|---|---|---|---|---|---|",
    ]
    for title, rows in found:
        lines.append(f"| {title} | " + " | ".join(map(str, counts_of(rows, *statuses))) + " |")
    for title, rows in found:
        lines += ["", f"### {title}", "", "\n\n".join(paragraphs(rows))]
    return lines


def paragraphs(rows: list[Row]) -> Iterator[str]:
    done = [f"`{each.name}`" for each in rows if each.status == "done"]
    missing = [f"`{each.name}`" for each in rows if each.status == "missing"]
    others = [each for each in rows if each.why]
    if done:
        yield "**Done:** " + ", ".join(done) + "."
    if missing:
        yield "**Missing:** " + ", ".join(missing) + "."
    if others:
        lines = ["| name | | why |", "|---|---|---|"]
        lines += [f"| `{each.name}` | {each.status} | {each.why} |" for each in others]
        yield "\n".join(lines)


def version_line() -> str:
    version = ".".join(np.__version__.split(".")[:2])
    return f"NumPy's names are those of version {version}; CuPy's stand at the end."


def page() -> str:
    found = list(chapters())
    lines = [
        "# Which names there are",
        "",
        "Written by `scripts/generate_coverage.py` from the package; do not edit. A name that is",
        "not planned raises AttributeError with the reason that stands here, and `hasattr` is",
        "false for it.",
        version_line(),
        "",
        "| | done | different on purpose | not planned | missing |",
        "|---|---|---|---|---|",
    ]
    for title, rows in found:
        counts = counts_of(rows, "done", "different on purpose", "not planned", "missing")
        lines.append(f"| {title} | " + " | ".join(map(str, counts)) + " |")
    for title, rows in found:
        lines += ["", f"## {title}", "", "\n\n".join(paragraphs(rows))]
    return "\n".join(lines + cupy_part()) + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        written = PAGE.read_text() if PAGE.exists() else ""
        of_another_numpy = version_line() not in written
        if written == text or (written and of_another_numpy):
            return 0
        print(f"{PAGE.name} is not what the package has; run scripts/generate_coverage.py")
        return 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
