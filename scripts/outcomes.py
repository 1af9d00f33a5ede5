"""Run test programs within a time limit, and read what they printed, complete or not."""

import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTED_FAILURES = 100
# C++ test programs that spend minutes in compilers: processes share their tests.
LONG_PROGRAMS = ("codegen_tests", "platform_cpu_tests")

WORDS = "PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS"
# `[gw3] [ 12%] PASSED tests/...` with workers, `tests/... PASSED [ 12%]` without.
PYTEST_OUTCOME = re.compile(
    rf"^(?:\[gw\d+\] \[ *\d+%\] ({WORDS}) (tests/.*?)|(tests/.*?) ({WORDS}) .*?\[ *\d+%\]) *$",
    re.MULTILINE,
)
GTEST_OUTCOME = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+) \(\d+ ms\)$", re.MULTILINE)
GTEST_BEGUN = re.compile(r"^\[ RUN +\] (\S+)$", re.MULTILINE)
FIGURE = re.compile(r"^\[ figure   \] (.+)$", re.MULTILINE)


class Outcomes:
    """Numbers of tests, and the names of those that failed."""

    def __init__(self) -> None:
        self.passed = self.skipped = 0
        self.failures: list[str] = []

    def add(self, outcome: str, name: str) -> None:
        if outcome in ("PASSED", "OK", "XFAIL"):
            self.passed += 1
        elif outcome == "SKIPPED":
            self.skipped += 1
        else:
            self.failures.append(name)

    def __iadd__(self, other: "Outcomes") -> "Outcomes":
        self.passed += other.passed
        self.skipped += other.skipped
        self.failures += other.failures
        return self

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failures)} failed, {self.skipped} skipped"

    def as_dict(self) -> dict:
        return {
            "passed": self.passed,
            "failed": len(self.failures),
            "skipped": self.skipped,
            "failures": self.failures[:LISTED_FAILURES],
        }


def pytest_outcomes(text: str) -> Outcomes:
    """From the output of `pytest -v`."""
    outcomes = Outcomes()
    for first, name, other_name, second in PYTEST_OUTCOME.findall(text):
        outcomes.add(first or second, name or other_name)
    return outcomes


def gtest_outcomes(text: str) -> Outcomes:
    """From the output of a GoogleTest program; a test that did not end has failed."""
    outcomes = Outcomes()
    ended = set()
    for outcome, name in GTEST_OUTCOME.findall(text):
        ended.add(name)
        outcomes.add(outcome, name)
    outcomes.failures += [name for name in GTEST_BEGUN.findall(text) if name not in ended]
    return outcomes


def printed_figures(text: str) -> list[str]:
    """What a test program measured and printed, a line each."""
    return FIGURE.findall(text)


def run(command: list, log: Path, seconds: float, environment: dict[str, str]) -> int | None:
    """Exit status of a command whose output goes to `log`; None if it was stopped for time."""
    with log.open("w", encoding="utf-8") as output:
        try:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=ROOT,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            output.write(f"{error}\n")
            return 127
        try:
            return process.wait(max(seconds, 1))
        except subprocess.TimeoutExpired:
            stop(process)
            return None


def stop(process: subprocess.Popen) -> None:
    """End a process and all that it started: first as Ctrl-C does, then for good."""
    os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
