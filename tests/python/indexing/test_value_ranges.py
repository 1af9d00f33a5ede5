"""Positions whose values are within the axis by how they are computed are not looked at."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, to_numpy

if not IS_NUMPY:
    from cupola import _cupola

SIZE = 30_000  # more than the host looks at
TABLE = np.arange(256) * 3
RNG = np.random.default_rng(11)

WITHIN: dict[str, Callable[[Any, Any], Any]] = {
    "masked": lambda xp, x: (x ^ 77) & 255,
    "remainder": lambda xp, x: (x * 5 - 3) % 256,
    "negative ones": lambda xp, x: x % 256 - 256,
    "bytes": lambda xp, x: x.astype(np.uint8),
    "clipped": lambda xp, x: xp.clip(x, -256, 255),
    "shifted": lambda xp, x: x.astype(np.uint32) >> 24,
    "chosen": lambda xp, x: xp.where(x > 0, x & 15, -1),
    "largest": lambda xp, x: x.reshape(-1, 100).argmax(axis=1),
}
OUTSIDE: dict[str, Callable[[Any, Any], Any]] = {
    "masked": lambda xp, x: (x & 255) + 1,
    "remainder": lambda xp, x: x % 257,
    "clipped": lambda xp, x: xp.clip(x, -257, 0),
}


def positions() -> np.ndarray:
    return RNG.integers(-(2**62), 2**62, SIZE)


@pytest.mark.parametrize("name", WITHIN)
@pytest.mark.parametrize("is_stored", [False, True])
def test_values(name: str, is_stored: bool) -> None:
    x = positions()
    chosen = WITHIN[name](cp, cp.asarray(x))
    if is_stored and not IS_NUMPY:
        _cupola.evaluate(chosen)
    np.testing.assert_array_equal(to_numpy(cp.asarray(TABLE)[chosen]), TABLE[WITHIN[name](np, x)])


@pytest.mark.cupola_only
@pytest.mark.skipif("CUPOLA_EAGER" in os.environ, reason="each operation is a kernel of its own")
@pytest.mark.parametrize("name", [name for name in WITHIN if name != "largest"])
def test_nothing_is_launched_to_look(name: str) -> None:
    table, x = cp.asarray(TABLE), cp.asarray(positions())
    if table.device.is_set:
        pytest.skip("each member has launches")
    before = _cupola.counters()["launches"]
    _cupola.evaluate(table[WITHIN[name](cp, x)])
    assert _cupola.counters()["launches"] - before == 1


@pytest.mark.parametrize("name", OUTSIDE)
def test_others_are_looked_at(name: str) -> None:
    x = positions()
    x[5] = {"masked": 255, "remainder": 256, "clipped": -300}[name]
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 256"):
        to_numpy(cp.asarray(TABLE)[OUTSIDE[name](cp, cp.asarray(x))])
