#!/usr/bin/env python3
"""Show that the tests notice a library that is broken on purpose.

    scripts/run_mutants.py [NAME ...] [--preset mutants] [--no-build]

tests/mutants/mutants.toml lists the mutants, each with the test that must notice it. Every test is
first run without a mutant, and must pass. Prints one line a mutant, `ok ...` or `FAILED ...`; or
`skipped ...` for one in the CUDA plugin where that is not built.
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

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/mutants/mutants.toml"
CUDA_TESTS = "platform_cuda_tests"
SECONDS = 100  # for one test without a mutant
# A mutant may also make it hang: it has noticed after so many times what it takes without.
PATIENCE = 10
LEAST_SECONDS = 5
MOST_SHOWN = 4000  # characters of an output


def mutants_in_sources(suffix: str = ".cc") -> set[str]:
    """The names in CUPOLA_MUTANT(name) of the sources."""
    names = set()
    for path in (ROOT / "src").rglob(f"*{suffix}"):
        if path != ROOT / "src/base/mutant.h":
            names |= set(re.findall(r"CUPOLA_MUTANT\((\w+)\)", path.read_text()))
    return names


def what_fails(test: str, mutant: str, folder: Path, seconds: float) -> str:
    """Why the test, a program of `folder` with arguments, is not content; empty: it is."""
    program, *arguments = shlex.split(test)
    environment = {**os.environ, "CUPOLA_MUTANT": mutant, "CUPOLA_PLATFORM": "cpu"}
    try:
        done = subprocess.run(
            [folder / program, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {seconds:.0f} s"
    if "--gtest_filter" in test and "[  PASSED  ] 0 tests" in done.stdout and mutant == "":
        return "there is no such test"
    return f"exit {done.returncode}: {done.stdout[-MOST_SHOWN:]}" if done.returncode else ""


def patience_with(test: str, folder: Path) -> float:
    """How many seconds to give the test with a mutant; 0 if it fails without, and why is shown."""
    start = time.monotonic()
    if why := what_fails(test, "", folder, SECONDS):
        print(f"{test}, without a mutant: {why}", flush=True)
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
    if not has_cuda:
        missing = [name for name in names if program_of(table[name]["test"]) == CUDA_TESTS]
        for name in missing:
            print(f"skipped {name}: without CUDA's headers there is no CUDA plugin")
        names = [name for name in names if name not in missing]
    tests = list(dict.fromkeys(table[name]["test"] for name in names))
    if tests and not options.no_build and not build(options.preset, tests):
        print("FAILED build")
        return 1
    patience = {test: patience_with(test, folder) for test in tests}
    for name in names:
        test = table[name]["test"]
        start = time.monotonic()
        healthy = patience[test] > 0
        caught = healthy and what_fails(test, name, folder, patience[test]) != ""
        reason = "" if healthy else " (fails without a mutant as well)"
        seconds = time.monotonic() - start
        outcome = "ok" if caught else "FAILED"
        print(f"{outcome} {name}: {test}{reason} ({seconds:.1f} s)", flush=True)
        failures += [] if caught else [name]
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
