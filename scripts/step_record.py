"""The record of `make test-all`: what each step gave, and of which sources."""

import datetime
import json
from pathlib import Path
from typing import Any

import source_hash

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "bench/results/test_all.json"
TESTED = ("src", "include", "python", "tests")  # folders that the hash is of

Record = dict[str, Any]


def load() -> Record:
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {"steps": {}}


def with_step(record: Record, step: str, outcome: Record) -> Record:
    """The record with this run of the step in place of the one before."""
    steps = {**record["steps"], step: outcome}
    return {**record, "steps": dict(sorted(steps.items()))}


def outcome_of(passed: int, failures: list[str], skipped: int, seconds: float) -> Record:
    """Of the sources as they are."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "source_hash": source_hash.source_hash(ROOT, TESTED),
        "seconds": round(seconds),
        "passed": passed,
        "skipped": skipped,
        "failures": failures,
    }


def write(record: Record) -> None:
    PATH.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
