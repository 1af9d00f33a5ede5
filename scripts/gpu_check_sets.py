#!/usr/bin/env python3
"""Run tests and benchmarks of arrays over all NVIDIA GPUs of this machine, in phases.

    benchmarks       the rows for arrays over several devices
    whole_memory     one array of most of the memory of two devices, with both pools
    tests_on_set     the Python tests with every array on the set
    devices_alone    what each public call leaves on the other devices, and the long scenarios
    cpp_suites       the C++ tests; the contract suites go over devices, sets and pairs
    random_programs  random programs with arrays on the set, and on the set and its devices

`--only tests_on_set:failed` runs those tests again that failed, or did not end.

Writes the entry of this number of GPUs in `sets` of bench/results/gpu_check.json, with the sources
that it speaks of; the rest of that file is scripts/gpu_check's. Exits with 0 only when everything
ran and passed.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gpu_check
from gpu import record
from gpu.check import Check, Package
from gpu.suites import alone, cpp, run_again
from outcomes import ROOT, Outcomes, run

CONFIGURATION = ROOT / "tests/configs/cuda-striped.json"
WORKERS_PER_DEVICE = 10  # of the Python tests
# Of tests that begin programs: the driver makes one context at a time, one after the other for
# each device of the set, which takes a second on four H200s.
PROGRAM_WORKERS = 8
PROGRAM_TESTS = ("tests/python",)  # whose conftest.py knows CUPOLA_TEST_PROGRAMS
BENCH_SECONDS = 120
PROGRAM = ROOT / "examples/scenarios/more_than_one_device_holds.py"
WHOLE_SECONDS = 100
RANDOM_TESTS = (
    "tests/python/evaluation/test_random_programs.py",
    "tests/python/evaluation/test_programs.py",
)
RANDOM_EXAMPLES = 60  # of each random test
RANDOM_PROGRAMS = 2000  # in C++, of all devices
# The most that a phase takes, so that one that hangs leaves time for the others.
PHASE_SECONDS = {"cpp_suites": 150, "devices_alone": 130, "random_programs": 150}


class SetCheck(Check):
    """A check of which the result is one entry among those of other numbers of GPUs."""

    def earlier_suite(self, name: str) -> dict:
        """What the record says of a phase with these sources."""
        entry = record.load(gpu_check.RESULT).get("sets", {}).get(str(self.count()), {})
        suite = entry.get("suites", {}).get(name)
        if suite is None or entry["source_hash"] != self.result["source_hash"]:
            raise LookupError("the tests did not run with these sources before")
        return suite

    def count(self) -> int:
        """How many GPUs there are."""
        return self.package.device.get("count", 0)

    def device_set(self) -> str:
        """The name of the set of them all."""
        return f"cuda:0-{self.count() - 1}"

    def document(self) -> dict:
        """The record with the entry of this number of GPUs."""
        whole = record.load(gpu_check.RESULT)
        entry = dict(self.result)
        sets = whole.setdefault("sets", {})
        earlier = sets.get(str(self.count()), {})
        if earlier.get("source_hash") == entry["source_hash"]:  # other phases of the same check
            for key in ("seconds", "suites"):
                entry[key] = {**earlier.get(key, {}), **entry.get(key, {})}
            entry = {**earlier, **entry}
        suites = entry.get("suites", {}).values()
        entry["tests"] = record.total_tests([suite["tests"] for suite in suites])
        entry["problems"] = self.package.problems + [
            f"{name}: {text}"
            for name, suite in entry.get("suites", {}).items()
            for text in suite["problems"]
        ]
        sets[str(self.count())] = entry
        return whole

    def write(self) -> None:
        """Write what is known, here and beside the logs."""
        record.write(self.document(), gpu_check.RESULT, self.logs / gpu_check.RESULT.name)

    def phase(self, name: str, function: Callable) -> None:
        """Run one phase; whatever it does, the run goes on and the result is written."""
        begin = time.monotonic()
        whole = self.seconds
        most = PHASE_SECONDS.get(name, whole)
        self.seconds = min(whole, self.spent() + most)
        self.outcomes = Outcomes()
        self.result["problems"] = []
        self.guarded(function)
        self.seconds = whole
        suite = {"tests": self.outcomes.as_dict(), "problems": self.result.pop("problems")}
        if "again" in self.result:
            suite["again"] = self.result.pop("again")
        if self.outcomes.errors:
            suite["errors"] = self.outcomes.listed_errors()
        self.result.setdefault("suites", {})[name] = suite
        seconds = self.result.setdefault("seconds", {})
        seconds[name] = round(time.monotonic() - begin)
        self.write()


def workers_of(check: SetCheck) -> int:
    return WORKERS_PER_DEVICE * check.count()


def tests_on_set(check: SetCheck) -> None:
    """Those that begin programs beside the others."""

    def run_some(part: tuple[str, Sequence[str], int, str]) -> None:
        name, tests, workers, programs = part
        environment = {"CUPOLA_DEVICE": check.device_set(), "CUPOLA_TEST_PROGRAMS": programs}
        check.run_pytest(name, tests, workers, **environment)

    parts = [
        ("pytest_programs", PROGRAM_TESTS, PROGRAM_WORKERS, "only"),
        ("pytest", check.package.configuration["tests"], workers_of(check), "none"),
    ]
    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(run_some, parts))


def failed_tests_on_set(check: SetCheck) -> None:
    """Those again that failed with the same sources, or did not end."""
    suite = check.earlier_suite("tests_on_set")
    run_again(check, suite, PROGRAM_WORKERS, CUPOLA_DEVICE=check.device_set())


def whole_memory(check: SetCheck) -> None:
    """One array of most of the memory of two devices, as itself and through a striped pool."""
    count = check.count()
    if count != 2:
        return  # the host would read for minutes
    check.result["whole_memory"] = {}
    for option in ([], ["--striped-pool"]):
        log = check.logs / f"whole_memory{''.join(option)}.log"
        devices = f"--devices={check.device_set()}"
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


def devices_alone(check: SetCheck) -> None:
    alone(check, [])


def cpp_suites(check: SetCheck) -> None:
    cpp(check, [])


def random_programs(check: SetCheck) -> None:
    """In C++ with arrays on the set and its devices, in Python with every array on the set."""
    count = check.count()
    log = check.logs / "random_programs.log"
    command = [check.package.programs / "random_programs", "--normal", "--sets"]
    command += ["--count", RANDOM_PROGRAMS, "--per-process", 100, "--jobs", 8 * count]
    environment = check.package.environment(CUPOLA_STRIPE_THRESHOLD="1")
    status = run(command, log, check.left() / 2, environment)
    lines = log.read_text().splitlines()
    counts = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
    check.result["random_programs"] = counts
    failed = [f"random_programs {number + 1}" for number in range(counts.get("failed", 0))]
    check.outcomes.failures += failed
    check.outcomes.passed += counts.get("programs", 0)
    check.note_status("random_programs", status, len(failed))
    check.run_pytest(
        "random",
        RANDOM_TESTS,
        workers_of(check),
        CUPOLA_DEVICE=check.device_set(),
        CUPOLA_TEST_EXAMPLES=str(RANDOM_EXAMPLES),
    )


PHASES = {
    "benchmarks": benchmarks,
    "whole_memory": whole_memory,
    "tests_on_set": tests_on_set,
    "devices_alone": devices_alone,
    "cpp_suites": cpp_suites,
    "random_programs": random_programs,
}
# Instead of a phase, and into its place in the record.
AGAIN = {"tests_on_set:failed": failed_tests_on_set}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=570, help="for everything")
    parser.add_argument("--logs", type=Path, default=ROOT / "build/gpu_check_sets")
    parser.add_argument(
        "--only",
        action="append",
        choices=[*PHASES, *AGAIN],
        help="some phases; of the same sources, the others' results are kept",
    )
    arguments = parser.parse_args()
    check = SetCheck(Package(CONFIGURATION, arguments.logs), arguments.seconds, arguments.logs)
    if check.count() < 2:
        print("gpu_check_sets: there are not several GPUs here", file=sys.stderr)
        return 1
    for name, function in {**PHASES, **AGAIN}.items():
        if name in (arguments.only or PHASES):
            check.phase(name.partition(":")[0], function)
    check.result["seconds"]["total"] = round(check.spent())
    check.write()
    entry = check.document()["sets"][str(check.count())]
    for name, suite in entry["suites"].items():
        errors = suite.get("errors", {}).items()
        print(name, suite["tests"], *suite["problems"], *errors, sep="\n  ")
    return 0 if record.is_clean(entry) else 1


if __name__ == "__main__":
    sys.exit(main())
