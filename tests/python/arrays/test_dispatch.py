"""NumPy's functions called with arrays of ours: each finds the function of its name."""

import inspect
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only

PLACES = {"": np, "linalg": np.linalg, "fft": np.fft}
DISPATCHED = [
    (place, name)
    for place, module in PLACES.items()
    for name in sorted(module.__all__)
    if hasattr(getattr(module, name), "_implementation")
]
OWN = [
    (place, name)
    for place, name in DISPATCHED
    if hasattr(getattr(cp, place) if place else cp, name)
]


def owner(place: str) -> Any:
    return getattr(cp, place) if place else cp


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, cp.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            to_numpy(one), to_numpy(other), equal_nan=one.dtype.kind in "fc"
        )
    return type(one) is type(other)


@pytest.mark.parametrize(("place", "name"), OWN)
def test_functions_are_found_by_their_names(place: str, name: str) -> None:
    from cupola._array.dispatch import _find

    assert _find(getattr(PLACES[place], name)) is getattr(owner(place), name) or name in (
        "concat",
        "permute_dims",
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("place", "name"), OWN)
def test_functions_of_one_array(place: str, name: str) -> None:
    """Those that an array alone, or twice, is enough for give what ours gives."""
    function = getattr(PLACES[place], name)
    parameters = inspect.signature(function).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    if name in ("require", "printoptions") or len(needed) > 2:
        pytest.skip("takes other arguments")
    a = from_numpy(np.array([[2.0, 1.0], [1.0, 3.0]]))
    args = (a,) * max(1, len(needed))
    try:
        expected = getattr(owner(place), name)(*args)
    except Exception as error:
        with pytest.raises(type(error)):
            function(*args)
        return
    if "empty" not in name:
        assert equal(function(*args), expected)


LIKE: dict[str, tuple[Any, ...]] = {
    "arange": (4,),
    "array": ([[1, 2]],),
    "asanyarray": ([1.5],),
    "asarray": ([1, 2],),
    "ascontiguousarray": ([1, 2],),
    "asfortranarray": ([[1, 2]],),
    "empty": ((2, 3),),
    "eye": (3,),
    "frombuffer": (b"12345678", "i4"),
    "fromfunction": (lambda i, j: i + j, (2, 2)),
    "fromiter": (range(3), "i8"),
    "full": ((2,), 7),
    "identity": (2,),
    "ones": ((2, 2),),
    "tri": (3,),
    "zeros": (2,),
}


@pytest.mark.parametrize("name", LIKE)
def test_like_makes_arrays_of_ours_on_the_same_device(name: str) -> None:
    like = cp.ones(1, device=cp.__array_namespace_info__().devices()[-1])
    found = getattr(np, name)(*LIKE[name], like=like)
    assert isinstance(found, cp.ndarray)
    assert found.device == like.device
    expected = getattr(np, name)(*LIKE[name])
    assert found.dtype == expected.dtype
    if name != "empty":
        np.testing.assert_array_equal(to_numpy(found), expected)
    assert cp.current_device() == cp.empty(1).device


UFUNCS = sorted(name for name in np.__all__ if isinstance(getattr(np, name), np.ufunc))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UFUNCS)
def test_universal_functions(name: str) -> None:
    function = getattr(np, name)
    if not hasattr(cp, name):
        with pytest.raises(TypeError):
            function(cp.ones(2))
        return
    dtype = "i8" if function.types and all(t[0] not in "fdFD" for t in function.types) else "f8"
    if name == "ldexp":
        args: tuple[Any, ...] = (cp.ones(2), cp.ones(2, int))
    else:
        args = (cp.full((2, 2), 0.5).astype(dtype),) * function.nin
    assert equal(function(*args), getattr(cp, name)(*args))


def test_methods_of_universal_functions() -> None:
    a = cp.arange(4)
    assert np.add.reduce(a).tolist() == 6
    assert np.add.accumulate(a).tolist() == [0, 1, 3, 6]
    assert np.multiply.outer(a, a).shape == (4, 4)
    out = cp.zeros(4, int)
    assert np.add(a, 1, out=out) is out


def test_mixtures_are_refused() -> None:
    with pytest.raises(TypeError, match="asarray"):
        np.concatenate([cp.ones(2), np.ones(2)])
    with pytest.raises(TypeError, match="asarray"):
        np.add(cp.ones(2), np.ones(2))
