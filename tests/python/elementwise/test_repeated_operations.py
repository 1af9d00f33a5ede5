"""Plans that are looked up: an operation means the same the first time and later, whatever varies.

Everything that may change between two runs of one kernel changes here: numbers, extents, shapes,
alignment, which operands are one array, and which share memory.
"""

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

TIMES = 3


def check(computed, expected) -> None:
    np.testing.assert_array_equal(to_numpy(computed), expected)


@pytest.mark.parametrize("shape", [(2,), (1000,), (3, 5), (2, 1, 4), (1,), (0,), ()])
def test_shapes(shape) -> None:
    host = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    for _ in range(TIMES):
        check(from_numpy(host) + from_numpy(host * 3), host * 4)


def test_scalars_are_values() -> None:
    host = np.arange(100, dtype=np.float64)
    a = from_numpy(host)
    for number in (1, 2.5, -7, np.float64(3)):
        check(a * number, host * number)
        check(number - a, number - host)


def test_scalars_that_are_equal_and_differ() -> None:
    host = np.arange(100, dtype=np.float64)
    a = from_numpy(host)
    for one, two in [(1, 2), (3, 3), (2, 1), (5, 5), (-0.0, 0.0), (np.nan, np.nan), (4, 2)]:
        check((a + one) * (a + two) - two, (host + one) * (host + two) - two)
        check(((a + one) * (a + two)).sum(), ((host + one) * (host + two)).sum())
        check((a * two) - (a * one), (host * two) - (host * one))


def test_same_operand_twice_and_apart() -> None:
    a_host, b_host = np.arange(50, dtype=np.int32), np.arange(50, dtype=np.int32)[::-1].copy()
    a, b = from_numpy(a_host), from_numpy(b_host)
    for _ in range(TIMES):
        check(a * b, a_host * b_host)
        check(a * a, a_host * a_host)
        check(b * a, b_host * a_host)


def test_starts_at_every_alignment() -> None:
    host = np.arange(64, dtype=np.float32)
    a, b = from_numpy(host), from_numpy(host * 2)
    out = cp.zeros(64, dtype="float32")
    for _ in range(TIMES):
        for start in range(8):
            check(a[start : start + 32] + b[8 - start : 40 - start],
                  host[start : start + 32] + 2 * host[8 - start : 40 - start])  # fmt: skip
            cp.add(a[start : start + 32], b[:32], out=out[start : start + 32])
            check(out[start : start + 32], host[start : start + 32] + 2 * host[:32])


def test_outputs_that_share_memory_with_operands() -> None:
    for _ in range(TIMES):
        for shift in (0, 1, 4):
            host = np.arange(40, dtype=np.float32)
            a = from_numpy(host)
            expected = host[:30] + host[5:35]
            cp.add(a[:30], a[5:35], out=a[shift : shift + 30])
            host[shift : shift + 30] = expected
            check(a, host)


def test_dtypes_and_functions_do_not_mix() -> None:
    host = np.arange(1, 21)
    for _ in range(TIMES):
        for dtype in ("int8", "uint8", "int64", "float32", "float64", "complex64"):
            a = from_numpy(host.astype(dtype))
            check(a + a[::-1].copy(), host.astype(dtype) + host[::-1].astype(dtype))
            check(a - a[::-1].copy(), host.astype(dtype) - host[::-1].astype(dtype))
            check(a > 7, host > 7)
        fraction, whole = cp.modf(from_numpy(host / 4))
        check(fraction, np.modf(host / 4)[0])
        check(whole, np.modf(host / 4)[1])


def test_read_only_output_is_refused_every_time() -> None:
    a = cp.ones(10)
    target = cp.broadcast_to(cp.zeros(()), (10,))
    for _ in range(TIMES):
        check(a + a, np.full(10, 2.0))
        with pytest.raises(ValueError, match="read-only"):
            cp.add(a, a, out=target)


@pytest.mark.parametrize(
    ("dtype", "count"),
    [("int8", 2100), ("float64", 10_000), ("complex128", 300_001), ("float32", 9_000_011)],
)
def test_one_number_for_many_elements(dtype: str, count: int) -> None:
    """Loops that read an element of every operand get as many copies of a number as they read."""
    values = (np.random.default_rng(count).random(count) * 100).astype(dtype)
    mask = values.real > 50
    a, chosen = from_numpy(values), from_numpy(mask)
    b = a.copy()
    b[chosen] = 1
    check(b, np.where(mask, values.dtype.type(1), values))
    number = from_numpy(values[3:4]).reshape(())
    check(cp.where(chosen, a, number), np.where(mask, values, values[3]))
    check(cp.where(chosen, number, a), np.where(mask, values[3], values))
