#!/usr/bin/env python3
"""Writes docs/reference/environment.md from the table of environment variables.

--check compares instead of writing and fails on a difference.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from cupola import _environment as environment

PAGE = Path(__file__).resolve().parent.parent / "docs/reference/environment.md"

HEAD = """# Environment variables

Written by `scripts/generate_environment.py` from `python/cupola/_environment.py`; do not edit.

The library reads its variables when it first needs them, and keeps what it read: set them before
the program starts. One that is empty is not set, but for `CUPOLA_CACHE_DIR`. In sizes `K`, `M` and
`G` are 1024 bytes and powers of that. `import cupola` warns of a variable that begins with
`CUPOLA_` and is not among these, and names the one that was probably meant; `python -m cupola info`
shows those that are set.
"""


def cell(text: str) -> str:
    """Text of a table's cell."""
    return text.replace("|", "\\|")


def lines() -> Iterator[str]:
    yield from HEAD.splitlines()
    for group in environment.GROUPS:
        yield from ("", f"## {group}", "", "| variable | values | without it | meaning |")
        yield "|---|---|---|---|"
        for row in environment.VARIABLES.values():
            if row.group == group:
                cells = (f"`{row.name}`", row.values, row.default, row.meaning)
                yield f"| {' | '.join(map(cell, cells))} |"
    yield from (
        "",
        "## Of the system and of other programs",
        "",
        "| variable | meaning |",
        "|---|---|",
    )
    for name, meaning in environment.OTHER_VARIABLES.items():
        yield f"| `{name}` | {cell(meaning)} |"
    yield ""
    yield "Variables that begin with `CUPOLA_TEST_` are read by test programs only."


def main() -> int:
    text = "\n".join(lines()) + "\n"
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE} differs from the table: run scripts/generate_environment.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
