"""Run test programs within a time limit, and read what they printed, complete or not."""

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTED_FAILURES = 500
LISTED_ERRORS = 40
# C++ test programs that spend minutes in compilers: processes share their tests.
LONG_PROGRAMS = ("codegen_tests", "platform_cpu_tests")

WORDS = "PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS"
# `[gw3] [ 12%] PASSED tests/...` with workers, `tests/... PASSED [ 12%]` without.
PYTEST_OUTCOME = re.compile(
    rf"(?:\[gw\d+\] \[ *\d+%\] ({WORDS}) (tests/.*?)|^(tests/.*?) ({WORDS}) .*?\[ *\d+%\]) *$",
    re.MULTILINE,
)
GTEST_LINE = re.compile(
    r"^\[ (?:RUN      \] (\S+)| *(OK|FAILED|SKIPPED) +\] (\S+) \(\d+ ms\))$", re.MULTILINE
)
GTEST_MARK = re.compile(r"^\[ +[A-Z]+ +\] ", re.MULTILINE)
FIGURE = re.compile(r"^\[ figure   \] (.+)$", re.MULTILINE)
# The lines of pytest's short summary: `FAILED tests/... - AssertionError: ...`.
PYTEST_ERROR = re.compile(r"^(?:FAILED|ERROR) (tests/.*?) - (.+)$", re.MULTILINE)
MESSAGE_LINES = 2  # of a GoogleTest failure: the place, and what was expected
LONGEST_MESSAGE = 200


def without_folders(text: str) -> str:
    """The same, with absolute paths reduced to the names of their files."""
    return re.sub(r"(?<![\w.:/])/(?:[\w.+@-]+/)+", "", text)


class Outcomes:
    """Numbers of tests, the names of those that failed, and the beginning of what each said."""

    def __init__(self) -> None:
        self.passed = self.skipped = 0
        self.failures: list[str] = []
        self.errors: dict[str, str] = {}

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
        self.errors |= other.errors
        return self

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failures)} failed, {self.skipped} skipped"

    def listed_errors(self) -> dict[str, str]:
        """By test, without the folders of the machine."""
        known = list(self.errors.items())[:LISTED_ERRORS]
        return {name: without_folders(message) for name, message in known}

    def as_dict(self) -> dict:
        return {
            "passed": self.passed,
            "failed": len(self.failures),
            "skipped": self.skipped,
            "failures": self.failures[:LISTED_FAILURES],
        }


def without_noise(printed: str, names: Iterable[str]) -> str:
    """The test's name where a process that the tests started has printed into the same line."""
    begun = [name for name in names if printed.startswith(name)]
    return max(begun, key=len, default=printed)


def pytest_outcomes(text: str, collected: Sequence[str] = ()) -> Outcomes:
    """From the output of `pytest -v`; a test that was collected and did not end has failed."""
    outcomes = Outcomes()
    known, ended = set(collected), set()
    for first, printed, other_printed, second in PYTEST_OUTCOME.findall(text):
        name = printed or other_printed
        if known and name not in known:
            name = without_noise(name, known)
        outcomes.add(first or second, name)
        ended.add(name)
    for name, message in PYTEST_ERROR.findall(text):
        outcomes.errors[name] = message[:LONGEST_MESSAGE]
    for name in collected:
        if name not in ended:
            outcomes.add("FAILED", name)
            outcomes.errors[name] = "did not end"
    return outcomes


def gtest_outcomes(text: str) -> Outcomes:
    """From the output of a GoogleTest program; a test that did not end has failed.

    What stands between a test's beginning and its end are tests of processes that it has started.
    """
    outcomes = Outcomes()
    ended, open_test = set(), ""
    for begun, outcome, name in GTEST_LINE.findall(text):
        if begun:
            open_test = open_test or begun
        elif open_test in ("", name):
            outcomes.add(outcome, name)
            ended.add(name)
            open_test = ""
    if open_test:
        outcomes.failures.append(open_test)
    outcomes.errors = {name: gtest_message(text, name, ended) for name in outcomes.failures}
    return outcomes


def gtest_message(text: str, name: str, ended: set[str]) -> str:
    """The beginning of what a test printed; the end of it, if the test did not end."""
    _, _, after = text.partition(f"[ RUN      ] {name}\n")
    printed = GTEST_MARK.split(after, maxsplit=1)[0]
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    shown = lines[:MESSAGE_LINES] if name in ended else ["did not end", *lines[-1:]]
    return ": ".join(shown)[:LONGEST_MESSAGE]


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
