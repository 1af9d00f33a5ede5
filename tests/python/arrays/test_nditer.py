"""`nditer` and `flatiter` beside NumPy's."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only


def laid_out(shape: tuple[int, ...]) -> Iterator[tuple[np.ndarray, Any]]:
    """Arrays of several layouts, and ours of the same."""
    host = np.arange(int(np.prod(shape)), dtype="f8").reshape(shape)
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a[..., ::-1].T):
        if shape:
            yield view(host), view(from_numpy(host))


def steps(module: Any, operands: list[Any], flags: list[str], order: str) -> list[Any]:
    it = module.nditer(operands, flags=flags, order=order)
    found = []
    for each in it:
        values = each if isinstance(each, tuple) else (each,)
        place = [it.multi_index] if "multi_index" in flags else []
        place += [it.index] if {"c_index", "f_index"} & set(flags) else []
        found.append([*(to_numpy(value).tolist() for value in values), *place])
    return found


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
@pytest.mark.parametrize("flag", ["", "multi_index", "c_index", "f_index", "external_loop"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 1, 3)])
def test_order_of_elements(shape: tuple[int, ...], flag: str, order: str) -> None:
    flags = [flag] if flag else []
    for host, ours in laid_out(shape):
        assert steps(cp, [ours], flags, order) == steps(np, [host], flags, order)
        row = np.arange(host.shape[-1])
        expected = steps(np, [host, row], flags, order)
        assert steps(cp, [ours, from_numpy(row)], flags, order) == expected


def test_elements_are_views() -> None:
    a = cp.zeros((2, 3))
    with cp.nditer(a, op_flags=["readwrite"], flags=["multi_index"]) as it:
        for x in it:
            x[...] = 10 * it.multi_index[0] + it.multi_index[1]
    assert a.tolist() == [[0, 1, 2], [10, 11, 12]]
    for x in cp.nditer(a):
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 1


def test_outputs_are_allocated() -> None:
    a = cp.arange(6).reshape(2, 3).T
    it = cp.nditer([a, None])
    for x, y in it:
        y[...] = 2 * x
    assert it.operands[1].dtype == a.dtype
    assert it.operands[1].strides == a.strides
    np.testing.assert_array_equal(to_numpy(it.operands[1]), 2 * to_numpy(a))


def test_outputs_are_reduced() -> None:
    a, total = cp.arange(6).reshape(2, 3), cp.zeros(3, int)
    flags = [["readonly"], ["readwrite"]]
    for x, y in cp.nditer([a, total], flags=["reduce_ok"], op_flags=flags):
        y[...] = y + x
    assert total.tolist() == [3, 5, 7]
    with pytest.raises(ValueError, match="reduce"):
        cp.nditer([a, total], op_flags=flags)


def test_casts_are_written_back() -> None:
    a = cp.arange(3)
    arguments: dict[str, Any] = {"op_flags": ["readwrite"], "op_dtypes": ["f8"]}
    with pytest.raises(TypeError, match="buffering"):
        cp.nditer(a, **arguments)
    with pytest.raises(TypeError, match="safe"):
        cp.nditer(a, flags=["buffered"], **arguments)
    with cp.nditer(a, flags=["buffered"], casting="unsafe", **arguments) as it:
        assert it.dtypes == (np.dtype("f8"),)
        for x in it:
            x[...] = x * 2.6
    assert a.tolist() == [0, 2, 5]
    pair = cp.nditer([cp.ones(2, "i4"), cp.ones(2)], flags=["common_dtype", "buffered"])
    assert pair.dtypes == (np.dtype("f8"),) * 2


def test_axes_of_operands() -> None:
    a, b = np.arange(2), np.arange(3)
    axes = [[0, -1], [-1, 0]]
    expected = [(int(x), int(y)) for x, y in np.nditer([a, b], op_axes=axes)]
    found = cp.nditer([from_numpy(a), from_numpy(b)], op_axes=axes)
    assert [(int(x), int(y)) for x, y in found] == expected
    assert cp.nditer(cp.ones(3), itershape=(2, 3)).itersize == 6


def test_position() -> None:
    it = cp.nditer(cp.arange(3))
    assert (len(it), it.nop, it.itersize, it.finished) == (1, 1, 3, False)
    assert int(next(it)) == 0
    assert int(it.value) == 0
    assert it.iternext()
    assert int(it[0]) == 1
    it.reset()
    assert [int(x) for x in it] == [0, 1, 2]
    assert it.finished
    with pytest.raises(ValueError, match="past the end"):
        _ = it.value


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"flags": ["nosuch"]}, ValueError),
        ({"op_flags": ["nosuch"]}, ValueError),
        ({"op_flags": ["readonly", "writeonly"]}, ValueError),
        ({"op_flags": ["copy"]}, ValueError),
        ({"order": "X"}, ValueError),
        ({"flags": ["external_loop", "multi_index"]}, ValueError),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception]) -> None:
    for module in (np, cp):
        with pytest.raises(error):
            module.nditer(module.ones(3), **arguments)


def test_operands_without_elements() -> None:
    with pytest.raises(ValueError, match="zero-sized"):
        cp.nditer(cp.ones((0, 3)))
    assert list(cp.nditer(cp.ones((0, 3)), flags=["zerosize_ok"])) == []
    with pytest.raises(ValueError, match="broadcast"):
        cp.nditer([cp.ones(2), cp.ones(3)])


def test_flat_iterators() -> None:
    host = np.arange(6).reshape(2, 3)
    one, other = from_numpy(host).flat, host.flat
    assert isinstance(one, cp.flatiter)
    for _ in range(5):
        assert (one.index, one.coords) == (other.index, other.coords)
        assert int(next(one)) == int(next(other))
