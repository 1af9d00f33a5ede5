#!/usr/bin/env python3
"""Run tests, compute-sanitizer, benchmarks and profiles on an NVIDIA GPU, in parts.

    scripts/gpu_check [--parts PART[:PATTERN,...] ...] [--seconds S] [--logs DIR] [--rehearse]

The parts are cpp, python, alone, memcheck, racecheck, initcheck, benchmarks and profile; each fits
10 minutes and may run by itself, in any order. `benchmarks:small,threads` runs some areas or rows,
`memcheck:test_fft.py` some programs, and what earlier calls of the same sources found beside them
stays; `python:failed` runs the tests again that failed. Parts under compute-sanitizer that are
named side by side share the processors. Uses the package in .gpu/ (scripts/build_gpu_package) where
it is there, and otherwise sets up and builds on this machine.

Writes a section for each part into bench/results/gpu_check.json. The logs of a part are in
build/gpu_check/PART; their ends go to DIR/PART.tar.gz, beside a copy of the record. Exits with 0
only when all chosen parts ran and passed.
"""

import argparse
import shutil
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gpu import record
from gpu.benchmarks import benchmarks
from gpu.check import Check, Package, pack_logs
from gpu.compute_sanitizer import initcheck, memcheck, racecheck
from gpu.kernel_profile import profile
from gpu.suites import alone, cpp, python
from outcomes import ROOT

RESULT = ROOT / "bench/results/gpu_check.json"
LOGS = ROOT / "build/gpu_check"
CONFIGURATION = ROOT / "tests/configs/cuda.json"
REHEARSAL = ROOT / "tests/configs/default.json"
CALL_SECONDS = 580  # for the parts that a call names
UNFINISHED = "did not end"
AGAIN = "failed"  # the pattern for tests that failed
LONGEST_LINE = 300  # of the report


@dataclass(frozen=True)
class Part:
    """What runs, and the seconds after which it is stopped."""

    run: Callable[[Check, list[str]], list[str] | None]
    seconds: float


# Each program is bound by one processor for much of its time.
TOGETHER = {"memcheck", "racecheck", "initcheck"}

PARTS = {
    "cpp": Part(cpp, 300),
    "python": Part(python, 570),
    "alone": Part(alone, 240),
    "memcheck": Part(memcheck, 480),
    "racecheck": Part(racecheck, 480),
    "initcheck": Part(initcheck, 480),
    "benchmarks": Part(benchmarks, 540),
    "profile": Part(profile, 540),
}


class Recorder:
    """Puts sections into the record, here and beside the logs, as soon as they are there."""

    def __init__(self, package: Package, result: Path, logs: Path) -> None:
        self.package = package
        self.result = result
        self.targets = dict.fromkeys((result, logs / result.name))
        self._lock = threading.Lock()

    def document(self) -> dict:
        return record.load(self.result)

    def sections(self) -> dict[str, dict]:
        return record.sections_of(self.document())

    def put(self, part: str, section: dict) -> None:
        with self._lock:
            document = record.with_section(
                self.document(), part, section, self.package.source_hash, info=self.package.info
            )
            record.write(document, *self.targets)


def finished(part: str, check: Check, patterns: list[str], expected: list[str] | None) -> dict:
    """The section of a part that has ended; `expected` are the names of all its entries."""
    section = {**check.result, "seconds": round(check.spent()), "complete": True}
    if part in record.ENTRIES:
        earlier = check.earlier.get(part) if patterns else None
        section = record.with_earlier_entries(part, section, earlier)
        missing = record.missing_entries(part, section, expected or [])
        section |= {"missing": missing, "complete": expected is not None and not missing}
        section["problems"] = check.result["problems"] + record.entry_problems(part, section)
        section["tests"] = record.tests_of_entries(part, section)
    elif check.outcomes.errors:
        section["errors"] = check.outcomes.listed_errors()
    return {**section, "passed": record.is_clean(section)}


def begun(part: str, check: Check, patterns: list[str]) -> dict:
    """What the record says while the part runs, and for good if it is killed."""
    section = {**check.result, "seconds": 0}
    if patterns and part in record.ENTRIES:
        section = record.with_earlier_entries(part, section, check.earlier.get(part))
    problems = [*check.result["problems"], UNFINISHED]
    return {**section, "problems": problems, "passed": False, "complete": False}


def run_part(
    part: str, patterns: list[str], recorder: Recorder, seconds: float, logs: Path
) -> Check:
    """Run it and write its section; whatever it does, the call goes on."""
    folder = LOGS / part
    shutil.rmtree(folder, ignore_errors=True)
    check = Check(recorder.package, seconds, folder, recorder.sections())
    recorder.put(part, begun(part, check, patterns))
    expected = check.guarded(PARTS[part].run, patterns)
    recorder.put(part, finished(part, check, patterns, expected))
    try:
        pack_logs(folder, logs / f"{part}.tar.gz")
    except OSError as error:
        print(f"{part}: its logs are not kept: {error}", flush=True)
    return check


def in_groups(parts: list[str]) -> list[list[str]]:
    """The parts in their order, those that may share the machine in one group."""
    groups: list[list[str]] = []
    for part in parts:
        if groups and part in TOGETHER and groups[-1][0] in TOGETHER:
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def chosen(names: list[str]) -> dict[str, list[str]]:
    """The patterns of each part that was named; all parts without names."""
    parts: dict[str, list[str]] = {}
    every = record.PARTS if shutil.which("ncu") else record.REQUIRED
    for name in names or every:
        part, _, patterns = name.partition(":")
        if part not in PARTS:
            raise ValueError(f"there is no part {part!r}; there are {', '.join(PARTS)}")
        if patterns and part not in record.ENTRIES and (part, patterns) != ("python", AGAIN):
            raise ValueError(f"{part} takes no patterns" + f" but {AGAIN}" * (part == "python"))
        parts.setdefault(part, []).extend(filter(None, patterns.split(",")))
    return parts


def table(sections: dict[str, dict], ran: list[str], source_hash: str) -> str:
    """A line for each part of the record; a star marks those of this call."""
    lines = [["part", "passed", "failed", "skipped", "seconds", "sources", "outcome"]]
    for part, section in sections.items():
        tests = section.get("tests", {})
        counts = [str(tests.get(key, "")) for key in ("passed", "failed", "skipped")]
        same = "these" if section["source_hash"] == source_hash else "others"
        outcome = "passed" if section["passed"] else "failed"
        name = f"{part}{'*' if part in ran else ''}"
        lines.append([name, *counts, str(section["seconds"]), same, outcome])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def report(recorder: Recorder, checks: dict[str, Check], left_out: list[str]) -> str:
    """What stands last in the output: errors of tests, problems, the table."""
    document, sections = recorder.document(), recorder.sections()
    errors = [
        f"{part}: FAILED {name}: {text}"
        for part, check in checks.items()
        for name, text in check.outcomes.listed_errors().items()
    ]
    problems = [f"{part}: {text}" for part in checks for text in sections[part]["problems"]]
    problems += [
        f"{part}: missing: {'; '.join(names)}"
        for part in checks
        if (names := sections[part].get("missing"))
    ]
    unmade = [f"{part}: not begun, the time was over" for part in left_out]
    state = "complete" if document["complete"] else "incomplete"
    lacks = [f"{key}: {', '.join(document[key])}" for key in ("missing", "stale") if document[key]]
    rows = table(sections, list(checks), recorder.package.source_hash)
    told = [line[:LONGEST_LINE] for line in (*errors, *problems, *unmade)]
    return "\n".join([*told, rows, "; ".join([f"record: {state}", *lacks])])


def main(arguments_given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", default=[], metavar="PART")
    parser.add_argument(
        "--seconds",
        type=float,
        help=f"for all parts (default: {CALL_SECONDS}; without --parts what each part may take)",
    )
    parser.add_argument("--logs", type=Path, default=LOGS, metavar="DIR")
    parser.add_argument(
        "--rehearse", action="store_true", help="on CPU devices; the record is written to DIR only"
    )
    arguments = parser.parse_args(arguments_given)
    try:
        parts = chosen(arguments.parts)
    except ValueError as error:
        parser.error(str(error))
    seconds = arguments.seconds or (CALL_SECONDS if arguments.parts else float("inf"))
    end = time.monotonic() + seconds
    result = arguments.logs / RESULT.name if arguments.rehearse else RESULT
    package = Package(REHEARSAL if arguments.rehearse else CONFIGURATION, LOGS)
    recorder = Recorder(package, result, arguments.logs)
    checks: dict[str, Check] = {}

    def run_in_time(part: str) -> None:
        if (left := min(end - time.monotonic(), PARTS[part].seconds)) >= 1:
            checks[part] = run_part(part, parts[part], recorder, left, arguments.logs)

    for group in in_groups(list(parts)):
        with ThreadPoolExecutor(len(group)) as pool:
            list(pool.map(run_in_time, group))
    left_out = [part for part in parts if part not in checks]
    print(report(recorder, checks, left_out))
    sections = recorder.sections()
    return 0 if not left_out and all(sections[part]["passed"] for part in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
