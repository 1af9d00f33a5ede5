"""The part that runs the benchmarks, all or some areas and rows."""

import json

from gpu.check import Check
from gpu.machine import output_of
from outcomes import run

PROGRAM = "bench/run.py"
ROWS_PROGRAM = "bench/profile_rows.py"


def row_names(check: Check, patterns: list[str], *options: str) -> list[str]:
    """Rows of one GPU of which a pattern matches the name or area; all without patterns."""
    return output_of(
        check.package.python,
        ROWS_PROGRAM,
        "--list",
        *options,
        *patterns,
        environment=check.package.environment(),
    ).splitlines()


def row_problems(row: dict) -> list[str]:
    """What has failed in it; rows that fall short are no problem of the run."""
    return [why for name, why in row.get("fails", {}).items() if name == "cupola"]


def dated(document: dict) -> list[dict]:
    """The rows of a file of bench/run.py, each with what it has of its run alone."""
    facts = {key: document[key] for key in ("date", "seed") if key in document}
    return [
        {**row, **facts, **({"problems": found} if (found := row_problems(row)) else {})}
        for row in document["rows"]
    ]


def benchmarks(check: Check, patterns: list[str]) -> list[str] | None:
    """Runs the rows; the names of all that a complete record has, None if they are unknown."""
    rows = check.logs / "bench.json"
    only = [option for pattern in patterns for option in ("--only", pattern)]
    command = [check.package.python, PROGRAM, "--json", rows, *only]
    status = run(command, check.logs / "bench.log", check.left(), check.package.environment())
    document = json.loads(rows.read_text()) if rows.exists() else {"rows": []}
    of_call = ("rows", "date", "seed", "seconds")
    facts = {key: value for key, value in document.items() if key not in of_call}
    check.result.update(facts, rows=dated(document))
    failed = [row for row in check.result["rows"] if "problems" in row]
    check.note_status("bench", status, len(failed))
    if not (names := row_names(check, [])):
        check.problem("the rows that there are cannot be listed")
    return names or None
