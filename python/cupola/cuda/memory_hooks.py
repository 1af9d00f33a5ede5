"""Memory hooks that print what they are told, or where memory was taken."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

from cupola.cuda.memory_hook import MemoryHook

__all__ = ["DebugPrintHook", "LineProfileHook"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LAUNCHER = os.path.join(_PACKAGE, "_cupy", "running.py")  # `python -m cupola.as_cupy program.py`


class DebugPrintHook(MemoryHook):
    """Prints a line of JSON for each piece of memory taken and given back.

    Parameters
    ----------
    file : text file
        Default: the standard output.
    flush : bool
        After each line.

    Examples
    --------
    >>> with cp.cuda.memory_hooks.DebugPrintHook():  # doctest: +ELLIPSIS
    ...     a = cp.array([1, 2, 3])
    {"hook":"...
    """

    name = "DebugPrintHook"

    def __init__(self, file: Any = None, flush: bool = True) -> None:
        self.file = file
        self.flush = flush

    def _print(self, hook: str, facts: dict[str, Any]) -> None:
        if "pmem_id" in facts:
            facts = {**facts, "pmem_id": hex(facts["pmem_id"])}
        text = json.dumps({"hook": hook, **facts}, separators=(",", ":"))
        print(text, file=sys.stdout if self.file is None else self.file, flush=self.flush)

    def alloc_postprocess(self, **kwargs: Any) -> None:
        """Print what a pool took of the device.

        Parameters
        ----------
        **kwargs
            As of `MemoryHook`.

        Examples
        --------
        >>> import cupola as cp
        >>> hook = cp.cuda.memory_hooks.DebugPrintHook()
        >>> hook.alloc_postprocess(device_id=0, mem_size=512, mem_ptr=4096)
        {"hook":"alloc","device_id":0,"mem_size":512,"mem_ptr":4096}
        """
        self._print("alloc", kwargs)

    def malloc_postprocess(self, **kwargs: Any) -> None:
        """Print what an array took.

        Parameters
        ----------
        **kwargs
            As of `MemoryHook`.

        Examples
        --------
        >>> import cupola as cp
        >>> hook = cp.cuda.memory_hooks.DebugPrintHook()
        >>> hook.malloc_postprocess(device_id=0, size=100, mem_size=512, mem_ptr=4096, pmem_id=1)
        {"hook":"malloc","device_id":0,"size":100,"mem_size":512,"mem_ptr":4096,"pmem_id":"0x1"}
        """
        self._print("malloc", kwargs)

    def free_postprocess(self, **kwargs: Any) -> None:
        """Print what went back.

        Parameters
        ----------
        **kwargs
            As of `MemoryHook`.

        Examples
        --------
        >>> import cupola as cp
        >>> hook = cp.cuda.memory_hooks.DebugPrintHook()
        >>> hook.free_postprocess(device_id=0, mem_size=512, mem_ptr=4096, pmem_id=1)
        {"hook":"free","device_id":0,"mem_size":512,"mem_ptr":4096,"pmem_id":"0x1"}
        """
        self._print("free", kwargs)


class _Line:
    """A place in the program, and what was taken there and in what it calls."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.used = 0
        self.acquired = 0
        self.called: dict[str, _Line] = {}

    def rows(self, depth: int) -> list[tuple[int, _Line]]:
        rows = [(depth, self)]
        for each in self.called.values():
            rows += each.rows(depth + 1)
        return rows


def _readable(count: int) -> str:
    size = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.2f}{unit}"
        size /= 1024
    return f"{size:.2f}TB"


class LineProfileHook(MemoryHook):
    """Counts memory by the lines of the program that took it, with the lines that called them.

    Parameters
    ----------
    max_depth : int
        How many calls are followed, from the outermost; 0: all.

    Notes
    -----
    A pending array takes memory where it is evaluated.

    Examples
    --------
    >>> hook = cp.cuda.memory_hooks.LineProfileHook()
    >>> with hook:
    ...     cp.eval(cp.zeros(512))
    >>> hook.print_report()  # doctest: +ELLIPSIS
    _root (4.00KB, ...
    """

    name = "LineProfileHook"

    def __init__(self, max_depth: int = 0) -> None:
        self._root = _Line("_root")
        self._max_depth = max_depth

    def _lines(self) -> list[_Line]:
        """From the root to the line that runs."""
        frames = list(traceback.extract_stack())
        paths = [os.path.abspath(frame.filename) for frame in frames]
        start = len(paths) - paths[::-1].index(_LAUNCHER) if _LAUNCHER in paths else 0
        stack = [
            frame
            for frame, path in zip(frames[start:], paths[start:], strict=True)
            if not path.startswith(_PACKAGE)
        ]
        lines = [self._root]
        for frame in stack[: self._max_depth] if self._max_depth else stack:
            place = f"{frame.filename}:{frame.lineno}:{frame.name}"
            lines.append(lines[-1].called.setdefault(place, _Line(place)))
        return lines

    def malloc_postprocess(self, **kwargs: Any) -> None:
        """Count memory as used.

        Parameters
        ----------
        **kwargs
            As of `MemoryHook`.

        Examples
        --------
        >>> import cupola as cp
        >>> hook = cp.cuda.memory_hooks.LineProfileHook(max_depth=1)
        >>> hook.malloc_postprocess(mem_size=512)
        >>> hook.print_report()  # doctest: +ELLIPSIS
        _root (512.00B, 0.00B)
          ... (512.00B, 0.00B)
        """
        for line in self._lines():
            line.used += kwargs["mem_size"]

    def alloc_postprocess(self, **kwargs: Any) -> None:
        """Count memory as acquired.

        Parameters
        ----------
        **kwargs
            As of `MemoryHook`.

        Examples
        --------
        >>> import cupola as cp
        >>> hook = cp.cuda.memory_hooks.LineProfileHook(max_depth=1)
        >>> hook.alloc_postprocess(mem_size=512)
        >>> hook.print_report()  # doctest: +ELLIPSIS
        _root (0.00B, 512.00B)
          ... (0.00B, 512.00B)
        """
        for line in self._lines():
            line.acquired += kwargs["mem_size"]

    def print_report(self, file: Any = None) -> None:
        """Print the lines: bytes used of the pool, and acquired from the device.

        Parameters
        ----------
        file : text file, optional
            Default: the standard output.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.cuda.memory_hooks.LineProfileHook().print_report()
        _root (0.00B, 0.00B)
        """
        for depth, line in self._root.rows(0):
            text = f"{line.place} ({_readable(line.used)}, {_readable(line.acquired)})"
            print("  " * depth + text, file=sys.stdout if file is None else file)
