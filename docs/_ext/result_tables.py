"""The directive `results`: a table of measured figures from the records of bench/results.

    ```{results} gpu
    :areas: large matmul
    ```

The argument is a record of scripts/measured.py; `areas`, or `rows` (patterns of names, `;` between
them), choose its rows.
"""

from __future__ import annotations

import fnmatch
import sys
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import measured


def table_node(cells: list[list[str]]) -> nodes.table:
    """Cells, the first row the head, as a table."""
    width = len(cells[0])
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in range(width)), cols=width)

    def row(texts: list[str]) -> nodes.row:
        return nodes.row(
            "", *(nodes.entry("", nodes.paragraph("", "", nodes.Text(text))) for text in texts)
        )

    group += nodes.thead("", row(cells[0]))
    group += nodes.tbody("", *map(row, cells[1:]))
    return nodes.table("", group, classes=["results"])


class Results(SphinxDirective):
    """A table of a record, and below it what was measured on."""

    required_arguments = 1
    option_spec: ClassVar = {"areas": directives.unchanged, "rows": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        record = measured.RECORDS[self.arguments[0]]()
        self.env.note_dependency(str(measured.RESULTS / "gpu_check.json"))
        self.env.note_dependency(str(measured.RESULTS / "cpu.json"))
        rows = [row for row in record.rows.values() if self.is_wanted(row)]
        if not rows:
            raise self.error("the record has no such rows")
        note = nodes.paragraph("", "", nodes.emphasis("", f"Measured on {record.machine}."))
        columns = {**measured.PLAIN, "one device": ("one device",)}
        return [table_node(measured.table(rows, columns)), note]

    def is_wanted(self, row: dict) -> bool:
        patterns = [word.strip() for word in self.options.get("rows", "").split(";")]
        if row["area"] in self.options.get("areas", "").split():
            return True
        return any(fnmatch.fnmatchcase(row["name"], pattern) for pattern in patterns)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("results", Results)
    return {"parallel_read_safe": True}
