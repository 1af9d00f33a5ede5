"""Booleans as bits of bytes."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree
from support.dtypes import NUMPY_DTYPES, name


@pytest.mark.parametrize("bitorder", ["big", "little"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("shape", [(3, 17), (8, 8), (1, 1), (0, 3), (3, 0)])
def test_there_and_back(shape: tuple[int, ...], axis: int | None, bitorder: str) -> None:
    bits = np.random.default_rng(1).integers(0, 2, shape)

    def run(xp: Any, x: Any) -> list[Any]:
        packed = xp.packbits(x, axis, bitorder)
        found = [packed, xp.packbits(x[::-1].T > 0, axis, bitorder=bitorder)]
        for count in (None, 5, 0, -3, 30):
            found.append(xp.unpackbits(packed, axis, count, bitorder))
        return found

    agree(run, bits)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    values = (np.arange(20) % 3).astype(dtype)
    agree(lambda xp, x: xp.packbits(x), values)
    agree(lambda xp, x: xp.unpackbits(x), values)


def test_numbers_and_errors() -> None:
    agree(lambda xp: [xp.packbits(7), xp.packbits([True, False])])
    byte = np.array([7], np.uint8)
    agree(lambda xp, x: [xp.unpackbits(x[0]), np.unpackbits(x), np.packbits(x)], byte)
    for options in ({"axis": 1}, {"bitorder": "middle"}, {"bitorder": 1}, {"axis": -2}):
        agree(lambda xp, x, options=options: xp.packbits(x, **options), byte)
        agree(lambda xp, x, options=options: xp.unpackbits(x, **options), byte)
    agree(lambda xp, x: xp.unpackbits(x, count=-9), byte)
    agree(lambda xp, x: xp.unpackbits(x, count=1.5), byte)
