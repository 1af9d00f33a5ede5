"""Arrays as sets of their elements."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree
from support.dtypes import NUMPY_DTYPES, name
from support.orders import values_of

SIZES = [(0, 0), (0, 5), (7, 0), (40, 3), (300, 200), (2, 300)]


def pair_of(dtype: np.dtype, sizes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    # Which of two zeros stands for both is not said.
    first, second = (values_of(dtype, size) + dtype.type(0) for size in sizes)
    rng = np.random.default_rng(sum(sizes))
    if first.size and second.size:
        second[: second.size // 2] = rng.choice(first, second.size // 2)
    return first, second


def every_set(xp: Any, x: Any, y: Any) -> list[Any]:
    return [
        xp.union1d(x, y),
        xp.intersect1d(x, y),
        *xp.intersect1d(x, y, return_indices=True),
        xp.setdiff1d(x, y),
        xp.setxor1d(x, y),
    ]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype, sizes: tuple[int, int]) -> None:
    first, second = pair_of(dtype, sizes)
    agree(lambda xp, x, y: [xp.isin(x, y), xp.isin(x, y, invert=True)], first, second)
    if dtype.kind in "fc":  # which NaN stands for all is not said
        first[np.isnan(first)] = np.nan
        second[np.isnan(second)] = np.nan
    agree(every_set, first, second)


@pytest.mark.parametrize("other", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_two_dtypes(dtype: np.dtype, other: np.dtype) -> None:
    rng = np.random.default_rng(1)
    # NumPy finds integers of 64 bits that become one float64 in every array.
    low = 0 if dtype == np.uint64 else -100
    first = rng.integers(low, 100, (6, 7)).astype(dtype)
    second = rng.integers(-100, 100, 40).astype(other)
    agree(lambda xp, x, y: [xp.isin(x, y), xp.isin(x, y[:3]), *every_set(xp, x, y)], first, second)


@pytest.mark.parametrize("kind", [None, "sort", "table"])
@pytest.mark.parametrize("span", [100, 10**4, 2**40])
@pytest.mark.parametrize("dtypes", ["i8 i8", "u8 u8", "i4 i8", "u8 i2", "i2 u8"])
def test_integers_by_every_method(dtypes: str, span: int, kind: str | None) -> None:
    if kind == "table" and span == 2**40:
        pytest.skip("a table of so many entries")
    rng = np.random.default_rng(2)
    of_first, of_second = (np.dtype(each) for each in dtypes.split())
    low = 0 if of_first == np.uint64 else -span
    first = rng.integers(low, span, 30_000).astype(of_first)
    second = rng.integers(-span, span, 20_000).astype(of_second)
    if kind == "table" and dtypes == "i2 u8":
        second = second[second < 2**62]
    second[:50] = first[:50].clip(0)

    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        return [xp.isin(x, y, kind=kind), xp.isin(x, y[:500], kind=kind)]

    agree(run, first, second)


def test_integers_are_compared_as_integers() -> None:
    large = np.array([2**63 - 1, -1, 5, -(2**63)])
    unsigned = np.array([2**63, 2**64 - 1, 2**63 - 1, 5], np.uint64)

    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        return [xp.isin(x, y), xp.isin(y, x)]

    agree(run, large, unsigned)
    many = np.concatenate([unsigned, np.arange(2**63, 2**63 + 30, dtype=np.uint64)])
    found = [False, False, True, True, *[False] * 30]
    agree(
        lambda xp, x, y: xp.isin(y, x) if xp is not np else np.array(found),
        np.concatenate([large, np.arange(-40, -10)]),
        many,
    )


@pytest.mark.parametrize("assume_unique", [False, True])
def test_options(assume_unique: bool) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.permutation(60)[:40], rng.permutation(60)[:30]

    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        return [
            xp.isin(x, y, assume_unique),
            xp.isin(x, y, assume_unique, True),
            xp.intersect1d(x, y, assume_unique),
            *xp.intersect1d(x, y, assume_unique, True),
            xp.setdiff1d(x, y, assume_unique),
            xp.setxor1d(x, y, assume_unique),
        ]

    agree(run, first, second)


def test_views_numbers_and_what_waits() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        part, other = x[::-2].T * 2, x[1::3, ::-1] + 1
        return [
            xp.isin(part, other),
            xp.isin(part[0, 0], other),
            xp.isin(3, other),
            xp.isin(part, 4),
            xp.isin(part, [4, 6, 8]),
            xp.isin([1.5, 2.0], other),
            *every_set(xp, part, other),
            *every_set(xp, part, [1, 4, 9]),
        ]

    agree(run, np.random.default_rng(4).integers(0, 30, (12, 5)))


@pytest.mark.parametrize("options", [{"kind": "other"}, {"kind": "table"}, {"kind": 3}], ids=repr)
def test_errors(options: dict[str, Any]) -> None:
    agree(lambda xp, x: xp.isin(x, x, **options), np.zeros(3))


def test_a_table_of_more_entries_than_can_be_counted() -> None:
    x = np.array([-128, 127], np.int16) * np.int16(256)
    agree(lambda xp, x: xp.isin(x, x, kind="table"), x)


def test_by_numpy() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [np.isin(x, x[:2]), *every_set(np, x, x[1:])]

    agree(run, np.array([3, 1, 2, 1]))
