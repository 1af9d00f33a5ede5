"""`emath` beside NumPy's: values and dtypes by what the elements are."""

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

VALUES = [[0.25, 0.5, 1.0], [-0.25, 0.5, 1.0], [2.0, -3.0, 0.5], [1.0, 1.0, 4.0]]
ONE = ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"]


def check(found: object, expected: np.ndarray) -> None:
    array = to_numpy(found)
    assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
    digits = 20 * np.finfo(expected.dtype).eps if expected.dtype.kind in "fc" else 0
    np.testing.assert_allclose(array, expected, rtol=digits, atol=digits)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name: str, dtype: str) -> None:
    for values in VALUES:
        host = np.array(values).astype(dtype) if dtype[0] != "u" else np.array([1, 2, 3], dtype)
        if name == "arctanh" and dtype[0] not in "fc":
            continue
        check(getattr(cp.emath, name)(from_numpy(host)), getattr(np.emath, name)(host))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("x", "p"), [([2, 4], 2), ([2, 4], -2), ([-2.0, 4.0], 0.5), ([-2, 4], [2, 0])]
)
def test_powers(x: list[float], p: object) -> None:
    check(cp.emath.power(from_numpy(np.array(x)), p), np.asarray(np.emath.power(x, p)))


@pytest.mark.parametrize(("n", "x"), [(2, [4.0, 8.0]), (2, [-4.0, 8.0]), ([2.0, 3.0], [4.0, 9.0])])
def test_logarithms_to_a_base(n: object, x: list[float]) -> None:
    base = from_numpy(np.array(n)) if isinstance(n, list) else n
    check(cp.emath.logn(base, from_numpy(np.array(x))), np.asarray(np.emath.logn(n, x)))


@pytest.mark.cupola_only
def test_numpys_functions_run_here() -> None:
    """They are those of numpy.lib.scimath."""
    array = cp.asarray([-4.0, 4.0])
    for name in ONE:
        with np.errstate(all="ignore"):
            found = getattr(np.emath, name)(array / 4)
        assert isinstance(found, cp.ndarray), name
        assert found.dtype == getattr(cp.emath, name)(array / 4).dtype
    assert np.emath.sqrt(array).tolist() == [2j, 2]
    assert np.emath.logn(2, array).dtype == np.complex128
    assert np.emath.power(array, 0.5).tolist() == cp.emath.power(array, 0.5).tolist()
    assert cp.lib.scimath is cp.emath
