"""ComplexWarning where a call loses imaginary parts, as NumPy gives it."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

Z = np.arange(4) + 1j
UNSAFE = {"casting": "unsafe"}

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "out": lambda xp, z: xp.add(z, 1, out=xp.zeros(4), **UNSAFE),
    "dtype": lambda xp, z: xp.add(z, 1, dtype="f8", **UNSAFE),
    "integers": lambda xp, z: xp.multiply(z, z, dtype="i8", **UNSAFE),
    "number": lambda xp, z: xp.add(xp.zeros(4), 1j, dtype="f8", **UNSAFE),
    "flags": lambda xp, z: xp.add(z, 1, out=xp.zeros(4, bool), **UNSAFE),
    "unary": lambda xp, z: xp.exp(z, dtype="f8", **UNSAFE),
    "no element": lambda xp, z: xp.exp(z[:0], dtype="f8", **UNSAFE),
    "no dimension": lambda xp, z: xp.sqrt(z[1], dtype="f8", **UNSAFE),
    "signature": lambda xp, z: xp.add(z, z, signature="dd->d", **UNSAFE),
    "outer": lambda xp, z: xp.add.outer(z, z, dtype="f8", **UNSAFE),
    "magnitudes": lambda xp, z: xp.absolute(z, out=xp.zeros(4, "f4"), **UNSAFE),
    "two outputs": lambda xp, z: xp.divmod(z, 1, dtype="f8", **UNSAFE),
    "clip": lambda xp, z: xp.clip(z, 0, 1, out=xp.zeros(4), **UNSAFE),
    "safe": lambda xp, z: xp.add(z, 1, dtype="c8", **UNSAFE),
    "reduce": lambda xp, z: xp.add.reduce(z, dtype="f8"),
    "reduce to": lambda xp, z: xp.add.reduce(z, out=xp.zeros(())),
    "accumulate": lambda xp, z: xp.add.accumulate(z, dtype="f8"),
    "accumulate to": lambda xp, z: xp.add.accumulate(z, out=xp.zeros(4)),
    "reduceat": lambda xp, z: xp.add.reduceat(z, [0, 1], out=xp.zeros(2)),
    "at": lambda xp, z: xp.add.at(xp.zeros(4), [0], z[:1]),
    "einsum": lambda xp, z: xp.einsum("i,i->", z, z, dtype="f8", **UNSAFE),
    "einsum of three": lambda xp, z: xp.einsum("i,i,i->", z, z, z, dtype="f8", **UNSAFE),
    "einsum to": lambda xp, z: xp.einsum("i,i->", z, z, out=xp.zeros(()), **UNSAFE),
    "einsum as it is": lambda xp, z: xp.einsum("i->i", z, out=xp.zeros(4), **UNSAFE),
    "matmul": lambda xp, z: xp.matmul(z, z, dtype="f8", **UNSAFE),
    "matmul to": lambda xp, z: xp.matmul(z, z, out=xp.zeros(()), **UNSAFE),
    "vecdot": lambda xp, z: xp.vecdot(z, z, out=xp.zeros(()), **UNSAFE),
}


def outcome(xp: Any, z: Any, name: str) -> tuple[Any, bool]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = CALLS[name](xp, z)
    return result, any(each.category is np.exceptions.ComplexWarning for each in caught)


@pytest.mark.parametrize("name", CALLS)
def test_lost_imaginary_parts(name: str) -> None:
    expected, expected_warning = outcome(np, Z, name)
    result, warning = outcome(cp, from_numpy(Z), name)
    assert warning == expected_warning
    if isinstance(expected, tuple):
        expected, result = expected[0], result[0]
    if expected is not None:
        np.testing.assert_allclose(to_numpy(result), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["dtype", "reduce", "einsum", "matmul", "at"])
def test_the_warning_as_an_error(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for xp, z in ((np, Z), (cp, from_numpy(Z))):
            with pytest.raises(np.exceptions.ComplexWarning):
                CALLS[name](xp, z)
