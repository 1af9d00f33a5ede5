"""Calls in which the library and NumPy once differed, found by the generator of random calls."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import Tolerance, agree

Case = Callable[[Any], Any]


def ones(xp: Any, shape: Any, dtype: str) -> Any:
    return xp.asarray(np.ones(shape, dtype))


EXACT: dict[str, Case] = {
    # Extents below 0 count as 0.
    "tri": lambda xp: [xp.tri(-2), xp.tri(3, -1), xp.tri(-1, 2), xp.tri(np.int64(-1), 3)],
    "tril_indices": lambda xp: [xp.tril_indices(-1), xp.tril_indices(2, 0, -3)],
    "triu_indices": lambda xp: [xp.triu_indices(-1, k=3), xp.triu_indices(2, 0, -3)],
    "rfftfreq": lambda xp: [xp.fft.rfftfreq(-1), xp.fft.rfftfreq(-4)],
    # A number of elements along several dimensions.
    "size": lambda xp: [xp.size(ones(xp, (2, 3, 4), "f4"), axis) for axis in ((0, -1), (), (1,))],
    "size twice": lambda xp: xp.size(ones(xp, (2, 3), "f4"), (0, 0)),
    "size beyond": lambda xp: xp.size(3, (0,)),
    # What Python's numbers weigh.
    "choose": lambda xp: xp.choose(xp.asarray([1, 0]), [ones(xp, 2, "c8"), 3]),
    "choose numbers": lambda xp: xp.choose(xp.asarray([1, 0]), [2.5, 3]),
    "insert": lambda xp: xp.insert(ones(xp, 3, "i1"), 1, 300),
    "insert lowest": lambda xp: xp.insert(ones(xp, 3, "i1"), 1, -(2**63)),
    "insert floats": lambda xp: xp.insert(ones(xp, 3, "i1"), [0, 2], [1.5, -2.5]),
    # No bounds where there is nothing.
    "partition nothing": lambda xp: xp.partition(ones(xp, (0, 2, 0), "f8"), 3),
    "argpartition a number": lambda xp: xp.argpartition(xp.asarray(np.array(4)), [0, -1]),
    "argpartition beyond": lambda xp: xp.argpartition(xp.asarray(np.array(4)), 1),
    "put nowhere": lambda xp: ones(xp, 0, "f4").put([0], [1.0]),
    "put nothing": lambda xp: ones(xp, 0, "f4").put([], [1.0]),
    # Which error.
    "partition kind": lambda xp: xp.partition(ones(xp, 3, "f4"), 0, kind=3),
    "sort kind": lambda xp: xp.sort(ones(xp, 3, "f4"), kind=3, stable=True),
    "tensordot beyond": lambda xp: xp.tensordot(ones(xp, 3, "f4"), ones(xp, (1, 2), "f4")),
    "tensordot extents": lambda xp: xp.tensordot(ones(xp, (3, 2), "f4"), ones(xp, (3, 2), "f4")),
    "tensordot twice": lambda xp: xp.tensordot(
        ones(xp, (3, 3), "f4"), ones(xp, (3, 3), "f4"), ((0, 0), (0, 1))
    ),
    "tensordot outer": lambda xp: xp.tensordot(ones(xp, 3, "f4"), ones(xp, 2, "f4"), 0),
    "array_split": lambda xp: xp.array_split(ones(xp, 3, "f4"), 10**30),
    "split at text": lambda xp: xp.split(ones(xp, 3, "f4"), "0"),
    "split at fractions": lambda xp: xp.split(ones(xp, 3, "f4"), [1.5]),
    "put where it is read-only": lambda xp: xp.broadcast_to(ones(xp, (), "f4"), (0,)).put(0, 1),
    "view as nothing": lambda xp: ones(xp, 4, "f4").view(type=np.float64),
    "view as text": lambda xp: ones(xp, 4, "f4").view(type="c8"),
    "nan_to_num": lambda xp: xp.nan_to_num([1.0], copy=False),
    "ptp": lambda xp: xp.ptp(ones(xp, (3, 3), "i8"), out=xp.asarray([[3], [-1]])),
    "lstsq in half": lambda xp: xp.linalg.lstsq(ones(xp, (2, 2), "f4"), ones(xp, (2, 2), "f2")),
    "putmask of numbers": lambda xp: xp.putmask([1, 2], [True, False], 3),
    "putmask of nothing": lambda xp: xp.putmask(
        xp.broadcast_to(ones(xp, (), "f4"), (3,)), xp.asarray([False] * 3), 2.0
    ),
    "roll far": lambda xp: [
        xp.roll(xp.arange(5), 10**30 + 1),
        xp.roll(xp.arange(5), -(2**64)),
        xp.roll(xp.arange(6).reshape(2, 3), (2**62, 4), (0, 1)),
        xp.roll(ones(xp, (0, 3), "f4"), 10**30),
    ],
    # Memory order.
    "imag": lambda xp: xp.imag(ones(xp, (3, 5), "i8").T).strides,
    "isreal": lambda xp: xp.isreal(ones(xp, (3, 5), "i8").T).strides,
}


@pytest.mark.parametrize("case", EXACT)
def test_as_numpy(case: str) -> None:
    agree(EXACT[case], tolerance=Tolerance())


@pytest.mark.parametrize("second", ["u1", "i8", "f2", "f4", "c8"])
@pytest.mark.parametrize("first", ["?", "i1", "f2", "f4", "f8", "c8"])
def test_types_between_numbers(first: str, second: str) -> None:
    """What lies between two arrays has their common type, or float64."""
    for name in ("linspace", "logspace", "geomspace"):
        agree(
            lambda xp, name=name: [
                getattr(xp, name)(ones(xp, 2, first), ones(xp, 2, second), 3),
                getattr(xp, name)(ones(xp, 2, first), 1.0, 3),
                getattr(xp, name)(1, ones(xp, 2, second), 3),
            ],
            what=f"{name} {first} {second}",
        )


@pytest.mark.parametrize("rcond", [None, -1, 0, 1e-3, 0.9, 1, 3])
@pytest.mark.parametrize("dtypes", [("f4", "u4"), ("f8", "f8"), ("f4", "f4"), ("i4", "f4")])
def test_lstsq(dtypes: tuple[str, str], rcond: Any) -> None:
    a = np.array([[3, -1], [2, 5], [1, 1]]).astype(dtypes[0])
    b = np.array([[1, 2], [3, 4], [5, 7]]).astype(dtypes[1])
    tolerance = Tolerance(0, 1e-4 if "f4" in dtypes else 1e-12)
    agree(lambda xp, a, b: xp.linalg.lstsq(a, b, rcond), a, b, tolerance=tolerance)


def test_views_are_arrays() -> None:
    a = cp.asarray(np.ones(4, "f4"))
    assert a.view(type=cp.ndarray).dtype == np.float32
    assert a.view("i4", cp.ndarray).dtype == np.int32
