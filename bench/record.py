"""The JSON file of results: the rows of one call of run.py, or of several, merged."""

import datetime
import functools
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import report

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from source_hash import source_hash

Document = dict[str, Any]

# What all calls whose rows stand in one file have in common.
COMMON = ("platform", "gpu", "elements", "devices", "quick")


class MergeError(Exception):
    """The file is of another machine or of other sizes."""


@functools.cache
def hash_of_sources() -> str:
    return source_hash()


def call_of(rows: Sequence[Document], seed: int, budget: float, seconds: float) -> Document:
    """What the file says of one call, beside its rows."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "source_hash": hash_of_sources(),
        "seed": seed,
        "budget": budget,
        "seconds": seconds,
        "machine": report.machine(),
        "rows": [row["name"] for row in rows],
    }


def check_mergeable(earlier: Document, facts: Mapping[str, Any]) -> None:
    """Raises MergeError where rows of such a call do not belong into the file."""
    for key in COMMON:
        if earlier.get(key) != facts[key]:
            raise MergeError(f"the file's {key} is {earlier.get(key)}, here it is {facts[key]}")
    if "calls" not in earlier:
        raise MergeError("the file does not say which calls its rows are from")


def merged(earlier: Document, later: Document) -> Document:
    """The later call's rows in place of the earlier ones of their names, beside the others."""
    check_mergeable(earlier, later)
    again = {row["name"] for row in later["rows"]}
    calls = [
        {**call, "rows": [name for name in call["rows"] if name not in again]}
        for call in earlier["calls"]
    ]
    return {
        **later,
        "versions": {**earlier["versions"], **later["versions"]},
        "asked": list(dict.fromkeys([*earlier["asked"], *later["asked"]])),
        "calls": [*(call for call in calls if call["rows"]), *later["calls"]],
        "rows": [*(row for row in earlier["rows"] if row["name"] not in again), *later["rows"]],
    }


def finished(document: Document, order: Sequence[str], whole: Collection[str]) -> Document:
    """The document with what follows from all its rows, these in `order`.

    `complete`: all rows of `whole` were asked for, at full size, of the same sources.
    """
    places = {name: place for place, name in enumerate(order)}
    rows = sorted(document["rows"], key=lambda row: places.get(row["name"], len(places)))
    hashes = {call["source_hash"] for call in document["calls"]}
    asked_for_all = not document["quick"] and set(document["asked"]) >= set(whole)
    return {
        "date": document["calls"][-1]["date"],
        "source_hash": next(iter(hashes)) if len(hashes) == 1 else None,
        "complete": asked_for_all and len(hashes) == 1,
        "copy_gb_per_s": report.add_limit(rows),
        "seconds": sum(call["seconds"] for call in document["calls"]),
        **{key: value for key, value in document.items() if key != "rows"},
        "rows": rows,
    }


def read(path: Path) -> Document:
    document: Document = json.loads(path.read_text(encoding="utf-8"))
    return document


def write(path: Path, document: Document) -> None:
    """The file is whole at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
