"""The tests can fail: each of these broken libraries must be caught by the comparison.

A fault is a NumPy function with one deliberate error. The test module that should notice it runs
in a fresh process with NumPy, so broken, as the module under test.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.compare import EXACT, Tolerance, assert_same, mismatches
from support.dtypes import bfloat16

pytestmark = pytest.mark.long

HERE = Path(__file__).parents[1]

# name: (statement that breaks the module `xp`, the test module and a selection of its tests)
FAULTS = {
    "subtraction swaps its operands": (
        "xp.subtract = lambda a, b, **k: np.subtract(b, a, **k)",
        "test_ufunc_layouts.py",
        "out_overlaps",
    ),
    "maximum ignores NaN": ("xp.maximum = np.fmax", "test_ufunc_values.py", "maximum"),
    "rounding goes away from zero": (
        "xp.rint = lambda a: np.where(np.isfinite(a), np.trunc(a + np.copysign(.5, a)), a)"
        ".astype(np.asarray(a).dtype)",
        "test_ufunc_values.py",
        "test_values and rint",
    ),
    "zero loses its sign": (
        "xp.negative = lambda a: 0 - a",
        "test_ufunc_values.py",
        "test_values and negative",
    ),
    "exp is off by 2**-18": (
        "xp.exp = lambda a: (np.exp(a) * 1.000004).astype(np.exp(a).dtype)",
        "test_ufunc_values.py",
        "test_values and exp-",
    ),
    "division promotes to float32": (
        "xp.divide = lambda a, b: np.divide(a, b).astype('f4')",
        "test_ufunc_types.py",
        "test_binary and divide",
    ),
    "sum forgets the last element": (
        "xp.sum = lambda a, **k: np.sum(a[..., :-1] if a.ndim and a.shape[-1] > 9 else a, **k)",
        "test_reductions.py",
        "integer_sums",
    ),
    "argmax takes the last of equals": (
        "xp.argmax = lambda a, axis=None, keepdims=False: "
        "(a.size if axis is None else a.shape[axis]) - 1 - np.argmax(np.flip(a, axis), axis=axis, "
        "keepdims=keepdims)",
        "test_reductions.py",
        "first_of_equals",
    ),
    "cumsum restarts at 1024": (
        "xp.cumsum = lambda a, **k: np.concatenate([np.cumsum(a[:1024]), np.cumsum(a[1024:])])",
        "test_nan_and_scans.py",
        "all_sizes",
    ),
    "nansum counts NaN as one": (
        "xp.nansum = lambda a, **k: np.sum(np.nan_to_num(a, nan=1), **k)",
        "test_nan_and_scans.py",
        "nansum",
    ),
    "out is a copy": (
        "xp.multiply = lambda a, b, out=None: np.multiply(a, b, out=out.copy())",
        "test_ufunc_arguments.py",
        "test_out",
    ),
    "where is ignored": (
        "xp.add = lambda a, b, out=None, where=None, **k: np.add(a, b, out=out)",
        "test_ufunc_arguments.py",
        "test_where",
    ),
    "results are always in C order": (
        "xp.add = lambda a, b, order='K': np.ascontiguousarray(np.add(a, b))",
        "test_ufunc_arguments.py",
        "test_order",
    ),
    "reshape gives a copy": (
        "xp.reshape = lambda a, *s, **k: np.reshape(a, *s, **k).copy()",
        "test_manipulation.py",
        "test_reshape",
    ),
    "take clips what is out of bounds": (
        "xp.take = lambda a, i, mode='raise', **k: np.take(a, i, mode='clip', **k)",
        "test_index_get.py",
        "take",
    ),
    "put drops repeated indices": (
        "xp.put = lambda a, i, v, mode='raise': np.put(a, np.unique(i), v, mode=mode)",
        "test_index_set.py",
        "put",
    ),
    "concatenate takes the first dtype": (
        "xp.concatenate = lambda p, *a, **k: np.concatenate(p, *a, **k).astype(p[0].dtype)",
        "test_joining.py",
        "concatenate",
    ),
    "matmul of the transpose": (
        "xp.matmul = lambda a, b, **k: np.matmul(a.swapaxes(-1, -2), b, **k)"
        " if a.shape[-1:] == a.shape[-2:-1] else np.matmul(a, b, **k)",
        "test_linalg.py",
        "stacks",
    ),
    "solve of the transpose": (
        "from types import SimpleNamespace as S; xp.linalg = S(**vars(np.linalg)); xp.linalg.solve"
        " = lambda a, b: np.linalg.solve(a.swapaxes(-1, -2), b)",
        "test_linalg_factor.py",
        "test_solve",
    ),
    "a determinant without its sign": (
        "from types import SimpleNamespace as S; xp.linalg = S(**vars(np.linalg)); xp.linalg.det"
        " = lambda a: abs(np.linalg.det(a))",
        "test_linalg_factor.py",
        "test_determinants",
    ),
    "ifft divides by nothing": (
        "xp.fft = type('fft', (), {**vars(np.fft), 'ifft': np.fft.fft})",
        "test_fft.py",
        "axes_lengths",
    ),
    "errors of another type": (
        "xp.squeeze = lambda a, axis=None: np.squeeze(a, axis) if a.ndim < 0 else 1 / 0",
        "test_manipulation.py",
        "squeeze_refused",
    ),
    "where evaluates to x": (
        "xp.where = lambda c, x, y: np.broadcast_arrays(c, x, y)[1]",
        "test_programs.py",
        "test_programs",
    ),
}


@pytest.mark.skipif(os.environ.get("CUPOLA_PLATFORM") == "cuda", reason="needs no GPU")
@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_caught(name: str) -> None:
    fault, module, selection = FAULTS[name]
    environment = {
        **os.environ,
        "CUPOLA_TEST_MODULE": "numpy",
        "CUPOLA_TEST_FAULT": fault,
        "CUPOLA_TEST_EXAMPLES": "60",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0"]
    result = subprocess.run(
        [*command, str(next(HERE.glob(f"*/{module}"))), "-k", selection],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1, f"not caught: {fault}\n{result.stdout[-2000:]}"
    assert "1 failed" in result.stdout, result.stdout[-2000:]


def differs(actual: list, expected: list, dtype: object, tolerance: Tolerance = EXACT) -> bool:
    """Whether the comparison rejects `actual`."""
    a, e = np.array(actual, dtype), np.array(expected, dtype)
    return bool(mismatches(a, e, tolerance).any())


def test_comparison_of_floats() -> None:
    """NaN is NaN, zeros have signs, one ulp is one ulp."""
    for dtype in (np.float16, np.float32, np.float64, bfloat16):
        one, epsilon = np.array(1, dtype), np.spacing(np.array(1, np.float32)).astype(dtype)
        assert not differs([np.nan, np.inf, 1], [np.nan, np.inf, 1], dtype)
        assert differs([np.nan], [1], dtype, Tolerance(1e6, 1e6))
        assert differs([np.inf], [-np.inf], dtype, Tolerance(1e4))
        assert differs([-0.0], [0.0], dtype)
        assert not differs([-0.0], [0.0], dtype, Tolerance(0, 1e-9))
        assert epsilon.dtype == one.dtype
    above = np.nextafter(np.float32(1), np.float32(2))
    assert differs([above], [1], np.float32)
    assert not differs([above], [1], np.float32, Tolerance(1))
    assert differs([1 + 3 * np.finfo(float).eps], [1], float, Tolerance(2))
    tiny = np.finfo(np.float32).smallest_subnormal
    assert not differs([-tiny], [tiny], np.float32, Tolerance(2))
    assert differs([-tiny], [tiny], np.float32, Tolerance(1))
    assert differs([3e38], [np.inf], np.float32, Tolerance(100))


def test_comparison_of_complex_numbers() -> None:
    """Exactly by parts, or by the distance relative to the magnitude."""
    assert differs([1 + 0j], [complex(1, -0.0)], np.complex128)
    assert not differs([1 + 1e-17j], [1 + 0j], np.complex128, Tolerance(1))
    assert differs([1 + 1e-14j], [1 + 0j], np.complex128, Tolerance(1))
    assert differs([complex(np.inf, 0)], [complex(-np.inf, 0)], np.complex64, Tolerance(9))
    assert not differs([complex(np.nan, 0)], [complex(np.nan, 0)], np.complex64)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.zeros(3), np.zeros((3, 1))),
        (np.zeros(3), np.zeros(3, np.float32)),
        (np.zeros(3, np.int64), np.zeros(3, np.uint64)),
        ([np.zeros(3)], [np.zeros(3), np.zeros(3)]),
        (np.zeros(3), [np.zeros(3)]),
        (np.array([1, 2]), np.array([1, 3])),
        (True, False),
        ("a", "b"),
    ],
)
def test_structure_counts(actual: object, expected: object) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        assert_same(actual, expected)
