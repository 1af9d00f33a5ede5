"""The doctor names the lines that make a program slow."""

import math
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
        (11, "a[i], 150 times"),
    ):
        assert f"{path}:{line}: {what}" in text
    small = re.split(r"\n(?=\S)", text[text.index("small kernels in loops") :])[0]
    assert f"{path}:10: " in small
    assert f"{path}:15: " not in small  # twenty are not many
    assert text.count("keep the value in an array") == 1  # the advice
    # A CPU device copies pageable memory as it copies pinned memory.
    copied = f"{path}:13: copy to the host, 1 time, 800 kB" in text
    assert copied == ("pinned memory" in text) == (cp.current_device().platform == "cuda")


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
    a = cp.asarray(np.zeros(100_000))
    wanted = [1] if a.device.platform == "cuda" else []
    assert [one.count for one in cp.doctor.findings() if one.kind == "host_copy"] == wanted


def test_both_directions_of_elements_count() -> None:
    a = cp.asarray(np.zeros((20, 20)))
    cp.doctor.start()
    for i in range(200):
        a[i % 20, 3] = i
        a[i % 20]  # a row is no element
    found = [one for one in cp.doctor.findings() if one.kind == "element"]
    assert [one.count for one in found] == [200]


def found(kind: str) -> list[tuple[str, int]]:
    return [(one.what, one.count) for one in cp.doctor.findings() if one.kind == kind]


def test_the_operation_that_waits_has_the_programs_name() -> None:
    a = cp.asarray(np.arange(1000) % 7)
    mask = a > 3
    cp.doctor.start()
    len(a[mask])
    cp.unique(a)
    math.sqrt(a[3])
    names = {what for what, _ in found("synchronisation")}
    # On a GPU it is the call that asks for the number of elements.
    assert {"a[mask], which needs values", "len(a[mask]), which needs values"} & names
    assert {"cp.unique(a), which needs values"} <= names
    assert "math.sqrt(a[3]), which needs values" in names
    assert not [name for name in names if name.startswith(("int(", "float("))]


@pytest.mark.usefixtures("deferred")
def test_each_operation_has_its_own_count() -> None:
    a = cp.asarray(np.ones(1000))
    cp.doctor.start()
    for i in range(150):
        cp.eval(a + i) if i % 3 else cp.eval(a * i)
    assert sorted(found("small_kernel")) == [("add", 100), ("multiply", 50)]


def test_updates_of_one_array_after_each_other() -> None:
    a = cp.asarray(np.ones(1_000_000))
    b = cp.asarray(np.ones(1_000_000))
    cp.doctor.start()
    a += b
    a *= 2
    b += a
    a -= 1
    assert found("update") == [("a *= 2", 1)]
    small = cp.zeros(100)
    small += 1
    small *= 2
    assert len(found("update")) == 1


def test_a_write_over_what_it_reads(deferred: None) -> None:
    a = cp.asarray(np.ones(1_000_000))
    cp.doctor.start()
    a[1:] = a[:-1] * 2
    a[:] = a * 2
    assert found("detached") == [("a[1:]", 1)]
    assert "write into another array" in cp.doctor.report()


def test_a_full_sort_behind_a_selection() -> None:
    a = cp.asarray(np.linspace(1, 0, 10_000))
    cp.doctor.start()
    ordered = cp.sort(a)
    ordered[:-1]
    assert found("sorted_part") == []
    ordered[-10:]
    ordered[-10:]
    largest = cp.argsort(a)[:5]
    assert sorted(found("sorted_part")) == [("cp.argsort(a)", 1), ("cp.sort(a)", 1)]
    assert "cp.partition" in cp.doctor.report()
    np.testing.assert_array_equal(cp.asnumpy(largest), [9999, 9998, 9997, 9996, 9995])


@pytest.mark.skipif(
    cp.current_device().platform == "cuda", reason="a reduction there, fused with what is around"
)
def test_products_of_a_matrix_and_a_vector() -> None:
    matrix = cp.asarray(np.eye(300))
    vector = cp.asarray(np.ones(300))
    cp.doctor.start()
    for _ in range(120):
        vector = matrix @ vector
    for _ in range(120):
        matrix = matrix @ matrix
    assert found("matrix_vector") == [("matrix @ vector", 120)]


def one_by_one(a: cp.ndarray, out: cp.ndarray) -> None:
    for i in range(1, 150):
        value = a[i] - a[i - 1]
        out[i] = value


def test_a_loop_over_elements_that_vectorize_lifts() -> None:
    a = cp.asarray(np.linspace(0, 1, 150))
    out = cp.zeros(150)
    cp.doctor.start()
    one_by_one(a, out)
    (loop,) = (one for one in cp.doctor.findings() if one.kind == "element_loop")
    assert (loop.what, loop.count) == ("a[i], a[i - 1], out[i]", 3 * 149)
    assert loop.line == one_by_one.__code__.co_firstlineno + 2
    assert "cp.vectorize" in loop.advice
    assert found("element") == []


@pytest.mark.usefixtures("deferred")
def test_updates_of_more_than_one_kernel_are_those_that_are() -> None:
    """Whatever fuses: what is told is what runs."""
    a = cp.asarray(np.ones(1_000_000))
    b = cp.asarray(np.ones(1_000_000))
    cp.doctor.start()

    def add_product(target: cp.ndarray) -> None:
        target += b * 2  # the update

    with cp.explain() as seen:
        add_product(a)
    told = [one.count for one in cp.doctor.findings() if one.kind == "unfused"]
    assert told == ([1] if len(seen.kernels) > 1 else [])
    cp.doctor.clear()
    with cp.explain() as seen:
        b *= 2
        a -= a.mean()
        a -= 0.1 * (b - a)
    assert found("unfused") == []
