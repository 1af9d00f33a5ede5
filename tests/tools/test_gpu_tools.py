"""What compute-sanitizer and Nsight Compute print is read as they mean it."""

import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import pytest

from gpu import compute_sanitizer, ncu

pytestmark = pytest.mark.long

MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at sum_kernel(const float *, float *)+0x90
=========     by thread (3,0,0) in block (1,0,0)
=========     Address 0x7f2c00000c is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: launch in /opt/here/libcupola.so [0x1234]
=========
========= Invalid __global__ write of size 4 bytes
=========     at scatter_kernel(float *)+0x10
=========     by thread (0,0,0) in block (0,0,0)
=========
"""


def test_findings_are_counted_and_begin_the_entry():
    found = compute_sanitizer.findings_in(MEMCHECK + "========= ERROR SUMMARY: 1,002 errors\n")
    assert (found.errors, found.warnings, found.listed) == (1002, 0, 2)
    assert found.lines[0] == " Invalid __global__ read of size 4 bytes"
    assert found.lines[4] == " Invalid __global__ write of size 4 bytes"
    assert "backtrace" not in " ".join(found.lines)


def test_each_process_has_a_summary():
    log = "========= ERROR SUMMARY: 2 errors\n========= ERROR SUMMARY: 1 error\n"
    assert compute_sanitizer.findings_in(log).errors == 3


def test_hazards_that_are_warnings_are_no_errors():
    log = "========= RACECHECK SUMMARY: 3 hazards displayed (1 error, 2 warnings)\n"
    found = compute_sanitizer.findings_in(log)
    assert (found.errors, found.warnings) == (1, 2)


ENDED = "[==========] 1 test from 1 test suite ran. (0 ms total)"


def problems(log, status, failures=(), output=ENDED):
    return compute_sanitizer.problems_of(
        compute_sanitizer.findings_in(log), status, list(failures), output
    )


CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"


def test_only_a_finished_program_with_a_summary_and_no_finding_is_clean():
    assert problems(CLEAN, 0) == []
    assert problems("", 0, output="no GPU") == ["compute-sanitizer wrote no summary: no GPU"]
    assert problems("", None, output="") == ["not finished"]
    assert problems(CLEAN, None, output="a\nb\n") == ["not finished: b"]
    assert problems(CLEAN, 127, output="not found") == ["exit status 127: not found"]
    assert problems(CLEAN, 0, output="a\nSegmentation fault\n") == [
        "ended before its tests: Segmentation fault"
    ]
    assert problems(CLEAN, 1, ["test_a"]) == ["1 tests failed: test_a"]


def test_the_ends_of_test_programs_are_known():
    assert compute_sanitizer.has_ended("== 3 passed, 1 skipped in 0.53s ==\n")
    assert compute_sanitizer.has_ended("== 1 failed in 75.23s (0:01:15) ==")
    assert compute_sanitizer.has_ended(ENDED)
    assert not compute_sanitizer.has_ended("[==========] Running 3 tests from 1 test suite.\n")
    assert not compute_sanitizer.has_ended("tests/python/test_a.py::test_in PASSED [ 10%]\n")


def test_what_was_found_before_a_program_was_stopped_is_told():
    found, unfinished = problems(MEMCHECK, None, output="")
    assert found.startswith("2 errors: ")
    assert unfinished == "not finished"


def test_programs_share_no_port():
    commands = [compute_sanitizer.sanitizer_command("memcheck", "a", i, "log") for i in range(40)]
    ports = [command[command.index("--port") + 1] for command in commands]
    apart = min(b - a for a, b in itertools.pairwise(ports))
    assert apart >= commands[0][commands[0].index("--max-connections") + 1]
    assert max(ports) + apart < 1 << 16


def test_programs_that_took_long_are_first_and_unknown_ones_before_them():
    earlier = {"programs": [{"name": "a", "seconds": 5}, {"name": "b", "seconds": 50}]}
    assert compute_sanitizer.longest_first(["a", "b", "c"], earlier) == ["c", "b", "a"]


def test_programs_under_the_tools_exist():
    root = Path(__file__).resolve().parents[2]
    programs = {name for names in compute_sanitizer.PROGRAMS.values() for name in names}
    files = {name.partition(" ")[0] for name in programs}
    missing = [
        name
        for name in files
        if name.endswith(".py") and not list((root / "tests/python").glob(f"*/{name}"))
    ]
    assert missing == []


STALLED = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
COLUMNS = {
    "ID": ("", "0", "1"),
    "Process ID": ("", "71", "71"),
    "Kernel Name": ("", "map_f4", "reduce, part 2"),
    "gpu__time_duration.sum": ("ns", "1,234,567", "800"),
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": ("%", "93.25", "n/a"),
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "41.5", "0"),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("%", "77.1", "6.2"),
    "launch__registers_per_thread": ("register/thread", "32", "40"),
    STALLED.format("long_scoreboard"): ("inst", "20.5", "1.5"),
    STALLED.format("long_scoreboard_not_issued"): ("inst", "99", "99"),
    STALLED.format("selected"): ("inst", "50", "50"),
    STALLED.format("wait"): ("inst", "2.5", "0"),
    STALLED.format("barrier"): ("inst", "0.1", "7"),
    STALLED.format("lg_throttle"): ("inst", "3", "0.5"),
}


def raw_page(columns=COLUMNS):
    rows = zip(*([name, *values] for name, values in columns.items()), strict=True)
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows) + "\n"


PREAMBLE = '==PROF== Connected to process 71 (/usr/bin/python3)\n==PROF== Profiling "map_f4" - 0\n'


def test_launches_of_a_kernel_are_one_entry():
    def launch(name, registers, microseconds):
        facts = {"registers_per_thread": registers, "microseconds": microseconds}
        return {"kernel": name, **facts, "dram_percent": microseconds, "stalls": {}}

    launches = [launch("a", 8, 1.0), launch("b", 8, 5.0), launch("a", 8, 3.0), launch("a", 9, None)]
    found = {
        (kernel["kernel"], kernel["registers_per_thread"]): kernel
        for kernel in ncu.together(launches)
    }
    assert list(found) == [("a", 8), ("b", 8), ("a", 9)]
    both = found["a", 8]
    assert (both["launches"], both["microseconds"], both["dram_percent"]) == (2, 4.0, 3.0)
    assert found["a", 9]["microseconds"] == 0.0


def test_kernels_of_a_raw_page():
    first, second = ncu.kernels(PREAMBLE + raw_page() + "==PROF== Disconnected\n")
    assert first == {
        "kernel": "map_f4",
        "microseconds": 1234.567,
        "dram_percent": 93.25,
        "compute_percent": 41.5,
        "occupancy_percent": 77.1,
        "registers_per_thread": 32,
        "stalls": {"long_scoreboard": 20.5, "lg_throttle": 3, "wait": 2.5},
    }
    assert second["kernel"] == "reduce, part 2"
    assert second["microseconds"] == 0.8
    assert second["dram_percent"] is None
    assert list(second["stalls"]) == ["barrier", "long_scoreboard", "lg_throttle"]


def test_times_in_other_units_and_older_metrics():
    older = {
        "ID": ("", "0"),
        "Kernel Name": ("", "map_f4"),
        "gpu__time_duration.sum": ("usecond", "12.5"),
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "80"),
    }
    (kernel,) = ncu.kernels(raw_page(older))
    assert (kernel["microseconds"], kernel["dram_percent"]) == (12.5, 80)
    assert kernel["registers_per_thread"] is None
    assert kernel["stalls"] == {}


def test_a_profiler_that_records_nothing_says_why():
    log = "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\n"
    assert ncu.kernels(log) == []
    assert ncu.complaint(log) == "ERR_NVGPUCTRPERM - no permission"


@pytest.mark.parametrize("tool", compute_sanitizer.PROGRAMS)
def test_programs_under_a_tool_are_one_file_each(tool: str) -> None:
    """Files of tests are named without their rooms."""
    for program in compute_sanitizer.PROGRAMS[tool]:
        if compute_sanitizer.is_python(program):
            name = program.partition(" ")[0]
            assert len(list(compute_sanitizer.TESTS.glob(f"*/{name}"))) == 1, name
