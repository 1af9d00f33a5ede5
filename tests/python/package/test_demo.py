"""The demo: what it prints and writes, and that it notices a library that computes wrongly."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

for needed in ("matplotlib", "sklearn", "tqdm"):
    pytest.importorskip(needed)

DEMO = Path(__file__).resolve().parents[3] / "examples/demo.py"

# Runs the demo with one function of the package, named first, changed.
WITH_FAULT = """
import runpy, sys
import cupola
name, wrong = sys.argv[1], sys.argv[2]
right = getattr(cupola, name)
setattr(cupola, name, lambda *args, **options: eval(wrong, {"result": right(*args, **options)}))
del sys.argv[:3]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_demo(
    *command: str | Path, folder: Path, crops: int = 24
) -> subprocess.CompletedProcess[str]:
    """Runs it in another folder."""
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    return subprocess.run(
        [sys.executable, *command, "--crops", str(crops)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )


def png_size(path: Path) -> tuple[int, int]:
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", header[16:24])


def test_agrees_with_numpy_and_writes_the_picture(tmp_path: Path) -> None:
    done = run_demo(DEMO, "--output", "new/folder/picture.png", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert png_size(tmp_path / "new/folder/picture.png") == (1700, 900)
    rows = [line for line in done.stdout.splitlines() if line.endswith("  ok")]
    *jobs, whole = [row.split("  ")[0] for row in rows]
    assert jobs == [
        "24 crops, 16 threads",
        "digits: 8 principal components",
        "digits: 10 clusters",
    ]
    assert whole.startswith("one array of ")
    assert "100%" in done.stderr  # the progress bar came to its end


@pytest.mark.parametrize(
    ("function", "wrong", "job"),
    [
        ("sqrt", "result * 1.0001", "4 crops"),
        ("sqrt", "result * float('nan')", "4 crops"),
        ("stack", "-result", "digits: 8 principal components"),
        ("where", "result + 1", "digits: 10 clusters"),
    ],
)
def test_fails_when_results_differ(tmp_path: Path, function: str, wrong: str, job: str) -> None:
    done = run_demo("-c", WITH_FAULT, function, wrong, DEMO, folder=tmp_path, crops=4)
    assert done.returncode == 1, done.stderr
    (row,) = (line for line in done.stdout.splitlines() if line.startswith(job))
    assert row.endswith("DIFFERS")


def test_refuses_a_count_below_one(tmp_path: Path) -> None:
    done = run_demo(DEMO, folder=tmp_path, crops=0)
    assert done.returncode == 2
    assert "--crops must be at least 1" in done.stderr
