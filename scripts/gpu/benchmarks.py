"""The part that runs the benchmarks, all or some areas and rows."""

from pathlib import Path

from gpu import record
from gpu.check import Check
from gpu.machine import output_of
from outcomes import run

PROGRAM = "bench/run.py"
BUDGET = 0.6  # seconds of samples of a library and row
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


def with_problems(row: dict) -> dict:
    found = row_problems(row)
    return {**row, "problems": found} if found else row


def merges_into(check: Check, patterns: list[str], results: Path) -> bool:
    """Whether rows of this call come beside earlier ones of the same sources, put there for it."""
    earlier = check.earlier.get("benchmarks", {})
    if not patterns or "calls" not in earlier:
        return False
    if not record.same_sources_and_device(check.result, earlier):
        return False
    record.write(earlier, results)
    return True


def benchmarks(check: Check, patterns: list[str]) -> list[str] | None:
    """Runs the rows; the names of all that a complete record has, None if they are unknown."""
    results = check.logs / "bench.json"
    options = [option for pattern in patterns for option in ("--only", pattern)]
    if merges_into(check, patterns, results):
        options.append("--merge")
    command = [check.package.python, PROGRAM, "--json", results, "--budget", BUDGET, *options]
    status = run(command, check.logs / "bench.log", check.left(), check.package.environment())
    document = record.load(results) or {"rows": []}
    facts = {key: value for key, value in document.items() if key not in check.result}
    check.result.update(facts, rows=[with_problems(row) for row in document["rows"]])
    failed = [row for row in check.result["rows"] if "problems" in row]
    check.note_status("bench", status, len(failed))
    if not (names := row_names(check, [])):
        check.problem("the rows that there are cannot be listed")
    return names or None
