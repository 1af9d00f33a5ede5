"""Users' elementwise kernels become parts of other kernels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compilers import skip_without_compiler
from support.fake_cuda import needs_fake_cuda, needs_nvrtc, output_with_nvrtc
from support.user_fusion_cases import CASES, A, B, of_cupola, of_numpy

import cupola as cp
from cupola import _cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.usefixtures("deferred"), pytest.mark.long]


@pytest.fixture(scope="module")
def kernels() -> Any:
    skip_without_compiler()
    return of_cupola(cp)


def compute(kernels: Any, name: str) -> Any:
    return CASES[name][0](cp, kernels, cp.asarray(A), cp.asarray(B))


@pytest.mark.parametrize("name", CASES)
def test_values(kernels: Any, name: str) -> None:
    """NumPy's, and the same bits when each operation is computed at the call."""
    late = cp.asnumpy(compute(kernels, name))
    cp.config.eager = True
    early = cp.asnumpy(compute(kernels, name))
    cp.config.eager = False
    assert late.dtype == early.dtype
    assert late.tobytes() == early.tobytes()
    expected = CASES[name][0](np, of_numpy(), A, B)
    assert late.shape == np.shape(expected)
    np.testing.assert_array_equal(late, expected)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1]])
def test_kernels(kernels: Any, name: str) -> None:
    assert len(cp.explain(compute(kernels, name)).kernels) == CASES[name][1]


def test_a_kernel_of_its_own_has_the_same_bits(kernels: Any) -> None:
    values = np.random.default_rng(1).standard_normal((2, 10_007)).astype("f4")
    x, y = cp.asarray(values[0]), cp.asarray(values[1])
    fused = kernels.scale(x, y)
    assert _cupola.is_pending(fused)
    alone = kernels.scale(x, y, block_size=256)
    assert not _cupola.is_pending(alone)
    given = cp.empty_like(x)
    kernels.scale(x, y, given)
    assert cp.asnumpy(fused).tobytes() == cp.asnumpy(alone).tobytes()
    assert cp.asnumpy(fused).tobytes() == cp.asnumpy(given).tobytes()


def test_several_outputs_are_one_kernel(kernels: Any) -> None:
    a = cp.asarray(A)
    cp.eval(*kernels.both(a + 1))
    before = _cupola.counters()["launches"]
    y, z = kernels.both(a + 1)
    assert _cupola.counters()["launches"] == before
    cp.eval(y)
    assert _cupola.counters()["launches"] == before + 1
    assert not _cupola.is_pending(z)
    np.testing.assert_array_equal(cp.asnumpy(y), A + 2)
    np.testing.assert_array_equal(cp.asnumpy(z), (A.astype("i4") + 1) * 2)


def test_a_given_output_is_one_kernel_with_what_waits(kernels: Any) -> None:
    a, b = cp.asarray(A), cp.asarray(B)
    out = cp.zeros(A.shape, "f4")
    for target in (out, out.T.copy().T, cp.zeros((*A.shape, 2), "f4")[..., 1]):
        kernels.scale(a * 2, b + 1, target)
        before = _cupola.counters()["launches"]
        assert kernels.scale(a + 1, b * 2, target) is target
        cp.eval(target)
        assert _cupola.counters()["launches"] == before + 1
        expected = of_numpy().scale(A + 1, B * 2)
        np.testing.assert_array_equal(cp.asnumpy(target), expected)
    kernels.scale(out[::-1], out, out)  # reads what it writes
    np.testing.assert_array_equal(cp.asnumpy(out), of_numpy().scale(expected[::-1], expected))


def test_a_given_output_may_be_left_as_it_was() -> None:
    keep = cp.ElementwiseKernel("T x", "T y", "if (x > 3) y = x", "keep")
    grow = cp.ElementwiseKernel("T x", "T y", "y += x", "grow")
    out = cp.full(A.shape, 7, "f4")
    keep(cp.asarray(A), out)
    grow(cp.asarray(B), out)
    np.testing.assert_array_equal(cp.asnumpy(out), np.where(A > 3, A, 7) + B)


def test_what_changes_later_is_read_before(kernels: Any) -> None:
    a = cp.asarray(A)
    result = kernels.scale(a, 2)
    a += 1
    np.testing.assert_array_equal(cp.asnumpy(result), (A - 2) * 2 + A)


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (("T x", "T y", "y = x + i"), {}),
        (("T x", "T y", "y = x; if (x > 3) return; y = 0"), {}),
        (("T x, raw T t", "T y", "y = x + t[0]"), {}),
        (("T x", "T y", "y = x * F"), {"options": ("-DF=2",)}),
        (("T x", "T y", "y = x * c"), {"loop_prep": "const int c = 2;"}),
        (("T x", "T y", "if (x > 3) continue; y = x"), {}),
    ],
)
def test_others_are_kernels_of_their_own(arguments: Any, settings: Any) -> None:
    kernel = cp.ElementwiseKernel(*arguments, "other", **settings)
    a = cp.asarray(A)
    given = (a, a) if "raw" in arguments[0] else (a,)
    assert not _cupola.is_pending(kernel(*given))


ON_FAKE_DRIVER = """
import sys
sys.path.insert(0, {folder!r})
from support.user_fusion_cases import CASES, A, B, of_cupola, wrong_counts
kernels = of_cupola(cp)
a, b = cp.asarray(A), cp.asarray(B)
for wrong in wrong_counts(cp, CASES, kernels, a, b):
    print(wrong)
cp.eval(*kernels.both(a))
x = kernels.scale(a, b)
text = str(cp.explain(x * 2))
assert "scale, multiply" in text, text
assert "conj" in kernels.turn.cached_code and "z = (x - y)" in kernels.scale.cached_code
try:
    cp.ElementwiseKernel("T x", "T y", "\\ny = x;\\ny = unknown_name;", "wrong")(a)
except cp.errors.CompileError as error:
    assert "| y = unknown_name;" in str(error), error
else:
    raise AssertionError("compiled")
before = cp._cupola.counters()["compilations"]
kernels.scale(b, a)
cp.eval(x * 2)
print("done", cp._cupola.counters()["compilations"] - before)
"""


@needs_fake_cuda
@needs_nvrtc
def test_without_a_gpu() -> None:
    code = ON_FAKE_DRIVER.format(folder=str(Path(__file__).parents[1]))
    assert output_with_nvrtc(code) == "done 1"
