#!/usr/bin/env python3
"""Run the Python tests with every array on all NVIDIA GPUs of this machine, and the benchmarks of
arrays over several devices, in under 10 minutes.

Writes the entry of this number of GPUs in `sets` of bench/results/gpu_check.json, with the sources
that it speaks of; the rest of that file is scripts/gpu_check's. Exits with 0 only when everything
ran and passed.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import gpu_check
from gpu import record
from gpu.check import Check, Package
from outcomes import ROOT, run

CONFIGURATION = ROOT / "tests/configs/cuda-striped.json"
WORKERS_PER_DEVICE = 14  # of the Python tests
BENCH_SECONDS = 120
PROGRAM = ROOT / "examples/scenarios/more_than_one_device_holds.py"
WHOLE_SECONDS = 100


class SetCheck(Check):
    """A check of which the result is one entry among those of other numbers of GPUs."""

    def count(self) -> int:
        """How many GPUs there are."""
        return self.package.device.get("count", 0)

    def document(self) -> dict:
        """The record with the entry of this number of GPUs."""
        whole = record.load(gpu_check.RESULT)
        entry = dict(self.result)
        sets = whole.setdefault("sets", {})
        earlier = sets.get(str(self.count()), {})
        if earlier.get("source_hash") == entry["source_hash"]:  # other phases of the same check
            for key in ("seconds", "tests"):
                entry[key] = {**earlier.get(key, {}), **entry.get(key, {})}
            entry["problems"] = list(dict.fromkeys([*earlier["problems"], *entry["problems"]]))
            entry = {**earlier, **entry}
        sets[str(self.count())] = entry
        return whole

    def write(self) -> None:
        """Write what is known, here and beside the logs."""
        record.write(self.document(), gpu_check.RESULT, self.logs / gpu_check.RESULT.name)

    def phase(self, function: Callable) -> None:
        """Run one phase; whatever it does, the run goes on and the result is written."""
        begin = time.monotonic()
        self.guarded(function)
        seconds = self.result.setdefault("seconds", {})
        seconds[function.__name__] = round(time.monotonic() - begin)
        self.write()


def tests_on_set(check: SetCheck) -> None:
    count = check.count()
    tests = check.package.configuration["tests"]
    workers = WORKERS_PER_DEVICE * count
    check.run_pytest("pytest", tests, workers, CUPOLA_DEVICE=f"cuda:0-{count - 1}")


def whole_memory(check: SetCheck) -> None:
    """One array of most of the memory of two devices, as itself and through a striped pool."""
    count = check.count()
    if count != 2:
        return  # the host would read for minutes
    check.result["whole_memory"] = {}
    for option in ([], ["--striped-pool"]):
        log = check.logs / f"whole_memory{''.join(option)}.log"
        devices = f"--devices=cuda:0-{count - 1}"
        command = [check.package.python, PROGRAM, "--whole", devices, *option]
        environment = check.package.environment(CUPOLA_STRIPE_THRESHOLD="")
        status = run(command, log, min(check.left(), WHOLE_SECONDS), environment)
        check.note_status(" ".join([PROGRAM.stem, *option]), status, 0)
        check.result["whole_memory"][" ".join(option) or "plain"] = log.read_text().splitlines()


def benchmarks(check: SetCheck) -> None:
    rows = check.logs / "bench.json"
    command = [check.package.python, "bench/run.py", "--only", "sets", "--libraries", "numpy"]
    status = run(
        [*command, "--json", rows],
        check.logs / "bench.log",
        min(check.left(), BENCH_SECONDS),
        check.package.environment(CUPOLA_STRIPE_THRESHOLD=""),
    )
    check.note_status("bench", status, 0)
    check.result["benchmarks"] = json.loads(rows.read_text()) if rows.exists() else None


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
    check = SetCheck(Package(CONFIGURATION, arguments.logs), arguments.seconds, arguments.logs)
    if check.count() < 2:
        print("gpu_check_sets: there are not several GPUs here", file=sys.stderr)
        return 1
    for function in PHASES:
        if not arguments.only or function.__name__ in arguments.only:
            check.phase(function)
    check.result["seconds"]["total"] = round(check.spent())
    check.write()
    return 0 if record.is_clean(check.result) else 1


if __name__ == "__main__":
    sys.exit(main())
