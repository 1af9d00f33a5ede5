"""Roots of polynomials and series, and polynomials of roots."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree

BASES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
}
CLASSES = ["Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre"]
NEAR = {"f4": Tolerance(0, 1e-3), "f8": Tolerance(0, 1e-8), "c16": Tolerance(0, 1e-8)}
NEAR |= {"i4": NEAR["f8"]}
SERIES = [[2, -3, 1], [1, 0, 4, 1, 2], [1, 2], [3], [0, 0, 1, 2, 0]]


def ordered(roots: Any) -> np.ndarray:
    """Roots in an order that rounding does not change."""
    found = to_numpy(roots)
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":  # real roots of some bases are complex
        found = found.astype(np.result_type(found, np.complex64))
    return found[np.lexsort((found.imag.round(6), found.real.round(6)))]


@pytest.mark.parametrize("module", BASES)
@pytest.mark.parametrize("dtype", NEAR)
def test_of_series(module: str, dtype: str) -> None:
    def found(xp: Any, *series: Any) -> list[Any]:
        roots = getattr(getattr(xp.polynomial, module), BASES[module] + "roots")
        return [ordered(roots(each)) for each in series]

    agree(found, *(np.array(each, dtype) for each in SERIES), tolerance=NEAR[dtype])


@pytest.mark.parametrize("name", CLASSES)
def test_of_classes(name: str) -> None:
    def found(xp: Any, c: Any) -> Any:
        return ordered(getattr(xp.polynomial, name)(c, [0, 4]).roots())

    agree(found, np.array([2.0, -3, 1]), tolerance=NEAR["f8"])


@pytest.mark.cupola_only
@pytest.mark.parametrize("dtype", NEAR)
def test_of_coefficients_from_the_highest_degree(dtype: str) -> None:
    def found(xp: Any, *coefficients: Any) -> list[Any]:
        return [ordered(xp.roots(each)) for each in coefficients]

    cases = [[1, -3, 2], [0, 0, 1, -3, 2, 0, 0], [1, 0, 1], [0, 0], [3], [], [2, 0, 0]]
    agree(found, *(np.array(each, dtype) for each in cases), tolerance=NEAR[dtype])
    agree(lambda xp, p: xp.roots(p), np.ones((2, 2)))
    for text in ("", "x", [""]):
        with pytest.raises(TypeError, match="arrays hold"):
            cp.roots(text)
    agree(lambda xp: ordered(xp.poly1d([1, -3, 2]).roots), tolerance=NEAR["f8"])
    agree(lambda xp: ordered(xp.poly1d([1, -3, 2]).r), tolerance=NEAR["f8"])


def test_polynomials_of_roots_and_matrices() -> None:
    def found(xp: Any, *given: Any) -> list[Any]:
        return [xp.poly(each) for each in given]

    rng = np.random.default_rng(1)
    conjugates = np.array([1 + 2j, 1 - 2j, 3])
    cases = [np.arange(4), rng.random(3).astype("f4"), conjugates, conjugates[:1], np.zeros(0)]
    agree(found, *cases, rng.random((3, 3)), np.diag([1.0, 2, 3]), tolerance=Tolerance(0, 1e-6))
    agree(found, np.ones((2, 3)))
    agree(found, np.ones((1, 2, 2)))


@pytest.mark.cupola_only
def test_roots_lie_where_the_coefficients_do() -> None:
    for device in cp.all_devices()[-1:]:
        found = cp.roots(cp.asarray([1.0, -3, 2], device=device))
        assert found.device == device
    assert isinstance(cp.roots([1, 0]), cp.ndarray)
    assert isinstance(cp.polynomial.polynomial.polyroots(from_numpy(np.ones(3))), cp.ndarray)


def test_roots_lie_side_by_side() -> None:
    assert cp.roots([2, 8, 5]).strides == np.roots([2, 8, 5]).strides
