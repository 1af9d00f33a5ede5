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


def test_loops_by_dtype() -> None:
    taken = []

    def noting(name: str) -> Any:
        def add(x: Any, y: Any) -> Any:
            taken.append((name, x.dtype.char))
            return x + y

        return add

    loops = (("ii->i", noting("ints")), "dd->f")
    add = made("(n),(n)->(n)", noting("own"), signatures=loops)
    for dtype, name, found in (("i4", "ints", "i"), ("f8", "own", "f"), ("f4", "own", "f")):
        a = cp.ones(3, dtype)
        result = add(a, a, casting="no")
        assert taken.pop() == (name, a.dtype.char)
        assert (result.dtype.char, result.tolist()) == (found, [2, 2, 2])
    assert add(cp.ones(2, "i2"), cp.ones(2, "i2")).dtype == np.int32  # safe casts to "ii"
    ones = cp.ones(3)
    for signature in ("ii->i", "i", ("i", "i", np.int32)):
        assert add(ones, ones, casting="unsafe", signature=signature).dtype == np.int32
        assert taken.pop() == ("ints", "i")
    assert add(ones, ones, dtype="f4").dtype == np.float32
    assert add(ones, ones, dtype="f2").dtype == np.float16
    with pytest.raises(TypeError, match="Cannot cast"):
        add(ones, ones, signature="ii->i")
    for wrong in ("i->i", "id->i", ""):
        with pytest.raises(TypeError, match="no loop has the signature"):
            add(ones, ones, signature=wrong)
    for wrong in ("i", "", "iii->i", "ii->"):
        with pytest.raises(ValueError, match="is not of 2 arguments"):
            made("(n),(n)->(n)", abs, signatures=[wrong])


def test_orders_of_results() -> None:
    same = made("(i,j)->(i,j)", lambda x: x)
    a = cp.arange(24.0).reshape(2, 3, 4)
    for order in "CFKA":
        assert same(a, order=order).strides == np.arange(24.0).reshape(2, 3, 4).copy(order).strides
    for first, second, expected in (("F", "C", "C"), ("F", "F", "F")):
        left = made("(i,j),(i,j)->(i,j)", lambda x, y: x)
        x, y = cp.asarray(a[0], order=first), cp.asarray(a[1], order=second)
        flags = left(x, y, order="A").flags
        assert (flags.f_contiguous, flags.c_contiguous) == (expected == "F", expected == "C")
    with pytest.raises(ValueError, match="order must be one of"):
        same(a, order="X")


def test_slices_are_written_to_out() -> None:
    def double(x: Any, out: Any = None) -> None:
        assert x.shape == out.shape == (3, 4)
        out[:] = x * 2

    twice = made("(i,j)->(i,j)", double, supports_out=True)
    a, out = cp.arange(24.0).reshape(2, 3, 4), cp.zeros((2, 3, 4))
    assert twice(a, out=out) is out
    assert out.tolist() == (np.arange(24.0).reshape(2, 3, 4) * 2).tolist()
    total = made("(i)->()", lambda v, out: v.sum(out=out), supports_out=True)
    sums = cp.zeros(2, "i8")
    assert total(cp.arange(6).reshape(2, 3), out=sums).tolist() == [3, 12]
    with pytest.raises(ValueError, match="out has shape"):
        total(cp.arange(6).reshape(2, 3), out=cp.zeros(3, "i8"))
    with pytest.raises(TypeError, match=r"[Cc]annot cast"):
        made("(i)->(i)", lambda v: v)(cp.ones(2), out=cp.zeros(2, "i4"))
    real = cp.zeros(2, "i4")
    assert made("(i)->(i)", lambda v: v)(cp.ones(2), out=real, casting="unsafe").tolist() == [1, 1]
