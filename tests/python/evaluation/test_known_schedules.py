"""The third turn of a loop is scheduled without a search, and computes what the first did."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

pytestmark = [
    pytest.mark.cupola_only,
    pytest.mark.usefixtures("deferred"),
    pytest.mark.skipif(cp.current_device().is_set, reason="schedules of sets have no keys"),
]

LEAVES_ALL = "CUPOLA_LEAST_LEFT" in os.environ  # so that nothing has to be stored
ROWS, COLUMNS = 300, 40  # too many elements to be computed at the call


def softmax(xp: Any, a: Any, _b: Any) -> Any:
    e = xp.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def standardised(_xp: Any, a: Any, _b: Any) -> Any:
    return (a - a.mean(axis=0)) / a.std(axis=0)


def distance(_xp: Any, a: Any, b: Any) -> Any:
    return ((a - b) ** 2).mean(axis=1)


def running(xp: Any, a: Any, b: Any) -> Any:
    return xp.cumsum(a * b, axis=0) + b


def neighbours(_xp: Any, a: Any, b: Any) -> Any:
    a[1:-1] = (b[2:] + b[:-2] + a[1:-1].sum(axis=1, keepdims=True)) * 0.25
    return a


PROGRAMS = [softmax, standardised, distance, running, neighbours]


def counts() -> tuple[int, int]:
    counters = cp._cupola.counters()
    return counters["schedules_made"], counters["schedules_known"]


def operands(turn: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(turn)
    return rng.random((ROWS, COLUMNS)), rng.random((ROWS, COLUMNS))


@pytest.mark.parametrize("program", PROGRAMS)
def test_turns_are_known(program: Callable[..., Any]) -> None:
    found = []
    for turn in range(6):
        a, b = operands(turn)
        there = cp.asarray(a), cp.asarray(b)
        before = counts()
        result = program(cp, *there)
        cp.eval(result)
        found.append(tuple(now - then for now, then in zip(counts(), before, strict=True)))
        np.testing.assert_allclose(cp.asnumpy(result), program(np, a, b), rtol=1e-12, atol=1e-13)
    made, known = zip(*found, strict=True)
    assert made[2:] == (0,) * 4
    assert min(known[2:]) > 0


def test_who_has_a_part_gets_it_stored() -> None:
    held: list[Any] = []
    for turn in range(12):
        a, b = operands(turn)
        x, y = cp.asarray(a), cp.asarray(b)
        part = x - y
        result = (part * part).mean(axis=1, keepdims=True) + part
        if turn % 4 == 3:
            held.append((part, a - b))
        del part
        cp.eval(result)
        expected = ((a - b) ** 2).mean(axis=1, keepdims=True) + (a - b)
        np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=1e-12, atol=1e-13)
    for part, expected in held:
        assert LEAVES_ALL or not cp._cupola.is_pending(part)
        assert_same(cp.asnumpy(part), expected)


def test_a_chain_stores_what_is_held() -> None:
    for turn in range(9):
        a, b = operands(turn)
        x, y = cp.asarray(a), cp.asarray(b)
        part = x * y
        result = part + x
        if turn % 3 != 2:
            del part
        cp.eval(result)
        assert_same(cp.asnumpy(result), a * b + a)
        if turn % 3 == 2:
            assert LEAVES_ALL or not cp._cupola.is_pending(part)
            assert_same(cp.asnumpy(part), a * b)


def test_other_numbers_streams_and_layouts() -> None:
    streams = [cp.cuda.Stream(non_blocking=True), cp.cuda.get_current_stream()]
    for turn in range(24):
        a, b = operands(turn)
        if turn % 2:
            a = np.asfortranarray(a)
        x, y = cp.asarray(a), cp.asarray(b)
        cp.cuda.get_current_stream().synchronize()
        with streams[turn % 3 % 2]:
            result = cp.exp(x * turn - y).sum(axis=0) + y * (turn + 1)
            cp.eval(result)
            got = cp.asnumpy(result)
        expected = np.exp(a * turn - b).sum(axis=0) + b * (turn + 1)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)
