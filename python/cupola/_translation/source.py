"""The text of functions that are translated."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """The tree of a function, and what its names mean."""

    name: str
    body: list[ast.stmt]
    names: dict[str, Any]
    file: str
    lines: list[str]
    translator: str  # the name of what translates, for messages

    @staticmethod
    def of(function: Any, translator: str = "vectorize") -> Source:
        """TypeError where the text is not to be had."""
        code = function.__code__
        try:
            lines, _ = inspect.findsource(function)
            tree = ast.parse("".join(lines))
        except (OSError, SyntaxError) as error:
            raise TypeError(
                f"{translator} needs the text of {function.__name__}, which cannot be read: {error}"
            ) from None
        closed = inspect.getclosurevars(function)
        names = {**closed.builtins, **closed.globals, **closed.nonlocals}
        # A global name of a part that getclosurevars does not list is looked up when it is used.
        names = {**function.__globals__, **names}
        node = _find(tree, function, translator)
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        return Source(function.__name__, body, names, code.co_filename, lines, translator)

    def error(self, node: ast.AST, what: str, kind: type[Exception] = TypeError) -> Exception:
        """The line, and why it cannot be translated."""
        number = getattr(node, "lineno", 0)
        line = self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""
        return kind(
            f"{self.translator} cannot translate {self.name}: {what} ({self.file}:{number}: {line})"
        )


def _start(node: ast.FunctionDef | ast.Lambda) -> tuple[int, int]:
    body = node.body if isinstance(node, ast.Lambda) else node.body[0]
    return body.lineno, body.col_offset


def _find(tree: ast.AST, function: Any, translator: str) -> ast.FunctionDef | ast.Lambda:
    code = function.__code__
    wanted = inspect.getargs(code).args
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            continue
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        if first == code.co_firstlineno and names == wanted:
            found.append(node)
    if len(found) > 1:  # lambdas on one line
        places = {place[:1] + place[2:3] for place in code.co_positions() if place[2]}
        found = [node for node in found if _start(node) in places]
    if not found:
        raise TypeError(f"{translator} does not find the text of {function.__name__}")
    return found[0]
