"""`out=` of few elements: what NumPy writes, wherever the output lies and whatever waits for it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy, to_numpy
from support.compare import agree

RNG = np.random.default_rng(8)
VALUES = RNG.integers(1, 50, 24)

# The operands, and the output, of memory of 24 elements and another one.
PLACES: dict[str, Callable[[Any, Any], tuple[Any, Any, Any]]] = {
    "apart": lambda m, n: (m[:8], m[8:16], n[:8]),
    "the first operand": lambda m, n: (m[:8], m[8:16], m[:8]),
    "the second operand": lambda m, n: (m[:8], m[8:16], m[8:16]),
    "both operands": lambda m, n: (m[:8], m[:8], m[:8]),
    "a part of an operand, later": lambda m, n: (m[:8], m[8:16], m[3:11]),
    "a part of an operand, earlier": lambda m, n: (m[3:11], m[8:16], m[:8]),
    "reversed": lambda m, n: (m[:8], m[8:16], m[7::-1]),
    "with gaps": lambda m, n: (m[:8], m[8:16], n[::3]),
    "a number": lambda m, n: (m[:8], 3, n[:8]),
    "a number first": lambda m, n: (3, m[:8], n[:8]),
    "a float": lambda m, n: (m[:8], 2.0, n[:8]),
    "a large number": lambda m, n: (m[:8], 1000, n[:8]),
    "rows": lambda m, n: (m.reshape(4, 6), m[:6], n.reshape(4, 6)),
    "a smaller output": lambda m, n: (m[:8], m[8:16], n[:4]),
    "a larger output": lambda m, n: (m[:8], m[8:16], n.reshape(3, 8)),
    "no elements": lambda m, n: (m[:0], m[:0], n[:0]),
    "one element": lambda m, n: (m[2], m[3], n[4:5].reshape(())),
}
FUNCTIONS = ("add", "subtract", "multiply", "divide", "maximum", "less", "floor_divide")
WAYS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "keyword": lambda f, a, b, out: f(a, b, out=out),
    "tuple": lambda f, a, b, out: f(a, b, out=(out,)),
    "position": lambda f, a, b, out: f(a, b, out),
}


def outcome(call: Callable[[], Any]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return call()
    except (TypeError, ValueError, OverflowError) as error:
        return next(
            kind for kind in (TypeError, OverflowError, ValueError) if isinstance(error, kind)
        )


@pytest.mark.filterwarnings("ignore:Passing more than 2 positional:DeprecationWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
@pytest.mark.parametrize("place", PLACES)
def test_two_operands(place: str, dtype: str, way: str) -> None:
    for name in FUNCTIONS:
        memory = [VALUES.astype(dtype), VALUES[::-1].astype(dtype)]
        ours = [from_numpy(each) for each in memory]
        before = ours[0] + ours[1]  # reads what is overwritten
        expected_before = memory[0] + memory[1]
        a, b, out = PLACES[place](*memory)
        expected = outcome(lambda: WAYS[way](getattr(np, name), a, b, out))
        c, d, target = PLACES[place](*ours)
        found = outcome(lambda: WAYS[way](getattr(cp, name), c, d, target))
        if isinstance(expected, type):
            # Of two errors either is told.
            assert found is expected or (
                place == "a smaller output" and found in (TypeError, ValueError)
            )
        elif not IS_NUMPY:
            assert found is target, name
        for mine, theirs in zip(ours, memory, strict=True):
            np.testing.assert_array_equal(to_numpy(mine), theirs, name)
        np.testing.assert_array_equal(to_numpy(before), expected_before, name)


@pytest.mark.parametrize("name", ["sqrt", "negative", "exp", "isnan", "absolute"])
@pytest.mark.parametrize("place", ["apart", "the first operand", "a part of an operand, later"])
def test_one_operand(name: str, place: str) -> None:
    memory = [VALUES.astype(float), VALUES[::-1].astype(float)]
    ours = [from_numpy(each) for each in memory]
    a, _, out = PLACES[place](*memory)
    b, _, target = PLACES[place](*ours)
    expected = outcome(lambda: getattr(np, name)(a, out=out))
    found = outcome(lambda: getattr(cp, name)(b, out=target))
    assert isinstance(expected, type) == isinstance(found, type)
    for mine, theirs in zip(ours, memory, strict=True):
        np.testing.assert_allclose(to_numpy(mine), theirs, rtol=1e-15)


def test_outputs_that_may_not_be_written() -> None:
    a, b = from_numpy(VALUES.astype(float)), from_numpy(VALUES.astype(float))
    out = cp.broadcast_to(from_numpy(np.zeros(1)), (24,))
    with pytest.raises(ValueError, match="read-only"):
        cp.add(a, b, out=out)
    with pytest.raises(TypeError):
        cp.add(a, b, out=VALUES.tolist())
    with pytest.raises(TypeError):
        cp.add(a, out=a)


def test_an_output_that_waits() -> None:
    a = from_numpy(VALUES.astype(float))
    out = (a + 1) * 2
    above = out + 1
    assert cp.add(a, a, out=out) is out
    np.testing.assert_array_equal(to_numpy(out), VALUES * 2.0)
    np.testing.assert_array_equal(to_numpy(above), (VALUES + 1) * 2.0 + 1)


@pytest.mark.cupola_only
def test_loops_over_arrays() -> None:
    host = VALUES.reshape(4, 6)
    rows = from_numpy(host)
    np.testing.assert_array_equal(np.stack([to_numpy(row) for row in rows]), host)
    assert [int(each) for each in rows[0]] == host[0].tolist()
    elements = iter(rows)
    assert type(elements).__module__ == "cupola._cupola"  # Python 3.12 warns of classes without
    assert elements.__length_hint__() == 4
    next(elements)
    assert elements.__length_hint__() == 3
    assert len(list(elements)) == 3
    assert next(elements, None) is None
    assert list(rows[:0]) == []
    first, *_, last = rows[1]
    assert (int(first), int(last)) == (host[1, 0], host[1, -1])
    with pytest.raises(TypeError):
        iter(rows[0, 0])


def test_an_array_is_asked_for() -> None:
    def results(xp: Any) -> list[Any]:
        a = xp.arange(6).reshape(2, 3)
        found = [xp.add(1, 2, out=...), xp.multiply(a, a, out=...), xp.add.reduce(a, out=...)]
        found += [*xp.divmod(a, 4, out=...), xp.add.accumulate(a, out=...)]
        return [*found, xp.subtract.outer(a, a, out=...), xp.matmul(a, a.T, out=...)]

    agree(results)
    for out in ((...,), (..., ...)):
        for xp in (cp, np):
            with pytest.raises((TypeError, ValueError)):
                xp.add(xp.arange(2), 1, out=out)
