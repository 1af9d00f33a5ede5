"""shares_memory and may_share_memory, also of arrays that are not computed yet."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy


@pytest.mark.parametrize("function", [cp.shares_memory, cp.may_share_memory])
@pytest.mark.parametrize("pending", [False, True])
def test_views_share_and_copies_do_not(function: Callable[..., bool], pending: bool) -> None:
    a = from_numpy(np.arange(12.0).reshape(3, 4))
    if pending:
        a = a + 1
    view, copied = a[1:], a * 1
    assert function(a, a)
    assert function(a, view)
    assert function(view, a)
    assert not function(a, copied)
    assert not function(copied, view)
    assert not function(a[:1], a[1:])
    assert not function(a[:0], a)
    np.testing.assert_array_equal(np.asarray(cp.asnumpy(a) if cp is not np else a)[0, 0], pending)


@pytest.mark.cupola_only
@pytest.mark.parametrize("function", [np.shares_memory, np.may_share_memory])
def test_through_numpy(function: Any) -> None:
    a = cp.arange(4) + 1
    assert function(a, a[2:])
    assert not function(a, a + 1)
