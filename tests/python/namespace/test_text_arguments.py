"""Strings that no text of the library has: lone surrogates, null characters, bytes."""

from collections.abc import Callable
from typing import Any

import pytest

import cupola as cp

pytestmark = pytest.mark.cupola_only

SURROGATE = "\udc80"

STRICT: dict[str, Callable[[str], Any]] = {
    "Device": cp.Device,
    "device=": lambda text: cp.zeros(3, device=text),
    "device within a list": lambda text: cp.Device([text]),
    "to_device": lambda text: cp.zeros(3).to_device(text),
    "current_stream": lambda text: cp._cupola.current_stream(text),
    "casting": lambda text: cp.zeros(3).astype("i4", casting=text),
    "order": lambda text: cp.zeros(3).copy(order=text),
    "mode": lambda text: cp.take(cp.arange(3), 1, mode=text),
    "signature": lambda text: cp.add(cp.ones(2), 1, signature="d" + text),
    "identity": lambda text: cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", text, "name"),
    "reduce_type": lambda text: cp.ReductionKernel(
        "T x", "T y", "x", "a + b", "y = a", "0", "name", text
    ),
    "options": lambda text: cp.ElementwiseKernel("T x", "T y", "y = x", options=(text,)),
    "code": lambda text: cp.RawModule(text),
    "path": lambda text: cp.RawModule(path=text),
    "name_expressions": lambda text: cp.RawModule("", name_expressions=(text,)),
}


@pytest.mark.parametrize("argument", STRICT)
@pytest.mark.parametrize("text", [SURROGATE, "cpu:0" + SURROGATE, "cpu\0x", "\0"])
def test_arguments_that_no_text_is(argument: str, text: str) -> None:
    with pytest.raises(ValueError):
        STRICT[argument](text)
    assert cp.arange(3).sum() == 3


@pytest.mark.parametrize("name", [SURROGATE, "out" + SURROGATE, "dtype\0"])
def test_keywords_that_no_text_is(name: str) -> None:
    with pytest.raises(TypeError, match="unexpected keyword"):
        cp.add(cp.ones(2), 1, **{name: 1})


@pytest.mark.parametrize("text", [SURROGATE, "f8" + SURROGATE])
def test_dtypes_that_no_text_is(text: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        cp.zeros(3, dtype=text)


WRONG_TYPES: dict[str, tuple[Callable[[], Any], str]] = {
    "bytes as code": (lambda: cp.RawModule(b"x"), "code must be str, not bytes"),
    "no event": (lambda: cp.Stream().record("x"), "event must be an Event, not str"),
    "no memory": (lambda: cp._cupola.array_on_memory(1, 0, (1,), "f8"), "MemoryBlock, not int"),
    "no number": (lambda: cp._cupola.random_bits("x", 1, (1,), "u4", None, None), "the call at"),
}


@pytest.mark.parametrize("case", WRONG_TYPES)
def test_objects_of_wrong_types_are_named(case: str) -> None:
    call, message = WRONG_TYPES[case]
    with pytest.raises(TypeError, match=message):
        call()


def test_copy_of_reshape_is_no_text() -> None:
    with pytest.raises(ValueError, match="strings are not allowed for 'copy' keyword"):
        cp.reshape(cp.arange(4), (2, 2), copy="False")
    assert cp.reshape(cp.arange(4), (2, 2), copy=1).shape == (2, 2)
