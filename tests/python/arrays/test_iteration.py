"""Going over elements, and NumPy's own functions."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree


@pytest.mark.parametrize("shape", [(2, 3), (0, 2), (), (4,)])
def test_ndenumerate(shape: tuple[int, ...]) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [[list(index), value] for index, value in xp.ndenumerate(x.T)]

    agree(run, np.arange(np.prod(shape)).reshape(shape))


def test_broadcast() -> None:
    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        both = xp.broadcast(x, y)
        found = [both.shape, both.nd, both.ndim, both.size, both.numiter, both.index]
        first = list(next(both))
        found += [first, both.index, [list(pair) for pair in both]]
        both.reset()
        found += [both.index, list(next(both)), len(both.iters)]
        more = xp.broadcast(both, 3, [1, 2])
        return [*found, more.shape, more.numiter, xp.broadcast(x).shape, xp.broadcast().shape]

    agree(run, np.arange(3)[:, None], np.arange(2.0))


def test_broadcast_errors() -> None:
    agree(lambda xp, x: xp.broadcast(x, x[:2]), np.arange(3))


def test_objects_of_numpy() -> None:
    x = from_numpy(np.arange(3))
    assert cp.iterable(x)
    assert not cp.iterable(3)
    assert list(cp.ndindex(2, 1)) == [(0, 0), (1, 0)]
    assert (cp.base_repr(10, 3), cp.binary_repr(-3, 5)) == ("101", "11101")
    assert (cp.typename("d"), cp.mintypecode(["f", "d"])) == ("double precision", "d")
    with cp.printoptions(precision=2):
        assert cp.get_printoptions()["precision"] == 2
        assert str(from_numpy(np.array([1 / 3]))) == "[0.33]"


def test_texts_of_numbers() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.format_float_positional(x, precision=3),
            xp.format_float_scientific(x, 3, trim="k"),
            xp.format_float_positional(1.5),
        ]

    agree(run, np.array(1 / 3, np.float32))
    agree(run, np.array([1.0, 2.0]))


@pytest.mark.cupola_only
def test_ndenumerate_of_a_list() -> None:
    assert to_numpy(next(cp.ndenumerate([5]))[1]) == 5
