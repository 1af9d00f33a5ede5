#!/usr/bin/env python3
"""How records stand to what was aimed at; found when they are read, from the figures alone.

Files as arguments (default: all of bench/results): what they fall short of, and why. Exits with 1
where a complete record is short without a reason, or rows are absent.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import record as records
import why
from aim import BEST_PEER, Aim, Record, Row
from aims import AIMS

Outcomes = dict[str, list[dict[str, Any]]]  # by the row's name


def record_of(document: dict[str, Any], devices: int = 1) -> Record:
    """`devices`: of a document that does not tell itself."""
    rows = {row["name"]: row for row in document["rows"]}
    return Record(rows, document["platform"], document.get("devices", devices))


def aims_of(name: str, platform: str) -> Iterable[Aim]:
    """The row's own, and the rule for all: no library on these devices is faster."""
    yield from AIMS[platform].get(name, ())
    yield Aim(1, BEST_PEER, why=why.SLOWER[platform].get(name, ""))


def outcomes_of(row: Row, record: Record) -> list[dict[str, Any]]:
    found = [aim.outcome(row, record) for aim in aims_of(row["name"], record.platform)]
    return [outcome for outcome in found if outcome]


def judge(document: dict[str, Any], devices: int = 1) -> Outcomes:
    """What each row of a record was to reach, what it did, and why it did not."""
    record = record_of(document, devices)
    return {name: outcomes_of(row, record) for name, row in record.rows.items()}


def absent(document: dict[str, Any]) -> list[str]:
    """Rows that were asked for, and of which there is no figure of Cupola's."""
    measured = {row["name"] for row in document["rows"] if "cupola" in row["figures"]}
    return [name for name in document.get("asked", ()) if name not in measured]


def line_of(name: str, outcome: dict[str, Any]) -> str:
    wanted = outcome.get("at_least", outcome.get("at_most"))
    of = f" of {outcome['of']}" if outcome["of"] else ""
    return f"short: {name}: {outcome['reached']:.3g} of {wanted:.3g}{of}: {outcome['why']}"


def shortfalls(document: dict[str, Any], devices: int = 1) -> str:
    """A line for each aim that was not reached, and for each row that is absent."""
    lines = [
        line_of(name, outcome)
        for name, outcomes in judge(document, devices).items()
        for outcome in outcomes
        if "short_by" in outcome
    ]
    return "\n".join([*lines, *(f"absent: {name}" for name in absent(document))])


def short_rows(document: dict[str, Any]) -> set[str]:
    """Rows that do not reach all that they are to reach."""
    return {
        name
        for name, outcomes in judge(document).items()
        if any("short_by" in outcome for outcome in outcomes)
    }


def unexplained(document: dict[str, Any], devices: int = 1) -> list[str]:
    """What a complete record must not have: rows that are absent, or short without a reason."""
    short = [
        line_of(name, outcome)
        for name, outcomes in judge(document, devices).items()
        for outcome in outcomes
        if "short_by" in outcome and not outcome["why"]
    ]
    return [*short, *(f"absent: {name}" for name in absent(document))]


def documents_in(content: dict[str, Any]) -> list[tuple[str, dict[str, Any], int]]:
    """The documents of a file, with what they are of and with their numbers of devices.

    The file is one itself, or it is of the GPU check and has one, and one for each set.
    """
    if "rows" in content:
        return [("", content, content.get("devices", 1))]
    of_sets = [(f", {n} GPUs", part, int(n)) for n, part in content.get("sets", {}).items()]
    parts = [("", content, 1), *of_sets]
    return [(what, p["benchmarks"], n) for what, p, n in parts if p.get("benchmarks")]


def main() -> int:
    results = Path(__file__).resolve().parent / "results"
    failed = False
    paths = [Path(name) for name in sys.argv[1:]] or sorted(results.glob("*.json"))
    for path in paths:
        for what, document, devices in documents_in(records.read(path)):
            complete = bool(document.get("complete"))
            print(f"{path.name}{what}{'' if complete else ' (not complete)'}")
            print(shortfalls(document, devices))
            failed |= complete and bool(unexplained(document, devices))
            failed |= bool(absent(document))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
