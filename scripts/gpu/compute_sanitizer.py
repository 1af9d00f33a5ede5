"""The parts that run tests under compute-sanitizer: memcheck, racecheck and initcheck.

A program is 10 to 100 times slower under it, so there are few examples of each test and few cases
of each test function; every program is a process of its own, and all share the cores and the time.
"""

import fnmatch
import itertools
import os
import re
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from gpu.check import Check, status_problem
from outcomes import gtest_outcomes, pytest_outcomes, run, without_folders

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests/python"
FOUND = 86  # exit status
EXAMPLES = "1"
CASES = {"memcheck": "6", "racecheck": "2", "initcheck": "2"}  # of each test function in Python
PROGRAM_SECONDS = 400
PADDING = 64  # bytes after each allocation that nobody may use
FIRST_PORT, PORTS = 49152, 12  # of the connections to each program
PLACES = itertools.count()  # of programs among those ports
PROCESSORS = threading.BoundedSemaphore(os.cpu_count() or 1)  # shared by tools that run at once
LISTED_LINES = 12
FINDING_LINES = 4

# Tests of time, of emulated devices and of tens of thousands of launches have nothing to show here;
# the device's free memory is that of all programs that run at once. The tools may wait for the
# whole device when they meet a kernel, and so for a stream that a test holds.
LEFT_OUT = (
    "*Figures*",
    "*/cpu*",
    "*AtOnceTest.StreamsDoNotOverflow/*",
    "*AtOnceTest.OthersWaitForItsReadsAndItsWrite/*",
    "*UseOrderTest.ReadersThatAreDoneAreForgottenAndOthersAreNot/*",
    "*DriverStriped.MemoryThatIsAwayIsTheDevices/*",
)
# The tests of kernels, which is what racecheck and initcheck look at.
KERNELS = ("Gpu*", "*PlanContract*")
LONGEST = ("GpuScan.EveryLength", "GpuRows.SumsOfEveryLength")
# Of this one racecheck says that it failed to track a launch, which it counts as an error: many
# threads launch a kernel for the first time. The kernel has no shared memory.
NOT_TRACKED = "GpuMap.FirstUseByManyThreads"
FILTERS = {
    "memcheck": f"-{':'.join(LEFT_OUT)}",
    "racecheck": f"{':'.join(KERNELS)}:-{':'.join((*LEFT_OUT, *LONGEST, NOT_TRACKED))}",
    "initcheck": f"{':'.join(KERNELS)}:-{':'.join((*LEFT_OUT, *LONGEST))}",
}
CPP_PROGRAMS = ("contract_tests", "platform_cuda_tests", "integration_tests", "exec_tests")
# Kernels that use shared memory, or memory that other blocks of threads write.
SHARED_MEMORY_FILES = (
    "test_index_set.py",
    "test_masks.py",
    "test_nan_and_scans.py",
    "test_order_statistics.py",
    "test_reduction_fusion.py",
    "test_reduction_kernel.py",
    "test_reductions.py",
    "test_rows.py",
    "test_sorting.py",
    "test_ufunc_layouts.py",
    "test_unique.py",
)
KERNEL_FILES = (
    *SHARED_MEMORY_FILES,
    "test_astype.py",
    "test_creation.py",
    "test_elementwise_kernel.py",
    "test_fft.py",
    "test_fuse.py",
    "test_histograms.py",
    "test_index_get.py",
    "test_joining.py",
    "test_linalg.py",
    "test_linalg_factor.py",
    "test_linalg_systems.py",
    "test_manipulation.py",
    "test_pending_views.py",
    "test_programs.py",
    "test_random.py",
    "test_raw_kernel.py",
    "test_repeated_operations.py",
    "test_ufunc_methods.py",
    "test_ufunc_types.py",
    "test_ufunc_values.py",
    "test_user_fusion.py",
    "test_vectorize.py",
)
# They are about memory, waits and what goes at once, which are others without pools.
POOL_FILES = ("test_streams.py", "test_together.py", "test_transfers.py")

# The longest files, by how many programs share the tests of each.
SHARES = {
    "test_linalg_factor.py": 2,
    "test_order_statistics.py": 2,
    "test_reduction_fusion.py": 2,
    "test_reductions.py": 4,
    "test_rows.py": 3,
    "test_sorting.py": 8,
    "test_unique.py": 4,
}


def in_shares(names: Sequence[str]) -> tuple[str, ...]:
    """Names of programs: "contract_tests", "test_masks.py", "test_rows.py 1/3"."""
    return tuple(
        f"{name} {share + 1}/{SHARES[name]}" if name in SHARES else name
        for name in names
        for share in range(SHARES.get(name, 1))
    )


# Errors that the driver returns are not looked for: some tests provoke them.
OPTIONS = {
    "memcheck": ("--report-api-errors", "no"),
    "racecheck": (),
    # Of global memory, by kernels: what a copy moves may have gaps.
    "initcheck": ("--check-api-memory-access", "no"),
}
PROGRAMS = {
    "memcheck": in_shares((*CPP_PROGRAMS, *KERNEL_FILES, *POOL_FILES)),
    "racecheck": in_shares((*CPP_PROGRAMS[:2], *SHARED_MEMORY_FILES)),
    "initcheck": in_shares((*CPP_PROGRAMS[:2], *SHARED_MEMORY_FILES)),
}

# The last lines of pytest and GoogleTest.
ENDED = re.compile(
    r"^=+ .*\bin [\d.]+s\b.*=+$|^\[==========\] \d+ tests? from .* ran\.", re.MULTILINE
)
PREFIX = "========="
ERRORS = re.compile(rf"^{PREFIX} ERROR SUMMARY: ([\d,]+) error", re.MULTILINE)
HAZARDS = re.compile(
    rf"^{PREFIX} RACECHECK SUMMARY: .*?\(([\d,]+) errors?, ([\d,]+) warnings?\)", re.MULTILINE
)
# A finding is a line and its details, which are indented.
FINDING = re.compile(rf"^{PREFIX} \S.*\n(?:{PREFIX} {{2,}}\S.*\n)+", re.MULTILINE)


@dataclass
class Findings:
    """What a log of compute-sanitizer says. `errors` is None where it has no summary."""

    errors: int | None
    warnings: int = 0
    lines: list[str] = field(default_factory=list)
    listed: int = 0


def findings_in(log: str) -> Findings:
    """Sums over all processes of the log; the first lines of its first findings."""
    found = FINDING.findall(log)
    lines = [
        without_folders(line.removeprefix(PREFIX).rstrip())
        for each in found
        for line in each.splitlines()[:FINDING_LINES]
    ]
    races = [tuple(int(n.replace(",", "")) for n in pair) for pair in HAZARDS.findall(log)]
    errors = [int(n.replace(",", "")) for n in ERRORS.findall(log)] + [race[0] for race in races]
    return Findings(
        sum(errors) if errors else None,
        sum(race[1] for race in races),
        lines[:LISTED_LINES],
        len(found),
    )


def has_ended(output: str) -> bool:
    """Whether pytest or GoogleTest came to its end, whatever the exit status says."""
    return ENDED.search(output) is not None


def problems_of(
    findings: Findings, status: int | None, failures: Sequence[str], output: str
) -> list[str]:
    """Why a program's run is not clean; `output` is the program's own."""
    problems = []
    end = without_folders(next(iter(output.strip().splitlines()[-1:]), ""))
    if found := findings.errors or (findings.listed if findings.errors is None else 0):
        problems.append(": ".join([f"{found} errors", *map(str.strip, findings.lines[:2])]))
    if failures:
        problems.append(f"{len(failures)} tests failed: {', '.join(failures[:3])}")
    if text := status_problem(status, found or len(failures)):
        problems.append(f"{'not finished' if status is None else text}{': ' + end if end else ''}")
    elif findings.errors is None:
        problems.append(f"compute-sanitizer wrote no summary{': ' + end if end else ''}")
    elif not has_ended(output):
        problems.append(f"ended before its tests{': ' + end if end else ''}")
    return problems


def is_python(program: str) -> bool:
    return program.partition(" ")[0].endswith(".py")


def command_of(check: Check, tool: str, program: str) -> list:
    """The program itself, with the tests that the tool looks at."""
    if is_python(program):
        options = ("-p", "no:xdist", "--timeout=0", "--tb=short", "--maxfail=10")
        (path,) = TESTS.glob(f"*/{program.partition(' ')[0]}")
        return check.pytest_command(*options, str(path.relative_to(ROOT)))
    return [check.package.programs / program, f"--gtest_filter={FILTERS[tool]}"]


def is_pooled(program: str) -> bool:
    """Whether the program runs with the memory that it takes by itself."""
    return not is_python(program) or program in POOL_FILES


def sanitizer_command(tool: str, program: str, place: int, log: object) -> list:
    """compute-sanitizer for one of several programs that run at the same time."""
    command = ["compute-sanitizer", "--tool", tool, *OPTIONS[tool]]
    if tool == "memcheck" and not is_pooled(program):
        command += ["--padding", PADDING]
    command += ["--target-processes", "application-only", "--check-exit-code", "no"]
    command += ["--port", FIRST_PORT + place * PORTS, "--max-connections", PORTS]
    return [*command, "--launch-timeout", 120, "--error-exitcode", FOUND, "--log-file", log]


def environment_of(check: Check, tool: str, program: str) -> dict[str, str]:
    """Without pools the tool knows where each array ends and what of it was never written."""
    settings = {"CUPOLA_TEST_EXAMPLES": EXAMPLES, "CUPOLA_TEST_CASES": CASES[tool]}
    if share := program.partition(" ")[2]:
        settings["CUPOLA_TEST_SHARE"] = share
    if not is_pooled(program):
        settings["CUPOLA_MEMORY_DEBUG"] = "passthrough"
    return check.package.environment(**settings)


def examine(check: Check, tool: str, program: str) -> dict:
    """Run one program; its entry in the record."""
    with PROCESSORS:
        return examined(check, tool, next(PLACES), program)


def examined(check: Check, tool: str, place: int, program: str) -> dict:
    name = program.replace(" ", "_").replace("/", "_of_")
    log, found_log = (check.logs / f"{name}{suffix}.log" for suffix in ("", ".found"))
    begin = time.monotonic()
    if check.left() < 1:
        return {"name": program, "errors": None, "status": None, "problems": ["not begun"]}
    status = run(
        [*sanitizer_command(tool, program, place, found_log), *command_of(check, tool, program)],
        log,
        min(check.left(), PROGRAM_SECONDS),
        environment_of(check, tool, program),
    )
    output = log.read_text(errors="replace")
    findings = findings_in(found_log.read_text(errors="replace") if found_log.exists() else "")
    outcomes = (pytest_outcomes if is_python(program) else gtest_outcomes)(output)
    check.add_errors(outcomes)
    print(f"{tool} {program}: {outcomes}; {findings.errors} errors", flush=True)
    return {
        "name": program,
        "errors": findings.errors,
        "warnings": findings.warnings,
        "status": status,
        "seconds": round(time.monotonic() - begin),
        "tests": outcomes.as_dict(),
        "findings": findings.lines,
        "problems": problems_of(findings, status, outcomes.failures, output),
    }


def chosen(tool: str, patterns: list[str]) -> list[str]:
    """The tool's programs of which a pattern matches the name; all without patterns."""
    programs = PROGRAMS[tool]
    if not patterns:
        return list(programs)
    return [name for name in programs if any(fnmatch.fnmatch(name, p) for p in patterns)]


def longest_first(programs: list[str], earlier: dict | None) -> list[str]:
    """In the order in which they took most time in an earlier run; before them what is new."""
    entries = (earlier or {}).get("programs", ())
    known = {entry["name"]: entry.get("seconds", 0) for entry in entries}
    return sorted(programs, key=lambda name: -known.get(name, float("inf")))


def sanitize(check: Check, tool: str, patterns: list[str]) -> list[str]:
    """Runs programs of the tool at once; the names of all that it has.

    Each is bound by compiling on the host for much of its time.
    """
    programs = longest_first(chosen(tool, patterns), check.earlier.get(tool))
    if not programs:
        check.problem(f"no program matches {', '.join(patterns)}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        check.result["programs"] = list(
            pool.map(lambda program: examine(check, tool, program), programs)
        )
    return list(PROGRAMS[tool])


def memcheck(check: Check, patterns: list[str]) -> list[str]:
    return sanitize(check, "memcheck", patterns)


def racecheck(check: Check, patterns: list[str]) -> list[str]:
    return sanitize(check, "racecheck", patterns)


def initcheck(check: Check, patterns: list[str]) -> list[str]:
    return sanitize(check, "initcheck", patterns)
