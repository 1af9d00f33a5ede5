"""Places left out of long axes, and put between: few and many, named twice, of every layout."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree

LENGTH = 2000
SELECTORS = {
    "one": 3,
    "from the end": -1,
    "the first": 0,
    "some": [700, 5, -3],
    "twice": [9, 9, 8],
    "none": [],
    "a list of one": [1999],
    "a piece": slice(5, 900),
    "steps": slice(1, None, 40),
    "backwards": slice(40, 2, -3),
    "many": slice(None, None, 2),
    "all": slice(None),
    "mask": np.arange(LENGTH) // 300 % 2 == 1,
    "mask of many": np.arange(LENGTH) % 3 == 1,
    "all but one": [*range(LENGTH - 1)],
}


# Of an array (3, LENGTH): another one, and the axis of that length.
LAYOUTS = {
    "line": (lambda xp, x: x[0], 0),
    "every other": (lambda xp, x: xp.repeat(x[0], 2)[::2], 0),
    "rows": (lambda xp, x: x, 1),
    "columns": (lambda xp, x: xp.asfortranarray(x), 1),
    "first of a plane": (lambda xp, x: x.T.copy(), 0),
    "first of columns": (lambda xp, x: x.T, 0),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", SELECTORS)
def test_as_numpys(name: str, layout: str) -> None:
    arrange, axis = LAYOUTS[layout]

    def run(xp: Any, x: Any) -> list[Any]:
        array = arrange(xp, x)
        results = [
            xp.delete(array, SELECTORS[name], axis),
            xp.insert(array, SELECTORS[name], 7, axis),
        ]
        orders = [(r.flags.c_contiguous, r.flags.f_contiguous) for r in results]
        return [*results, xp.asarray(orders)]

    agree(run, np.random.default_rng(1).random((3, LENGTH)))


def test_insert_values() -> None:
    a = np.random.default_rng(2).random((3, LENGTH))

    def run(xp: Any, x: Any) -> list[Any]:
        column = xp.arange(3.0)
        return [
            xp.insert(x, 4, column, axis=1),
            xp.insert(x, [4, 900], column[:, None], axis=1),
            xp.insert(x, [900, 4, 4], xp.arange(9.0).reshape(3, 3), axis=1),
            xp.insert(x[0], 1000, [1.0, 2.0, 3.0]),
            xp.insert(x, 1500, 2.5),
            xp.insert(x[1], [1, 1999], [True, False]),
        ]

    agree(run, a)


@pytest.mark.parametrize("place", [LENGTH + 1, -LENGTH - 1, [3, LENGTH + 5], 1.5, "x"])
def test_places_that_are_none(place: Any) -> None:
    a = np.arange(float(LENGTH))
    agree(lambda xp, x: xp.delete(x, place), a)
    agree(lambda xp, x: xp.insert(x, place, 0), a)


@pytest.mark.parametrize("place", [3, -4, 9, [9], [0, 9], True])
def test_messages_name_the_axis(place: Any) -> None:
    a = np.arange(6).reshape(2, 3)
    for name, more in (("delete", ()), ("insert", (0,))):
        messages = []
        for xp, array in ((np, a), (cp, from_numpy(a))):
            try:
                messages.append(to_numpy(getattr(xp, name)(array, place, *more, axis=1)).shape)
            except (IndexError, ValueError, AttributeError) as error:
                messages.append(str(error))
        assert messages[1] == messages[0]


@pytest.mark.parametrize("values", ["x", "7", b"5", 300, 1j, 1.5], ids=repr)
@pytest.mark.parametrize("place", [1, 2000, 9999, [5, 9999], [0, 7]], ids=str)
def test_places_are_checked_before_values(place: Any, values: Any) -> None:
    for a in (np.zeros(3, "i1"), np.zeros(LENGTH, "i1"), np.zeros((3, LENGTH))):
        agree(lambda xp, x: xp.insert(x, place, values, axis=-1), a)


@pytest.mark.parametrize("place", [np.int8(-1), np.int8(-5), np.uint8(7), np.int16(-300)])
def test_places_of_narrow_dtypes(place: Any) -> None:
    """Where the extent is more than they hold."""
    agree(lambda xp, x: xp.insert(x, place, 3), np.arange(1200, dtype="u4"))
