"""r_, c_ and the objects that make indices."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import agree


def test_brackets() -> None:
    def run(xp: Any, x: Any, m: Any) -> list[Any]:
        return [
            xp.r_[x, 0, 0, x],
            xp.r_[0:5, 1.5, x],
            xp.r_[-1:1:5j, 2],
            xp.r_[:3],
            xp.r_[3],
            xp.r_[m, m],
            xp.r_["-1", m, m],
            xp.r_["0,2", x, x],
            xp.r_["0,2,0", x, x],
            xp.r_["1,2,0", x, x],
            xp.r_["0,3,1", m, m],
            xp.r_["0,3,-1", x, x],
            xp.r_["0,2,0", 0:3, 1:4],
            xp.c_[x, x],
            xp.c_[m, [7, 8]],
            xp.c_[x, 0:3],
            xp.c_[3, 4],
            xp.r_[x.astype("f4"), 1, 2],
            xp.r_[x.astype("i1"), 1.5],
            xp.r_[True, x.astype("i1")],
        ]

    agree(run, np.arange(3), np.arange(4).reshape(2, 2))


@pytest.mark.parametrize("key", ["'x', [1]", "'0,x', [1]", "1, '0'", "[1, 2], [[3]]", "()"])
@pytest.mark.parametrize("thing", ["r_", "c_"])
def test_errors(thing: str, key: str) -> None:
    agree(lambda xp: eval(f"xp.{thing}[{key}]", {"xp": xp}))


def test_objects_of_numpy() -> None:
    assert cp.s_[1:2, ::3] == np.s_[1:2, ::3]
    assert cp.index_exp[1] == (1,)
    assert len(cp.r_) == 0


@pytest.mark.cupola_only
def test_matrices_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="two dimensions"):
        cp.r_["r", [1]]


@pytest.mark.parametrize("number", [-1, 300, 2**40, 2**63, 2**63 - 1, -(2**63), 7, 1.5, True])
def test_integers_that_the_common_dtype_does_not_hold(number: Any) -> None:
    for dtype in ("u1", "i1", "i8", "u8", "f4", "?"):
        a = np.ones(1, dtype)
        agree(lambda xp, x: xp.r_[x, number], a)
        agree(lambda xp, x: xp.r_[number, x[0]], a)
        agree(lambda xp, x: xp.c_[x, number], a)
