"""`ndarray.resize`: another size in place."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import agree

SHAPES: list[Any] = [3, (2, 3), (7,), (3, 4), (0,), (), (1, 6, 1), (2, 0)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("old", [(6,), (2, 3), (0,), ()], ids=str)
def test_elements_stay_and_zeros_follow(shape: Any, order: Any, old: tuple[int, ...]) -> None:
    def run(xp: Any, x: Any) -> Any:
        a = xp.empty(old, xp.int32, order=order)
        a[...] = x
        assert a.resize(shape) is None
        return a

    agree(run, np.arange(1, 1 + np.prod(old, dtype=int), dtype=np.int32).reshape(old))


def test_ways_to_give_the_shape() -> None:
    def run(xp: Any, *shape: Any, **keywords: Any) -> Any:
        a = xp.arange(4.0)
        a.resize(*shape, **keywords)
        return a

    agree(lambda xp: run(xp, 2, 3))
    agree(lambda xp: run(xp, (2, 3), refcheck=False))
    agree(lambda xp: run(xp))
    agree(lambda xp: run(xp, None))
    agree(lambda xp: run(xp, -1))
    agree(lambda xp: run(xp, (2, -3)))
    agree(lambda xp: run(xp, "ab"))
    agree(lambda xp: run(xp, 2.5))


def test_arrays_that_others_refer_to_are_refused() -> None:
    def with_other_name(xp: Any) -> Any:
        a = xp.arange(4)
        other = a
        a.resize(5)
        return other

    def with_view(xp: Any) -> Any:
        a = xp.arange(4)
        part = a[1:]
        a.resize(5)
        return part

    agree(with_other_name)
    agree(with_view)
    agree(lambda xp: xp.arange(6)[1:4].resize(5))
    agree(lambda xp: xp.arange(6)[::2].resize(3, 1))


def test_a_view_may_get_another_shape_of_its_size() -> None:
    def run(xp: Any) -> Any:
        a = xp.arange(6)
        part = a[2:]
        part.resize(2, 2)
        part[0, 0] = 9
        return a, part

    agree(run)


@pytest.mark.cupola_only
def test_views_keep_the_old_elements_without_refcheck() -> None:
    a = cp.arange(4)
    part = a[1:]
    a.resize(2, refcheck=False)
    a[...] = 7
    assert part.tolist() == [1, 2, 3]
    assert a.tolist() == [7, 7]
