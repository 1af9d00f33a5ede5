"""`python -m cupola.as_cupy --check`: what programs would miss, without running them."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from cupola._cupy.aliases import own_name
from cupola._cupy.differences import CUDA_ONLY, DIFFERENT, reason_for
from cupola._cupy.names import NAMES, VERSION
from cupola._cupy.notebooks import cells_of
from cupola._cupy.program_names import TOP, Use, uses_in, uses_in_cells

_ELSEWHERE = (
    ("cupyx.scipy", "SciPy's functions are not part of it; compute on the host with SciPy"),
    ("cupyx.signal", "its filters are not part of it; use cupola.convolve or cupola.fft"),
)


@dataclass(frozen=True)
class Finding:
    """A name that is "missing" or "different", where, and why."""

    path: str
    line: int
    name: str
    status: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.status}: {self.name}: {self.why}"


def counterpart(path: str) -> Any:
    """The package's module or object of a path of CuPy's; None where there is none."""
    own = own_name(path)
    assert own is not None
    try:
        return importlib.import_module(own)
    except ImportError:
        place, _, name = path.rpartition(".")
        return getattr(counterpart(place), name, None) if place else None


def has_name(owner: Any, name: str) -> bool:
    """Whether a module or class has it; of a class, its instances too, as their annotations say."""
    bases = owner.__mro__ if isinstance(owner, type) else ()
    return hasattr(owner, name) or any(
        name in vars(base).get("__annotations__", ()) for base in bases
    )


def _is_there(use: Use) -> bool:
    if not use.place or use.path in TOP:
        return True
    owner = counterpart(use.place)
    if owner is not None and not isinstance(owner, type | ModuleType):
        return True  # an attribute of a value, as jit.threadIdx.x
    return owner is not None and (has_name(owner, use.name) or counterpart(use.path) is not None)


def _why_missing(use: Use) -> str:
    for place, reason in _ELSEWHERE:
        if (use.path + ".").startswith(place + "."):
            return reason
    reason_found = reason_for(use.place, use.name)
    if reason_found is not None:
        return reason_found
    if use.name in NAMES.get(use.place, ()):
        return "it is not there yet"
    return f"it is no public name of CuPy {VERSION} either"


def _findings(path: str, uses: list[Use]) -> Iterator[Finding]:
    missing: set[tuple[int, str]] = set()
    for use in uses:
        if (use.line, use.place) in missing:  # a name of what is missing itself
            missing.add((use.line, use.path))
        elif not _is_there(use):
            missing.add((use.line, use.path))
            yield Finding(path, use.line, use.path, "missing", _why_missing(use))
        elif why := DIFFERENT.get(use.path) or CUDA_ONLY.get(use.path):
            yield Finding(path, use.line, use.path, "different", why)


def _in_order_of_depth(uses: list[Use]) -> list[Use]:
    """`cupyx.scipy` before `cupyx.scipy.ndimage`."""
    return sorted(uses, key=lambda use: (use.line, use.path.count("."), use.path))


def findings_in(path: str) -> list[Finding]:
    """Of one file, by line; each name once a line. Of a notebook by cell, whose number stands in
    brackets behind the path, and by line of the cell.

    Raises
    ------
    OSError, SyntaxError, ValueError
        For a file that cannot be read or is no program.
    """
    with open(path, "rb") as opened:
        data = opened.read()
    if not path.endswith(".ipynb"):
        return list(dict.fromkeys(_findings(path, _in_order_of_depth(uses_in(data, path)))))
    found: list[Finding] = []
    for number, uses in uses_in_cells(cells_of(data)):
        found += dict.fromkeys(_findings(f"{path}[{number}]", _in_order_of_depth(uses)))
    return found


def programs(paths: list[str]) -> Iterator[str]:
    """Files, and the Python files and notebooks below folders, sorted."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, inner, files in os.walk(path):
            inner[:] = sorted(name for name in inner if name[0] != "." and name != "__pycache__")
            yield from (
                os.path.join(folder, each)
                for each in sorted(files)
                if each.endswith((".py", ".ipynb"))
            )


def check(paths: list[str]) -> int:
    """Print what programs would miss; 1 if a name is missing, 2 if a file cannot be read."""
    if not paths:
        print("usage: python -m cupola.as_cupy --check path ...", file=sys.stderr)
        return 2
    counts = {"missing": 0, "different": 0}
    unreadable = files = 0
    for path in programs(paths):
        files += 1
        try:
            found = findings_in(path)
        except (OSError, SyntaxError, ValueError) as error:
            unreadable += 1
            line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            text = error.msg if isinstance(error, SyntaxError) else error
            print(f"{path}{line}: cannot be read: {text}")
            continue
        for finding in found:
            counts[finding.status] += 1
            print(finding)
    noun = "file" if files == 1 else "files"
    print(f"{files} {noun}: {counts['missing']} missing, {counts['different']} different")
    return 2 if unreadable else 1 if counts["missing"] else 0
