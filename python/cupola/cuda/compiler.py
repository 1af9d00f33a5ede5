"""CuPy's name for what a kernel that does not compile raises."""

from __future__ import annotations

from typing import Any

from cupola.errors import CompileException

__all__ = ["CompileException"]


def _get_message(self: CompileException) -> str:
    """The compiler's log and the numbered source."""
    return str(self)


def _dump(self: CompileException, f: Any) -> None:
    """Write the message to a file."""
    f.write(str(self) + "\n")
    f.flush()


for _name, _function in {"get_message": _get_message, "dump": _dump}.items():
    setattr(CompileException, _name, _function)
