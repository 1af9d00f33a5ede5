#!/usr/bin/env python3
"""Run the Python tests with every array on all NVIDIA GPUs of this machine, and the benchmarks of
arrays over several devices, in under 10 minutes.

Writes the entry of this number of GPUs in `sets` of bench/results/gpu_check.json, with the sources
that it speaks of; the rest of that file is scripts/gpu_check's. Exits with 0 only when everything
ran and passed.
"""

import argparse
import datetime
import json
import sys
import time
from pathlib import Path

import gpu_check
from gpu_check import ROOT, Check, is_clean, note_rows, prepare, run_pytest

CONFIGURATION = ROOT / "tests/configs/cuda-striped.json"
WORKERS_PER_DEVICE = 14  # of the Python tests
BENCH_SECONDS = 120
PROGRAM = ROOT / "examples/scenarios/more_than_one_device_holds.py"
WHOLE_SECONDS = 100


class SetCheck(Check):
    """A check of which the result is one entry among those of other numbers of GPUs."""

    def __init__(self, seconds: float, logs: Path) -> None:
        super().__init__(seconds, logs)
        self.kept = 0
        self.configuration = json.loads(CONFIGURATION.read_text())
        self.result["date"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")

    def document(self) -> dict:
        path = gpu_check.RESULT
        whole = json.loads(path.read_text()) if path.exists() else {}
        entry = {key: value for key, value in self.result.items() if key != "info"}
        sets = whole.setdefault("sets", {})
        count = str(self.result.get("device", {}).get("count", 0))
        earlier = sets.get(count, {})
        if earlier.get("source_hash") == entry["source_hash"]:  # other phases of the same check
            for key in ("seconds", "tests"):
                entry[key] = {**earlier.get(key, {}), **entry.get(key, {})}
            entry["problems"] = list(dict.fromkeys([*earlier["problems"], *entry["problems"]]))
            entry = {**earlier, **entry}
        sets[count] = entry
        return whole


def tests_on_set(check: Check) -> None:
    count = check.result["device"]["count"]
    tests = check.configuration["tests"]
    workers = WORKERS_PER_DEVICE * count
    run_pytest(check, "pytest", tests, workers, CUPOLA_DEVICE=f"cuda:0-{count - 1}")


def whole_memory(check: Check) -> None:
    """One array of most of the memory of two devices, as itself and through a striped pool."""
    count = check.result["device"]["count"]
    if count != 2:
        return  # the host would read for minutes
    check.result["whole_memory"] = {}
    for option in ([], ["--striped-pool"]):
        log = check.logs / f"whole_memory{''.join(option)}.log"
        command = [check.python, PROGRAM, "--whole", f"--devices=cuda:0-{count - 1}", *option]
        environment = check.environment(CUPOLA_STRIPE_THRESHOLD="")
        status = gpu_check.run(command, log, min(check.left(), WHOLE_SECONDS), environment)
        check.note_status(" ".join([PROGRAM.stem, *option]), status, 0)
        check.result["whole_memory"][" ".join(option) or "plain"] = log.read_text().splitlines()


def benchmarks(check: Check) -> None:
    rows = check.logs / "bench.json"
    command = [check.python, "bench/run.py", "--only", "sets", "--libraries", "numpy"]
    status = gpu_check.run(
        [*command, "--json", rows],
        check.logs / "bench.log",
        min(check.left(), BENCH_SECONDS),
        check.environment(CUPOLA_STRIPE_THRESHOLD=""),
    )
    note_rows(check, rows, status)


PHASES = (benchmarks, whole_memory, tests_on_set)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=570, help="for everything")
    parser.add_argument("--logs", type=Path, default=ROOT / "build/gpu_check_sets")
    parser.add_argument(
        "--only",
        action="append",
        choices=[phase.__name__ for phase in PHASES],
        help="some phases; of the same sources, the others' results are kept",
    )
    arguments = parser.parse_args()
    check = SetCheck(arguments.seconds, arguments.logs)
    check.phase(prepare)
    if check.result.get("device", {}).get("count", 0) < 2:
        print("gpu_check_sets: there are not several GPUs here", file=sys.stderr)
        return 1
    for function in PHASES:
        if not arguments.only or function.__name__ in arguments.only:
            check.phase(function)
    check.result["seconds"]["total"] = round(time.monotonic() - check.start)
    check.write()
    return 0 if is_clean({"tests": check.outcomes.as_dict(), **check.result}) else 1


if __name__ == "__main__":
    sys.exit(main())
