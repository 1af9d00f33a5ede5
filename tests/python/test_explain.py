"""What would run: the kernels of an explanation are those that then run."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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
    speed, source = _cupola.bandwidth_of(a.device)
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
    edges = re.findall(r"^ +(\w+) -> (\w+);", text, re.MULTILINE)
    assert edges
    assert {end for edge in edges for end in edge} == names


def test_png(a: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    index = cp.asarray(np.arange(0, 300, 3))
    result = cp.cumsum(cp.where(a[index] > 1.5, a[index] * 2, 0).max(axis=1))
    cp.explain(result).to_png(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_png_without_matplotlib_says_what_is_missing(
    a: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        cp.explain(a + 1).to_png(tmp_path / "graph.png")
