"""Benchmark rows are listed and run for a profiler."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROWS = Path(__file__).resolve().parents[3] / "bench/profile_rows.py"


def profile_rows(*options: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path, "CUPOLA_PLATFORM": "cpu"}
    command = [sys.executable, ROWS, *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_rows_of_one_device_are_listed() -> None:
    every = profile_rows("--list").stdout.splitlines()
    assert {"a + b", "a + b, 1,024 elements"} <= set(every)
    assert not [name for name in every if "all devices" in name]
    assert profile_rows("--list", "small", "sum").stdout.splitlines()[-1] == "sum"
    kernels = profile_rows("--list", "--kernels").stdout.splitlines()
    assert {name for name in every if name not in kernels} == set(
        profile_rows("--list", "process").stdout.splitlines()
    )


def test_a_row_runs_for_a_profiler() -> None:
    done = profile_rows("--quick", "--exactly", "a + b, 1,024 elements")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "a + b, 1,024 elements\n"


def test_a_row_that_takes_its_own_time_runs_too() -> None:
    done = profile_rows("--quick", "512x512 images: to device, mean, read; 1 threads")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1


def test_no_such_row() -> None:
    done = profile_rows("--exactly", "a + b,*")
    assert done.returncode == 2
    assert "no such row" in done.stderr
