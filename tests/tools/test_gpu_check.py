"""The GPU check counts tests rightly, keeps partial results and hashes as it says."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import gpu_check  # noqa: E402
import gpu_check_sets  # noqa: E402
import outcomes  # noqa: E402
import source_hash  # noqa: E402


def test_source_hash_is_that_of_the_shell_command():
    command = "find src include -type f | LC_ALL=C sort | xargs cat | sha256sum"
    shell = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert source_hash.source_hash() == shell.stdout.split()[0]


PYTEST_OUTPUT = """\
[gw0] [  1%] PASSED tests/python/test_a.py::test_b[add-1 2]
tests/python/test_a.py::test_c[add]
[gw1] [  2%] FAILED tests/python/test_a.py::test_c[add]
[gw1] [  2%] SKIPPED tests/python/test_a.py::test_d
[gw1] [  3%] ERROR tests/python/test_a.py::test_e
[gw1] [  3%] XFAIL tests/python/test_a.py::test_f
[gw1] [ 10"""


def test_an_unfinished_pytest_run_is_counted():
    found = outcomes.pytest_outcomes(PYTEST_OUTPUT)
    assert str(found) == "2 passed, 2 failed, 1 skipped"
    assert found.failures == [
        "tests/python/test_a.py::test_c[add]",
        "tests/python/test_a.py::test_e",
    ]


def test_pytest_itself_prints_what_is_counted(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_it.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('n', range(5))\n"
        "def test_n(n):\n"
        "    if n == 4: pytest.skip('why')\n"
        "    assert n != 3\n"
    )
    for workers in ([], ["-n", "2"]):
        command = [sys.executable, "-m", "pytest", "-v", "--rootdir", tmp_path, *workers, "tests"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert str(outcomes.pytest_outcomes(done.stdout)) == "3 passed, 1 failed, 1 skipped"


GTEST_OUTPUT = """\
[ RUN      ] A.b
[       OK ] A.b (0 ms)
[ RUN      ] A.c/0
[  SKIPPED ] A.c/0 (0 ms)
[ RUN      ] A.d
[  FAILED  ] A.d (3 ms)
[ RUN      ] A.dies
"""


def test_a_test_program_that_dies_has_a_failed_test():
    found = outcomes.gtest_outcomes(GTEST_OUTPUT)
    assert str(found) == "1 passed, 2 failed, 1 skipped"
    assert found.failures == ["A.d", "A.dies"]


def test_what_test_programs_measure_is_kept():
    figure = "pool hit, 4096 bytes, 8 threads: 33.4 ns, 1 calls of the device"
    assert outcomes.printed_figures(f"[       OK ] A.a (1 ms)\n[ figure   ] {figure}\n") == [figure]


def test_a_command_is_stopped_with_all_that_it_started(tmp_path):
    log = tmp_path / "log"
    begin = time.monotonic()
    status = outcomes.run(["sh", "-c", "echo here; sleep 60 | cat"], log, 1, {})
    assert status is None
    assert log.read_text() == "here\n"
    assert time.monotonic() - begin < 30


@pytest.fixture
def check(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_check, "RESULT", tmp_path / "results/gpu_check.json")
    return gpu_check.Check(100, tmp_path / "logs")


def test_a_phase_that_fails_leaves_the_result_of_the_others(check):
    def breaks(_check):
        raise OSError("no such program")

    found = outcomes.Outcomes()
    found.add("PASSED", "a")
    check.phase(lambda check: check.add_outcomes("first", found))
    check.phase(breaks)
    written = gpu_check.json.loads(gpu_check.RESULT.read_text())
    assert written["tests"] == {"passed": 1, "failed": 0, "skipped": 0, "failures": []}
    assert written["problems"] == ["breaks: OSError: no such program"]
    assert not gpu_check.is_clean(written)


def test_each_number_of_devices_has_an_entry_beside_the_rest(check, tmp_path):
    check.write()
    for count in (2, 4, 2):
        of_sets = gpu_check_sets.SetCheck(100, tmp_path / f"logs{count}")
        of_sets.result["device"] = {"count": count}
        of_sets.write()
    check.result["problems"].append("later")
    check.write()
    written = gpu_check.json.loads(gpu_check.RESULT.read_text())
    assert sorted(written["sets"]) == ["2", "4"]
    assert written["sets"]["4"]["source_hash"] == check.result["source_hash"]
    assert written["problems"] == ["later"]


@pytest.mark.parametrize(
    ("result", "clean"),
    [
        ({"problems": [], "tests": {"failed": 0}, "memcheck": [{"errors": 0}]}, True),
        ({"problems": [], "tests": {"failed": 1}, "memcheck": [{"errors": 0}]}, False),
        ({"problems": [], "tests": {"failed": 0}, "memcheck": [{"errors": 2}]}, False),
        ({"problems": ["x"], "tests": {"failed": 0}, "memcheck": []}, False),
    ],
)
def test_only_a_run_without_any_finding_is_clean(result, clean):
    assert gpu_check.is_clean(result) is clean
