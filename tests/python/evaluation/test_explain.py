"""What would run: the kernels of an explanation are those that then run."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from support.marks import one_device

import cupola as cp
from cupola import _cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.usefixtures("deferred")]


def test_a_stored_array_has_nothing_to_do(a: Any) -> None:
    explanation = cp.explain(a)
    assert explanation.kernels == []
    assert str(explanation) == "nothing to do: the arrays are computed"
    assert str(cp.explain()) == str(explanation)


def test_a_chain_into_a_sum_is_one_kernel(a: Any) -> None:
    total = ((a - 1) * a).sum()
    (kernel,) = cp.explain(total).kernels
    assert kernel.operations == ["subtract", "multiply", "sum"]
    assert (kernel.bytes_read, kernel.bytes_written) == (300 * 400 * 4, 4)
    (operand,) = kernel.inputs
    assert (operand.shape, operand.dtype, operand.layout) == ((300, 400), "float32", "row-major")
    assert kernel.device == a.device
    assert _cupola.is_pending(total)
    cp.eval(total)
    assert cp.explain(total).kernels == []


def test_barriers_are_earlier_kernels_and_arrays_keep_their_names(a: Any) -> None:
    row = a.mean(axis=0)
    result = (a - row) * 2
    first, second = cp.explain(result).kernels
    assert first.operations[0] == "sum"
    assert second.operations == ["subtract", "multiply"]
    assert first.outputs[0].name in [operand.name for operand in second.inputs]
    assert second.bytes_read == a.nbytes + row.nbytes


def test_kernels_have_the_line_that_asked_for_what_they_compute(a: Any) -> None:
    total = (a * 2).sum()
    line = sys._getframe().f_lineno - 1
    (kernel,) = cp.explain(total).kernels
    assert kernel.place is not None
    assert kernel.place[:2] == (__file__, line)
    assert f"sum ({__file__}:{line})" in str(cp.explain(total))


def test_what_is_held_is_written_by_the_same_kernel(a: Any) -> None:
    between = a + 1
    result = between * between
    (kernel,) = cp.explain(result).kernels
    assert len(kernel.outputs) == 2
    del between
    (kernel,) = cp.explain(result).kernels
    assert len(kernel.outputs) == 1


def test_arrays_that_are_below_each_other_are_computed_once(a: Any) -> None:
    first = a + 1
    second = first * 2
    (kernel,) = cp.explain(second, first, second).kernels
    assert len(kernel.outputs) == 2
    cp.eval(second, first, second)
    np.testing.assert_array_equal(cp.asnumpy(second), (cp.asnumpy(a) + 1) * 2)
    np.testing.assert_array_equal(cp.asnumpy(first), cp.asnumpy(a) + 1)


def test_numbers_in_a_long_chain_are_no_kernels(a: Any) -> None:
    cp.cuda.get_current_stream().synchronize()  # nothing else waits
    value = a
    for i in range(300):
        value = value + i
    kernels = cp.explain(value).kernels
    assert len(kernels) == 2
    assert all(len(kernel.inputs) == 1 for kernel in kernels)
    with cp.profile() as recorded:
        cp.eval(value)
    assert [event["kind"] for event in recorded.events].count("kernel") == 2
    expected = cp.asnumpy(a)
    for i in range(300):
        expected = expected + np.float32(i)
    np.testing.assert_array_equal(cp.asnumpy(value), expected)


def test_layouts_are_told(a: Any) -> None:
    (kernel,) = cp.explain(a.T + 1).kernels
    assert kernel.inputs[0].layout == "column-major"
    (kernel,) = cp.explain(a[:, ::2] + 1).kernels
    assert kernel.inputs[0].layout == "strides (400, 2)"
    assert kernel.bytes_read == a.nbytes // 2


def test_a_built_kernel_is_known(a: Any) -> None:
    def make() -> Any:
        return cp.arctan(cp.expm1(a) * cp.float32(0.77) - cp.log1p(a))

    assert not cp.explain(make()).kernels[0].is_built
    cp.eval(make())
    assert cp.explain(make()).kernels[0].is_built


def test_times_come_from_the_bandwidth(a: Any) -> None:
    speed, source, _ = _cupola.bandwidth_of(a.device)
    assert speed > 1e9
    assert source
    (kernel,) = cp.explain(a + 1).kernels
    assert kernel.seconds == pytest.approx(2 * a.nbytes / speed)
    assert "GB/s" in str(cp.explain(a + 1))


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError):
        cp.explain(np.ones(3))  # type: ignore[arg-type]


def test_dot_has_a_cluster_per_kernel_and_every_operation_once(a: Any) -> None:
    explanation = cp.explain((a - a.mean(axis=0)) * 2)
    text = explanation.to_dot()
    assert text.startswith("digraph")
    assert text.count("{") == text.count("}")
    assert text.count("subgraph cluster_") == len(explanation.kernels) == 2
    assert len(re.findall(r'label="subtract"', text)) == 1
    assert len(set(re.findall(r'color="(#\w+)"; penwidth', text))) == 2
    names = set(re.findall(r"^ +(\w+) \[label", text, re.MULTILINE))
    edges = re.findall(r"^ +(\w+) -> (\w+)", text, re.MULTILINE)
    assert edges
    assert {end for edge in edges for end in edge} == names


def test_arrows_of_arrays_have_bytes_and_times_and_boxes_hide_none(a: Any) -> None:
    explanation = cp.explain((a - a.mean(axis=0)) * 2)
    text = explanation.to_dot()
    moved = re.findall(r"^ +a\d+ -> \w+ \[label=\"(.*), .*s\"\];", text, re.MULTILINE)
    assert moved == ["480 kB", "480 kB", "1.6 kB"]
    written = re.findall(r"^ +k\w+ -> a\d+ \[label=\"(.*), .*s\"\];", text, re.MULTILINE)
    assert written == ["1.6 kB", "480 kB"]


def test_long_kernels_are_one_box(a: Any) -> None:
    value = a
    for i in range(40):
        value = cp.sqrt(value + i)
    text = cp.explain(value).to_dot()
    assert len(re.findall(r'label="\d+ operations"', text)) >= 1
    assert text.count("->") < 40


needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")


def several_kinds(a: Any) -> Any:
    index = cp.asarray(np.arange(0, 300, 3))
    return cp.cumsum(cp.where(a[index] > 1.5, a[index] * 2, 0).max(axis=1))


@needs_dot
def test_png(a: Any, tmp_path: Path) -> None:
    cp.explain(several_kinds(a)).to_png(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


@needs_dot
def test_svg_has_the_colours_of_the_page(a: Any) -> None:
    explanation = cp.explain(several_kinds(a))
    text = explanation.to_svg()
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert explanation._repr_svg_() is not None
    assert "currentColor" in text
    boxes = [e for e in root.iter() if e.get("class") == "node"]
    arrows = [e for e in root.iter() if e.get("class") == "edge"]
    assert len(boxes) > len(explanation.kernels)
    assert len(arrows) == explanation.to_dot().count("->")
    assert not [e for e in root.iter() if e.get("id")]
    assert cp.explain(a)._repr_svg_() is None


def test_pictures_without_graphviz_say_what_is_missing(
    a: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    explanation = cp.explain(a + 1)
    with pytest.raises(ImportError, match="Graphviz"):
        explanation.to_png(tmp_path / "graph.png")
    with pytest.raises(ImportError, match="apt install graphviz"):
        explanation.to_svg()
    assert explanation._repr_svg_() is None
    assert "not installed" in explanation._repr_html_()


def test_what_is_computed_already_is_told(a: Any) -> None:
    between = a + 1
    cp.eval(between)
    result = between * 2
    explanation = cp.explain(result, between)
    (operand,) = explanation.kernels[0].inputs
    assert operand.origin == "stored already"
    assert "computed already: float32(300, 400)" in str(explanation)
    assert explanation.kernels[0].outputs[0].origin == ""


def origins(explanation: Any) -> list[str]:
    return [operand.origin for kernel in explanation.kernels for operand in kernel.inputs]


@one_device
def test_a_cut_has_its_reason(a: Any) -> None:
    def last(value: Any) -> str:
        return " ".join(origins(cp.explain(value))[-2:])

    large = cp.asarray(np.ones((512, 512), "f4"))
    assert "smaller than what reads it" in last((large - large.mean(axis=0)) * 2)
    assert "complete only as a whole" in last(cp.cumsum(large, axis=1) + 1)
    assert "read at other places" in last(cp.roll(large * 2, 3, axis=0) + 1)
    cp.cuda.get_current_stream().synchronize()
    chain = a
    for i in range(300):
        chain = chain + i
    assert "no more arguments" in last(chain)
    assert all(
        origin == "stored already" or origin.startswith("from kernel ")
        for origin in origins(cp.explain(chain))
    )


def test_a_time_is_a_bound_where_the_bandwidth_is_the_most_there_is(a: Any) -> None:
    speed, source, is_peak = _cupola.bandwidth_of(a.device)
    text = str(cp.explain(a + 1))
    assert ("at least" in text) == is_peak
    assert ("about" in text) != is_peak
    assert is_peak == (source == "memory clock and bus width")
    assert f"{speed / 1e9:.1f} GB/s ({source})" in text


BUSY = """
import multiprocessing, sys, time
import cupola as cp
from cupola import _cupola

def spin(end):
    while time.monotonic() < end:
        pass

if __name__ == "__main__":
    end = time.monotonic() + 60
    count = int(sys.argv[1])
    others = [multiprocessing.Process(target=spin, args=(end,)) for _ in range(count)]
    for other in others:
        other.start()
    print(_cupola.bandwidth_of(cp.Device("cpu:0"))[1])
    for other in others:
        other.kill()
"""


def test_a_bandwidth_that_was_measured_on_a_busy_machine_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "busy.py").write_text(BUSY)
    count = str(2 * (os.cpu_count() or 1))
    done = subprocess.run(
        [sys.executable, tmp_path / "busy.py", count], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "copy measured while other programs ran", done.stderr


def test_what_runs_is_recorded_with_writes_in_place(a: Any) -> None:
    b = a + 1
    cp.eval(b)
    with cp.explain() as seen:
        b += a
        b[10:20] = 3
        b *= a
    first, second, third = seen.kernels
    assert (first.operations, third.operations) == (["add"], ["multiply"])
    assert {operand.name for operand in first.inputs} == {"a0", "a1"}
    (written,) = first.outputs
    assert written.name in ("a0_1", "a1_1")
    assert written.origin == f"in place of {written.name[:2]}"
    assert written.shape == (300, 400)
    assert second.outputs[0].shape == (10, 400)
    (again,) = third.outputs
    assert again.origin == f"in place of {written.name}"
    assert written.name in [operand.name for operand in third.inputs]
    assert "3 kernels ran: 1.92 MB read" in str(seen)
    host = cp.asnumpy(a)[0]
    np.testing.assert_array_equal(cp.asnumpy(b)[0], (host + 1 + host) * host)


def test_all_that_runs_is_recorded() -> None:
    m = cp.asarray(np.eye(50))
    total = cp.ones(5)
    with cp.explain() as seen:
        for i in range(4):
            product = m @ m
            cp.fft.fft(product[0])
            total = total + i
            cp.eval(total)
    names = [kernel.operations for kernel in seen.kernels]
    assert names.count(["matmul"]) == 4
    assert names.count(["fft"]) == 4
    assert names.count(["add"]) == 4
    assert seen.kernels[0].bytes_read == 2 * m.nbytes
    assert seen.kernels[0].bytes_written == m.nbytes
    assert seen.to_dot().count("subgraph cluster_") == len(seen.kernels)


def test_recorded_memory_that_is_used_again_is_other_memory() -> None:
    a = cp.asarray(np.ones(1000))
    with cp.explain() as seen:
        for i in range(5):
            cp.eval(a + i)
    names = [kernel.outputs[0] for kernel in seen.kernels]
    assert len({operand.name for operand in names}) == 5
    assert {operand.origin for operand in names} == {""}


def test_recording_ends_and_is_one_at_a_time(a: Any) -> None:
    with cp.explain() as seen:
        pass
    assert str(seen) == "nothing ran"
    cp.eval(a + 1)
    assert seen.kernels == []
    with pytest.raises(ValueError, match="already"), cp.explain(), cp.explain():
        pass
    with pytest.raises(TypeError, match="without arrays"), cp.explain(a):
        pass
    failed = cp.explain()
    with contextlib.suppress(KeyError), failed:
        cp.eval(a + 1)
        raise KeyError
    assert len(failed.kernels) == 1


@one_device
def test_recording_keeps_no_memory_alive() -> None:
    pool = cp.get_default_memory_pool()
    a = cp.ones(100_000)
    with cp.explain() as seen:
        for i in range(10):
            cp.eval(a + i)
        used = pool.used_bytes()
    assert len(seen.kernels) == 10
    cp.cuda.get_current_stream().synchronize()
    assert used <= 4 * a.nbytes + 100_000
