"""ravel_multi_index and unravel_index beside NumPy's."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree
from support.dtypes import INTEGERS, name


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", INTEGERS, ids=name)
def test_positions_beyond_the_dtype_of_the_indices(dtype: np.dtype, order: str) -> None:
    shape = (300, 400, 5)
    parts = [np.array([0, 100, 120, 99]), np.array([7, 127, 0, 3]), np.array([4, 0, 1, 2])]
    flat = np.array([0, 100, 127, 5])

    def run(xp: Any, *given: Any) -> list[Any]:
        *indices, numbers = given
        return [
            xp.ravel_multi_index(tuple(indices), shape, order=order),
            xp.unravel_index(numbers, shape, order=order),
            xp.ravel_multi_index(tuple(indices), (3, 2, 2), mode="wrap", order=order),
            xp.ravel_multi_index(tuple(indices), (3, 2, 2), mode="clip", order=order),
        ]

    agree(run, *(part.astype(dtype) for part in [*parts, flat]))


CASES = {
    "bool": lambda xp: xp.ravel_multi_index((xp.asarray([True]), xp.asarray([3])), (3, 4)),
    "rows": lambda xp: xp.ravel_multi_index(xp.asarray([[1, 2], [3, 3]]), (3, 4)),
    "broadcast": lambda xp: xp.ravel_multi_index((xp.asarray([1, 2]), xp.asarray([3])), (3, 4)),
    "numbers": lambda xp: xp.ravel_multi_index((1, 2), (3, 4)),
    "one extent": lambda xp: xp.ravel_multi_index((xp.asarray([1]),), 5),
    "no dimensions": lambda xp: xp.ravel_multi_index((), ()),
    "float indices": lambda xp: xp.ravel_multi_index((xp.asarray([1.0]), xp.asarray([3])), (3, 4)),
    "float dims": lambda xp: xp.ravel_multi_index((xp.asarray([1]), xp.asarray([3])), (3, 4.0)),
    "order": lambda xp: xp.ravel_multi_index((xp.asarray([1]), xp.asarray([3])), (3, 4), order="K"),
    "mode": lambda xp: xp.ravel_multi_index((xp.asarray([1]), xp.asarray([3])), (3, 4), mode="x"),
    "modes": lambda xp: xp.ravel_multi_index((1, 5), (3, 4), mode=("raise", "wrap")),
    "too few modes": lambda xp: xp.ravel_multi_index((1, 3), (3, 4), mode=("raise",)),
    "out of bounds": lambda xp: xp.ravel_multi_index((1, 5), (3, 4)),
    "too few dims": lambda xp: xp.ravel_multi_index((1, 2), (3,)),
    "too large": lambda xp: xp.ravel_multi_index((1, 2), (2**40, 2**40)),
    "empty": lambda xp: xp.ravel_multi_index((xp.zeros(0, "i8"), xp.zeros(0, "u1")), (3, 4)),
    "no elements": lambda xp: xp.ravel_multi_index((xp.asarray([0]),), (0,), mode="clip"),
    "unravel bool": lambda xp: xp.unravel_index(xp.asarray([True, False]), (3, 4)),
    "unravel float": lambda xp: xp.unravel_index(1.0, (3, 4)),
    "unravel empty float": lambda xp: xp.unravel_index(xp.asarray([]), (3, 4)),
    "unravel float shape": lambda xp: xp.unravel_index(1, (3, 4.0)),
    "unravel order": lambda xp: xp.unravel_index(1, (3, 4), order="A"),
    "unravel order None": lambda xp: xp.unravel_index(5, (3, 4), order=None),
    "unravel order number": lambda xp: xp.unravel_index(5, (3, 4), order=1),
    "unravel beyond": lambda xp: xp.unravel_index(12, (3, 4)),
    "unravel negative": lambda xp: xp.unravel_index(-1, (3, 4)),
    "unravel 0-d": lambda xp: xp.unravel_index(0, ()),
    "unravel 0-d array": lambda xp: xp.unravel_index(xp.asarray([0, 0]), ()),
    "unravel too large": lambda xp: xp.unravel_index(1, (2**40, 2**40)),
    "unravel table": lambda xp: xp.unravel_index(xp.asarray([[1, 2], [3, 4]]), (3, 4)),
}


@pytest.mark.parametrize("case", CASES)
def test_as_numpy(case: str) -> None:
    agree(CASES[case])
