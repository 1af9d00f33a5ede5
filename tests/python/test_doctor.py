"""The doctor names the lines that make a program slow."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import cupola as cp

pytestmark = pytest.mark.cupola_only

PROGRAM = """\
import numpy as np
import cupola as cp

a = cp.asarray(np.linspace(0, 1, 1000))
total = 0.0
for i in range(150):
    scaled = a * i
    if scaled.max() > 2000:
        break
    total += float(scaled.sum())
    a[i]
print(a[:3])
host = cp.asnumpy(cp.ones(100_000))
a.sum().item()
mine = [cp.eval(a + step) for step in range(20)]
"""


@pytest.fixture(autouse=True)
def doctor() -> Iterator[None]:
    cp.doctor.clear()
    yield
    cp.doctor.stop()
    cp.doctor.clear()


def run(path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CUPOLA_EAGER": "0", **variables}
    return subprocess.run(
        [sys.executable, str(path)], env=environment, text=True, capture_output=True, timeout=120
    )


def test_a_program_gets_its_lines_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(PROGRAM)
    done = run(path, CUPOLA_DOCTOR="1")
    assert done.returncode == 0, done.stderr
    text = done.stderr
    for line, what in (
        (8, "bool(a), 150 times"),
        (10, "float(a), 150 times"),
        (12, "print(a), 1 time"),
        (13, "asnumpy(a), 1 time"),
        (14, "a.item(), 1 time"),
        (13, "copy to the host, 1 time, 800 kB"),
        (11, "a[i], 150 times"),
    ):
        assert f"{path}:{line}: {what}" in text
    small = re.split(r"\n(?=\S)", text[text.index("small kernels in loops") :])[0]
    assert f"{path}:10: " in small
    assert f"{path}:15: " not in small  # twenty are not many
    assert text.count("keep the value in an array") == 1  # the advice


def test_silent_when_off(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(PROGRAM)
    for value in ("0", ""):
        done = run(path, CUPOLA_DOCTOR=value)
        assert done.returncode == 0, done.stderr
        assert "doctor" not in done.stderr


def test_start_report_and_stop() -> None:
    a = cp.asarray(np.ones(100))
    cp.doctor.start()
    for _ in range(3):
        float(a[3])
    cp.doctor.stop()
    float(a[3])
    (found,) = (one for one in cp.doctor.findings() if one.kind == "synchronisation")
    assert (found.what, found.count, found.file) == ("float(a)", 3, __file__)
    assert found.seconds > 0
    assert "keep the value" in found.advice
    assert "float(a), 3 times" in cp.doctor.report()
    cp.doctor.clear()
    assert cp.doctor.report() == "cupola doctor: nothing found"


def test_waits_that_were_asked_for_are_no_finding() -> None:
    a = cp.asarray(np.ones(100_000))
    cp.doctor.start()
    cp.eval(a + 1)
    cp.cuda.get_current_stream().synchronize()
    assert [one.kind for one in cp.doctor.findings()] == []


def test_pinned_memory_is_no_finding() -> None:
    pinned = cp.zeros_pinned(100_000)
    cp.doctor.start()
    cp.asarray(pinned)
    assert [one for one in cp.doctor.findings() if one.kind == "host_copy"] == []
    cp.asarray(np.zeros(100_000))
    assert [one.count for one in cp.doctor.findings() if one.kind == "host_copy"] == [1]


def test_both_directions_of_elements_count() -> None:
    a = cp.asarray(np.zeros((20, 20)))
    cp.doctor.start()
    for i in range(200):
        a[i % 20, 3] = i
        a[i % 20]  # a row is no element
    found = [one for one in cp.doctor.findings() if one.kind == "element"]
    assert [one.count for one in found] == [200]
