"""Views of results that are not computed yet."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola import _cupola

pytestmark = pytest.mark.usefixtures("deferred")

ROWS, COLUMNS = 300, 400


@pytest.fixture
def host() -> np.ndarray:
    return np.random.default_rng(3).random((ROWS, COLUMNS), dtype=np.float32)


def is_pending(array: Any) -> bool:
    return bool(_cupola.is_pending(array))


def softmax(xp: Any, a: Any) -> Any:
    e = xp.exp(a - a.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def standardised(xp: Any, a: Any) -> Any:
    return (a - a.mean(axis=1)[:, None]) / a.std(axis=1)[:, None]


def blurred(xp: Any, a: Any) -> Any:
    return (a * 2)[1:] + (a * 3)[:-1]


def logarithm_of_sum(xp: Any, a: Any) -> Any:
    largest = a.max(axis=1)
    return xp.log(xp.exp(a - largest[:, None]).sum(axis=1)) + largest


PROGRAMS: list[tuple[Callable[[Any, Any], Any], int]] = [
    (softmax, 1),
    (logarithm_of_sum, 1),
    (blurred, 1),
    (lambda xp, a: (a + 1)[:, 3], 1),
    (lambda xp, a: (a + 1)[::2, ::-1] * a[::2], 1),
    (lambda xp, a: (a * a[0]).T + 1, 1),
    (lambda xp, a: xp.sqrt((a * 2).T[:, None, :])[..., 5:7] + 1, 1),
    (lambda xp, a: (a * 2).reshape(100, -1).sum(axis=1), 1),
    (lambda xp, a: (a * 2 + 1).ravel() * 3, 1),
    (lambda xp, a: xp.where(a > 0.5, a, 1).reshape(200, 600)[3:5] + 1, 1),
    (lambda xp, a: (xp.exp(a) / (1 + xp.exp(a)))[::2] * 2, 1),
    (lambda xp, a: ((a - 1) * (a - 1))[5] + 1, 1),
    (lambda xp, a: (a[:, :1] * a[:1])[1:, 1:].max(axis=0), 1),
    (lambda xp, a: xp.expand_dims((a + 1).sum(axis=1), 1) * a, 1),
    (lambda xp, a: (a + 1).sum(axis=1, keepdims=True).squeeze() + 1, 1),
    (lambda xp, a: xp.flip(a + 1, 0).swapaxes(0, 1) - 1, 1),
]


@pytest.mark.parametrize(("program", "kernels"), PROGRAMS)
def test_what_views_select_is_computed_where_it_is_used(
    program: Callable[[Any, Any], Any], kernels: int, host: np.ndarray
) -> None:
    a = cp.asarray(host)
    cp.config.eager = True
    expected = cp.asnumpy(program(cp, a))
    cp.config.eager = False
    found = program(cp, a)
    assert len(cp.explain(found).kernels) == kernels
    assert is_pending(found)
    np.testing.assert_array_equal(cp.asnumpy(found), expected)
    np.testing.assert_allclose(expected, program(np, host), rtol=1e-4)


def test_rows_are_standardised_as_eagerly(host: np.ndarray) -> None:
    a = cp.asarray(host)
    cp.config.eager = True
    expected = cp.asnumpy(standardised(cp, a))
    cp.config.eager = False
    np.testing.assert_array_equal(cp.asnumpy(standardised(cp, a)), expected)


def test_only_what_is_selected_is_read(host: np.ndarray) -> None:
    a = cp.asarray(host)
    column = (a + a[::-1])[:, 7] * 2
    (kernel,) = cp.explain(column).kernels
    assert kernel.bytes_read == 2 * ROWS * 4
    np.testing.assert_array_equal(cp.asnumpy(column), (host + host[::-1])[:, 7] * 2)


def test_views_have_the_strides_that_they_will_have(host: np.ndarray) -> None:
    for array, expected in (
        ((cp.asarray(host) + 1)[::2, 3:], (host + 1)[::2, 3:]),
        ((cp.asarray(host) + 1).T[4:], (host + 1).T[4:]),
        ((cp.asarray(host.T) + 1).T[:, 2], (host.T + 1).T[:, 2]),
    ):
        assert is_pending(array)
        assert array.strides == expected.strides
        assert array.shape == expected.shape
        cp.eval(array)
        assert array.strides == expected.strides
        np.testing.assert_array_equal(cp.asnumpy(array), expected)


def test_views_share_the_memory_of_what_they_are_views_of(host: np.ndarray) -> None:
    a = cp.asarray(host)
    whole = a + 1
    part, transposed = whole[2:, ::3], whole.T
    below = part[1]
    assert all(map(is_pending, (whole, part, transposed, below)))
    part[...] = 7
    transposed[0] += 1
    below -= 3
    expected = host + 1
    expected[2:, ::3] = 7
    expected.T[0] += 1
    expected[2:, ::3][1] -= 3
    np.testing.assert_array_equal(cp.asnumpy(whole), expected)
    np.testing.assert_array_equal(cp.asnumpy(part), expected[2:, ::3])
    np.testing.assert_array_equal(cp.asnumpy(transposed), expected.T)
    np.testing.assert_array_equal(cp.asnumpy(below), expected[2:, ::3][1])


def test_views_share_memory_after_the_rest_is_gone(host: np.ndarray) -> None:
    whole = cp.asarray(host) + 1
    first, second = whole[2:], whole[:5]
    del whole
    gc.collect()
    product = first * 2
    first[0] = 9
    np.testing.assert_array_equal(cp.asnumpy(product), (host + 1)[2:] * 2)
    np.testing.assert_array_equal(cp.asnumpy(second)[2], np.full(COLUMNS, 9, np.float32))


def test_what_reads_a_view_gets_what_was_there_before_a_write(host: np.ndarray) -> None:
    a = cp.asarray(host)
    whole = a + 1
    doubled = whole[1:] * 2
    selected = (a * 3)[::2] + 1
    whole += 5
    a[...] = 0
    np.testing.assert_array_equal(cp.asnumpy(doubled), (host + 1)[1:] * 2)
    np.testing.assert_array_equal(cp.asnumpy(selected), (host * 3)[::2] + 1)
    np.testing.assert_array_equal(cp.asnumpy(whole), host + 1 + 5)


def test_a_write_through_a_view_comes_after_the_readers_of_others(host: np.ndarray) -> None:
    a = cp.asarray(host)
    whole = a + 1
    transposed, rows = whole.T, whole[:300]
    product = rows * 2
    transposed -= whole.T  # which no longer needs `rows`, but `product` does
    np.testing.assert_array_equal(cp.asnumpy(product), (host + 1) * 2)
    np.testing.assert_array_equal(cp.asnumpy(whole), np.zeros_like(host))
    x = a + 2
    y, z = x.transpose(0, 1), x.T
    read_later = y * 3
    z -= y.T
    np.testing.assert_array_equal(cp.asnumpy(read_later), (host + 2) * 3)


def test_what_somebody_has_is_computed_once(host: np.ndarray) -> None:
    a = cp.asarray(host)
    whole = cp.exp(a)
    sums = [cp.asnumpy(whole[i] + 1) for i in range(3)]
    assert not is_pending(whole)
    for i, found in enumerate(sums):
        np.testing.assert_array_equal(found, cp.asnumpy(whole)[i] + np.float32(1))


def test_an_explanation_changes_nothing(host: np.ndarray) -> None:
    whole = cp.asarray(host) + 1
    result = whole[1:] + (whole * 2)[:-1]
    before = str(cp.explain(result))
    assert str(cp.explain(result)) == before
    assert is_pending(whole)
    np.testing.assert_array_equal(cp.asnumpy(result), (host + 1)[1:] + ((host + 1) * 2)[:-1])
