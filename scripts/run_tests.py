#!/usr/bin/env python3
"""Build and run the tests; the last line is `N passed, N failed`.

Steps: build, check, cpp, fake-cuda, programs, calls, python, configurations, asan (with most of
UBSan), tsan, mutants, readme, docs (the site, with the examples of its pages), neighbours (other
libraries, which are installed for it). Names as arguments choose some. Configurations run a part of
the Python tests, another one for each commit; so do the compilations of kernels' texts by NVRTC,
the tests of what tests, and the mutants; asan and tsan take turns, and ThreadSanitizer runs the
programs with threads. --all runs everything, and the steps ubsan and plain (a build without
precompiled headers) too; --record writes what each step gives into bench/results/test_all.json.
The time of each step is printed beside its budget.
"""

import argparse
import functools
import itertools
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import budget
import sanitizers
import step_record
from outcomes import LONG_PROGRAMS
from parts import commit, part_of

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv/bin/python")
SANITIZERS = ("asan", "tsan", "ubsan")
CONFIGURATION_PARTS = 18  # of which each configuration runs one
# Tests that have the text of kernels compiled, for minutes; others see each change of the text.
COMPILATIONS = (
    "Architectures/",
    "CudaMaskText.",
    "CudaOrderText.",
    "CudaScanText.",
    "CudaSelectText",
    "CudaTextAsHost.",
    "CudaTextOfJoinedLaunches.",
    "CudaTextOfUsers.",
    "Plans/CudaText.Compiles/",
    "Plans/CudaTextInParts.",
    "Plans/CudaTextOfRandomNumbers.",
    "SelectText.Compiles",
)
COMPILATION_PARTS = 3
NOT_INSTRUMENTED = tuple(f"{name}*" for name in COMPILATIONS)  # what is compiled is not
LONG_PARTS = 4  # of the Python tests that are marked as long
REPEATED_PARTS = 3  # of sanitizers.REPEATED
MUTANT_PARTS = 5
SHARDS = 4  # that the tests of a long program are divided into
JOBS = 2  # programs at a time, where no speed is measured
ONLY_OF_ALL = ("ubsan", "plain")  # steps of --all
NEIGHBOURS = "requirements/neighbours.txt"
PYTORCH = "requirements/pytorch.txt"
# Beside the default one, which the step `python` is; those that take longest come first.
OTHER_CONFIGURATIONS = (
    "striped",
    "adversary",
    "eager",
    "striped-adversary",
    "injected-faults",
    "baseline-cpu",
    "small-memory",
    "left-pending",
    "avx2-cpu",
    "one-device",
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
        """Run a command that prints `ok ...`, `FAILED ...` and `skipped ...`."""
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="", flush=True)
        passed = len(re.findall(r"^ok ", done.stdout, re.MULTILINE))
        failed = re.findall(r"^FAILED (.*)", done.stdout, re.MULTILINE)
        skipped = len(re.findall(r"^skipped ", done.stdout, re.MULTILINE))
        self.add(passed, max(len(failed), done.returncode != 0), name, skipped, failed)


def build(preset: str, count: Count, targets: Iterable[str] = ()) -> bool:
    command = [str(ROOT / "scripts/build"), preset, *(["--target", *targets] if targets else [])]
    done = subprocess.run(command, cwd=ROOT)
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


def tests_left_to_other_commits(preset: str, program: Path) -> list[str]:
    """Of the tests of a program that are dealt to commits, those that are not this one's part."""
    if preset == "tsan":
        dealt, parts = sanitizers.REPEATED, REPEATED_PARTS
    elif preset in SANITIZERS:
        return []
    else:
        dealt, parts = COMPILATIONS, COMPILATION_PARTS
    start = [*without_address_randomisation(preset), str(program)]
    filters = ":".join(f"{name}*" for name in dealt)
    command = [*start, "--gtest_list_tests", f"--gtest_filter={filters}"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    names = [
        suite + test
        for suite, tests in re.findall(r"^(\S+\.)\S*.*\n((?:  .*\n)+)", listed, re.M)
        for test in re.findall(r"^  (\S+)", tests, re.M)
    ]
    return sorted(set(names) - set(part_of(names, (), parts, commit())))


def left_out_of(preset: str, program: Path, is_all: bool) -> list[str]:
    """Patterns of the tests of a program that are not run."""
    always = NOT_INSTRUMENTED if preset in SANITIZERS else ()
    return [*always, *([] if is_all else tests_left_to_other_commits(preset, program))]


def run_cpp_program(
    preset: str, program: Path, shards: int, shard: int, left_out: list[str]
) -> Count:
    """Run a share of a program's tests; one that dies counts as a failure of its own."""
    count = Count()
    report = program.with_suffix(f".{shard}.json")
    report.unlink(missing_ok=True)
    command = [*without_address_randomisation(preset), str(program), "--gtest_brief=1"]
    if left_out:
        command.append(f"--gtest_filter=-{':'.join(left_out)}")
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


def programs_with_threads(preset: str) -> list[str]:
    """Names of the test programs that can be built and are not known to have no threads."""
    command = [str(ROOT / "scripts/build"), preset, "--target", "help"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    names = set(re.findall(r"^(\w+_tests): ", listed, re.MULTILINE))
    return sorted(
        name
        for name in names
        if not name.startswith(("mutant_", "cmake_object_order_depends_target_"))
        and name not in sanitizers.WITHOUT_THREADS
    )


def run_cpp_tests(preset: str, count: Count, names: Iterable[str] = (), *, is_all: bool) -> None:
    """The programs of these names; of all, if there are none."""
    folder = ROOT / "build" / preset / "tests"
    programs = [folder / name for name in names] or sorted(folder.glob("*_tests"))
    left_out = {program: left_out_of(preset, program, is_all) for program in programs}
    # Tests that measure speed are in short programs, and have no bounds under sanitizers, which
    # make every program a long one.
    for is_long, shards, jobs in ((True, SHARDS, JOBS), (False, 1, 1)):
        shares = [
            functools.partial(run_cpp_program, preset, program, shards, shard, left_out[program])
            for program in programs
            if (program.name in LONG_PROGRAMS or preset in SANITIZERS) == is_long
            for shard in range(shards)
        ]
        with ThreadPoolExecutor(jobs) as pool:
            for done in pool.map(lambda share: share(), shares):
                count += done
    if not programs:
        count.add(0, 1, f"{preset}: no test programs")


def is_without_cuda(folder: Path) -> bool:
    """Whether the build in this folder was asked to leave the plugin out."""
    cache = folder / "CMakeCache.txt"
    return cache.exists() and bool(re.search(r"^CUPOLA_CUDA:\w+=OFF$", cache.read_text(), re.M))


def run_on_fake_cuda(preset: str, count: Count) -> None:
    """The contract suites over the CUDA plugin, as far as a driver without GPUs goes."""
    folder = ROOT / "build" / preset
    if is_without_cuda(folder):
        print(f"skipped {FAKE_CUDA_TEST}: {preset} is a build with CUPOLA_CUDA=OFF")
        count.add(0, 0, FAKE_CUDA_TEST, skipped=1)
        return
    command = [str(ROOT / ".venv/bin/ctest"), "--test-dir", str(folder), "-R", FAKE_CUDA_TEST]
    command += ["--no-tests=error", "--output-on-failure", "--timeout", str(PROGRAM_SECONDS)]
    passed = subprocess.run(command, cwd=ROOT).returncode == 0
    count.add(passed, not passed, f"{preset}/{FAKE_CUDA_TEST}")


def run_python_tests(
    preset: str, count: Count, tests: Iterable[str], left_out: Iterable[str] = (), parts: int = 1
) -> None:
    """Of these files and folders all but those that are left out, and one part of the long ones."""
    report = ROOT / "build" / preset / "pytest.xml"
    report.unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build" / preset / "python")}
    if parts > 1:
        environment["CUPOLA_TEST_LONG_PARTS"] = f"{parts} {commit()}"
    command = [PYTHON, "-m", "pytest", "-q", "-n", "2", f"--junitxml={report}"]
    command += [*tests, *(f"--ignore={path}" for path in left_out)]
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


def run_neighbours(preset: str, count: Count) -> None:
    """Tests with the libraries that users have beside this one."""

    def install(what: str, *packages: str) -> None:
        pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, *packages], cwd=ROOT)
        count.add(done.returncode == 0, done.returncode != 0, what)

    install("packages of the neighbours", "-r", NEIGHBOURS, "-r", "requirements/test.txt")
    # Apart, since it brings NVIDIA's packages in other versions than the build's.
    name, _, version = (ROOT / PYTORCH).read_text(encoding="utf-8").strip().partition("==")
    if not (ROOT / f"build/pytorch/{name}-{version}.dist-info").exists():
        install("PyTorch", "--no-compile", "--upgrade", "--target", "build/pytorch", "-r", PYTORCH)
    run_python_tests(preset, count, ["tests/neighbours"])


def steps(preset: str, count: Count, times: budget.Times, is_all: bool) -> dict:
    """Name -> what to do, in order."""

    def sanitizer(name: str) -> None:
        only = programs_with_threads(name) if name == "tsan" and not is_all else []
        with times.measure(f"build {name}"):
            is_built = build(name, count, only)
        if is_built:
            run_cpp_tests(name, count, only, is_all=is_all)

    def script(name: str, *arguments: str) -> None:
        path = f"scripts/{name}"
        count.add_lines(Path(name).stem, [PYTHON, path, "--preset", preset, *arguments])

    def programs() -> None:
        script("random_programs")
        script("random_programs", "--sets")

    def python() -> None:
        parts = 1 if is_all else LONG_PARTS
        run_python_tests(preset, count, ["tests"], ["tests/neighbours"], parts)

    mutants = [] if is_all else ["--part", str(MUTANT_PARTS)]
    part = [] if is_all else ["--part", str(CONFIGURATION_PARTS), *OTHER_CONFIGURATIONS]
    return {
        "build": lambda: build(preset, count),
        "check": lambda: script("check.py"),
        "cpp": lambda: run_cpp_tests(preset, count, is_all=is_all),
        "fake-cuda": lambda: run_on_fake_cuda(preset, count),
        "programs": programs,
        "calls": lambda: script("random_calls", "--processes", str(JOBS)),
        "python": python,
        "configurations": lambda: script("run_configs", *part),
        "asan": lambda: sanitizer("asan"),
        "tsan": lambda: sanitizer("tsan"),
        "mutants": lambda: script("run_mutants.py", *mutants),
        "ubsan": lambda: sanitizer("ubsan"),
        "plain": lambda: build("plain", count),
        "readme": lambda: script("check_readme.py"),
        "docs": lambda: script("build_docs.py"),
        "neighbours": lambda: run_neighbours(preset, count),
    }


def steps_left_to_other_commits() -> set[str]:
    """Those of --all alone, and of those that take turns all but this commit's."""
    turns = {steps[-1]: steps for steps in budget.IN_TURNS}
    (turn,) = part_of(list(turns), (), len(turns), commit())
    return {*ONLY_OF_ALL, *itertools.chain(*turns.values())} - set(turns[turn])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release", help="the build to test")
    parser.add_argument("--all", action="store_true", help="leave nothing out")
    parser.add_argument("--record", action="store_true", help="of --all: what each step gives")
    parser.add_argument("steps", nargs="*")
    arguments = parser.parse_args()
    if arguments.record and not arguments.all:
        parser.error("--record is of --all")
    count, times = Count(), budget.Times()
    all_steps = steps(arguments.preset, count, times, arguments.all)
    left_out = set() if arguments.all else steps_left_to_other_commits()
    chosen = [name for name in all_steps if name not in left_out]
    for name in arguments.steps or chosen:
        print(f"== {name}", flush=True)
        passed, failures, skipped = count.passed, len(count.failures), count.skipped
        with times.measure(name):
            all_steps[name]()
        print(f"== {name}: {times.seconds[name]:.0f} s", flush=True)
        if arguments.record:
            outcome = step_record.outcome_of(
                count.passed - passed,
                count.failures[failures:],
                count.skipped - skipped,
                times.seconds[name],
            )
            step_record.write(step_record.with_step(step_record.load(), name, outcome))
    if count.failures:
        print("failed:", *count.failures, sep="\n")
    print(budget.table(times.seconds))
    if count.skipped:
        print(f"{count.skipped} skipped")
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
