"""Complex functions at infinities, NaN and signed zeros, as Annex G of C defines them."""

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import Tolerance, describe, mismatches, to_numpy
from support.dtypes import COMPLEX, name, real_dtype
from support.samples import special_values
from support.ufuncs import TRANSCENDENTAL, UNARY_NAMES, loops

FUNCTIONS = [f for f in UNARY_NAMES if f in TRANSCENDENTAL | {"sqrt", "sign", "reciprocal"}]
FUNCTIONS = [f for f in FUNCTIONS if (COMPLEX[0],) in loops(f)]

# Where one part of the input is NaN or infinite, C leaves the sign of zeros and infinities of these
# parts to the library, and NumPy composes these functions from others: parts may differ there.
UNSPECIFIED = {"exp2", "expm1", "log2", "log10", "log1p", "reciprocal", "sign", "tan", "tanh"}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", COMPLEX, ids=name)
def test_special_values(function: str, dtype: np.dtype) -> None:
    """NaN where NumPy has NaN, infinities where it has them, the same numbers elsewhere."""
    values = special_values(dtype)
    with np.errstate(all="ignore"):
        want = getattr(np, function)(values)
        got = to_numpy(getattr(cp, function)(from_numpy(values)))
    assert got.dtype == want.dtype
    bad = np.zeros(values.shape, bool)
    for part in ("real", "imag"):
        a, e = (np.ascontiguousarray(getattr(v, part)) for v in (got, want))
        if function in UNSPECIFIED:
            a, e = (np.where(np.isfinite(values), v, 0) for v in (a, e))
        elif not np.isfinite(values).all():
            loose = ~np.isfinite(values) & (np.isinf(e) | (e == 0))
            a, e = (np.where(loose, np.abs(v), v) for v in (a, e))
        a, e = a.astype(real_dtype(dtype)), e.astype(real_dtype(dtype))
        bad |= mismatches(a, e, Tolerance(24))
    assert not bad.any(), describe(got, want, bad, function) + f" for {values[bad][:5]}"


@pytest.mark.parametrize("dtype", COMPLEX, ids=name)
def test_quotients_of_special_values(dtype: np.dtype) -> None:
    values = special_values(dtype)
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(all="ignore"):
        want = a / b
        got = to_numpy(from_numpy(a) / from_numpy(b))
    for part in ("real", "imag"):
        mine, model = (np.ascontiguousarray(getattr(v, part)) for v in (got, want))
        bad = mismatches(mine, model, Tolerance(6))
        assert not bad[finite].any(), describe(got, want, bad & finite, "divide")
        assert (np.isnan(mine) == np.isnan(model)).all(), part
