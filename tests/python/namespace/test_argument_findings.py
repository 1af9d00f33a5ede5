"""What random calls beside NumPy have found of arguments (tests/calls), each cause once."""

from collections.abc import Callable
from typing import Any

import pytest
from support.compare import agree

Case = Callable[[Any], Any]

FOUND: dict[str, Case] = {
    "take, nowhere": lambda xp: xp.take(xp.zeros((0, 3)), xp.asarray([5]), axis=1),
    "take, of no row": lambda xp: xp.take(xp.zeros((0, 3)), xp.asarray([5]), axis=0),
    "take, of no column": lambda xp: xp.take(xp.zeros((3, 0)), xp.asarray([5]), axis=0),
    "compress, nowhere": lambda xp: xp.zeros((0, 0)).compress([False, True], -1),
    "roll, axes in an array": lambda xp: xp.roll(
        xp.arange(6).reshape(3, 1, 2), xp.asarray([2]), xp.asarray([1, 0])
    ),
    "roll, no axes": lambda xp: xp.roll(xp.arange(6).reshape(3, 2), 1, xp.asarray([])),
    "vander, a fraction": lambda xp: xp.vander([1, 2], 2.0),
    "interp, text": lambda xp: xp.interp(xp.asarray([8.0]), [1.0, 2], [3.0, 4], right="0"),
    "randint, beyond": lambda xp: xp.random.randint((), 5, dtype=bool),
}


@pytest.mark.parametrize("name", FOUND)
def test_arguments_are_taken_as_numpy_does(name: str) -> None:
    agree(FOUND[name])
