"""The table of docs/guide/neighbours.md names the versions that are tested."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_table_is_that_of_the_requirements() -> None:
    pins = dict(
        line.split("==")
        for name in ("neighbours", "pytorch")
        for line in (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8").splitlines()
    )
    page = (ROOT / "docs/guide/neighbours.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", page, re.MULTILINE)) == pins
