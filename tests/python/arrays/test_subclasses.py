"""Programs' subclasses of `ndarray`, as NumPy's documentation makes them."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

pytestmark = pytest.mark.cupola_only


class Plain(cp.ndarray):
    """Nothing of its own."""


class Marked(cp.ndarray):
    """Made by a view, with an attribute that further views take over."""

    info: Any = None

    def __new__(cls, values: Any, info: Any = None) -> "Marked":
        made = cp.asarray(values).view(cls)
        made.info = info
        return made

    def __array_finalize__(self, source: Any) -> None:
        self.info = getattr(source, "info", None)


class MoreMarked(Marked):
    """Of a subclass."""


class Made(cp.ndarray):
    """Made as an array, with an attribute besides."""

    def __new__(cls, tag: str, *args: Any, **kwargs: Any) -> "Made":
        made = super().__new__(cls, *args, **kwargs)
        made.tag = tag
        made[...] = 5
        return made

    def __array_finalize__(self, source: Any) -> None:
        self.source = source


class MadeAndInitialised(Made):
    """With both."""

    def __init__(self, tag: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(tag, *args, **kwargs)
        self.size_before = self.size


@pytest.mark.parametrize(
    "make",
    [
        lambda: cp.arange(6.0).reshape(2, 3).T,
        lambda: cp.empty((0, 3)),
        lambda: cp.asarray(3.0),
        lambda: cp.arange(6)[::-2],
        lambda: cp.broadcast_to(cp.ones(1), (3,)),
    ],
)
def test_a_view_of_a_class_is_of_the_same_memory(make: Any) -> None:
    array = make()
    for view in (array.view(Plain), array.view(type=Plain), array.view(None, Plain)):
        assert type(view) is Plain
        assert (view.shape, view.dtype) == (array.shape, array.dtype)
        assert view.flags.writeable == array.flags.writeable
        assert_same(view, array.get())
    assert array.size == 0 or array.view(Plain).strides == array.strides


def test_writes_go_both_ways() -> None:
    array = cp.zeros(4)
    view = (array + 1).view(Plain)
    assert view.tolist() == [1] * 4
    view = array.view(Plain)
    view += 1
    array[0] = 9
    view[1] = 8
    assert view.tolist() == array.tolist() == [9, 8, 1, 1]


def test_bytes_are_read_as_a_dtype() -> None:
    view = cp.ones(2).view("int64", Plain)
    assert type(view) is Plain
    assert_same(view, np.ones(2).view("int64"))


def test_attributes_are_set_by_new_and_by_finalize() -> None:
    first = Marked([1, 2, 3], info="metres")
    assert (type(first), first.info, first.tolist()) == (Marked, "metres", [1, 2, 3])
    second = first.view(MoreMarked)
    assert (type(second), second.info) == (MoreMarked, "metres")
    assert (cp.ones(2).view(Marked)).info is None
    third = MoreMarked(cp.arange(3), "seconds")
    assert (type(third), third.info, isinstance(third, cp.ndarray)) == (MoreMarked, "seconds", True)
    assert type(first.view(cp.ndarray)) is cp.ndarray


def test_new_makes_a_complete_array() -> None:
    made = Made("x", (2, 3), dtype="float32", order="F")
    assert (type(made), made.tag, made.source, made.dtype) == (Made, "x", None, np.float32)
    assert made.flags.f_contiguous
    assert_same(made, np.full((2, 3), 5, "float32", order="F"))
    both = MadeAndInitialised("y", 4)
    assert (type(both), both.tag, both.size_before) == (MadeAndInitialised, "y", 4)
    array = cp.arange(3.0)
    view = array.view(Made)
    assert view.source is array
    assert isinstance(made, cp.ndarray)
    assert issubclass(MadeAndInitialised, Made)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        Made("x", (2, 2), information=1)


def test_operations_give_plain_arrays() -> None:
    first = Marked(cp.arange(4.0), info="metres")
    for result in (first + 1, first[1:], first.sum(), cp.sin(first), first.reshape(2, 2)):
        assert type(result) is cp.ndarray
    assert_same(first + 1, np.arange(1.0, 5))


def test_a_class_without_new_is_made_as_an_array() -> None:
    made = Plain((2, 2), "float32")
    made.fill(3)
    assert (type(made), made.sum().item()) == (Plain, 12)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        Plain((2, 2), information=1)


@pytest.mark.parametrize("wrong", [int, 3, np.ndarray])
def test_what_is_no_class_of_arrays_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="Type must be a sub-type of ndarray type"):
        cp.ones(3).view(type=wrong)
