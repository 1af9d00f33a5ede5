"""Run a program as `python program.py`, `python -m module` or `python -c text` would."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType
from typing import Any


def _new_main() -> dict[str, Any]:
    """The namespace of a new `__main__`."""
    module = ModuleType("__main__")
    sys.modules["__main__"] = module
    namespace = vars(module)
    namespace["__builtins__"] = sys.modules["builtins"]
    return namespace


def _set_first_path(path: str) -> None:
    """What `python` puts in front of sys.path: the program's folder."""
    if not sys.flags.safe_path:
        sys.path[0] = path


def _unreadable(path: str, error: OSError) -> SystemExit:
    """As `python` ends where it cannot read the program."""
    place = os.path.join(os.getcwd(), path)
    text = f"[Errno {error.errno}] {error.strerror}"
    print(f"{sys.executable}: can't open file {place!r}: {text}", file=sys.stderr)
    return SystemExit(2)


def run_file(path: str, arguments: list[str]) -> None:
    """A file of Python source, or a folder or archive with a `__main__.py`."""
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        sys.argv[:] = [path, *arguments]
        _set_first_path(os.path.abspath(path))
        _new_main()
        _called(lambda: runpy._run_module_as_main("__main__", False))  # type: ignore[attr-defined]
        return
    try:
        with open(path, "rb") as opened:
            source = opened.read()
    except OSError as error:
        raise _unreadable(path, error) from None
    place = os.path.join(os.getcwd(), path)
    sys.argv[:] = [path, *arguments]
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    namespace = _new_main()
    loader = SourceFileLoader("__main__", place)
    namespace.update(__file__=place, __cached__=None, __loader__=loader)
    _called(lambda: exec(compile(source, place, "exec", dont_inherit=True), namespace))


def run_module(name: str, arguments: list[str]) -> None:
    """A module that Python finds by its name."""
    sys.argv[:] = [name, *arguments]
    _set_first_path(os.getcwd())
    _new_main()
    _called(lambda: runpy._run_module_as_main(name))  # type: ignore[attr-defined]


def run_text(source: str, arguments: list[str]) -> None:
    """The text of a program."""
    sys.argv[:] = ["-c", *arguments]
    _set_first_path("")
    namespace = _new_main()
    _called(lambda: exec(compile(source, "<string>", "exec", dont_inherit=True), namespace))


def _called(body: Callable[[], object]) -> None:
    """Call it; the traceback of what it raises starts in the program."""
    try:
        body()
    except BaseException as error:
        if not isinstance(error, SystemExit):
            _shorten_traceback(error)
        raise


def _shorten_traceback(error: BaseException) -> None:
    own = {__file__}
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in own:
        trace = trace.tb_next
    display = sys.excepthook

    def show(kind: type[BaseException], value: BaseException, full: TracebackType | None) -> None:
        sys.excepthook = display
        if value is error:
            value.__traceback__ = full = trace
        display(kind, value, full)

    sys.excepthook = show
