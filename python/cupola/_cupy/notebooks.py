"""The Python text of notebooks (`.ipynb`), cell by cell, for the check of programs."""

from __future__ import annotations

import json
from collections.abc import Iterator

_OF_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics whose cell is Python."""


def _is_of_notebooks(line: str) -> bool:
    """Whether IPython takes a line by itself: magics, commands of the shell, questions."""
    text = line.strip()
    return text.startswith(("%", "!", "?")) or text.endswith("?")


def _python_of(source: str) -> str:
    """A cell's text with lines that are no Python made `pass`; empty for another language."""
    lines = source.splitlines()
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("%%") and not first.startswith(_OF_PYTHON):
        return ""
    indent = [line[: len(line) - len(line.lstrip())] for line in lines]
    return "\n".join(
        f"{space}pass" if _is_of_notebooks(line) else line
        for space, line in zip(indent, lines, strict=True)
    )


def cells_of(data: bytes) -> Iterator[tuple[int, str]]:
    """The number of each code cell, counted from 1 over all cells, and its Python text.

    Raises
    ------
    ValueError
        For data that is no notebook.
    """
    read = json.loads(data)
    cells = read.get("cells") if isinstance(read, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it is no notebook of format 4: it has no list of cells")
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            yield number, _python_of(source if isinstance(source, str) else "".join(source))
