"""`like=`: what is made of nothing, or comes from the host, goes to the device of another array."""

import inspect
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

MAKERS: dict[str, Callable[..., Any]] = {
    "arange": lambda f, **like: f(4, **like),
    "array": lambda f, **like: f([1, 2], **like),
    "asanyarray": lambda f, **like: f([1, 2], **like),
    "asarray": lambda f, **like: f([1, 2], **like),
    "ascontiguousarray": lambda f, **like: f([1, 2], **like),
    "asfortranarray": lambda f, **like: f([[1, 2]], **like),
    "empty": lambda f, **like: f((0, 2), **like),
    "eye": lambda f, **like: f(2, 3, 1, **like),
    "frombuffer": lambda f, **like: f(b"\x01\x02", "int8", **like),
    "fromfile": lambda f, **like: f(io.BytesIO(b""), "int8", **like),
    "fromfunction": lambda f, **like: f(lambda i, j: i + j, (2, 3), **like),
    "fromiter": lambda f, **like: f(iter([1, 2]), int, **like),
    "fromstring": lambda f, **like: f("1 2", sep=" ", **like),
    "full": lambda f, **like: f((2, 2), 7, **like),
    "genfromtxt": lambda f, **like: f(io.StringIO("1 2"), **like),
    "identity": lambda f, **like: f(2, **like),
    "loadtxt": lambda f, **like: f(io.StringIO("1 2"), **like),
    "ones": lambda f, **like: f(3, **like),
    "require": lambda f, **like: f([1, 2], requirements="F", **like),
    "tri": lambda f, **like: f(3, **like),
    "zeros": lambda f, **like: f((2, 1), **like),
}
# What needs a file that is one of the system's.
IN_FILES = {"fromfile"}


@pytest.mark.parametrize("name", sorted(set(MAKERS) - IN_FILES))
def test_as_without_like(name: str) -> None:
    make = MAKERS[name]
    found = make(getattr(cp, name), like=cp.ones(1))
    expected = make(getattr(np, name))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(to_numpy(found), expected)


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", sorted(set(MAKERS) - IN_FILES))
def test_goes_to_the_device_of_the_other_array(name: str) -> None:
    if len(cp.all_devices()) < 2:
        pytest.skip("needs two devices")
    other = cp.zeros(1, device=cp.all_devices()[1])
    assert MAKERS[name](getattr(cp, name), like=other).device == other.device


@pytest.mark.cupola_only
def test_a_file(tmp_path: Any) -> None:
    if len(cp.all_devices()) < 2:
        pytest.skip("needs two devices")
    other = cp.zeros(1, device=cp.all_devices()[1])
    path = tmp_path / "elements"
    cp.arange(5, dtype="int16").tofile(path)
    found = cp.fromfile(path, "int16", like=other)
    assert found.device == other.device
    assert found.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.cupola_only
def test_device_comes_first_and_arrays_stay() -> None:
    if len(cp.all_devices()) < 2:
        pytest.skip("needs two devices")
    first, second = cp.all_devices()[:2]
    other = cp.zeros(1, device=second)
    assert cp.zeros(2, device=first, like=other).device == first
    assert cp.array([1], device=first, like=other).device == first
    here = cp.ones(2, device=first)
    assert cp.asarray(here, like=other) is here


@pytest.mark.parametrize("name", sorted(set(MAKERS) - IN_FILES))
@pytest.mark.parametrize("other", [3, "x", [1.0]])
def test_what_is_no_array_is_refused(name: str, other: Any) -> None:
    with pytest.raises(TypeError, match="like"):
        MAKERS[name](getattr(cp, name), like=other)


@pytest.mark.cupola_only  # some of NumPy's have no signature
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_is_the_last_of_numpys_keywords(name: str) -> None:
    parameter = inspect.signature(getattr(cp, name)).parameters["like"]
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
    assert parameter.default is None
