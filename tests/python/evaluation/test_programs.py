"""Random programs over arrays that alias one another, against the same program in NumPy.

A program is a list of steps; each names arrays by number. Views, in-place writes, out=, masks and
fresh results mix freely. All values are integers or exact in floating point, so that every
element of every array must agree at the end.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from cupola_under_test import IS_NUMPY, cp, from_numpy, to_numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare import assert_same
from support.indices import AnyIndex, advanced_indices, basic_indices
from support.samples import small_values

MORE = settings(max_examples=settings().max_examples * 3)
MOST_ELEMENTS = 4096
LIMIT = 1e6


@dataclass
class Step:
    """`run(module, arrays, to_native)` does it; the text says what it does."""

    text: str
    run: Callable[[Any, list[Any], bool], Any]


def writable(arrays: list[np.ndarray]) -> list[int]:
    return [i for i, a in enumerate(arrays) if a.flags.writeable]


def pick(draw: Any, numbers: list[int]) -> int:
    return draw(st.sampled_from(numbers))


@st.composite
def view_steps(draw: Any, arrays: list[np.ndarray]) -> Step:
    """A new view of an array."""
    i = pick(draw, list(range(len(arrays))))
    kind = draw(st.sampled_from(["index", "index", "transpose", "reshape", "broadcast", "swap"]))
    if kind == "index":
        index = draw(basic_indices(arrays[i].shape))
        if not any(term is Ellipsis for term in index):
            index = (*index, Ellipsis)  # for NumPy, a view of rank 0 instead of a scalar
        return Step(f"a{i}[{index}]", lambda xp, a, _: a[i][index])
    if kind == "transpose":
        return Step(f"a{i}.T", lambda xp, a, _: a[i].T)
    if kind == "reshape":
        return Step(f"a{i}.reshape(-1)", lambda xp, a, _: a[i].reshape(-1))
    if kind == "broadcast":
        shape = (2, *arrays[i].shape)
        return Step(f"broadcast_to(a{i}, {shape})", lambda xp, a, _: xp.broadcast_to(a[i], shape))
    if arrays[i].ndim < 2:
        return Step(f"a{i}[None]", lambda xp, a, _: a[i][None])
    return Step(f"a{i}.swapaxes(0, -1)", lambda xp, a, _: a[i].swapaxes(0, -1))


@st.composite
def fresh_steps(draw: Any, arrays: list[np.ndarray]) -> Step:
    """A new array from old ones."""
    i, j = (pick(draw, list(range(len(arrays)))) for _ in range(2))
    kind = draw(st.sampled_from(["add", "less", "where", "copy", "cast", "sum", "max", "gather"]))
    if kind == "gather":
        index = AnyIndex(draw(advanced_indices(arrays[i].shape)))
        return Step(
            f"a{i}{index}.copy()",
            lambda xp, a, numpys: a[i][index.in_numpy() if numpys else index.under_test()].copy(),
        )
    if kind == "cast":
        dtype = draw(st.sampled_from([np.int32, np.float64]))
        return Step(f"a{i}.astype({dtype})", lambda xp, a, _: a[i].astype(dtype))
    axis = draw(st.sampled_from([None, 0, -1]))
    if arrays[i].ndim == 0:
        axis = None
    steps: dict[str, Callable[[Any, list, bool], Any]] = {
        "add": lambda xp, a, _: xp.minimum(a[i] + a[j], 1000),
        "less": lambda xp, a, _: (a[i] < a[j]) * 2,
        "where": lambda xp, a, _: xp.where(a[i] > 0, a[i], a[j]),
        "copy": lambda xp, a, _: a[i].copy(),
        "sum": lambda xp, a, _: a[i].sum(axis=axis, dtype=np.int64),
        "max": lambda xp, a, _: a[i].max(axis=axis, initial=-5),
    }
    return Step(f"{kind}(a{i}, a{j}, {axis})", steps[kind])


@st.composite
def write_steps(draw: Any, arrays: list[np.ndarray]) -> Step:
    """A write to an array that others may be views of; gives nothing."""
    targets = writable(arrays)
    i = pick(draw, targets)
    j = pick(draw, list(range(len(arrays))))
    kind = draw(st.sampled_from(["iadd", "assign", "fill", "out", "mask", "set", "imax", "where"]))
    if kind == "set":
        index = AnyIndex(draw(advanced_indices(arrays[i].shape)))
        value = draw(st.integers(-9, 9))

        def put(xp: Any, a: list, numpys: bool) -> None:
            a[i][index.in_numpy() if numpys else index.under_test()] = value

        return Step(f"a{i}{index} = {value}", put)
    if kind == "fill":
        index = draw(basic_indices(arrays[i].shape))
        value = draw(st.integers(-9, 9))
        return Step(f"a{i}[{index}] = {value}", lambda xp, a, _: assign(a[i], index, value))
    if kind == "mask":
        return Step(f"a{i}[a{i} > 2] -= 3", lambda xp, a, _: subtract_masked(a[i]))
    steps: dict[str, Callable[[Any, list, bool], Any]] = {
        "iadd": lambda xp, a, _: xp.add(a[i], a[j], out=a[i], casting="unsafe"),
        "assign": lambda xp, a, _: assign(a[i], ..., a[j]),
        "out": lambda xp, a, _: xp.subtract(a[j], a[i], out=a[i], casting="unsafe"),
        "imax": lambda xp, a, _: xp.maximum(a[i], a[j], out=a[i], casting="unsafe"),
        "where": lambda xp, a, _: xp.negative(a[i], out=a[i], where=a[i] > 1),
    }
    step = steps[kind]

    def without_result(xp: Any, a: list, numpys: bool) -> None:
        step(xp, a, numpys)

    return Step(f"{kind}: a{i} by a{j}", without_result)


def assign(array: Any, index: Any, value: Any) -> None:
    array[index] = value


def subtract_masked(array: Any) -> None:
    array[array > 2] -= 3


def keeps_small(array: Any) -> bool:
    """Within bounds, so that floating-point results stay exact integers."""
    return array.size <= MOST_ELEMENTS and (array.size == 0 or np.abs(array).max() < LIMIT)


def try_step(step: Step, module: Any, arrays: list[Any], numpys: bool) -> Exception | None:
    """Runs a step; its result joins the arrays."""
    try:
        result = step.run(module, arrays, numpys)
    except (ValueError, TypeError, IndexError) as error:
        return error
    if result is not None:
        arrays.append(np.asarray(result) if numpys or IS_NUMPY else result)
    return None


@MORE
@given(st.data())
def test_programs(data: st.DataObject) -> None:
    shapes = [(6,), (4, 5), (3, 1, 4)]
    dtypes = [np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.int32)]
    numpys = [small_values(t, s, i) for i, (t, s) in enumerate(zip(dtypes, shapes, strict=True))]
    mine = [from_numpy(a) for a in numpys]
    text = []
    for _ in range(data.draw(st.integers(1, int(os.environ.get("CUPOLA_TEST_STEPS", "14"))))):
        kinds = st.one_of(view_steps(numpys), fresh_steps(numpys), write_steps(numpys))
        step = data.draw(kinds)
        text.append(step.text)
        expected_error = try_step(step, np, numpys, True)
        error = try_step(step, cp, mine, False)
        program = "; ".join(text)
        assert (error is None) == (expected_error is None), f"{program}: {error!r}, NumPy: " + repr(
            expected_error
        )
        if not all(keeps_small(a) for a in numpys):
            break
    for number, (expected, actual) in enumerate(zip(numpys, mine, strict=True)):
        assert_same(actual, expected, what=f"a{number} after {'; '.join(text)}")


def test_long_chain_of_views_and_writes() -> None:
    """A fixed program with many pending values and writes between them."""

    def run(xp: Any, a: Any) -> Any:
        kept = []
        for i in range(40):
            kept.append(a[::-1] + i)
            a[i % 4] += kept[-1][i % 3]
            if i % 5 == 0:
                a[...] = xp.minimum(a.T[:, :4].T[:, : a.shape[1]], 50)
        return xp.stack(kept).sum(axis=0), a

    start = small_values(np.dtype(np.int64), (4, 4), 1)
    expected = run(np, start.copy())
    actual = run(cp, from_numpy(start))
    assert_same(tuple(to_numpy(a) for a in actual), expected)
