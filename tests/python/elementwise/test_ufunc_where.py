"""What `where=` takes beside arrays: None, and objects that decide by `__array_ufunc__`."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import UNSIGNED_ZERO, agree

A = np.arange(4.0)
NO_IDENTITY = ["max", "min", "nanmax", "nanmin"]
REDUCTIONS = ["sum", "prod", "any", "all", "nansum", "nanprod", *NO_IDENTITY]
MOMENTS = ["mean", "var", "std", "nanmean", "nanvar", "nanstd"]


class Decides:
    """Answers with what it was asked."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        return f"{ufunc.__name__} {method} {len(inputs)} {given['where'] is self}"


class Refuses:
    __array_ufunc__ = None


def test_none_leaves_out_all_elements() -> None:
    agree(lambda xp, x: xp.add(x, 1, out=xp.full(4, 9.0), where=None), A)
    agree(lambda xp, x: xp.exp(x, out=xp.full(4, 9.0), where=None), A)
    agree(lambda xp, x: xp.divmod(x, 2, out=(xp.ones(4), xp.ones(4)), where=None), A)
    agree(lambda xp, x: xp.add.reduce(x, where=None), A)
    agree(lambda xp, x: xp.add.reduce(x, where=None, initial=5), A)
    agree(lambda xp, x: xp.maximum.reduce(x, where=None), A)
    agree(lambda xp, x: xp.exp(x, out=xp.full(4, 9.0), where=[True, None, 0, 1]), A)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_no_element(name: str) -> None:
    agree(lambda xp, x: getattr(xp, name)(x, where=None), A, tolerance=UNSIGNED_ZERO)
    agree(lambda xp, x: getattr(xp, name)(x.reshape(2, 2), axis=1, where=None), A)
    if name in NO_IDENTITY:
        agree(lambda xp, x: getattr(xp, name)(x, where=None, initial=2.5), A)


@pytest.mark.parametrize("name", MOMENTS)
def test_moments_of_no_element(name: str) -> None:
    for a in (A, np.arange(4)):
        agree(lambda xp, x: getattr(xp, name)(x, where=None), a)


def test_nothing_is_copied() -> None:
    def copied(xp: Any, x: Any) -> Any:
        xp.copyto(x, 3, where=None)
        return x

    agree(copied, A)


def test_a_mask_decides_by_its_ufunc() -> None:
    a = from_numpy(A)
    for xp, x in ((np, A), (cp, a)):
        assert xp.exp(x, where=Decides()) == "exp __call__ 1 True"
        assert xp.add(x, x, where=Decides()) == "add __call__ 2 True"
        assert xp.add.reduce(x, where=Decides()) == "add reduce 1 True"
        assert xp.sum(x, where=Decides()) == x.sum(where=Decides()) == "add reduce 1 True"
        assert xp.max(x, where=Decides()) == "maximum reduce 1 True"
        assert x.any(axis=0, where=Decides()) == "logical_or reduce 1 True"
        with pytest.raises(TypeError):
            xp.mean(x, where=Decides())


def test_a_mask_refuses() -> None:
    agree(lambda xp, x: xp.exp(x, where=Refuses()), A)
    agree(lambda xp, x: xp.sum(x, where=Refuses()), A)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_sums_of_negative_zeros(dtype: str) -> None:
    for a in (np.full(3, -0.0, dtype), np.array([-0.0, 0.0, -0.0], dtype), np.zeros(0, dtype)):
        for initial in (-0.0, 0.0, 0, 1.5):
            agree(lambda xp, x, i=initial: xp.sum(x, initial=i), a)
            agree(lambda xp, x, i=initial: xp.add.reduce(x, initial=i), a)
            agree(lambda xp, x, i=initial: xp.nansum(x, initial=i), a)
            agree(lambda xp, x, i=initial: xp.sum(x.reshape(1, -1), axis=0, initial=i), a)
            agree(lambda xp, x, i=initial: xp.sum(x, initial=i, keepdims=True, where=x == 5), a)
        agree(lambda xp, x: xp.sum(x), a)
        if a.size:
            mask = np.array([True, False, True])
            agree(lambda xp, x, m: xp.sum(x, initial=-0.0, where=m), a, mask)
            agree(lambda xp, x: xp.add.reduce(x, initial=None), a)
            agree(lambda xp, x: x.sum(initial=None), a)
