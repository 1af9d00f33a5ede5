"""`cupyx.GeneralizedUFunc` beside NumPy's generalised universal functions."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only


def made(signature: str, function: Any, **options: Any) -> Any:
    return cp.cupyx.GeneralizedUFunc(function, signature, **options)


@pytest.mark.parametrize("is_batched", [False, True])
def test_matmul(is_batched: bool) -> None:
    matmul = made("(m,n),(n,p)->(m,p)", lambda a, b: a @ b, supports_batched=is_batched, name="mm")
    rng = np.random.default_rng(0)
    a, b = rng.random((5, 1, 2, 3)), rng.random((4, 3, 2))
    ours = matmul(from_numpy(a), from_numpy(b))
    np.testing.assert_allclose(to_numpy(ours), np.matmul(a, b), rtol=1e-14)
    axes = [(0, 1), (-1, 0), (0, -1)]
    x, y = rng.random((2, 3, 4)), rng.random((2, 4, 3))
    wanted = np.matmul(x, y, axes=axes)
    ours = matmul(from_numpy(x), from_numpy(y), axes=axes)
    np.testing.assert_allclose(to_numpy(ours), wanted, rtol=1e-14)
    out = cp.empty(wanted.shape)
    assert matmul(from_numpy(x), from_numpy(y), axes=axes, out=out) is out
    np.testing.assert_allclose(to_numpy(out), wanted, rtol=1e-14)
    assert matmul.__name__ == "mm"


@pytest.mark.parametrize("is_batched", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_vecdot(is_batched: bool, axis: Any, keepdims: bool) -> None:
    vecdot = made("(n),(n)->()", lambda a, b: (a * b).sum(-1), supports_batched=is_batched)
    rng = np.random.default_rng(1)
    a, b = rng.random((3, 3)), rng.random((3, 3))
    given = {} if axis is None else {"axis": axis}
    wanted = np.vecdot(a, b, keepdims=keepdims, **given)
    ours = vecdot(from_numpy(a), from_numpy(b), keepdims=keepdims, **given)
    np.testing.assert_allclose(to_numpy(ours), wanted, rtol=1e-14)
    if axis is not None:
        axes = [axis, axis]
        same = vecdot(from_numpy(a), from_numpy(b), keepdims=keepdims, axes=axes)
        np.testing.assert_allclose(to_numpy(same), wanted, rtol=1e-14)


def test_several_results_and_out() -> None:
    calls = []

    def extremes(v: Any, out: Any = None) -> Any:
        """Both."""
        calls.append(out)
        if out is None:
            return v.min(-1), v.max(-1)
        v.min(-1, out=out[0])
        v.max(-1, out=out[1])
        return out

    both = made("(n)->(),()", extremes, supports_batched=True, supports_out=True)
    a = cp.arange(6).reshape(2, 3)
    assert [each.tolist() for each in both(a)] == [[0, 3], [2, 5]]
    out = (cp.empty(2, int), cp.empty(2, int))
    assert both(a, out=out)[1] is out[1]
    assert out[0].tolist() == [0, 3]
    assert calls == [None, out]
    assert both.__doc__ == "Both."


def test_refuses() -> None:
    with pytest.raises(ValueError, match="not a valid gufunc signature"):
        made("n->m", abs)
    twice = made("(n)->(n)", lambda v: v * 2)
    a = cp.ones((2, 3))
    for call, error, text in (
        (lambda: twice(a, a), TypeError, "takes 1 arguments"),
        (lambda: twice(a, axis=0, axes=[0, 0]), TypeError, "both"),
        (lambda: twice(a, keepdims=True), TypeError, "keepdims"),
        (lambda: twice(a, axes=[0]), ValueError, "axes needs"),
        (lambda: twice(a, out=cp.ones(3)), ValueError, "out has shape"),
        (lambda: twice(a, out=(a, a)), ValueError, "out has 2"),
        (lambda: made("(n),(m)->()", max)(a, a, axis=0), TypeError, "axis"),
    ):
        with pytest.raises(error, match=text):
            call()
