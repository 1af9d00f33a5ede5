"""Objects that `__new__` alone has made have nothing behind them, and say so."""

import operator

import pytest
from cupola_under_test import cp

pytestmark = pytest.mark.cupola_only


def leave_no_zeros() -> None:
    """In memory that new objects get."""
    for size in range(32, 512, 16):
        [b"\xff" * size for _ in range(200)]


def test_an_iterator_comes_from_an_array() -> None:
    with pytest.raises(TypeError, match="cannot create 'ArrayIterator' instances"):
        type(iter(cp.zeros(2))).__new__(type(iter(cp.zeros(2))))


USES = {
    "neg": operator.neg,
    "add": lambda a: a + 1,
    "add_to": lambda a: cp.ones(2) + a,
    "function": lambda a: cp.add(a, 1),
    "sum": cp.sum,
    "dot": lambda a: cp.dot(a, a),
    "method": lambda a: a.sum(),
    "len": len,
    "item": lambda a: a[0],
    "set_item": lambda a: a.__setitem__(0, 1),
    "compare": lambda a: a < 1,
    "float": float,
    "iter": iter,
    "shape": lambda a: a.shape,
    "buffer": memoryview,
    "concatenate": lambda a: cp.concatenate([a, a]),
}


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized")
@pytest.mark.parametrize("use", USES)
def test_an_array_that_was_not_made_has_no_elements(use: str) -> None:
    leave_no_zeros()
    for _ in range(8):
        with pytest.raises((TypeError, BufferError)):
            USES[use](cp.ndarray.__new__(cp.ndarray))


def test_no_function_stands_behind_an_object_that_was_not_made() -> None:
    leave_no_zeros()
    for _ in range(8):
        empty = cp.ufunc.__new__(cp.ufunc)
        with pytest.raises(TypeError):
            empty(cp.zeros(3), cp.zeros(3))
    with pytest.raises(TypeError):
        cp.ufunc()
