#!/usr/bin/env python3
"""Run the tests, compute-sanitizer and the benchmarks on an NVIDIA GPU, in under 10 minutes.

Uses the package in .gpu/ (scripts/build_gpu_package) where it is there, and otherwise sets up and
builds on this machine. Writes bench/results/gpu_check.json after every phase, so that what is known
is kept when a later one fails or is stopped. Exits with 0 only when everything ran and passed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from outcomes import (
    LONG_PROGRAMS,
    ROOT,
    Outcomes,
    gtest_outcomes,
    printed_figures,
    pytest_outcomes,
    run,
)
from source_hash import source_hash

RESULT = ROOT / "bench/results/gpu_check.json"
CARRIED = ROOT / ".gpu"
CONFIGURATION = ROOT / "tests/configs/cuda.json"
WORKERS = 12  # of the Python tests
CPP_WORKERS = 8
CPP_SECONDS = 120  # for all C++ tests
SHARDS = 4  # processes that share the tests of a long program
BENCH_SECONDS = 170  # kept free for the benchmarks, at most BENCH_SHARE of the time
BENCH_SHARE = 0.3
BENCH_BUDGET = 2.0  # seconds of samples of a library and row, less where time is short
BENCH_FIXED_SECONDS = 80  # what the rows take besides
BENCH_SAMPLED_SECONDS = 90  # with that budget

# Under memcheck a program is 10 to 100 times slower: a part of the tests, few examples of each.
# Errors that the driver returns are not looked for: some tests provoke them.
FIGURES = "platform_cuda_tests"  # measures, so it runs alone
MEMCHECK_PROGRAMS = (FIGURES, "contract_tests")
MEMCHECK_FILTER = "--gtest_filter=-*Figures*:*/cpu*"
MEMCHECK_FILES = (
    "test_ufunc_layouts.py",
    "test_index_set.py",
    "test_nan_and_scans.py",
    "test_programs.py",
)
MEMCHECK_EXAMPLES = 1
PROCESSES = "tests/python/test_multiprocessing.py"
SHORT_LIVED = (
    "tests/python/test_first_use.py"
    "::test_short_lived_threads_leave_memory_and_handles_where_they_began"
)
CENSUS = "tests/python/test_context_census.py"
SCENARIOS = "tests/python/test_scenarios.py"
MEMCHECK_FOUND = 86  # exit status

PEERS = ("numpy", "cupy", "torch", "jax")


def output_of(*command: str, environment: dict | None = None) -> str:
    """Of a short command; nothing if it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **(environment or {})},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def without_paths(value: object) -> object:
    """The same, less the texts that name a place on this machine."""
    if not isinstance(value, dict):
        return value
    return {
        key: without_paths(entry)
        for key, entry in value.items()
        if not (isinstance(entry, str) and "/" in entry)
    }


def describe_device() -> dict[str, str]:
    fields = ("name", "driver_version", "memory.total", "compute_cap")
    query = f"--query-gpu={','.join(fields)}"
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = [f"--id={visible}"] if visible else []
    lines = output_of("nvidia-smi", query, "--format=csv,noheader", *chosen).splitlines()
    values = lines[0].split(", ") if lines else [""] * len(fields)
    return {"count": len(lines), **dict(zip(fields, values, strict=False))}


def describe_versions(python: str) -> dict[str, str]:
    """Of the interpreter, the toolkit and the packages that the benchmarks compare with."""
    code = (
        "import importlib.metadata as m, json\n"
        "packages = m.packages_distributions()\n"
        f"print(json.dumps({{p: m.version(packages[p][0]) for p in {PEERS!r} if p in packages}}))"
    )
    release = re.search(r"release ([\d.]+)", output_of("nvcc", "--version"))
    return {
        "python": sys.version.split()[0],
        "cuda": release[1] if release else "",
        **json.loads(output_of(python, "-c", code) or "{}"),
    }


class Check:
    """One run: where things are, how much of the time is left, what was found so far."""

    def __init__(self, seconds: float, logs: Path) -> None:
        self.start = time.monotonic()
        self.seconds = seconds
        self.kept = min(BENCH_SECONDS, BENCH_SHARE * seconds)
        self.logs = logs
        logs.mkdir(parents=True, exist_ok=True)
        self.cache = tempfile.TemporaryDirectory()
        self.outcomes = Outcomes()
        self.configuration = json.loads(CONFIGURATION.read_text())
        self.result: dict = {"source_hash": source_hash(), "problems": [], "seconds": {}}
        self.python = sys.executable
        self.package = CARRIED / "python"
        self.programs = CARRIED / "tests"

    def left(self) -> float:
        return self.start + self.seconds - time.monotonic()

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PYTHONPATH": str(self.package),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "CUPOLA_GOLDEN_FOLDER": str(ROOT / "tests/golden"),
            # What one program compiles the others find.
            "CUPOLA_DISK_CACHE": "1",
            "CUPOLA_CACHE_DIR": self.cache.name,
            **self.configuration["environment"],
            **more,
        }

    def problem(self, text: str) -> None:
        print(f"gpu_check: {text}", flush=True)
        self.result["problems"].append(text)

    def document(self) -> dict:
        """What the file is to hold: what is known, and what others have found out."""
        earlier = json.loads(RESULT.read_text()) if RESULT.exists() else {}
        return {**self.result, **{key: earlier[key] for key in ("sets",) if key in earlier}}

    def write(self) -> None:
        """Write what is known, here and beside the logs."""
        text = json.dumps(self.document(), indent=1) + "\n"
        for target in (RESULT, self.logs / RESULT.name):
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(".partial")
            partial.write_text(text, encoding="utf-8")
            partial.replace(target)

    def phase(self, function) -> None:
        """Run one phase; whatever it does, the run goes on and the result is written."""
        begin = time.monotonic()
        try:
            function(self)
        except Exception as error:
            self.problem(f"{function.__name__}: {type(error).__name__}: {error}")
        self.result["seconds"][function.__name__] = round(time.monotonic() - begin)
        self.write()

    def note_status(self, name: str, status: int | None, failures: int) -> None:
        """A program that was stopped, or failed without a failing test, is a problem."""
        if status is None:
            self.problem(f"{name}: stopped, the time was over")
        elif status != 0 and not failures:
            self.problem(f"{name}: exit status {status}")

    def add_outcomes(self, name: str, outcomes: Outcomes) -> None:
        self.outcomes += outcomes
        print(f"{name}: {outcomes}", flush=True)
        self.result["tests"] = self.outcomes.as_dict()


def prepare(check: Check) -> None:
    """Find the package, or build it."""
    if check.package.is_dir():
        if (CARRIED / "source_hash").read_text().strip() != check.result["source_hash"]:
            check.problem(".gpu was built from other sources: run scripts/build_gpu_package")
    else:
        for step in (["scripts/setup"], ["scripts/build", "release"]):
            status = run(step, check.logs / "build.log", check.left(), {})
            check.note_status(" ".join(step), status, 0)
        check.python = str(ROOT / ".venv/bin/python")
        check.package = ROOT / "build/release/python"
        check.programs = ROOT / "build/release/tests"
    check.result["device"] = describe_device()
    check.result["versions"] = describe_versions(check.python)
    info = output_of(
        check.python, "-m", "cupola", "info", "--json", environment=check.environment()
    )
    check.result["info"] = without_paths(json.loads(info)) if info else None
    if not info:
        check.problem("`python -m cupola info` fails")


def cpp_tests(check: Check) -> None:
    deadline = min(check.left() - check.kept, CPP_SECONDS) + time.monotonic()

    def run_shard(program: Path, shard: int = 0, shards: int = 1) -> None:
        name = program.name if shards == 1 else f"{program.name} {shard + 1}/{shards}"
        log = check.logs / f"{name.replace(' ', '_').replace('/', '_of_')}.log"
        share = {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
        status = run([program], log, deadline - time.monotonic(), check.environment(**share))
        output = log.read_text(errors="replace")
        outcomes = gtest_outcomes(output)
        check.add_outcomes(name, outcomes)
        check.result.setdefault("figures", []).extend(printed_figures(output))
        check.note_status(name, status, len(outcomes.failures))

    programs = sorted(
        check.programs.glob("*_tests"), key=lambda path: (path.name not in LONG_PROGRAMS, path)
    )
    if not programs:
        check.problem("no C++ test programs")
    shared = []
    for program in programs:
        if program.name == FIGURES:
            run_shard(program)
            continue
        shards = SHARDS if program.name in LONG_PROGRAMS else 1
        shared += [(program, shard, shards) for shard in range(shards)]
    with ThreadPoolExecutor(CPP_WORKERS) as pool:
        list(pool.map(lambda task: run_shard(*task), shared))


def run_pytest(
    check: Check, name: str, tests: list[str], workers: int = WORKERS, **environment: str
) -> None:
    log = check.logs / f"{name}.log"
    command = [check.python, "-m", "pytest", "-v", "-n", workers, *tests]
    command += ["--durations=20", "--tb=short", "-p", "no:cacheprovider"]
    seconds = check.left() - check.kept
    status = run(command, log, seconds, check.environment(**environment))
    outcomes = pytest_outcomes(log.read_text(errors="replace"))
    check.add_outcomes(name, outcomes)
    check.note_status(name, status, len(outcomes.failures))


def python_tests(check: Check) -> None:
    run_pytest(check, "pytest", check.configuration["tests"])


def alone(check: Check) -> None:
    """What is measured on whole devices, while nothing else runs there."""
    tests = [PROCESSES, SHORT_LIVED]
    if check.result["device"]["count"] > 1:
        tests += [CENSUS, SCENARIOS]
    run_pytest(check, "alone", tests, workers=1, CUPOLA_TEST_ALONE="1")


def memcheck(check: Check) -> None:
    """All programs of the subset at once; each writes a log of its own."""
    commands = {name: [check.programs / name, MEMCHECK_FILTER] for name in MEMCHECK_PROGRAMS}
    pytest = [check.python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
    for name in MEMCHECK_FILES:
        commands[name] = [*pytest, "--timeout=0", f"tests/python/{name}"]
    environment = check.environment(CUPOLA_TEST_EXAMPLES=str(MEMCHECK_EXAMPLES))
    sanitizer = ["compute-sanitizer", "--tool", "memcheck", "--report-api-errors", "no"]
    sanitizer += ["--error-exitcode", MEMCHECK_FOUND]

    def examine(name: str) -> dict:
        log = check.logs / f"memcheck_{name}.log"
        seconds = check.left() - check.kept
        status = run([*sanitizer, *commands[name]], log, seconds, environment)
        summary = re.findall(r"ERROR SUMMARY: (\d+) error", log.read_text(errors="replace"))
        found = sum(int(number) for number in summary)
        check.note_status(f"memcheck {name}", status, found)
        return {"program": name, "errors": found if summary else None, "status": status}

    with ThreadPoolExecutor(len(commands)) as pool:
        check.result["memcheck"] = list(pool.map(examine, commands))


def tests_and_memcheck(check: Check) -> None:
    """Together, so that all cores have work; each is bound by compiling on the host."""
    alone(check)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(memcheck, check), pool.submit(python_tests, check)]:
            done.result()


def benchmarks(check: Check) -> None:
    rows = check.logs / "bench.json"
    samples = (check.left() - BENCH_FIXED_SECONDS) / BENCH_SAMPLED_SECONDS
    budget = round(BENCH_BUDGET * min(1, max(samples, 0.25)), 2)
    command = [check.python, "bench/run.py", "--json", rows, "--budget", budget]
    status = run(command, check.logs / "bench.log", check.left(), check.environment())
    note_rows(check, rows, status)


def note_rows(check: Check, rows: Path, status: int | None) -> None:
    check.note_status("bench", status, 0)
    check.result["benchmarks"] = json.loads(rows.read_text()) if rows.exists() else None


def are_benchmarks_of(earlier: dict, result: dict) -> bool:
    """Whether an earlier run measured these very sources, on such a device."""
    same_sources = earlier.get("source_hash") == result["source_hash"]
    device = result.get("device", {}).get("name")
    same_device = earlier.get("device", {}).get("name") == device
    return bool(same_sources and same_device and earlier.get("benchmarks"))


def is_clean(result: dict) -> bool:
    memory_errors = sum(each["errors"] or 0 for each in result.get("memcheck", []))
    return not result["problems"] and not result["tests"]["failed"] and not memory_errors


PHASES = (prepare, cpp_tests, tests_and_memcheck, benchmarks)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=570, help="for everything")
    parser.add_argument("--logs", type=Path, default=ROOT / "build/gpu_check")
    parser.add_argument(
        "--skip",
        nargs="*",
        default=[],
        help="phases to leave out; benchmarks that an earlier run made of the same sources stay",
    )
    arguments = parser.parse_args()
    earlier = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    check = Check(arguments.seconds, arguments.logs)
    check.result["tests"] = check.outcomes.as_dict()
    if benchmarks.__name__ in arguments.skip:
        check.kept = 0
    for function in PHASES:
        if function.__name__ not in arguments.skip:
            check.phase(function)
        elif function is benchmarks and are_benchmarks_of(earlier, check.result):
            check.result["benchmarks"] = earlier["benchmarks"]  # with a date of their own
        else:
            check.problem(f"{function.__name__} was left out")
    check.result["seconds"]["total"] = round(time.monotonic() - check.start)
    check.write()
    return 0 if is_clean(check.result) else 1


if __name__ == "__main__":
    sys.exit(main())
