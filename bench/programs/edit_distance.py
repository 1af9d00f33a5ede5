"""Edits between two words, by diagonals of the table, int32."""

from typing import Any

import numpy as np

SIZES = {"small": 60, "cpu": 600, "cuda": 3000}  # letters
TOLERANCE = 0.0
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.integers(0, 4, size, dtype=np.int32) for _ in range(2)]


def run(xp: Any, first: Any, second: Any) -> Any:
    count = first.shape[0]
    backwards = second[::-1]
    before, last = xp.zeros(1, xp.int32), xp.ones(2, xp.int32)
    for k in range(2, 2 * count + 1):
        low, high = max(0, k - count), min(count, k)
        inner_low, inner_high = max(1, low), min(count, high, k - 1)
        offset, far = max(0, k - 1 - count), max(0, k - 2 - count)
        rows = slice(inner_low - 1, inner_high)
        shift = count - k
        columns = slice(inner_low + shift, inner_high + shift + 1)
        other = (first[rows] != backwards[columns]).astype(xp.int32)
        turned = before[inner_low - 1 - far : inner_high - far] + other
        up = last[inner_low - 1 - offset : inner_high - offset]
        left = last[inner_low - offset : inner_high - offset + 1]
        now = xp.empty(high - low + 1, xp.int32)
        now[inner_low - low : inner_high - low + 1] = xp.minimum(turned, xp.minimum(up, left) + 1)
        if low == 0:
            now[0] = k
        if high == k:
            now[-1] = k
        before, last = last, now
    return last
