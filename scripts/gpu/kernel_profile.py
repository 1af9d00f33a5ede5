"""The part that profiles the kernels of benchmark rows, so that a row has its cause beside it."""

from gpu import ncu, record
from gpu.benchmarks import ROWS_PROGRAM, row_names
from gpu.check import Check, status_problem
from outcomes import run, without_folders

ROW_SECONDS = 90


def short_rows(check: Check) -> list[str]:
    """Rows that do not reach what they are to reach in the record so far."""
    benchmarks = check.earlier.get("benchmarks")
    if benchmarks is None:
        check.problem("which rows fall short is not known before the benchmarks ran")
        return []
    results = check.logs / "benchmarks.json"
    record.write(benchmarks, results)
    return row_names(check, [], "--kernels", "--short", results)


def profile_row(check: Check, place: int, name: str) -> dict:
    """The first kernels of one run of the row, in a process of its own."""
    log, csv = check.logs / f"{place:02}.log", check.logs / f"{place:02}.csv"
    program = [check.package.python, ROWS_PROGRAM, "--exactly", name]
    seconds = min(check.left(), ROW_SECONDS)
    environment = {**check.package.environment(), "PYTHONFAULTHANDLER": "1"}
    status = run([*ncu.command(csv), *program], log, seconds, environment)
    text = csv.read_text(errors="replace") if csv.exists() else ""
    kernels = ncu.together(ncu.kernels(text))
    output = log.read_text(errors="replace")
    missing = "" if kernels or ncu.saw_no_kernel(text + output) else "no kernel was recorded"
    problem = status_problem(status, 0) or missing
    if problem:
        end = "".join(output.strip().splitlines()[-1:])
        said = ncu.complaint(text) or ncu.complaint(output) or end
        problem = without_folders(": ".join(filter(None, [problem, said])))
    return {"name": name, "kernels": kernels, "problems": [problem] if problem else []}


def profile(check: Check, patterns: list[str]) -> list[str]:
    """Profiles the rows that patterns name, without patterns those that fall short.

    Returns no names: no row has to be there.
    """
    rows = row_names(check, patterns, "--kernels") if patterns else short_rows(check)
    if patterns and not rows:
        check.problem(f"no row matches {', '.join(patterns)}")
    check.result["rows"] = []
    for place, name in enumerate(rows):
        if check.left() < 1:
            check.problem(f"not begun: {'; '.join(rows[place:])}")
            break
        check.result["rows"].append(entry := profile_row(check, place, name))
        launches = sum(kernel["launches"] for kernel in entry["kernels"])
        print(f"{name}: {launches} launches", flush=True)
    return []
