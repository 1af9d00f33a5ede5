"""`fuse` is accepted; the function runs as it is."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

pytestmark = pytest.mark.cupola_only


def test_with_and_without_arguments() -> None:
    @cp.fuse
    def plain(x: Any, y: Any) -> Any:
        """A docstring."""
        return (x - y) * (x - y)

    @cp.fuse()
    def called(x: Any) -> Any:
        return x + 1

    @cp.fuse(kernel_name="named")
    def named(x: Any) -> Any:
        return x.sum(axis=0), x * 2

    x = cp.arange(6.0).reshape(2, 3)
    assert_same(plain(x, 2), (np.arange(6.0).reshape(2, 3) - 2) ** 2)
    assert plain(5, 2) == 9
    assert (plain.__name__, plain.__doc__) == ("plain", "A docstring.")
    assert_same(called(x), np.arange(6.0).reshape(2, 3) + 1)
    first, second = named(x)
    assert_same(first, np.array([3.0, 5.0, 7.0]))
    assert second.shape == (2, 3)


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="takes a function, not int"):
        cp.fuse(3)
    with pytest.raises(TypeError, match="at most one function"):
        cp.fuse(len, len)
    with pytest.raises(TypeError, match="kernel_name must be a str"):
        cp.fuse(kernel_name=3)
