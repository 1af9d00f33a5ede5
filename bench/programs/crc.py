"""Check sums CRC-16 of many messages, side by side, uint16, by a table."""

from typing import Any

import numpy as np

BYTES, POLYNOMIAL = 32, 0x8408
SIZES = {"small": 100, "cpu": 20_000, "cuda": 1_000_000}  # messages
TOLERANCE = 0.0
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.integers(0, 256, (BYTES, size), dtype=np.uint16)]


def run(xp: Any, messages: Any) -> Any:
    table = xp.arange(256, dtype=xp.uint16)
    for _ in range(8):
        table = xp.where(table & 1, (table >> 1) ^ POLYNOMIAL, table >> 1)
    crc = xp.full(messages.shape[1], 0xFFFF, dtype=xp.uint16)
    for byte in messages:
        crc = (crc >> 8) ^ table[(crc ^ byte) & 0xFF]
    return ~crc
