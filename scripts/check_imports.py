#!/usr/bin/env python3
"""Check that the rooms of the Python package do not import each other in circles.

A room is a folder of python/cupola, `_functions` with all its families, or a module that lies in
none. Imports inside functions and those for type checkers are not looked at: they run when the
package is there. Prints each circle and exits with 1 if there is any.
"""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python/cupola"
SMALLEST = {"_typing", "_version"}  # which import nothing of ours


def room_of(parts: tuple[str, ...]) -> str:
    return parts[0].removesuffix(".py")


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those that run when the module is imported."""
    for statement in body:
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.dump(statement.test):
            yield from statements(statement.orelse)
            continue
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            yield from statements(statement.body + statement.orelse)


def imported(path: Path) -> Iterator[str]:
    """The rooms that a module imports."""
    for statement in statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if not isinstance(statement, ast.ImportFrom) or statement.module is None:
            continue
        parts = tuple(statement.module.split("."))
        if parts == ("cupola",):
            yield from (name.name for name in statement.names)
        elif parts[0] == "cupola":
            yield room_of(parts[1:])


def graph_of(package: Path) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        if parts in (("__init__.py",), ("__main__.py",)):
            continue
        room = room_of(parts)
        graph.setdefault(room, set()).update(set(imported(path)) - {room, "_cupola"} - SMALLEST)
    return graph


def main() -> int:
    try:
        TopologicalSorter(graph_of(PACKAGE)).prepare()
    except CycleError as error:
        print("imports in a circle:", " -> ".join(reversed(error.args[1])))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
