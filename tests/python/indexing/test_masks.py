"""What masks select and fill: sizes around tiles, every dtype, pending and held masks, views."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.compare import agree, assert_same
from support.dtypes import ALL_DTYPES, name
from support.samples import small_values

TILE = 1024
SIZES = [0, 1, 31, 33, TILE - 1, TILE, TILE + 1, 8 * TILE, 8 * TILE + 1, 300_001]


def mask_of(size: int, share: float) -> np.ndarray:
    return np.random.default_rng(size).random(size) < share


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("size", SIZES)
def test_sizes_around_tiles(size: int, share: float) -> None:
    a = np.arange(size, dtype=np.int32)
    mask = mask_of(size, share)

    def run(xp: Any, x: Any, m: Any) -> list[Any]:
        filled = xp.zeros(size, np.float32)
        filled[m] = x[m]
        return [x[m], xp.flatnonzero(m), filled, xp.extract(m, x), xp.nonzero(m)[0]]

    agree(run, a, mask)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    a = small_values(dtype, (37, 91), 3)
    mask = mask_of(a.size, 0.4).reshape(a.shape)

    def run(xp: Any, x: Any, m: Any) -> list[Any]:
        filled = xp.zeros_like(x)
        filled[m] = x[m]
        return [x[m], x[x != 0], xp.flatnonzero(x), xp.argwhere(x), filled]

    agree(run, a, mask)


@given(st.data())
def test_layouts(data: st.DataObject) -> None:
    """Values and masks that are views, of any rank, and masks of fewer dimensions."""
    shape = data.draw(st.lists(st.integers(0, 40), min_size=1, max_size=3))
    order = data.draw(st.permutations(range(len(shape))))
    step = data.draw(st.sampled_from([1, 2, -1, -2]))
    rank = data.draw(st.integers(1, len(shape)))
    share = data.draw(st.sampled_from([0.0, 0.2, 0.9, 1.0]))
    whole = np.arange(int(np.prod(shape)) * 2, dtype=np.float64).reshape(
        [*shape[:-1], shape[-1] * 2]
    )
    masks = mask_of(whole.size, share).reshape(whole.shape)

    def run(xp: Any, x: Any, m: Any) -> list[Any]:
        values, mask = x.transpose(order)[..., ::step], m.transpose(order)[..., ::step]
        less = mask[(...,) + (0,) * (len(shape) - rank)] if values.size else mask
        target = x.copy().transpose(order)[..., ::step]
        target[mask] = values[mask] + 1
        return [values[mask], values[less], target, *xp.nonzero(mask)]

    agree(run, whole, masks)


def test_pending_and_held_masks() -> None:
    """A mask is the same whether it is computed with the selection or was before."""
    a = np.random.default_rng(1).normal(size=(61, 173)).astype(np.float32)
    b = np.arange(a.size, dtype=np.int64).reshape(a.shape)

    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        mask = (x > 0.25) & (x < 1)
        scaled = x * 2 > 1
        row = x > x.mean(0)
        return [
            x[x > 0.5], y[x > 0.5], x[mask], y[mask], mask, x[~mask], y[scaled], scaled,
            x[row], x[x > x.mean()], x[xp.isfinite(xp.log(xp.abs(x)))], (x + 1)[x > 0],
            xp.flatnonzero(x > 0), xp.flatnonzero(y % 3), x[::2][x[::2] > 0], x.T[x.T > 0],
            x[(x > 0)[:, ::-1]], xp.cumsum(x[x > 0] > 1),
        ]  # fmt: skip

    agree(run, a, b)


def test_mask_and_values_of_one_array() -> None:
    """Values that lie in the array that they are assigned to: NumPy does not see that."""

    def run(xp: Any, x: Any) -> Any:
        def apart(values: Any) -> Any:
            return values.copy() if xp is np else values

        x[x > 4500] = apart(x[: int((x > 4500).sum())])
        x[::2][x[::2] > 100] = apart(x[::-1][: int((x[::2] > 100).sum())])
        return x

    agree(run, np.arange(9000))


def test_values_with_strides_are_spread() -> None:
    mask = mask_of(10_000, 0.3)
    count = int(mask.sum())
    values = np.arange(2 * count, dtype=np.int16)

    def run(xp: Any, m: Any, v: Any) -> list[Any]:
        forward, backward = xp.zeros(m.size, np.float64), xp.zeros(2 * m.size, np.complex64)
        forward[m] = v[::2]
        backward[::-2][m] = v[::-2]
        return [forward, backward]

    agree(run, mask, values)


def test_writes_after_a_selection_do_not_change_it() -> None:
    a = np.random.default_rng(2).random(20_000)
    x = from_numpy(a)
    mask = x > 0.5
    selected = x[mask]
    x[...] = 0
    assert_same(selected, a[a > 0.5])
    assert_same(mask, a > 0.5)
    assert int(cp.asarray(x[x > 0]).size) == 0


@pytest.mark.parametrize("size", [1, 7, 8, 9, 63, 4096, 20_000])
def test_every_byte_but_zero_is_true(size: int) -> None:
    rng = np.random.default_rng(size)
    raw = (rng.integers(0, 4, size) * rng.choice([1, 37, 64], size)).astype(np.uint8)
    values, chosen = rng.standard_normal(size), raw != 0
    mask, array = from_numpy(raw).view("?"), from_numpy(values)
    np.testing.assert_array_equal(to_numpy(array[mask]), values[chosen])
    np.testing.assert_array_equal(to_numpy(cp.nonzero(mask)[0]), np.nonzero(raw)[0])
    array[mask] = from_numpy(np.arange(chosen.sum(), dtype=float))
    values[chosen] = np.arange(chosen.sum())
    np.testing.assert_array_equal(to_numpy(array), values)
