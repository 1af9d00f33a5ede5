#!/usr/bin/env python3
"""Show that the tests notice a library that is broken on purpose.

    scripts/run_mutants.py [NAME ...] [--preset mutants] [--no-build]

tests/mutants/mutants.toml lists the mutants, each with the test that must notice it. Every test is
first run without a mutant, and must pass. With it an assertion of the test must fail: a crash, a
time-out or an error at the start is no test that notices. Prints one line a mutant, `ok ...` or
`FAILED ...`, and how many there were. --without-cuda: the plugin is not built here, and its mutants
are `skipped ...`; otherwise they fail where it is missing.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/mutants/mutants.toml"
CUDA_TESTS = "platform_cuda_tests"
SECONDS = 300  # for one test without a mutant
# With a mutant a test may take so many times what it takes without: assertions wait for what should
# happen, too, for some 20 s.
PATIENCE = 10
LEAST_SECONDS = 150
MOST_SHOWN = 4000  # characters of an output
# GoogleTest's, with the place in the source, and those of tests/programs: orders that the hostile
# platform misses, and elements. A test that throws or dies has noticed nothing that it names.
ASSERTION = re.compile(
    r"^\S+\.(cc|h):\d+: Failure$|RaceError: | is 0x\w+ instead of | elements instead of ",
    re.MULTILINE,
)


def mutants_in_sources(suffix: str = ".cc") -> set[str]:
    """The names in CUPOLA_MUTANT(name) of the sources."""
    names = set()
    for path in (ROOT / "src").rglob(f"*{suffix}"):
        if path != ROOT / "src/base/mutant.h":
            names |= set(re.findall(r"CUPOLA_MUTANT\((\w+)\)", path.read_text()))
    return names


class Outcome(NamedTuple):
    """What became of a test."""

    status: int | None  # None: it was not done in its time
    output: str

    def passed(self) -> bool:
        return self.status == 0 and "[==========] Running 0 tests" not in self.output

    def named(self) -> bool:
        """Whether an assertion failed, and the program went on to its end."""
        return self.status == 1 and ASSERTION.search(self.output) is not None

    def why(self) -> str:
        if self.status is None:
            return "not done in its time"
        if self.status == 0:
            return "there is no such test" if not self.passed() else "it passes"
        if self.status < 0:
            return f"signal {-self.status}"
        return f"exit {self.status}" + ("" if self.named() else ", no assertion named")


def outcome_of(test: str, mutant: str, folder: Path, seconds: float) -> Outcome:
    """Run the test, a program of `folder` with arguments."""
    program, *arguments = shlex.split(test)
    environment = {
        **os.environ,
        "CUPOLA_MUTANT": mutant,
        "CUPOLA_PLATFORM": "cpu",
        "CUPOLA_DISK_CACHE": "0",
    }
    try:
        done = subprocess.run(
            [folder / program, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as late:
        return Outcome(None, (late.stdout or b"").decode(errors="replace"))
    return Outcome(done.returncode, done.stdout)


def patience_with(test: str, folder: Path) -> float:
    """How many seconds to give the test with a mutant; 0 if it fails without, and why is shown."""
    start = time.monotonic()
    outcome = outcome_of(test, "", folder, SECONDS)
    if not outcome.passed():
        shown = outcome.output[-MOST_SHOWN:]
        print(f"{test}, without a mutant: {outcome.why()}\n{shown}", flush=True)
        return 0
    return max(LEAST_SECONDS, PATIENCE * (time.monotonic() - start))


def program_of(test: str) -> str:
    return shlex.split(test)[0]


def build(preset: str, tests: list[str]) -> bool:
    programs = sorted({program_of(test) for test in tests})
    command = [str(ROOT / "scripts/build"), preset, "--target", *programs]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def targets(preset: str) -> str:
    """Configure the preset's folder, and list what can be built there."""
    command = [str(ROOT / "scripts/build"), preset, "--target", "help"]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout


def check_table(table: dict[str, dict[str, str]]) -> list[str]:
    """What the table and the sources disagree about."""
    known = mutants_in_sources()
    wrong = [f"{name}: no source has it" for name in table if name not in known]
    wrong += [f"{name}: not in {TABLE.name}" for name in sorted(known - set(table))]
    wrong += [
        f"{name}: in a header, which not every source that includes it sees broken"
        for name in sorted(mutants_in_sources(".h"))
    ]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants; default: all")
    parser.add_argument("--preset", default="mutants", help="a build with CUPOLA_MUTANTS=ON")
    parser.add_argument("--no-build", action="store_true", help="take the build as it is")
    parser.add_argument("--without-cuda", action="store_true", help="the plugin is not built here")
    options = parser.parse_args()
    table = tomllib.loads(TABLE.read_text())
    failures = check_table(table)
    for wrong in failures:
        print(f"FAILED {wrong}")
    names = options.names or list(table)
    folder = ROOT / "build" / options.preset / "tests"
    has_cuda = (
        (folder / CUDA_TESTS).exists()
        if options.no_build
        else f"{CUDA_TESTS}: " in targets(options.preset)
    )
    skipped = []
    if not has_cuda:
        skipped = [name for name in names if program_of(table[name]["test"]) == CUDA_TESTS]
        names = [name for name in names if name not in skipped]
        verdict = "skipped" if options.without_cuda else "FAILED"
        for name in skipped:
            print(f"{verdict} {name}: without CUDA's headers there is no CUDA plugin")
        failures += [] if options.without_cuda else skipped
    tests = list(dict.fromkeys(table[name]["test"] for name in names))
    if tests and not options.no_build and not build(options.preset, tests):
        print("FAILED build")
        return 1
    patience = {test: patience_with(test, folder) for test in tests}
    for name in names:
        test = table[name]["test"]
        start = time.monotonic()
        if patience[test] > 0:
            outcome = outcome_of(test, name, folder, patience[test])
            caught, why = outcome.named(), outcome.why()
        else:
            caught, why = False, "fails without a mutant as well"
        seconds = time.monotonic() - start
        reason = "" if caught else f" ({why})"
        verdict = "ok" if caught else "FAILED"
        print(f"{verdict} {name}: {test}{reason} ({seconds:.1f} s)", flush=True)
        failures += [] if caught else [name]
    print(
        f"{len(names)} mutants run, {len(skipped)} left out, {len(failures)} failures", flush=True
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
