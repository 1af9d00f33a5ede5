#!/usr/bin/env python3
"""Measure which lines of the CUDA plugin run without a GPU, on the fake driver.

    scripts/plugin_coverage.py [--no-build] [--record]

Builds the preset `coverage`, runs the plugin's own tests, the contract suites and the Python tests
that use the fake driver, and counts by gcov the lines of src/platforms/cuda/*.cc that ran.
--record keeps the counts in bench/results/plugin_coverage.json. The last line is `ok ...` or
`FAILED ...`, where more lines did not run than are allowed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from source_hash import source_hash

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/coverage"
OBJECTS = BUILD / "src/platforms/cuda/CMakeFiles/cupola_cuda_objects.dir"
SOURCES = ROOT / "src/platforms/cuda"
RECORD = ROOT / "bench/results/plugin_coverage.json"
TARGETS = ("_cupola", "cupola_cuda", "fake_cuda", "platform_cuda_tests", "contract_tests")
MOST_NOT_RUN = 5.0  # per cent
COUNTED = re.compile(r"File '(.*)'\nLines executed:([\d.]+)% of (\d+)")


def build() -> bool:
    command = [str(ROOT / "scripts/build"), "coverage", "--target", *TARGETS]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def python_tests() -> list[str]:
    """The files whose tests run on the fake driver."""
    files = sorted((ROOT / "tests/python").glob("*/test_*.py"))
    return [str(file) for file in files if "fake_cuda" in file.read_text()]


def run_tests() -> bool:
    """Whether all passed."""
    for counts in OBJECTS.rglob("*.gcda"):
        counts.unlink()
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    python = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
    commands = [
        [str(BUILD / "tests/platform_cuda_tests"), "--gtest_brief=1"],
        [str(ROOT / ".venv/bin/ctest"), "--test-dir", str(BUILD), "-R", "contract_on_fake_cuda"],
        [*python, *python_tests()],
    ]
    results = [subprocess.run(command, cwd=ROOT, env=environment) for command in commands]
    return all(result.returncode == 0 for result in results)


def counts() -> dict[str, tuple[int, int]]:
    """Of each source, its lines with code and those of them that did not run."""
    result: dict[str, tuple[int, int]] = {}
    for notes in sorted(OBJECTS.rglob("*.gcno")):
        done = subprocess.run(
            ["gcov", "-n", "-o", str(notes.parent), str(notes)],
            cwd=BUILD,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for name, percent, lines in COUNTED.findall(done.stdout):
            path = (BUILD / name).resolve()
            if path.parent == SOURCES and path.suffix == ".cc":
                count = int(lines)
                result[path.name] = (count, count - round(count * float(percent) / 100))
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-build", action="store_true", help="take the build as it is")
    parser.add_argument("--record", action="store_true", help="keep the counts")
    options = parser.parse_args()
    if not options.no_build and not build():
        print("FAILED build")
        return 1
    passed = run_tests()
    files = counts()
    lines, missed = (sum(count[i] for count in files.values()) for i in (0, 1))
    percent = round(100 * missed / max(lines, 1), 1)
    for name, (all_lines, not_run) in sorted(files.items(), key=lambda item: -item[1][1]):
        if not_run:
            print(f"{name}: {not_run} of {all_lines}")
    if options.record:
        document = {
            "lines": lines,
            "not_run": missed,
            "percent_not_run": percent,
            "files": {
                name: {"lines": count, "not_run": not_run}
                for name, (count, not_run) in sorted(files.items())
            },
            "source_hash": source_hash(),
        }
        RECORD.write_text(json.dumps(document, indent=2) + "\n")
    is_good = passed and lines > 0 and percent <= MOST_NOT_RUN
    print(f"{'ok' if is_good else 'FAILED'} {missed} of {lines} lines ({percent} %) did not run")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
