"""One array that no device could hold alone: filled, transformed, reduced and sorted over all."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

PERIOD = 1009  # of rows
ROW = 1024  # elements whose sums are computed apart
STEPS = 7
# Of float32. Larger devices are not filled: the host holds a copy.
LARGEST = 192 << 20  # bytes


class Summary(NamedTuple):
    """What is asked of the array."""

    mean: Any
    variance: Any
    largest: Any
    where: Any
    above_mean: Any
    row_sums: Any
    quartiles: Any


def elements_beyond(largest_device: int) -> int:
    """So many that their bytes are a quarter more than the largest device has free, in rows."""
    return min(largest_device * 5 // 4, LARGEST) // (4 * ROW) * ROW


def summarise(xp: Any, array: Any, update: Callable[[], Any]) -> Summary:
    """Transforms float32 elements in place, reduces them in several ways, and sorts them."""
    rows = array.reshape(-1, ROW)
    rows[...] = xp.arange(ROW, dtype="float32")
    rows += (xp.arange(rows.shape[0]) % PERIOD).astype("float32")[:, None]
    update()
    array /= array.max()
    xp.sqrt(array, out=array)
    update()
    mean = array.mean(dtype="float64")
    update()
    variance = array.var(dtype="float64")
    update()
    where = array.argmax()
    above = (array > xp.float32(float(mean))).sum()
    update()
    row_sums = rows.sum(axis=1, dtype="float64")
    update()
    array.sort()
    quarter = array.size // 4
    quartiles = array[quarter : 3 * quarter + 1 : quarter]
    update()
    return Summary(mean, variance, array.max(), where, above, row_sums, quartiles)


def largest_difference(found: Summary, expected: Summary) -> float:
    """Of all numbers, relative to the expected ones."""
    apart = [
        np.max(np.abs(np.asarray(a, "f8") - np.asarray(b, "f8")) / np.abs(np.asarray(b, "f8")))
        for a, b in zip(found, expected, strict=True)
    ]
    return float(max(apart))
