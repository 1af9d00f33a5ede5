"""Runs of scripts/random_calls of the same sources, added up into one record."""

from typing import Any

# What is added up over runs, beside counts that have names.
SUMS = ("calls", "differences_that_are_meant", "findings", "seconds")
# What a run is known by.
OF_A_RUN = ("first_seed", "end_seed", "calls", "findings", "seconds")

Record = dict[str, Any]


def next_seed(record: Record, sources: str) -> int:
    """The first after all those that runs of these sources have had."""
    runs = record.get("runs", []) if record.get("source_hash") == sources else []
    return max((run["end_seed"] for run in runs), default=1)


def with_run(record: Record, run: Record, sources: str) -> Record:
    """The record with one more run; of other sources it begins anew.

    Raises
    ------
    ValueError
        If a seed of the run is in the record.
    """
    earlier = record.get("runs", []) if record.get("source_hash") == sources else []
    for other in earlier:
        if run["first_seed"] < other["end_seed"] and other["first_seed"] < run["end_seed"]:
            raise ValueError(f"seeds from {other['first_seed']} on are recorded: {run}")
    summed = added(record, run) if earlier else run
    counts = {name: value for name, value in summed.items() if name not in OF_A_RUN[:2]}
    runs = [*earlier, {name: run[name] for name in OF_A_RUN}]
    return {**counts, "runs": runs, "source_hash": sources}


def added(record: Record, run: Record) -> Record:
    """The counts of both."""
    result: Record = {}
    for name, value in run.items():
        before = record.get(name)
        if isinstance(value, dict):
            names = {**(before or {}), **value}
            result[name] = {n: (before or {}).get(n, 0) + value.get(n, 0) for n in sorted(names)}
        elif name in SUMS:
            result[name] = round(value + (before or 0), 1)
    known = run["functions"] + len(run["functions_not_called"])
    missed = sorted(set(run["functions_not_called"]) & set(record["functions_not_called"]))
    return {**result, "functions": known - len(missed), "functions_not_called": missed}
