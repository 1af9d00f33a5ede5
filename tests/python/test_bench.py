"""The benchmarks: rows are chosen, checked, timed and written; a failure stays in its cell."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cupola_under_test import on_cuda

BENCH = Path(__file__).resolve().parents[2] / "bench"

# Runs the benchmarks with a function of NumPy's that one row uses made to fail or to be wrong.
WITH_FAULT = """
import runpy, sys
import cupola
wrong = sys.argv[1]
cupola.sqrt = lambda *args: eval(wrong)
del sys.argv[:2]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_bench(*command: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    return subprocess.run(
        [sys.executable, *command, "--quick", "--libraries", "numpy"],
        env={**os.environ, "PYTHONPATH": path, **settings},
        capture_output=True,
        text=True,
    )


def emulated(devices: int) -> dict[str, str]:
    return {"CUPOLA_PLATFORM": "cpu", "CUPOLA_CPU_DEVICES": str(devices), "CUPOLA_DEVICE": "cpu:0"}


def rows_in(path: Path) -> dict[str, dict]:
    return {row["name"]: row for row in json.loads(path.read_text())["rows"]}


def test_one_area(tmp_path: Path) -> None:
    out = tmp_path / "new/results.json"
    done = run_bench(BENCH / "run.py", "--only", "small", "--json", out)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_in(out)
    assert len(rows) == 7
    add = rows["a + b, 1,024 elements"]
    assert add["fails"] == {}
    assert set(add["figures"]) == {"cupola", "numpy"}
    ratio = add["figures"]["numpy"] / add["figures"]["cupola"]
    assert abs(add["ratios"]["numpy"] / ratio - 1) < 1e-9
    assert "a + b, 1,024 elements" in done.stdout


def test_rows_of_sets_need_several_devices(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    command = (BENCH / "run.py", "--only", "sum, all devices", "--json", out)
    one, two = (run_bench(*command, **emulated(devices)) for devices in (1, 2))
    assert one.returncode == 2
    assert two.returncode == 0, two.stdout + two.stderr
    row = rows_in(out)["sum, all devices"]
    assert row["fails"] == {}
    assert set(row["figures"]) == {"cupola", "one device"}


def test_share_of_the_copy_in_the_same_run(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    done = run_bench(BENCH / "run.py", "--only", "copy", "--only", "sum", "--json", out)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_in(out)
    best = max(rows["copy"]["figures"].values())
    assert rows["sum"]["of_copy"] == rows["sum"]["figures"]["cupola"] / best


def test_what_falls_short_says_by_how_much_and_why(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    code = """
import runpy, sys
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
import aims
name = "a + b, 1,024 elements"
aims.CPU[name] = [aims.within(1e-9, "no time passes"), aims.within(1e9)]
aims.CPU["sum"] = [aims.Aim(1e9, "copy"), aims.Aim(1e-9, "argmax")]
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
    patterns = [part for name in ("a + b, 1,0*", "sum", "argmax") for part in ("--only", name)]
    done = run_bench("-c", code, BENCH / "run.py", *patterns, "--json", out, **emulated(1))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_in(out)
    short, reached = rows["a + b, 1,024 elements"]["aims"]
    figure, total, place = (
        rows[name]["figures"]["cupola"] for name in ("a + b, 1,024 elements", "sum", "argmax")
    )
    assert short == {
        "of": "",
        "at_most": 1e-9,
        "reached": figure,
        "short_by": figure / 1e-9 - 1,
        "why": "no time passes",
    }
    assert reached == {"of": "", "at_most": 1e9, "reached": figure}
    (beside,) = rows["sum"]["aims"]  # the copy is not among the rows
    assert beside["reached"] == total / place


def test_aims_are_of_rows_that_there_are() -> None:
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import aims, run
from registry import CASES, PEERS
for platform, of_rows in aims.AIMS.items():
    names = {case.name for case in CASES if platform in case.platforms}
    known = {"", "copy", run.libraries.ONE_DEVICE, *PEERS, *names}
    others = {aim.of for of_row in of_rows.values() for aim in of_row}
    print(names.issuperset(of_rows), known.issuperset(others))
"""
    done = run_bench("-c", code, BENCH)
    assert done.stdout.split() == ["True"] * 4, done.stderr


@pytest.mark.parametrize("name", ["cpu", "gpu_check"])
def test_rows_on_record_say_why_they_fall_short(name: str) -> None:
    record = json.loads((BENCH / "results" / f"{name}.json").read_text())
    of_sets = record.get("sets", {}).get("2", {})
    some_rows = not record.get("complete", True)
    for part in (record, record.get("benchmarks", {}), of_sets.get("benchmarks", {})):
        rows = part.get("rows", ())
        aims = [(row["name"], aim) for row in rows for aim in row.get("aims", ())]
        assert aims or not rows or some_rows
        assert [row for row, aim in aims if "short_by" in aim and not aim["why"]] == []


@pytest.mark.skipif(on_cuda(), reason="the row is one of the CPU's")
def test_failure_stays_in_its_cell(tmp_path: Path) -> None:
    for wrong, message in (
        ("args[0] * 1.01", "WrongResultError: differs from NumPy"),
        ("1 / 0", "ZeroDivisionError"),
    ):
        out = tmp_path / "results.json"
        run = str(BENCH / "run.py")
        done = run_bench("-c", WITH_FAULT, wrong, run, "--only", "sqrt*32", "--json", out)
        assert done.returncode == 1, done.stderr
        row = rows_in(out)["sqrt float32"]
        assert row["fails"]["cupola"].startswith(message)
        assert "numpy" in row["figures"]
        assert "fails" in done.stdout


def test_no_such_row() -> None:
    done = run_bench(BENCH / "run.py", "--only", "nonsense")
    assert done.returncode == 2
    assert "no row matches" in done.stderr
