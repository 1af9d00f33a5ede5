"""Single elements: what is stored and read, its conversions and errors, and its order."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import agree
from support.dtypes import NUMPY_DTYPES, name

VALUES = [0, 1, -1, 127, 128, -128, 255, 256, 2**31, 2**63, -(2**63), 2**64, 10**30, True, False]
VALUES += [
    0.0,
    -0.0,
    1.5,
    300.7,
    -1.0,
    1e300,
    float("inf"),
    float("nan"),
    1j,
    None,
    [1],
    [0],
    (),
    [1, 2],
]


def stored(xp: Any, dtype: Any, key: Any, value: Any) -> Any:
    array = xp.arange(6).astype(dtype).reshape(2, 3)
    array[key] = value
    return array


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_numbers(dtype: Any, value: Any) -> None:
    with np.errstate(all="ignore"):
        agree(lambda xp: stored(xp, dtype, (1, -2), value))


@pytest.mark.parametrize("key", [(0, 0), (-2, -3), (1, 3), (-3, 0), (2**70, 0), (0, 0, 0), (), 1])
def test_places(key: Any) -> None:
    agree(lambda xp: stored(xp, "f8", key, 7))
    agree(lambda xp: xp.arange(6.0).reshape(2, 3)[key])


@pytest.mark.parametrize("source", NUMPY_DTYPES, ids=name)
def test_elements_of_other_arrays(source: Any) -> None:
    for target in ("?", "i4", "f4", "c16"):

        def assigned(xp: Any, target: str = target) -> Any:
            array = xp.zeros(4, target)
            array[2] = xp.arange(3).astype(source)[2]
            return array

        with np.errstate(all="ignore"):
            agree(assigned)


def test_views_see_elements_and_are_read_only_where_they_are() -> None:
    a = cp.arange(12.0).reshape(3, 4)
    view = a.T[1:, ::-1]
    view[0, 0] = -1
    assert float(a[2, 1]) == -1
    fixed = cp.broadcast_to(a[0], (2, 4))
    with pytest.raises(ValueError, match="read-only"):
        fixed[0, 0] = 1


def test_what_was_asked_for_before_has_the_old_element() -> None:
    a = cp.arange(1000.0)
    doubled = a * 2
    a[3] = -1
    assert float(doubled[3]) == 6
    total = a.sum()
    a[3] = 3
    assert float(total) == 999 * 500 - 4


def test_other_streams_are_waited_for() -> None:
    a = cp.arange(300_000.0)
    for turn in range(20):
        stream = cp.cuda.Stream()
        with stream:
            b = cp.sqrt(a * a + 1)
            cp.eval(b)
        a[5] = turn
        with stream:
            a *= 1
        assert float(a[5]) == turn
        expected = 26.0 if turn == 0 else (turn - 1) ** 2 + 1.0
        assert float(b[5]) == pytest.approx(expected**0.5)


def test_loops_over_elements() -> None:
    def recurrence(xp: Any) -> Any:
        v = xp.zeros(50)
        v[0] = 1
        for i in range(1, 50):
            v[i] = v[i - 1] * 0.5 + i
            v[i - 1] += v[i] * 2
            if v[i] > 3:
                v[i] -= 1
        return v

    agree(recurrence)


def test_positions_are_checked_again_after_an_element_was_written() -> None:
    v, places = cp.arange(10.0), cp.arange(3)
    assert float(v[places].sum()) == 3
    places[0] = 10
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 10"):
        v[places]
    places[0] = -10
    assert float(v[places][0]) == 0
