"""Warnings of NumPy's that need no look at an element: lost imaginary parts, means of nothing."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp

Program = Callable[[Any, Any], Any]


def complex_numbers(xp: Any) -> Any:
    return xp.asarray([1 + 1j, 2, 3])


def warned(program: Program, xp: Any) -> set[tuple[type[Warning], str]]:
    """Without those of the divisions themselves, which are not looked for."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        program(xp, complex_numbers(xp))
    texts = {(each.category, str(each.message)) for each in found}
    return {(kind, text) for kind, text in texts if "encountered in" not in text}


LOSSES: dict[str, Program] = {
    "set all": lambda xp, c: xp.ones(3).__setitem__(slice(None), c),
    "set by mask": lambda xp, c: xp.ones(3).__setitem__(xp.asarray([True, False, True]), c[:2]),
    "set by indices": lambda xp, c: xp.ones(3).__setitem__(xp.asarray([0, 1]), c[:2]),
    "set an element": lambda xp, c: xp.ones(3).__setitem__(0, np.complex64(1j)),
    "set flat": lambda xp, c: xp.ones(3).flat.__setitem__(0, c[0]),
    "copyto": lambda xp, c: xp.copyto(xp.ones(3), c, casting="unsafe"),
    "put": lambda xp, c: xp.put(xp.ones(3), [0], c[:1]),
    "astype": lambda xp, c: c.astype(np.float32),
    "array": lambda xp, c: xp.array(c, dtype=np.float64),
    "asarray": lambda xp, c: xp.asarray(c, dtype=np.float64),
    "full_like": lambda xp, c: xp.full_like(xp.ones(3), 1j),
    "sum": lambda xp, c: xp.sum(c, dtype=np.float64),
    "mean": lambda xp, c: c.mean(dtype=np.float64),
    "sum to": lambda xp, c: xp.sum(c, out=xp.zeros(())),
    "prod to": lambda xp, c: xp.prod(c, out=xp.zeros(())),
    "mean to": lambda xp, c: xp.mean(c, out=xp.zeros(())),
    "cumsum": lambda xp, c: xp.cumsum(c, dtype=np.float64),
    "cumsum to": lambda xp, c: xp.cumsum(c, out=xp.zeros(3)),
    "concatenate": lambda xp, c: xp.concatenate([c, c], dtype=np.float64, casting="unsafe"),
    "stack": lambda xp, c: xp.stack([c, c], out=xp.zeros((2, 3)), casting="unsafe"),
}


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_lost_imaginary_parts(name: str) -> None:
    found = warned(LOSSES[name], cp)
    assert found == warned(LOSSES[name], np)
    assert {kind for kind, _ in found} == {np.exceptions.ComplexWarning}


KEPT: dict[str, Program] = {
    "complex": lambda xp, c: xp.ones(3, complex).__setitem__(slice(None), c),
    "real": lambda xp, c: xp.ones(3).__setitem__(slice(None), xp.arange(3)),
    "truth": lambda xp, c: c.astype(bool),
    "sum": lambda xp, c: xp.sum(c),
    "all": lambda xp, c: xp.all(c, out=xp.zeros((), bool)),
    "var": lambda xp, c: xp.var(c, out=xp.zeros(())),
    "means of some": lambda xp, c: xp.mean(xp.zeros((3, 0)), axis=0),
    "of one": lambda xp, c: xp.var(xp.ones(1)),
    "where": lambda xp, c: xp.var(xp.ones(3), ddof=1, where=xp.asarray([True, True, False])),
}


@pytest.mark.parametrize("name", sorted(KEPT))
def test_nothing_to_warn_of(name: str) -> None:
    assert warned(KEPT[name], cp) == warned(KEPT[name], np) == set()


EMPTY: dict[str, Program] = {
    "mean": lambda xp, c: xp.mean(xp.zeros(0)),
    "mean of rows": lambda xp, c: xp.mean(xp.zeros((3, 0)), axis=1),
    "mean of integers": lambda xp, c: xp.zeros((0, 2), int).mean(axis=0),
    "nanmean": lambda xp, c: xp.nanmean(xp.zeros(0)),
    "average": lambda xp, c: xp.average(xp.zeros(0)),
    "median": lambda xp, c: xp.median(xp.zeros((2, 0)), axis=1),
    "var": lambda xp, c: xp.var(xp.zeros(0)),
    "std": lambda xp, c: xp.std(xp.ones(1), ddof=1),
    "var of rows": lambda xp, c: xp.ones((2, 3)).var(axis=0, ddof=2),
    "correction": lambda xp, c: xp.var(xp.ones(2), correction=5),
    "nanvar": lambda xp, c: xp.nanvar(xp.ones(2), ddof=3),
    "nanstd of integers": lambda xp, c: xp.nanstd(xp.ones(2, int), ddof=2),
}


@pytest.mark.parametrize("name", sorted(EMPTY))
def test_of_too_few_elements(name: str) -> None:
    found = warned(EMPTY[name], cp)
    assert found == warned(EMPTY[name], np)
    assert {kind for kind, _ in found} == {RuntimeWarning}


@pytest.mark.parametrize(("rtol", "atol"), [(np.nan, 1e-8), (np.inf, 0.0), (1e-5, np.nan)])
def test_tolerances_that_are_none(rtol: float, atol: float) -> None:
    for xp in (np, cp):
        with pytest.warns(RuntimeWarning, match="One of rtol or atol is not valid"):
            xp.isclose(xp.ones(2), xp.ones(2), rtol, atol)


def test_an_error_where_warnings_are_errors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a = cp.ones(3)
        with pytest.raises(np.exceptions.ComplexWarning):
            a[:] = complex_numbers(cp)
        assert a.tolist() == [1.0, 1.0, 1.0]
        with pytest.raises(RuntimeWarning, match="Mean of empty slice"):
            cp.mean(cp.zeros(0))


def test_histograms_of_truth_values() -> None:
    for xp in (np, cp):
        with pytest.warns(RuntimeWarning, match="Converting input from bool to"):
            counts, _ = xp.histogram(xp.asarray([True, False, True]))
        assert counts.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
