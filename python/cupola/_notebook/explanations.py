"""Explanations as notebooks show them: a table of the kernels, and their graph."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cupola._notebook.html import Cell, details, note, page, table
from cupola._observation import graphviz
from cupola._observation.quantities import bytes_text, duration_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cupola._observation.explain import Explanation, Kernel, Operand

_COLUMNS = ("", "operations", "line", "read", "written", "memory takes", "device", "code")
_MOST_NAMES = 6


def _operations(kernel: Kernel) -> str:
    names = kernel.operations
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} more"]
    return ", ".join(names)


def place_text(place: tuple[str, int, str] | None) -> str:
    """The file's name without its folders, and the line."""
    return f"{os.path.basename(place[0])}:{place[1]}" if place else ""


def _row(number: int, kernel: Kernel) -> list[Cell]:
    return [
        Cell(str(number), number),
        Cell(_operations(kernel)),
        Cell(place_text(kernel.place)),
        Cell(bytes_text(kernel.bytes_read), kernel.bytes_read),
        Cell(bytes_text(kernel.bytes_written), kernel.bytes_written),
        Cell(duration_text(kernel.seconds), kernel.seconds),
        Cell(str(kernel.device)),
        Cell("built" if kernel.is_built else "not built yet"),
    ]


def _operand_row(number: int, direction: str, operand: Operand) -> list[Cell]:
    return [
        Cell(str(number), number),
        Cell(direction),
        Cell(operand.name),
        Cell(f"{operand.dtype}{operand.shape}"),
        Cell(operand.layout),
        Cell(operand.access),
        Cell(bytes_text(operand.bytes), operand.bytes),
    ]


def _operands(kernels: Sequence[Kernel]) -> str:
    rows = [
        _operand_row(number, direction, operand)
        for number, kernel in enumerate(kernels, 1)
        for direction, operands in (("reads", kernel.inputs), ("writes", kernel.outputs))
        for operand in operands
    ]
    return table(("kernel", "", "array", "type", "layout", "access", "bytes"), rows)


def explanation_html(explanation: Explanation) -> str:
    """What `Explanation._repr_html_` gives."""
    head, *_ = str(explanation).split("\n")
    notes = [note(line) for line in explanation.notes()]
    if not explanation.kernels:
        return page(note(head), *notes)
    rows = [_row(number, kernel) for number, kernel in enumerate(explanation.kernels, 1)]
    graph = (
        explanation.to_svg()
        if graphviz.is_available()
        else note("no picture of the graph: Graphviz' program `dot` is not installed")
    )
    return page(
        note(head),
        table(_COLUMNS, rows),
        details("arrays", _operands(explanation.kernels)),
        *notes,
        graph,
    )
