"""Programs in the style of CuPy's users, and what CuPy's user guide shows chapter by chapter, run
under the name `cupy` and agree with NumPy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cupola_under_test import cp
from support.compilers import skip_without_compiler

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

HERE = Path(__file__).parents[1]
FOLDERS = ("cupy_programs", "cupy_guide")
PROGRAMS = sorted(f"{each}/{path.name}" for each in FOLDERS for path in (HERE / each).glob("*.py"))
COMPILED = {
    "cupy_guide/jit_kernels.py",
    "cupy_guide/kernels.py",
    "cupy_guide/performance.py",
    "cupy_guide/raw_kernels.py",
    "cupy_programs/activations.py",
    "cupy_programs/black_scholes.py",
    "cupy_programs/exchange.py",
    "cupy_programs/heat.py",
    "cupy_programs/life.py",
    "cupy_programs/lookback.py",
    "cupy_programs/medians.py",
    "cupy_programs/norms.py",
    "cupy_programs/saxpy_raw.py",
    "cupy_programs/tiles.py",
}


# Their arrays are on the devices that CuPy has: single ones.
OF_ONE_DEVICE = {"cupy_guide/basics.py", "cupy_programs/ranks.py", "cupy_programs/replay.py"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs(name: str) -> None:
    if name in COMPILED:
        skip_without_compiler()
    done = subprocess.run(
        [sys.executable, "-m", "cupola.as_cupy", str(HERE / name)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "CUPOLA_DEVICE": ""} if name in OF_ONE_DEVICE else None,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "ok"


def test_none_of_them_misses_a_name() -> None:
    assert cp.errors
    from cupola._cupy.check import findings_in

    found = [each for name in PROGRAMS for each in findings_in(str(HERE / name))]
    assert [str(each) for each in found if each.status == "missing"] == []
