#!/usr/bin/env python3
"""Show that the tests notice a library that is broken on purpose.

    scripts/run_mutants.py [NAME ...] [--preset release] [--jobs N] [--no-build] [--without-cuda]
                           [--part N]

tests/mutants/mutants.toml lists the mutants, each with the test that must notice it: a GoogleTest
program, or for faults of the Python package pytest. Every test is first run without a mutant, and
must pass. A mutant is caught when a test is named with an assertion that failed: in the report, or
in GoogleTest's output where the program did not live to write one. A crash, a sanitizer's report,
an exception or a test that does not end, with no assertion before it, has shown nothing. Prints one
line a mutant,
`ok ...` or `FAILED ...`, and how many there were. --without-cuda: the plugin is not built here, and
its mutants are `skipped ...`; otherwise they fail where it is missing. --part N: an N-th of them,
another one for each commit.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from parts import commit, part_of

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/mutants/mutants.toml"
CUDA_TESTS = "platform_cuda_tests"
PYTHON_TESTS = "pytest"
SECONDS = 900  # for one test without a mutant
# With one it may take so many times longer, where the assertion comes after a bounded wait.
PATIENCE = 10
LEAST_SECONDS = 150
# A race shows itself in some runs: a test that has not noticed runs again.
ATTEMPTS = 5
MOST_SHOWN = 4000  # characters of an output
ASSERTION = re.compile(r"\S+\.(cc|h):\d+\n")  # how a failure begins, if it is not an exception
PRINTED = re.compile(r"\S+\.(cc|h):\d+: Failure$")  # the same in the output
# How pytest's begin.
PYTHON_ASSERTIONS = ("AssertionError", "assert ", "Failed: DID NOT RAISE")
BEGUN = re.compile(r"\[ RUN      \] (\S+)")


@dataclass(frozen=True)
class Mutant:
    """A way to be broken: a place in the C++ sources, or a statement that changes the package."""

    name: str = ""  # empty: nothing is broken
    fault: str = ""


@dataclass
class Outcome:
    """What one run of a test program has shown."""

    problem: str = ""  # why it is not to be judged: it crashed, did not end, wrote no report
    failed: tuple[str, ...] = ()  # tests with a failed assertion
    passed: int = 0
    output: str = ""

    @property
    def is_content(self) -> bool:
        """It came to its end, and what was asked for ran and passed."""
        return not self.problem and not self.failed and self.passed > 0

    @property
    def has_caught(self) -> bool:
        return not self.problem and bool(self.failed)

    def __str__(self) -> str:
        if self.problem:
            return self.problem
        if self.failed:
            return "noticed by " + ", ".join(self.failed[:3]) + (" ..." if self.failed[3:] else "")
        return (
            "no test failed"
            if self.passed
            else "no test ran: all were skipped, or none has the name"
        )


def mutants_in_sources(suffix: str = ".cc") -> set[str]:
    """The names in CUPOLA_MUTANT(name) of the sources."""
    names = set()
    for path in (ROOT / "src").rglob(f"*{suffix}"):
        if path != ROOT / "src/base/mutant.h":
            names |= set(re.findall(r"CUPOLA_MUTANT\((\w+)\)", path.read_text()))
    return names


def split(test: str) -> tuple[dict[str, str], str, list[str]]:
    """Environment, program and arguments of a test, `NAME=VALUE program --argument`."""
    words = shlex.split(test)
    environment = {}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    return environment, words[0], words[1:]


def program_of(test: str) -> str:
    return split(test)[1]


def cases_of(report: dict) -> Iterator[dict]:
    """Those that ran, or were skipped at their beginning."""
    for suite in report["testsuites"]:
        yield from (case for case in suite["testsuite"] if case["status"] == "RUN")


def failed_before_the_end(output: str) -> tuple[str, ...]:
    """The tests of which an assertion failed, of a program that was ended before it told."""
    test, failed = "", {}
    for line in output.splitlines():
        if begun := BEGUN.match(line):
            test = begun[1]
        elif test and PRINTED.match(line):
            failed[test] = True
    return tuple(failed)


def judge(status: int, report: Path) -> Outcome:
    """From the exit status of a GoogleTest program and the report that it was to write."""
    if status < 0:
        return Outcome(f"ended by {signal.Signals(-status).name}")
    try:
        cases = list(cases_of(json.loads(report.read_text())))
    except (OSError, ValueError):
        return Outcome(f"exit status {status} without a report")
    failed = tuple(
        f"{case['classname']}.{case['name']}"
        for case in cases
        if any(ASSERTION.match(failure["failure"]) for failure in case.get("failures", []))
    )
    if status not in (0, 1) or bool(status) != bool(failed):
        return Outcome(f"exit status {status} with {len(failed)} tests of a failed assertion")
    skipped = sum(case.get("result") == "SKIPPED" for case in cases)
    return Outcome(failed=failed, passed=len(cases) - len(failed) - skipped)


def judge_python(status: int, report: Path) -> Outcome:
    """From the exit status of pytest and the report that it was to write."""
    if status not in (0, 1):
        return Outcome(f"pytest ended with status {status}")
    cases = list(ElementTree.parse(report).iter("testcase"))
    failures = {case.get("name", ""): case.find("failure") for case in cases}
    failed = tuple(
        name
        for name, failure in failures.items()
        if failure is not None and failure.get("message", "").startswith(PYTHON_ASSERTIONS)
    )
    if bool(status) != bool(failed):
        return Outcome(f"exit status {status} with {len(failed)} tests of a failed assertion")
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Outcome(failed=failed, passed=len(cases) - len(failed) - skipped)


def command_of(test: str, folder: Path, report: Path) -> list[str]:
    """The program of a test and its arguments, which has it write its report."""
    _, program, arguments = split(test)
    if program == PYTHON_TESTS:
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", f"--junitxml={report}"]
        return [sys.executable, "-m", "pytest", *options, *arguments]
    return [str(folder / f"mutant_{program}"), *arguments]


def environment_of(test: str, mutant: Mutant, folder: Path, report: Path) -> dict[str, str]:
    variables, program, _ = split(test)
    result = {
        **os.environ,
        "CUPOLA_DISK_CACHE": "0",
        "CUPOLA_PLATFORM": "cpu",
        **variables,
        "CUPOLA_MUTANT": mutant.name,
        "GTEST_OUTPUT": f"json:{report}",
    }
    if program == PYTHON_TESTS:
        # sitecustomize.py of the first breaks the package, in every process that the test starts.
        folders = [TABLE.parent, folder.parent / "python", os.environ.get("PYTHONPATH", "")]
        result["PYTHONPATH"] = os.pathsep.join(str(path) for path in folders if path)
        result["CUPOLA_TEST_MUTANT"] = mutant.fault
    return result


def run(test: str, mutant: Mutant, folder: Path, seconds: float) -> Outcome:
    """Run the test, whose program is in `folder`, with the mutant."""
    decide = judge_python if program_of(test) == PYTHON_TESTS else judge
    with tempfile.TemporaryDirectory() as reports:
        report = Path(reports) / "report"
        # A process group of its own: what it has started ends with it.
        with (Path(reports) / "output").open("w+", errors="replace") as output:
            process = subprocess.Popen(
                command_of(test, folder, report),
                cwd=ROOT,
                env=environment_of(test, mutant, folder, report),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                outcome = decide(process.wait(seconds), report)
            except subprocess.TimeoutExpired:
                outcome = Outcome(f"not done after {seconds:.0f} s")
            finally:
                end_group(process)
            output.seek(0)
            text = output.read()
    if outcome.problem and (failed := failed_before_the_end(text)):
        outcome = Outcome(failed=failed)
    outcome.output = text[-MOST_SHOWN:]
    return outcome


def end_group(process: subprocess.Popen) -> None:
    """End a process, if it is still there, and all that it has left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def patience_with(test: str, folder: Path) -> float:
    """How many seconds to give the test with a mutant; 0 if it fails without, and why is shown."""
    start = time.monotonic()
    outcome = run(test, Mutant(), folder, SECONDS)
    if not outcome.is_content:
        print(f"{test}, without a mutant: {outcome}\n{outcome.output}", flush=True)
        return 0
    return max(LEAST_SECONDS, PATIENCE * (time.monotonic() - start))


def check(mutant: Mutant, test: str, folder: Path, patience: float) -> bool:
    """Whether the test notices the mutant; prints a line about it."""
    name = mutant.name
    if patience == 0:
        print(f"FAILED {name}: {test}: fails without a mutant as well", flush=True)
        return False
    start = time.monotonic()
    for _ in range(ATTEMPTS):
        outcome = run(test, mutant, folder, patience)
        if outcome.problem or outcome.failed:
            break
    seconds = time.monotonic() - start
    word = "ok" if outcome.has_caught else "FAILED"
    print(f"{word} {name}: {test}: {outcome} ({seconds:.1f} s)", flush=True)
    if outcome.problem:
        print(outcome.output, flush=True)
    return outcome.has_caught


def check_all(tests: dict[Mutant, str], folder: Path, jobs: int) -> list[bool]:
    """For each mutant, with its test, whether that notices it."""
    different = list(dict.fromkeys(tests.values()))
    with ThreadPoolExecutor(jobs) as pool:
        seconds = pool.map(lambda test: patience_with(test, folder), different)
        patience = dict(zip(different, seconds, strict=True))
        return list(
            pool.map(lambda each: check(each, tests[each], folder, patience[tests[each]]), tests)
        )


def build(preset: str, tests: list[str]) -> bool:
    programs = {program_of(test) for test in tests}
    targets = sorted({"_cupola" if p == PYTHON_TESTS else f"mutant_{p}" for p in programs})
    command = [str(ROOT / "scripts/build"), preset, "--target", *targets]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def has_cuda_plugin(preset: str) -> bool:
    """Configure the preset's folder, and see whether the plugin's tests can be built there."""
    command = [str(ROOT / "scripts/build"), preset, "--target", "help"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    return f"{CUDA_TESTS}: " in listed


def check_table(table: dict[str, dict[str, str]]) -> list[str]:
    """What the table and the sources disagree about."""
    known = mutants_in_sources()
    in_sources = [name for name, entry in table.items() if "fault" not in entry]
    wrong = [f"{name}: no source has it" for name in in_sources if name not in known]
    wrong += [f"{name}: not in {TABLE.name}" for name in sorted(known - set(table))]
    wrong += [
        f"{name}: in a header, which not every source that includes it sees broken"
        for name in sorted(mutants_in_sources(".h"))
    ]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants; default: all")
    parser.add_argument("--preset", default="release", help="the build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at a time")
    parser.add_argument("--no-build", action="store_true", help="take the build as it is")
    parser.add_argument("--without-cuda", action="store_true", help="the plugin is not built here")
    parser.add_argument("--part", type=int, default=1, help="run an N-th of them; default: all")
    options = parser.parse_args()
    table = tomllib.loads(TABLE.read_text())
    wrong = check_table(table)
    for line in wrong:
        print(f"FAILED {line}")
    names = options.names or part_of(list(table), (), options.part, commit())
    folder = ROOT / "build" / options.preset / "mutants"
    has_cuda = (
        (folder / f"mutant_{CUDA_TESTS}").exists()
        if options.no_build
        else has_cuda_plugin(options.preset)
    )
    missing = [n for n in names if program_of(table[n]["test"]) == CUDA_TESTS and not has_cuda]
    for name in missing:
        word = "skipped" if options.without_cuda else "FAILED"
        print(f"{word} {name}: the build has no CUDA plugin (CUPOLA_CUDA=OFF)")
    wrong += [] if options.without_cuda else missing
    names = [name for name in names if name not in missing]
    tests = list(dict.fromkeys(table[name]["test"] for name in names))
    if tests and not options.no_build and not build(options.preset, tests):
        print("FAILED build")
        return 1
    chosen = {Mutant(n, table[n].get("fault", "")): table[n]["test"] for n in names}
    caught = check_all(chosen, folder, options.jobs)
    print(f"mutants: {sum(caught)} of {len(caught)} caught, {len(missing)} not run")
    return 0 if all(caught) and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
