"""einsum in the common dtype of its operands, and texts that do not fit them."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree

DTYPES = ["?", "i1", "u1", "i8", "f2", "f4", "c8"]


@pytest.mark.parametrize("second", DTYPES)
@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("text", ["ij,jk->", "ij,jk->ik", "ij,kl->", "ii,j->j", "ij,ij->i"])
def test_mixed_dtypes_are_promoted_first(text: str, first: str, second: str) -> None:
    """Traces, sums over labels of one operand, and products by matmul and without."""
    left = np.full((4, 4), 100).astype(first)
    right = np.full((4,) if text.startswith("ii") else (4, 4), 3).astype(second)

    def run(xp: Any, a: Any, b: Any) -> Any:
        return xp.einsum(text, a, b)

    tolerance = Tolerance(2) if "f2" in (first, second) else Tolerance()
    agree(run, left, right, tolerance=tolerance)


def test_long_sums_of_mixed_operands() -> None:
    def run(xp: Any) -> list[Any]:
        ones = xp.ones((1, 1), "i8")
        return [
            xp.einsum("ij,jk->", xp.full((10, 1), 100, "i1"), ones),
            xp.einsum("ij,jk->", xp.ones((10, 1), "?"), ones),
            xp.einsum("ij,jk->", xp.full((10, 1), 30000, "f2"), xp.ones((1, 1), "f8")),
            xp.einsum("i,i,i->", *(xp.full(9, n, t) for n, t in ((9, "i1"), (9, "u1"), (9, "i8")))),
        ]

    agree(run)


@pytest.mark.parametrize("second", ["?", "i1", "f2"])
@pytest.mark.parametrize("text", ["i,j->j", "i,j->", "ij,jk->i", "ij,kj->k", "i,i,j->j"])
def test_halves_overflow_at_the_end(text: str, second: str) -> None:
    """A sum beyond their range, times zero, is zero."""
    terms = text.partition("->")[0].split(",")
    first = np.full((3,) * len(terms[0]), 60000, "f2")
    others = [np.full((3,) * len(term), [1, 0, 0]).astype(second) for term in terms[1:]]
    agree(lambda xp, *arrays: xp.einsum(text, *arrays), first, *others)


@pytest.mark.parametrize("text", ["", "i,i->", "ii->i"])
def test_rules_of_casting_that_there_are(text: str) -> None:
    for xp in (np, cp):
        operands = {"": [0], "i,i->": [xp.ones(2)] * 2, "ii->i": [xp.ones((2, 2))]}[text]
        with pytest.raises(ValueError, match="casting must be one of"):
            xp.einsum(text, *operands, casting="any")


def test_the_diagonal_of_halves_is_a_view() -> None:
    a = cp.ones((3, 3), "f2")
    assert cp.shares_memory(a, cp.einsum("ii->i", a))


@pytest.mark.parametrize("text", ["ii->i", "ij->ji", "ij", "ji", "...", "jk->jk"])
def test_views_are_views_whatever_is_asked(text: str) -> None:
    a = from_numpy(np.arange(9).reshape(3, 3).astype("i2"))
    for options in ({"dtype": "f4"}, {"dtype": "i1"}, {"order": "F"}, {"optimize": False}):
        view = cp.einsum(text, a, **options)
        assert view.dtype == a.dtype
        assert view.base is a
        agree(lambda xp, x, options=options: xp.einsum(text, x, **options), to_numpy(a))
    assert not cp.shares_memory(cp.einsum("ij->i", a, dtype="i2"), a)


@pytest.mark.parametrize("casting", ["safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("dtype", [None, "i4", "f4", "f8"])
@pytest.mark.parametrize("out", ["i1", "i8", "f4", "c16"])
@pytest.mark.parametrize("own", ["i1", "i8", "f8"])
def test_outputs_take_part_in_the_dtype(own: str, out: str, dtype: Any, casting: str) -> None:
    def run(xp: Any, a: Any) -> Any:
        target = xp.zeros(2, out)
        return xp.einsum("ij->i", a, out=target, dtype=dtype, casting=casting)

    agree(run, np.full((2, 40), 100).astype(own))


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("ii", [(1, 3)]),
        ("ii->i", [(3, 1)]),
        ("...->", [(1, 3)]),
        ("...->", [()]),
        ("i...->i", [(2,)]),
        ("i...->i", [(2, 3)]),
        ("......", [(1, 3)]),
        ("...i...", [(1, 3)]),
        ("...->......", [(1, 3)]),
        ("i.i", [(3, 3)]),
        ("ij,jk", [(2, 1), (3, 2)]),
        ("i,i", [(1,), (3,)]),
        ("", [()]),
        ("->", [()]),
        (",", [(), ()]),
    ],
)
def test_texts_and_shapes(text: str, shapes: list[Any]) -> None:
    agree(lambda xp: xp.einsum(text, *(xp.ones(shape) for shape in shapes)))


def test_numbers_as_operands() -> None:
    agree(lambda xp: xp.einsum("", 2.0))
    agree(lambda xp: xp.einsum("i,->i", xp.asarray([1, 2]), 3.0))


@pytest.mark.parametrize("labels", [[0, 26], [26, 0], [0, 52], [-1, 0], [51, 25]])
def test_numbered_labels(labels: list[int]) -> None:
    agree(lambda xp, a: xp.einsum(a, labels), np.arange(6).reshape(2, 3))


def test_an_output_of_another_shape_is_refused() -> None:
    for shape in ((4, 2), (3,), (1, 2)):
        with pytest.raises(ValueError):
            cp.einsum("ij->i", cp.ones((2, 3)), out=cp.zeros(shape))
