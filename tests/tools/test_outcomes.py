"""What test programs print is counted rightly, complete or not."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import outcomes

pytestmark = pytest.mark.long

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


def test_a_collected_test_that_did_not_end_has_failed():
    unended = "tests/python/test_a.py::test_g[x y]"
    names = ["tests/python/test_a.py::test_b[add-1 2]", "tests/python/test_a.py::test_d", unended]
    found = outcomes.pytest_outcomes(PYTEST_OUTPUT, names)
    assert str(found) == "2 passed, 3 failed, 1 skipped"
    assert (found.failures[-1], found.errors[unended]) == (unended, "did not end")


def test_processes_that_print_into_a_line_take_no_test_away():
    names = ["tests/python/test_a.py::test_b", "tests/python/test_a.py::test_b[add-1 2]"]
    noise = "tests/python/test_a.py::test_b[add-1 2] Fatal error of a child"
    found = outcomes.pytest_outcomes(f"child[gw0] [  1%] PASSED {noise}\n", names[1:])
    assert str(found) == "1 passed, 0 failed, 0 skipped"
    found = outcomes.pytest_outcomes(f"[gw0] [  1%] FAILED {noise}\n", names)
    assert found.failures == names[::-1]


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
        found = outcomes.pytest_outcomes(done.stdout)
        assert str(found) == "3 passed, 1 failed, 1 skipped"
        assert found.errors == {"tests/test_it.py::test_n[3]": "assert 3 != 3"}


GTEST_OUTPUT = """\
[ RUN      ] A.b
[       OK ] A.b (0 ms)
[ RUN      ] A.c/0
[  SKIPPED ] A.c/0 (0 ms)
[ RUN      ] A.d
src/core/a_test.cc:12: Failure
Expected equality of these values:
  1
[  FAILED  ] A.d (3 ms)
[ RUN      ] A.dies
terminate called
"""


def test_a_test_program_that_dies_has_a_failed_test():
    found = outcomes.gtest_outcomes(GTEST_OUTPUT)
    assert str(found) == "1 passed, 2 failed, 1 skipped"
    assert found.failures == ["A.d", "A.dies"]
    assert found.errors == {
        "A.d": "src/core/a_test.cc:12: Failure: Expected equality of these values:",
        "A.dies": "did not end: terminate called",
    }


GTEST_WITH_CHILDREN = """\
[ RUN      ] Pairs.ThatLieAreFound
[ RUN      ] Process.Remembered
unknown file: Failure
[  FAILED  ] Process.Remembered (0 ms)
[ RUN      ] Process.Dies
[       OK ] Pairs.ThatLieAreFound (3 ms)
[ RUN      ] Pairs.AreSkipped
[  SKIPPED ] Pairs.AreSkipped (0 ms)
"""


def test_tests_of_processes_that_a_test_starts_are_not_counted():
    found = outcomes.gtest_outcomes(GTEST_WITH_CHILDREN)
    assert str(found) == "1 passed, 0 failed, 1 skipped"


def test_messages_name_no_folders():
    text = "cannot open /home/me/cupola/src/a.cc:12, see docs/dev/map.md and https://x.org/a/b"
    told = "cannot open a.cc:12, see docs/dev/map.md and https://x.org/a/b"
    assert outcomes.without_folders(text) == told


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
