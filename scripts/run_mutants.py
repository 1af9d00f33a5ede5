#!/usr/bin/env python3
"""Show that the tests notice a library that is broken on purpose.

    scripts/run_mutants.py [NAME ...] [--preset mutants] [--no-build]

tests/mutants/mutants.toml lists the mutants, each with the test that must notice it. Every test is
first run without a mutant, and must pass. Prints one line a mutant, `ok ...` or `FAILED ...`.
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
SECONDS = 100  # for one test; a mutant may also make it hang, which it notices then


def mutants_in_sources() -> set[str]:
    """The names in CUPOLA_MUTANT(name) of the sources."""
    names = set()
    for path in (ROOT / "src").rglob("*.cc"):
        names |= set(re.findall(r"CUPOLA_MUTANT\((\w+)\)", path.read_text()))
    return names


def passes(test: str, mutant: str, folder: Path) -> bool:
    """Whether the test, a program of `folder` with arguments, ends and is content."""
    program, *arguments = shlex.split(test)
    environment = {**os.environ, "CUPOLA_MUTANT": mutant, "CUPOLA_PLATFORM": "cpu"}
    try:
        done = subprocess.run(
            [folder / program, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    if "--gtest_filter" in test and "[  PASSED  ] 0 tests" in done.stdout and mutant == "":
        return False  # the test that should notice is not there
    return done.returncode == 0


def build(preset: str, tests: list[str]) -> bool:
    programs = sorted({shlex.split(test)[0] for test in tests})
    command = [str(ROOT / "scripts/build"), preset, "--target", *programs]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def check_table(table: dict[str, dict[str, str]]) -> list[str]:
    """What the table and the sources disagree about."""
    known = mutants_in_sources()
    wrong = [f"{name}: no source has it" for name in table if name not in known]
    wrong += [f"{name}: not in {TABLE.name}" for name in sorted(known - set(table))]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants; default: all")
    parser.add_argument("--preset", default="mutants", help="a build with CUPOLA_MUTANTS=ON")
    parser.add_argument("--no-build", action="store_true", help="take the build as it is")
    options = parser.parse_args()
    table = tomllib.loads(TABLE.read_text())
    failures = check_table(table)
    for failure in failures:
        print(f"FAILED {failure}")
    names = options.names or list(table)
    tests = list(dict.fromkeys(table[name]["test"] for name in names))
    if not options.no_build and not build(options.preset, tests):
        print("FAILED build")
        return 1
    folder = ROOT / "build" / options.preset / "tests"
    healthy = {test: passes(test, "", folder) for test in tests}
    for name in names:
        test = table[name]["test"]
        start = time.monotonic()
        caught = healthy[test] and not passes(test, name, folder)
        reason = "" if healthy[test] else " (fails without a mutant as well)"
        seconds = time.monotonic() - start
        outcome = "ok" if caught else "FAILED"
        print(f"{outcome} {name}: {test}{reason} ({seconds:.1f} s)", flush=True)
        failures += [] if caught else [name]
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
