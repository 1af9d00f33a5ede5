"""`vectorize(signature=)` beside NumPy's: functions of arrays, called for each slice."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy


def check(function: Any, signature: str, *args: np.ndarray, **kwargs: Any) -> None:
    """The same values, shapes and dtypes as NumPy's."""
    expected = np.vectorize(function(np), signature=signature, **kwargs)(*args)
    found = cp.vectorize(function(cp), signature=signature, **kwargs)(*map(from_numpy, args))
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(to_numpy(one), other, rtol=1e-13)


A = np.arange(24.0).reshape(2, 3, 4)
ROWS = np.arange(12.0).reshape(3, 4)


def test_reductions_and_products() -> None:
    check(lambda m: lambda v: m.sum(v), "(n)->()", A)
    check(lambda m: lambda v, w: v @ w, "(n),(n)->()", A, ROWS)
    check(lambda m: lambda v, s: v * s, "(n),()->(n)", A, np.arange(3.0))
    check(lambda m: lambda x: x.T, "(m,n)->(n,m)", A)
    check(lambda m: lambda v: m.outer(v, v[:2]), "(n)->(n,k)", ROWS)


def test_several_results_and_otypes() -> None:
    check(lambda m: lambda v: (m.min(v), m.sort(v)[::-1]), " (n) -> () , (n) ", A)
    check(lambda m: lambda v: m.sum(v), "(n)->()", A, otypes="i")
    check(lambda m: lambda v: (m.sum(v), v), "(n)->(),(n)", ROWS, otypes=["f4", "c16"])
    check(lambda m: lambda v: v, "(n)->(n)", A[:0], otypes="f")


def test_excluded_arguments_are_passed_on() -> None:
    def made(module: Any) -> Any:
        return lambda v, how, scale=1: module.sum(v) * scale if how == "sum" else v[0]

    for excluded, args, kwargs in (
        ({1}, ("sum",), {}),
        ({1, "scale"}, ("sum",), {"scale": 3}),
        ({"how"}, (), {"how": "first"}),
    ):
        expected = np.vectorize(made(np), signature="(n)->()", excluded=excluded)(
            A, *args, **kwargs
        )
        found = cp.vectorize(made(cp), signature="(n)->()", excluded=excluded)(
            from_numpy(A), *args, **kwargs
        )
        np.testing.assert_array_equal(to_numpy(found), expected)


def test_decorator() -> None:
    @cp.vectorize(signature="(n)->()")
    def first(v: Any) -> Any:
        """The first element."""
        return v[0]

    assert first.__doc__ == "The first element."
    assert to_numpy(first(from_numpy(ROWS))).tolist() == [0, 4, 8]


@pytest.mark.parametrize("signature", ["(n)", "n->()", "(n)->", "(n),->()", "(n)->()->()", ""])
def test_texts_that_are_no_signatures(signature: str) -> None:
    for module in (np, cp):
        with pytest.raises(ValueError, match="not a valid gufunc signature"):
            module.vectorize(lambda v: v, signature=signature)


def test_bad_arguments() -> None:
    for module, array in ((np, np.asarray), (cp, from_numpy)):
        one, two = array(np.arange(3.0)), array(np.arange(4.0))
        dot = module.vectorize(lambda v, w: v @ w, signature="(n),(n)->()")
        with pytest.raises(TypeError, match="wrong number of positional arguments"):
            dot(one)
        with pytest.raises(ValueError, match="inconsistent size"):
            dot(one, two)
        with pytest.raises(ValueError, match="enough dimensions"):
            dot(one, array(np.array(1.0)))
        pair = module.vectorize(lambda v: (v, v), signature="(n)->(n)")
        with pytest.raises(ValueError, match="wrong number of outputs"):
            pair(one)
        empty = array(np.ones((0, 3)))
        with pytest.raises(ValueError, match="otypes"):
            module.vectorize(lambda v: v, signature="(n)->(n)")(empty)
        with pytest.raises(ValueError, match="new output dimensions"):
            module.vectorize(lambda v: v, signature="(n)->(k)", otypes="d")(empty)
