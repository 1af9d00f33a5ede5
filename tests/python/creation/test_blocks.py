"""Arrays from nested lists of blocks."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree
from support.dtypes import NUMPY_DTYPES, name


def test_nested_lists() -> None:
    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        return [
            xp.block(x),
            xp.block([x, x]),
            xp.block([[x, y], [y, x]]),
            xp.block([[[x]], [[y]]]),
            xp.block([[x, y.T[:3].T], [1, 2, xp.zeros(4)]]),
            xp.block([1, 2.5, x[0]]),
            xp.block(3),
            xp.block([[x[:, :0], y]]),
        ]

    agree(run, np.arange(9).reshape(3, 3), np.arange(9.0).reshape(3, 3)[::-1])


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_dtypes(dtype: np.dtype) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.block([[x], [x]]),
            xp.block([x, 1]),
            getattr(xp, "row_stack", np.vstack)([x, x[::-1]]),
        ]

    agree(run, np.arange(4).astype(dtype))


@pytest.mark.parametrize(
    "arrays", [[], [[]], [[1], 2], [1, [2]], (1, 2), [(1, 2)], [[1, 2], []], [[[1]], [2]]], ids=repr
)
def test_wrong_lists(arrays: Any) -> None:
    agree(lambda xp: xp.block(arrays))


def test_blocks_that_do_not_fit() -> None:
    agree(lambda xp, x: xp.block([[x, x], [x]]), np.ones((2, 3)))
    agree(lambda xp, x: xp.block([x, x[:1]]), np.ones((2, 3)))
    agree(lambda xp, x: np.block([[x, x]]), np.ones((2, 3)))
