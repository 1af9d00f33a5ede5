"""`ufunc.resolve_dtypes` beside NumPy's."""

import itertools
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp

pytestmark = pytest.mark.cupola_only

TYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16", int, float, complex]
NAMES = ["add", "divide", "power", "bitwise_and", "equal", "arctan2", "left_shift", "less"]
NAMES += ["logical_and", "logical_or", "logical_xor"]


def entry(given: Any) -> Any:
    return given if given is None or isinstance(given, type) else np.dtype(given)


def outcome(xp: Any, name: str, types: Any, **options: Any) -> Any:
    try:
        return getattr(xp, name).resolve_dtypes(tuple(map(entry, types)), **options)
    except Exception as error:
        return next(each for each in (TypeError, ValueError) if isinstance(error, each))


def both(name: str, types: Any, **options: Any) -> None:
    expected = outcome(np, name, types, **options)
    assert outcome(cp, name, types, **options) == expected, (name, types, options)


@pytest.mark.parametrize("name", NAMES)
def test_pairs(name: str) -> None:
    for one, other in itertools.product(TYPES, TYPES):
        if isinstance(one, type) and isinstance(other, type):
            continue  # numbers alone are computed by NumPy as arrays of theirs
        both(name, (one, other, None))


@pytest.mark.parametrize("name", ["sin", "negative", "isnan", "absolute", "invert"])
def test_single_inputs(name: str) -> None:
    for one in TYPES:
        both(name, (one, None))


def test_two_outputs() -> None:
    for name, types in itertools.product(["divmod", "modf", "frexp"], TYPES[:8]):
        count = getattr(np, name).nargs
        both(name, (*[types] * (count - 2), None, None))


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting(casting: str) -> None:
    for types in itertools.product(["i4", "f4", "f8"], repeat=3):
        both("add", types, casting=casting)


@pytest.mark.parametrize("signature", ["dd->d", (None, None, np.dtype("f8")), "ff->f", "d", 5])
def test_signature(signature: Any) -> None:
    for types in itertools.product(["i2", "i4", "f8"], repeat=2):
        both("add", (*types, None), signature=signature)


def test_reductions() -> None:
    for name, types in itertools.product(
        ["add", "multiply", "maximum", "subtract", "logical_or"], TYPES[1:10]
    ):
        both(name, (None, types, None), reduction=True)
    both("sin", (None, "f8"), reduction=True)


@pytest.mark.parametrize("name", [*NAMES, "hypot", "maximum", "ldexp", "gcd", "float_power"])
def test_outputs_of_reductions(name: str) -> None:
    """The first entry is the output; the last may not be given."""
    for first, second in itertools.product([None, *TYPES[:10]], TYPES[:10]):
        both(name, (first, second, None), reduction=True)
        both(name, (first, second, second), reduction=True)
        both(name, (first, None, None), reduction=True)
        if first is not None:
            both(name, (first, second, None), reduction=True, casting="safe")


@pytest.mark.parametrize("types", [(), ("f8", "f8"), ("f8", None, None), (None, "f8", None)])
def test_bad_entries(types: Any) -> None:
    both("add", types)
    with pytest.raises(TypeError):
        cp.add.resolve_dtypes(list(types))
