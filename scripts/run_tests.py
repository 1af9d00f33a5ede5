#!/usr/bin/env python3
"""Build and run every test; the last line is `N passed, N failed`.

Steps: build, check, cpp, fake-cuda, programs, calls, python, configurations, asan (with UBSan),
tsan, mutants, readme. Names as arguments choose some.
"""

import argparse
import functools
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sanitizers
from outcomes import LONG_PROGRAMS

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv/bin/python")
SANITIZERS = ("asan", "tsan")  # asan includes UBSan; the preset ubsan is for a look of its own
# Generated text takes minutes in NVRTC and in the host's compiler; nothing of it is instrumented.
SANITIZER_FILTER = "--gtest_filter=-*CudaText.Compiles*:Architectures/*:" + ":".join(
    f"*Cuda{name}.*"
    for name in (
        "TextAsHost",
        "TextInParts",
        "TextOfRandomNumbers",
        "TextOfUsers",
        "MaskText",
        "OrderText",
        "ScanText",
    )
)
SHARDS = 2  # processes that share the tests of a long program
# Beside the default one, which the step `python` is.
OTHER_CONFIGURATIONS = (
    "one-device",
    "eager",
    "injected-faults",
    "small-memory",
    "adversary",
    "baseline-cpu",
    "avx2-cpu",
    "striped",
    "striped-adversary",
)
PROGRAM_SECONDS = 1200  # for one C++ test program
FAKE_CUDA_TEST = "contract_on_fake_cuda"  # tests/CMakeLists.txt says which tests it is


class Count:
    """Passed and failed tests so far, and the names of what failed."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.skipped = 0
        self.failures: list[str] = []

    def add(
        self, passed: int, failed: int, name: str, skipped: int = 0, which: Iterable[str] = ()
    ) -> None:
        """Count the outcomes of what `name` says; `which`: a line for each failure, if known."""
        self.passed += passed
        self.failed += failed
        self.skipped += skipped
        if failed:
            self.failures.append("\n  ".join([f"{name} ({failed})", *which]))

    def __iadd__(self, other: "Count") -> "Count":
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        return self

    def add_lines(self, name: str, command: list[str]) -> None:
        """Run a command that prints `ok ...` and `FAILED ...`."""
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="", flush=True)
        passed = len(re.findall(r"^ok ", done.stdout, re.MULTILINE))
        failed = re.findall(r"^FAILED (.*)", done.stdout, re.MULTILINE)
        self.add(passed, max(len(failed), done.returncode != 0), name, which=failed)


def build(preset: str, count: Count) -> bool:
    done = subprocess.run([str(ROOT / "scripts/build"), preset], cwd=ROOT)
    count.add(done.returncode == 0, done.returncode != 0, f"build {preset}")
    return done.returncode == 0


def without_address_randomisation(preset: str) -> list[str]:
    """ThreadSanitizer cannot place its shadow under some kernels' randomisation."""
    prefix = ["setarch", "-R"]
    if preset != "tsan":
        return []
    try:
        usable = subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        usable = False
    return prefix if usable else []


def run_cpp_program(preset: str, program: Path, shards: int, shard: int) -> Count:
    """Run a share of a program's tests; one that dies counts as a failure of its own."""
    count = Count()
    report = program.with_suffix(f".{shard}.json")
    report.unlink(missing_ok=True)
    command = [*without_address_randomisation(preset), str(program), "--gtest_brief=1"]
    if preset in SANITIZERS:
        command.append(SANITIZER_FILTER)
    environment = {
        **os.environ,
        **(sanitizers.OPTIONS if preset in SANITIZERS else {}),
        "CUPOLA_DISK_CACHE": "0",
        "GTEST_OUTPUT": f"json:{report}",
        "GTEST_TOTAL_SHARDS": str(shards),
        "GTEST_SHARD_INDEX": str(shard),
    }
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, timeout=PROGRAM_SECONDS)
        status = done.returncode
    except subprocess.TimeoutExpired:
        print(f"{program.name}: no end after {PROGRAM_SECONDS} s")
        status = 1
    name = f"{preset}/{program.name}"
    if not report.exists():
        count.add(0, 1, name)
        return count
    results = json.loads(report.read_text())
    cases = [case for suite in results["testsuites"] for case in suite["testsuite"]]
    skipped = sum(case.get("result") == "SKIPPED" for case in cases)
    failed = results["failures"] + results["errors"]
    passed = results["tests"] - results["disabled"] - failed - skipped
    which = [f"{case['classname']}.{case['name']}" for case in cases if "failures" in case]
    count.add(passed, max(failed, status != 0), name, skipped, which)
    return count


def run_cpp_tests(preset: str, count: Count) -> None:
    programs = sorted((ROOT / "build" / preset / "tests").glob("*_tests"))
    for program in programs:
        shards = SHARDS if program.name in LONG_PROGRAMS else 1
        run_shard = functools.partial(run_cpp_program, preset, program, shards)
        with ThreadPoolExecutor(shards) as pool:
            for done in pool.map(run_shard, range(shards)):
                count += done
    if not programs:
        count.add(0, 1, f"{preset}: no test programs")


def run_on_fake_cuda(preset: str, count: Count) -> None:
    """The contract suites over the CUDA plugin, as far as a driver without GPUs goes."""
    folder = ROOT / "build" / preset
    if not (folder / "tests/fake_cuda/libcuda.so.1").exists():
        return  # built without CUDA's headers
    command = [str(ROOT / ".venv/bin/ctest"), "--test-dir", str(folder), "-R", FAKE_CUDA_TEST]
    command += ["--no-tests=error", "--output-on-failure", "--timeout", str(PROGRAM_SECONDS)]
    passed = subprocess.run(command, cwd=ROOT).returncode == 0
    count.add(passed, not passed, f"{preset}/{FAKE_CUDA_TEST}")


def run_python_tests(preset: str, count: Count) -> None:
    report = ROOT / "build" / preset / "pytest.xml"
    report.unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build" / preset / "python")}
    command = [PYTHON, "-m", "pytest", "-q", "-n", "2", f"--junitxml={report}"]
    subprocess.run(command, cwd=ROOT, env=environment)
    if not report.exists():
        count.add(0, 1, "pytest")
        return
    suite = ElementTree.parse(report).getroot().find("testsuite")
    tests, failures, errors, skipped = (
        int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")
    )
    failed = failures + errors
    which = [
        f"{case.get('classname')}.{case.get('name')}"
        for case in suite.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    count.add(tests - failed - skipped, failed if tests else 1, "pytest", skipped, which)


def steps(preset: str, count: Count) -> dict:
    """Name -> what to do, in order."""

    def sanitizer(name: str):
        return lambda: build(name, count) and run_cpp_tests(name, count)

    def script(name: str):
        command = [PYTHON, f"scripts/{name}.py", "--preset", preset]
        return lambda: count.add_lines(name, command)

    return {
        "build": lambda: build(preset, count),
        "check": script("check"),
        "cpp": lambda: run_cpp_tests(preset, count),
        "fake-cuda": lambda: run_on_fake_cuda(preset, count),
        "programs": lambda: count.add_lines(
            "random_programs", [PYTHON, "scripts/random_programs", "--preset", preset]
        ),
        "calls": lambda: count.add_lines(
            "random_calls", [PYTHON, "scripts/random_calls", "--preset", preset]
        ),
        "python": lambda: run_python_tests(preset, count),
        "configurations": lambda: count.add_lines(
            "run_configs",
            [PYTHON, "scripts/run_configs", "--preset", preset, *OTHER_CONFIGURATIONS],
        ),
        **{name: sanitizer(name) for name in SANITIZERS},
        "mutants": lambda: count.add_lines("run_mutants", [PYTHON, "scripts/run_mutants.py"]),
        "readme": script("check_readme"),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release", help="the build to test")
    parser.add_argument("steps", nargs="*")
    arguments = parser.parse_args()
    count = Count()
    all_steps = steps(arguments.preset, count)
    for name in arguments.steps or all_steps:
        start = time.monotonic()
        print(f"== {name}", flush=True)
        all_steps[name]()
        print(f"== {name}: {time.monotonic() - start:.0f} s", flush=True)
    if count.failures:
        print("failed:", *count.failures, sep="\n")
    if count.skipped:
        print(f"{count.skipped} skipped")
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
