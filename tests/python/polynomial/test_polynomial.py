"""Series in six bases: functions and classes beside NumPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree, assert_same

BASES = {
    "polynomial": ("poly", "Polynomial"),
    "chebyshev": ("cheb", "Chebyshev"),
    "legendre": ("leg", "Legendre"),
    "hermite": ("herm", "Hermite"),
    "hermite_e": ("herme", "HermiteE"),
    "laguerre": ("lag", "Laguerre"),
}
NEAR = Tolerance(64, 1e-12)
FIRST, SECOND = np.array([1.0, -2.0, 0.5, 3.0]), np.array([2.0, 1.0, -1.0])


def functions(xp: Any, module: str) -> Any:
    """The functions of a module by the parts of their names behind the prefix."""
    found, prefix = getattr(xp.polynomial, module), BASES[module][0]
    return lambda name, *args, **kwargs: getattr(found, prefix + name)(*args, **kwargs)


@pytest.fixture(params=BASES)
def module(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_public_name(module: str) -> None:
    for name in getattr(np.polynomial, module).__all__:
        assert hasattr(getattr(cp.polynomial, module), name), name
    for name in np.polynomial.polyutils.__all__:
        assert hasattr(cp.polynomial.polyutils, name), name


@pytest.mark.parametrize("dtypes", ["f8 f8", "f4 f8", "f4 f4", "i4 f4", "i8 i8", "c8 f8"])
def test_algebra(module: str, dtypes: str) -> None:
    def all_of_them(xp: Any, a: Any, b: Any) -> list[Any]:
        call = functions(xp, module)
        found = [call(name, a, b) for name in ("add", "sub", "mul", "div")]
        found += [call("mulx", a), call("pow", b, 3), call("fromroots", b), call("companion", a)]
        found += [call("der", a), call("der", a, 2, 3), call("int", a, 2, [1, 2], 0.5, 2)]
        if module != "polynomial":
            p = BASES[module][0]
            functions_of = getattr(xp.polynomial, module)
            found += [call("2poly", a), getattr(functions_of, f"poly2{p}")(a)]
        return [*found, call("trim", a, 2), call("line", 1, 2)]

    first, second = dtypes.split()
    agree(all_of_them, FIRST.astype(first), SECOND.astype(second), tolerance=NEAR)


@pytest.mark.parametrize("dtype", ["i2", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)])
def test_values(module: str, dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    x = (rng.random(shape) * 4 - 2).astype(dtype)

    def values(xp: Any, x: Any, one: Any, many: Any, long: Any) -> list[Any]:
        call = functions(xp, module)
        found = [call("val", x, c) for c in (one, many, long, one[:1], one[:2])]
        found += [call("val", x, [1, 2.5, 3]), call("val", x, one, tensor=False)]
        return [*found, call("vander", x, 3), call("vander", x, 0)]

    many = rng.random((4, 2, 3))
    long = rng.random(9).astype("f4")
    agree(values, np.asarray(x), FIRST, many, long, tolerance=NEAR)


def test_values_where_extents_broadcast(module: str) -> None:
    def values(xp: Any, x: Any, c: Any) -> Any:
        return functions(xp, module)("val", x, c, tensor=False)

    rng = np.random.default_rng(4)
    agree(values, rng.random(3), rng.random((4, 2, 3)), tolerance=NEAR)
    agree(values, rng.random((2, 1)), rng.random((4, 2, 3)), tolerance=NEAR)
    agree(values, rng.random(3), rng.random((4, 2)), tolerance=NEAR)


def test_products_of_bases(module: str) -> None:
    def values(xp: Any, x: Any, y: Any, z: Any, c: Any) -> list[Any]:
        call = functions(xp, module)
        found = [call("val2d", x, y, c), call("grid2d", x, y, c), call("val3d", x, y, z, c)]
        found += [call("grid3d", x, y, z, c), call("vander2d", x, y, [2, 1])]
        return [*found, call("vander3d", x, y, z, [1, 0, 2])]

    rng = np.random.default_rng(5)
    x, y, z = rng.random((3, 4))
    agree(values, x, y, z, rng.random((3, 2, 2, 3)), tolerance=NEAR)
    agree(values, x, y[:3], z, rng.random((3, 2, 2, 3)), tolerance=NEAR)
    agree(values, x.astype("f4"), y, z.astype("f4"), rng.random((3, 2, 2)), tolerance=NEAR)


@pytest.mark.cupola_only
def test_points_of_any_number_of_coordinates(module: str) -> None:
    """NumPy has the function from version 2.5 on."""
    call = functions(cp, module)
    coordinates = [from_numpy(each) for each in np.random.default_rng(6).random((4, 5))]
    c = from_numpy(np.random.default_rng(7).random((3, 2, 2, 2, 3)))
    for number, name in ((2, "val2d"), (3, "val3d")):
        expected = to_numpy(call(name, *coordinates[:number], c))
        assert_same(call("valnd", coordinates[:number], c), expected)
    inner = call("val3d", *coordinates[:3], c)
    expected = to_numpy(call("val", coordinates[3], inner, tensor=False))
    assert_same(call("valnd", coordinates, c), expected)
    with pytest.raises(ValueError, match="ordinates"):
        call("valnd", [*coordinates[:3], coordinates[3][:2]], c)


@pytest.mark.parametrize("axis", [0, 1, -1, 5])
def test_derivatives_of_many_series(module: str, axis: int) -> None:
    def found(xp: Any, c: Any) -> list[Any]:
        call = functions(xp, module)
        most = 2 if module == "hermite_e" else 5  # NumPy's last ones forget the axis there
        results = [call("der", c, m, scl, axis) for m in range(most) for scl in (1, 0.5)]
        for m in range(3):
            results += [call("int", c, m, axis=axis), call("int", c, m, [1] * m, 1, 2, axis)]
        return results

    rng = np.random.default_rng(6)
    agree(found, rng.random((4, 3)), tolerance=NEAR)
    agree(found, rng.integers(-5, 5, (3, 2, 2)), tolerance=NEAR)
    if module != "hermite_e":
        agree(found, rng.random((1, 2)).astype("f4"), tolerance=NEAR)


@pytest.mark.parametrize("deg", [0, 3, [0, 2], [3, 1]])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_fit(module: str, deg: Any, dtype: str) -> None:
    def fits(xp: Any, x: Any, y: Any, w: Any) -> list[Any]:
        call = functions(xp, module)
        found = [call("fit", x, y, deg), call("fit", x, y[:, 0], deg, w=w)]
        coefficients, others = call("fit", x, y, deg, full=True)
        return [*found, coefficients, others[0], int(others[1]), others[2]]

    rng = np.random.default_rng(7)
    x, y = np.linspace(0, 2, 20).astype("f8" if dtype == "i4" else dtype), rng.random((20, 2)) * 9
    near = Tolerance(0, 2e-3) if dtype == "f4" else Tolerance(0, 1e-7)
    agree(fits, x, y.astype(dtype), rng.random(20).astype(x.real.dtype), tolerance=near)


def test_bad_fits(module: str) -> None:
    def fit(xp: Any, *args: Any) -> Any:
        return functions(xp, module)("fit", *args)

    x = np.arange(4.0)
    for args in [(x, x, -1), (x, x, 1.5), (x, x, []), (x[:0], x[:0], 1), (x, x[:3], 1)]:
        agree(fit, *args)
    agree(fit, x.reshape(2, 2), x, 1)
    agree(fit, x, x.reshape(4, 1, 1), 1)
    agree(fit, x, x, 1, None, False, x[:2])
    agree(fit, x, x, 1, None, False, x.reshape(2, 2))


def test_too_few_points_are_said(module: str) -> None:
    x = from_numpy(np.array([1.0, 1.0]))
    with pytest.warns(np.exceptions.RankWarning):
        functions(cp, module)("fit", x, x, 1)


def test_quadratures(module: str) -> None:
    if module == "polynomial":
        return

    def found(xp: Any, x: Any) -> list[Any]:
        call = functions(xp, module)
        return [*call("gauss", 5), call("weight", x), call("weight", x[:0])]

    agree(found, np.linspace(-0.9, 0.9, 7), tolerance=NEAR)
    agree(lambda xp: functions(xp, module)("gauss", 0))


def test_only_of_chebyshev_and_of_powers() -> None:
    def found(xp: Any, x: Any, roots: Any) -> list[Any]:
        chebyshev, powers = xp.polynomial.chebyshev, xp.polynomial.polynomial
        results = [chebyshev.chebpts1(4), chebyshev.chebpts2(3)]
        results += [chebyshev.chebinterpolate(lambda x: x * x - x, deg) for deg in (0, 1, 5)]
        results += [powers.polyvalfromroots(x, roots), powers.polyvalfromroots(x, roots[:, 0])]
        return [*results, powers.polyvalfromroots(x[:2], roots, tensor=False)]

    rng = np.random.default_rng(8)
    agree(found, rng.random(5), rng.random((3, 2)), tolerance=NEAR)
    for bad in (0, -1):
        agree(lambda xp: xp.polynomial.chebyshev.chebpts1(bad))
        agree(lambda xp: xp.polynomial.chebyshev.chebinterpolate(np.exp, bad - 1))


def test_bad_series(module: str) -> None:
    for name in ("add", "mul", "div", "sub"):
        agree(lambda xp, a, b: functions(xp, module)(name, a, b), FIRST[:0], SECOND)
        agree(lambda xp, a, b: functions(xp, module)(name, a, b), FIRST, np.ones((2, 2)))
    agree(lambda xp, a, b: functions(xp, module)("div", a, b), FIRST, np.zeros(2))
    agree(lambda xp, a: functions(xp, module)("pow", a, -1), FIRST)
    agree(lambda xp, a: functions(xp, module)("pow", a, 20), FIRST)
    agree(lambda xp, a: functions(xp, module)("der", a, -1), FIRST)
    agree(lambda xp, a: functions(xp, module)("int", a, 1, [1, 2]), FIRST)
    agree(lambda xp, a: functions(xp, module)("vander", a, -1), FIRST)
    agree(lambda xp, a: functions(xp, module)("companion", a), FIRST[:1])
    agree(lambda xp, x, c: functions(xp, module)("val", x, c), FIRST, FIRST[:0])


def test_classes(module: str) -> None:
    name = BASES[module][1]

    def found(xp: Any, x: Any, a: Any, b: Any) -> list[Any]:
        kind = getattr(xp.polynomial, name)
        p, q = kind(a, [0, 2], [-1, 1]), kind(b, [0, 2], [-1, 1])
        made = [p + q, p - b, p * q, p // q, p % q, p**2, p.deriv(), p.integ(1, [2]), -p, p / 2]
        made += [p.convert(kind=xp.polynomial.Chebyshev), p(q), kind.fromroots(a), kind.basis(2)]
        made += [kind.identity(), p.cutdeg(1), p.truncate(2), kind.fit(x, x * x, 3)]
        made += [kind.fit(x, x * x, 2, domain=[]), kind.fit(x[:1], x[:1], 0)]
        values = [each(x) for each in made] + [p(2.0), p([1, 2]), *p.linspace(5), len(p)]
        return [*values, *(each.coef for each in made)]

    x = np.linspace(0, 2, 9)
    agree(found, x, FIRST, SECOND, tolerance=Tolerance(64, 1e-8))
    series = getattr(cp.polynomial, name)(from_numpy(FIRST))
    assert isinstance(series + 1, getattr(cp.polynomial, name))
    assert str(series) == str(getattr(np.polynomial, name)(FIRST))
    assert pickle.loads(pickle.dumps(series)) == series
    assert not isinstance(series(from_numpy(x)), np.ndarray) or cp is np


def test_interpolation_by_a_class() -> None:
    def found(xp: Any) -> list[Any]:
        p = xp.polynomial.Chebyshev.interpolate(lambda x, k: x * x + k, 4, [0, 3], (2,))
        return [p.coef, p.domain]

    agree(found, tolerance=Tolerance(0, 1e-12))


@pytest.mark.cupola_only
@pytest.mark.usefixtures("deferred")
def test_values_wait_and_are_one_kernel(module: str) -> None:
    x, c = cp.arange(1000.0) / 1000, from_numpy(FIRST)
    for coefficients in (c, FIRST):
        values = functions(cp, module)("val", x, coefficients) * 2
        assert len(cp.explain(values).kernels) == 1
    series = getattr(cp.polynomial, BASES[module][1])(FIRST)
    assert len(cp.explain(series(x) + 1).kernels) == 1


@pytest.mark.cupola_only
def test_host_arrays_are_not_copied_unasked(module: str) -> None:
    with pytest.raises(TypeError, match="asarray"):
        functions(cp, module)("val", np.arange(3.0), cp.arange(3.0))


def test_utilities() -> None:
    def found(xp: Any, x: Any, c: Any) -> list[Any]:
        utilities = xp.polynomial.polyutils
        results = [utilities.getdomain(x), utilities.mapdomain(x, [0, 2], [-1, 1])]
        results += [*utilities.mapparms([0, 2], [1, 5]), utilities.trimseq(c)]
        return [*results, utilities.trimcoef(c, 0.5), *utilities.as_series([c, [1, 2, 0]])]

    x, c = np.linspace(-1, 3, 8), np.array([3, 1, 0.25, 0])
    agree(found, x, c)
    agree(found, x.astype("f4"), c)
    agree(found, x + 1j * x[::-1] ** 2, c)
    agree(found, x[:0], c)
    agree(lambda xp, c: xp.polynomial.polyutils.trimcoef(c, -1), c)


@pytest.mark.cupola_only
def test_domains() -> None:
    assert_same(to_numpy(cp.polynomial.chebyshev.chebdomain), np.array([-1.0, 1.0]))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize(
    "point", [2, 2.5, 1j, True, np.float32(2), np.float64(2), [1, 2], np.asarray([1, 2], "f4")]
)
def test_types_of_values(module: str, dtype: str, point: Any) -> None:
    found = []
    for xp in (np, cp):
        ends = xp.asarray([-1, 1], dtype=dtype)
        series = getattr(xp.polynomial, BASES[module][1])(ends, domain=ends, window=ends)
        value = series(xp.asarray(point) if isinstance(point, np.ndarray) else point)
        found.append((value.dtype, to_numpy(value) if xp is cp else np.asarray(value)))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-3 if dtype == "float16" else 1e-6)
