"""The parts that run the C++ and Python tests."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpu.check import Check
from outcomes import LONG_PROGRAMS, gtest_outcomes, printed_figures, run

WORKERS = 14  # of the Python tests
CPP_WORKERS = 8
SHARDS = 4  # processes that share the tests of a long program
FIGURES = "platform_cuda_tests"  # measures, so it runs alone
PROCESSES = "tests/python/processes/test_multiprocessing.py"
SHORT_LIVED = (
    "tests/python/memory/test_first_use.py"
    "::test_short_lived_threads_leave_memory_and_handles_where_they_began"
)
CENSUS = "tests/python/memory/test_context_census.py"
SCENARIOS = "tests/python/package/test_scenarios.py"


def run_gtest(
    check: Check, deadline: float, program: Path, shard: int = 0, shards: int = 1
) -> None:
    """A share of the tests of one program."""
    name = program.name if shards == 1 else f"{program.name} {shard + 1}/{shards}"
    log = check.logs / f"{name.replace(' ', '_').replace('/', '_of_')}.log"
    variables = {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
    if program.name == FIGURES:
        variables["CUPOLA_GPU_FIGURES"] = "1"
    environment = check.package.environment(**variables)
    status = run([program], log, deadline - time.monotonic(), environment)
    output = log.read_text(errors="replace")
    outcomes = gtest_outcomes(output)
    check.add_outcomes(name, outcomes)
    check.result.setdefault("figures", []).extend(printed_figures(output))
    check.note_status(name, status, len(outcomes.failures))


def cpp(check: Check, _patterns: list[str]) -> None:
    deadline = check.left() + time.monotonic()
    programs = sorted(
        check.package.programs.glob("*_tests"),
        key=lambda path: (path.name not in LONG_PROGRAMS, path),
    )
    if not programs:
        check.problem("no C++ test programs")
    shared = []
    for program in programs:
        if program.name == FIGURES:
            run_gtest(check, deadline, program)
            continue
        shards = SHARDS if program.name in LONG_PROGRAMS else 1
        shared += [(program, shard, shards) for shard in range(shards)]
    with ThreadPoolExecutor(CPP_WORKERS) as pool:
        list(pool.map(lambda task: run_gtest(check, deadline, *task), shared))


def run_again(check: Check, earlier: dict, workers: int, **environment: str) -> None:
    """Runs the tests that failed in an earlier run of the same sources, beside what passed."""
    tests = earlier["tests"]
    if len(tests["failures"]) < tests["failed"]:
        check.problem("more tests failed than the record names")
    check.outcomes.passed += tests["passed"]
    check.outcomes.skipped += tests["skipped"]
    check.result["again"] = [*earlier.get("again", []), *tests["failures"]]
    if tests["failures"]:
        check.run_pytest("pytest_again", tests["failures"], workers, **environment)
    else:
        check.result["tests"] = check.outcomes.as_dict()


def python(check: Check, patterns: list[str]) -> None:
    """All tests; with the pattern `failed` those that failed in the last run of these sources."""
    earlier = check.earlier.get("python", {})
    if not patterns:
        check.run_pytest("pytest", check.package.configuration["tests"], WORKERS)
    elif earlier.get("source_hash") != check.package.source_hash or "tests" not in earlier:
        check.problem("the tests did not run with these sources before")
    else:
        run_again(check, earlier, WORKERS)


def alone(check: Check, _patterns: list[str]) -> None:
    """What is measured on whole devices, while nothing else runs there."""
    tests = [PROCESSES, SHORT_LIVED]
    if check.package.device["count"] > 1:
        tests += [CENSUS, SCENARIOS]
    check.run_pytest("alone", tests, workers=1, CUPOLA_TEST_ALONE="1")
