"""The benchmarks: rows are chosen, checked, timed and written; a failure stays in its cell."""

import gc
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import on_cuda
from support.bench import BENCH, bench_module

pytestmark = pytest.mark.long

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


def run_script(*command: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": path, **settings},
        capture_output=True,
        text=True,
    )


def run_bench(*command: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return run_script(*command, "--quick", "--libraries", "numpy", **settings)


def emulated(devices: int) -> dict[str, str]:
    return {"CUPOLA_PLATFORM": "cpu", "CUPOLA_CPU_DEVICES": str(devices), "CUPOLA_DEVICE": "cpu:0"}


def rows_in(path: Path) -> dict[str, dict]:
    return {row["name"]: row for row in json.loads(path.read_text())["rows"]}


def test_one_area(tmp_path: Path) -> None:
    out = tmp_path / "new/results.json"
    done = run_bench(BENCH / "run.py", "--only", "small", "--json", out)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_in(out)
    add = rows["a + b, 1,024 elements"]
    assert add["fails"] == {}
    assert set(add["figures"]) == {"cupola", "numpy"}
    assert add["samples"].keys() == add["figures"].keys()
    assert all(1 <= count <= 3 for count in add["samples"].values())
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


def test_programs_agree_with_numpy(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    done = run_bench(BENCH / "run.py", "--only", "programs", "--json", out)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_in(out)
    assert set(rows) == set(bench_module("cases_programs").PROGRAMS)
    assert all("cupola" in row["figures"] for row in rows.values())


def test_times_of_programs_beside_numpy(tmp_path: Path) -> None:
    out = tmp_path / "times.json"
    only = ("--only", "heat", "crc", "--sizes", "small", "--seconds", "0")
    done = run_script(BENCH / "program_times.py", *only, "--json", out, **emulated(1))
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(out.read_text())
    assert [row["name"] for row in document["rows"]] == ["heat", "crc"]
    product = document["rows"][0]["ratio"] * document["rows"][1]["ratio"]
    assert document["geometric_means"]["small"] == pytest.approx(product**0.5, rel=0.01)


def test_sea_water_has_the_published_values() -> None:
    """Of UNESCO Technical Papers in Marine Science 44; pressures in bar."""
    program = bench_module("programs.sea_water")

    def of(function: str, *state: float) -> float:
        return float(getattr(program, function)(*state, state[0] ** 0.5))

    assert round(of("density", 0.0, 5.0, 0.0), 5) == 999.96675
    assert round(of("density", 35.0, 5.0, 0.0), 5) == 1027.67547
    assert round(of("density", 35.0, 25.0, 1000.0), 5) == 1062.53817
    assert round(of("speed_of_sound", 40.0, 40.0, 1000.0), 3) == 1731.995


def test_downloads_into_new_memory_keep_all_results(tmp_path: Path) -> None:
    """Each result of the row is an array of its own while the row lasts."""
    cases_large, registry = bench_module("cases_large"), bench_module("registry")
    libraries = bench_module("libraries")
    made: list[Any] = []

    class Watched(libraries.Numpy):
        def to_host(self, array: Any) -> np.ndarray:
            assert all(alive() is not None for alive in made)
            result = super().to_host(array)
            made.append(weakref.ref(result))
            return result

    task = cases_large.to_host(Watched("cpu"), registry.Inputs(64, 8, 1))
    assert task.seconds is not None
    assert task.seconds() > 0
    assert task.seconds() > 0
    assert len(made) == 2 * cases_large.HELD
    again = cases_large.to_host_again(libraries.Numpy("cpu"), registry.Inputs(64, 8, 1))
    assert again.run is not None
    assert again.seconds is None
    del task
    gc.collect()
    assert all(alive() is None for alive in made)


def test_aims_are_of_rows_that_there_are() -> None:
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import aims, libraries, rows, why
from aim import BEST_PEER
from registry import CASES
for platform, of_rows in aims.AIMS.items():
    names = {case.name for case in CASES if platform in case.platforms}
    known = {"", "copy", BEST_PEER, libraries.ONE_DEVICE, *libraries.PLAIN, *names}
    others = {aim.of for of_row in of_rows.values() for aim in of_row}
    print(names.issuperset(of_rows), known.issuperset(others))
    print(names.issuperset(why.SLOWER[platform]))
    free = {"numpy"} if platform == "cuda" else {"cupy"}
    held = {c.name for c in CASES if platform in c.platforms and set(c.peers) - free}
    print(names - held - set(of_rows) - set(aims.REFERENCES) or True)
"""
    done = run_bench("-c", code, BENCH)
    assert done.stdout.split() == ["True"] * 8, done.stdout + done.stderr


def test_rows_of_several_calls_make_one_record(tmp_path: Path) -> None:
    out = tmp_path / "results.json"

    def measured(pattern: str, *more: str, **settings: str) -> subprocess.CompletedProcess[str]:
        only = ("--only", pattern)
        return run_bench(BENCH / "run.py", *only, "--json", out, *more, **settings)

    assert measured("a + b*1,024*", **emulated(1)).returncode == 0
    first = json.loads(out.read_text())
    assert measured("launch*", "--merge", **emulated(1)).returncode == 0
    done = measured("a + b, 1,02*", "--merge", **emulated(1))
    assert done.returncode == 0, done.stdout + done.stderr
    whole = json.loads(out.read_text())
    assert {row["name"] for row in whole["rows"]} == set(whole["asked"])
    areas = [row["area"] for row in whole["rows"]]
    assert areas == ["small", "host", "threads", "threads"]
    assert not whole["complete"]
    hashes = [call["source_hash"] for call in whole["calls"]]
    assert hashes == [whole["source_hash"]] * 3
    ran = [call["rows"] for call in whole["calls"]]
    assert sorted(name for names in ran for name in names) == sorted(whole["asked"])
    assert ran[2] == ["a + b, 1,024 elements"]
    assert ran[2][0] in first["calls"][0]["rows"]
    assert len({call["seed"] for call in whole["calls"]}) == 3


def test_rows_of_other_machines_are_not_merged(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    command = (BENCH / "run.py", "--only", "asarray of*", "--merge", "--json", out)
    assert run_bench(*command, **emulated(1)).returncode == 0
    before = out.read_text()
    done = run_bench(*command, **emulated(2))
    assert done.returncode == 2
    assert "the file's devices is 1, here it is 2" in done.stderr
    assert out.read_text() == before


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


def test_what_was_measured_before_a_stop_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    code = WITH_FAULT.replace("eval(wrong)", "exec(wrong)")
    only = ("--only", "add float32", "--only", "sqrt float32")
    done = run_bench(
        *("-c", code, "raise KeyboardInterrupt", str(BENCH / "run.py"), *only, "--json", out),
        **emulated(1),
    )
    assert "stopped" in done.stderr
    document = json.loads(out.read_text())
    assert [row["name"] for row in document["rows"]] == ["add float32"]
    assert document["asked"] == ["add float32", "sqrt float32"]
    assert document["calls"][0]["rows"] == ["add float32"]


def test_no_such_row() -> None:
    done = run_bench(BENCH / "run.py", "--only", "nonsense")
    assert done.returncode == 2
    assert "no row matches" in done.stderr


class Clock:
    """Time that passes by sleeping, while threads work for some of it."""

    def __init__(self, awake: float) -> None:
        self.now = self.used = 0.0
        self.awake = awake

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.used

    def sleep(self, seconds: float) -> None:
        self.used += min(seconds, max(self.awake - self.now, 0))
        self.now += seconds


@pytest.mark.parametrize(("awake", "waited"), [(0, 0), (0.1, 0.1), (9, 0.2)])
def test_a_sample_waits_for_threads_to_sleep(
    awake: float, waited: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = bench_module("measure")
    clock = Clock(awake)
    monkeypatch.setattr(measure, "time", clock)
    measure.come_to_rest(0.2)
    assert waited <= clock.now <= waited + 2 * measure.LOOK
    before = clock.now
    measure.come_to_rest(0)
    assert clock.now == before
