"""signature= of ufuncs: the types of the computation, operand by operand."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree

A = np.array([0.25, -1.5, 3.0])
COUNTS = np.arange(3)

SIGNATURES: list[Any] = [
    "dd->d",
    "ff->f",
    b"ff->f",
    "DD->D",
    "qq->q",
    "ii->i",
    (None, None, "f"),
    ("f", None, None),
    ("f", None, "f"),
    ("D", None, None),
    (None, "f4", None),
    (None, None, None),
    ("d", np.float64, float),
    (np.dtype("f4"), "f4", np.float32),
    ("i4", "i4", "f8"),
]
MALFORMED: list[Any] = [
    "d",
    "dd",
    "d->d",
    "dd->dd",
    "xx->x",
    b"d",
    b"dd->\xff",
    ("f",),
    ("d", "d"),
    ["d"] * 3,
    123,
]


@pytest.mark.parametrize("casting", ["safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_types_of_the_computation(signature: Any, casting: Any) -> None:
    for host in (A, COUNTS, A.astype(np.float32)):
        agree(lambda xp, x: xp.add(x, x, signature=signature, casting=casting), host)
        agree(lambda xp, x: xp.add(x, 1, signature=signature, casting=casting), host)
        agree(lambda xp, x: xp.add(1.5, x, signature=signature, casting=casting), host)


@pytest.mark.parametrize("signature", MALFORMED, ids=str)
def test_malformed_signatures_are_refused(signature: Any) -> None:
    agree(lambda xp, x: xp.add(x, x, signature=signature), A)


def test_operands_that_are_not_fixed_fit_the_loop() -> None:
    agree(lambda xp, x: xp.less(x, 1, signature=("f", None, None)), A)
    agree(lambda xp, x: xp.less(x, 1, signature=(None, None, "?")), A)
    agree(lambda xp, x, n: xp.ldexp(x, n, signature=("f", None, None)), A, COUNTS)
    agree(lambda xp, x, n: xp.ldexp(x, n, signature="dl->d"), A, COUNTS)
    agree(lambda xp, x: xp.divmod(x, 1, signature="ff->ff"), A)
    agree(lambda xp, x: xp.divmod(x, 1, signature=(None, None, "f", "d")), A)
    agree(lambda xp, x: xp.divmod(x, 1, signature=(None, None, "f", None)), A)
    agree(lambda xp, x, n: xp.ldexp(x, n, signature=(None, "i", None), casting="unsafe"), A, COUNTS)
    agree(lambda xp, x: xp.sin(x, signature="f->f"), A)


def test_python_numbers_are_converted_by_the_fixed_type() -> None:
    for number in (True, 2, 1.5, 1j, float("nan"), float("inf")):
        for code in "bid":
            agree(
                lambda xp, n, v, s: xp.add(n, v, signature=s), COUNTS, number, f"{code * 2}->{code}"
            )


def test_other_arguments_beside_it() -> None:
    agree(lambda xp, x: xp.add(x, 1, sig="ff->f"), A)
    agree(lambda xp, x: xp.add(x, 1, sig="ff->f", signature="ff->f"), A)
    agree(lambda xp, x: xp.add(x, 1, signature="dd->d", dtype="d"), A)
    agree(lambda xp, x: xp.add(x, 1, signature="ff->f", out=xp.zeros(3)), A)
    agree(lambda xp, x: xp.add.outer(x, x, signature="ff->f"), A)
    agree(lambda xp, x: xp.add.outer(x, x, signature="ff->f", dtype="f"), A)


def test_reductions_of_ufuncs_of_two_types_are_refused() -> None:
    agree(lambda xp, x: xp.ldexp.reduce(x), A)
    agree(lambda xp, x: xp.ldexp.accumulate(x), A)
    agree(lambda xp, x: xp.ldexp.reduceat(x, [0]), A)
