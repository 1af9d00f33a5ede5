"""Arguments that NumPy takes in several forms: shapes in arrays, classes, wider outputs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

Program = Callable[[Any], Any]

SHAPES: dict[str, Program] = {
    "zeros": lambda xp: xp.zeros(xp.asarray([2, 3])).shape,
    "full": lambda xp: xp.full(xp.asarray([2]), 1).shape,
    "reshape": lambda xp: xp.arange(6).reshape(xp.asarray([2, 3])).shape,
    "broadcast_to": lambda xp: xp.broadcast_to(xp.ones(3), xp.asarray([2, 3])).shape,
    "resize": lambda xp: xp.resize(xp.ones(3), xp.asarray([2, 2])).shape,
    "resize by one": lambda xp: xp.resize(xp.ones(3), 5).shape,
    "empty_like": lambda xp: xp.empty_like(xp.ones(2), shape=xp.asarray([2, 2])).shape,
    "unravel_index": lambda xp: [int(i) for i in xp.unravel_index(5, xp.asarray([2, 3]))],
    "normal": lambda xp: xp.random.default_rng(0).normal(size=xp.asarray([2, 3])).shape,
    "normal of one": lambda xp: xp.random.default_rng(0).normal(size=xp.asarray(3)).shape,
    "uniform": lambda xp: xp.random.uniform(size=xp.asarray([2, 3])).shape,
    "randint": lambda xp: xp.random.randint(0, 5, size=xp.asarray([2, 2])).shape,
}


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_shapes_in_arrays(name: str) -> None:
    assert SHAPES[name](cp) == SHAPES[name](np)


@pytest.mark.parametrize("shape", [[2.0, 3.0], [[2, 3]], [-1]])
def test_arrays_that_are_no_shapes(shape: Any) -> None:
    for xp in (np, cp):
        with pytest.raises((TypeError, ValueError)):
            xp.random.default_rng(0).normal(size=xp.asarray(shape))


def test_a_view_of_the_class() -> None:
    a = cp.arange(4)
    view = a.view(cp.ndarray)
    assert view.dtype == a.dtype
    view[0] = 7
    assert a.tolist() == [7, 1, 2, 3]


def test_the_class_has_parameters() -> None:
    assert cp.ndarray[tuple[int], np.dtype[np.int64]].__origin__ is cp.ndarray
    assert cp.finfo[np.float32].__origin__ is cp.finfo


def test_no_element_can_be_deleted() -> None:
    for xp in (np, cp):
        with pytest.raises(ValueError, match="cannot delete array elements"):
            del xp.ones(3)[0]


DEPTHS: dict[str, Program] = {
    "enough": lambda xp: xp.array([1, 2], ndmax=1).shape,
    "more than enough": lambda xp: xp.array([[1, 2]], ndmax=3).shape,
    "of an array": lambda xp: xp.array(xp.ones((2, 2)), ndmax=1).shape,
    "of a number": lambda xp: xp.array(5, ndmax=1).shape,
    "at least as many": lambda xp: xp.array([5], ndmin=2, ndmax=2).shape,
}


@pytest.mark.parametrize("name", sorted(DEPTHS))
def test_dimensions_at_most(name: str) -> None:
    assert DEPTHS[name](cp) == DEPTHS[name](np)


@pytest.mark.parametrize(("most", "least"), [(1, 0), (-1, 0), (2, 3), (65, 0)])
def test_too_many_dimensions(most: int, least: int) -> None:
    for xp in (np, cp):
        with pytest.raises(ValueError):
            xp.array([[1, 2]], ndmin=least, ndmax=most)


@pytest.mark.parametrize("copy", ["always", ""])
def test_text_does_not_say_whether_to_copy(copy: str) -> None:
    for xp in (np, cp):
        for data in ([1, 2], xp.arange(2)):
            with pytest.raises(ValueError, match="strings are not allowed for 'copy'"):
                xp.array(data, copy=copy)


def test_arrays_of_more_dimensions_are_not_cast() -> None:
    for xp in (np, cp):
        a = xp.ones((2, 2))
        assert xp.array(a, dtype="f8", ndmax=1).shape == (2, 2)
        assert xp.array(a, dtype="f4", ndmax=2).dtype == np.float32
        with pytest.raises(ValueError, match="object too deep"):
            xp.array(a, dtype="f4", ndmax=1)
        with pytest.raises(TypeError, match="integer"):
            xp.array(a, ndmax=())


def test_place_needs_an_array() -> None:
    for xp in (np, cp):
        with pytest.raises(TypeError):
            xp.place([1, 2, 3], [True, False, True], [0, 1])


@pytest.mark.parametrize("value", [2.0, 4.0])
def test_piecewise_of_one_element(value: float) -> None:
    for xp in (np, cp):
        x = xp.asarray(value)
        assert float(xp.piecewise(x, x > 3, [4, 0])) == (4.0 if value > 3 else 0.0)


@pytest.mark.parametrize("shape", [(4,), (1, 4), (2, 4), (3,), ()])
@pytest.mark.parametrize("q", [50, [50, 20]])
def test_outputs_of_quantiles_are_those_of_universal_functions(shape: Any, q: Any) -> None:
    given = np.arange(12.0).reshape(3, 4)
    found = []
    for xp in (np, cp):
        out = xp.zeros(shape)
        try:
            xp.percentile(xp.asarray(given), q, 0, out)
        except ValueError:
            found.append(None)
        else:
            found.append(to_numpy(out) if xp is cp else out)
    if found[0] is None:
        assert found[1] is None
    else:
        np.testing.assert_allclose(found[1], found[0])


@pytest.mark.parametrize("step", [5j, np.complex64(5j), np.complex128(5j)])
def test_numbers_of_points(step: Any) -> None:
    for join in (lambda xp: xp.r_[0:1:step], lambda xp: xp.mgrid[0:1:step]):
        np.testing.assert_allclose(to_numpy(join(cp)), join(np))


def test_the_empty_one_is_named() -> None:
    for xp in (np, cp):
        with pytest.raises(ValueError, match="a cannot be empty"):
            xp.convolve(xp.asarray([]), xp.ones(2))
        with pytest.raises(ValueError, match="v cannot be empty"):
            xp.convolve(xp.ones(2), xp.asarray([]))


def test_a_scalar_of_numpy_is_cast() -> None:
    for xp in (np, cp):
        found = xp.astype(np.float64(3.5), np.int64)
        assert (int(found), found.dtype) == (3, np.dtype(np.int64))


def test_iterators_of_a_broadcast_know_their_arrays() -> None:
    for xp in (np, cp):
        found = xp.broadcast(xp.ones((2, 1)), xp.arange(3))
        assert [each.base.shape for each in found.iters] in ([(2, 1), (3,)], [(2, 3), (2, 3)])


TEXTS: dict[str, Program] = {
    "fixed": lambda xp: xp.format_float_positional(xp.float64(1.5), 3, False),
    "signed": lambda xp: xp.format_float_positional(xp.float32(0.1), sign=True, pad_left=4),
    "scientific": lambda xp: xp.format_float_scientific(xp.float64(1e10), exp_digits=4),
    "trimmed": lambda xp: xp.format_float_scientific(xp.float64(2.5), 5, False, "-"),
    "list": lambda xp: xp.array2string(xp.asarray([1.5, 2.25]), separator=", ", prefix="xx"),
    "signs": lambda xp: xp.array2string(xp.asarray([1.5, -2.25]), precision=1, sign="+"),
    "some": lambda xp: xp.array2string(xp.arange(50), threshold=10, edgeitems=2),
    "by function": lambda xp: xp.array2string(xp.arange(3), formatter={"int": hex}),
}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_texts(name: str) -> None:
    assert TEXTS[name](cp) == TEXTS[name](np)


SEEDS: dict[str, Callable[[Any, Any], Any]] = {
    "default_rng": lambda xp, seed: xp.random.default_rng(seed).random(3),
    "RandomState": lambda xp, seed: xp.random.RandomState(seed).random_sample(3),
    "seed": lambda xp, seed: (xp.random.seed(seed), xp.random.random_sample(3))[1],
}


@pytest.mark.parametrize(
    ("name", "seed"), [*((name, [1, 2]) for name in sorted(SEEDS)), ("seed", 5), ("RandomState", 5)]
)
def test_seeds_in_arrays(name: str, seed: Any) -> None:
    expected = to_numpy(SEEDS[name](cp, seed))
    for given in (np.asarray(seed), cp.asarray(seed)):
        np.testing.assert_array_equal(to_numpy(SEEDS[name](cp, given)), expected)


@pytest.mark.parametrize("name", sorted(SEEDS))
@pytest.mark.parametrize("seed", [1.5, [[1.5]]])
def test_arrays_that_are_no_seeds(name: str, seed: Any) -> None:
    for xp in (np, cp):
        with pytest.raises(TypeError):
            SEEDS[name](xp, xp.asarray(seed))


RANGES = [
    (0.0, 1.0, np.inf),
    (0.0, 1.0, -np.inf),
    (1.0, 0.0, -np.inf),
    (0, 5e-324, 1e300),
    (0, -5e-324, 1e300),
    (2.0, 2.0, np.inf),
    (-2, 2, 1e300),
]


@pytest.mark.parametrize("bounds", RANGES)
def test_ranges_of_one_step(bounds: tuple[float, float, float]) -> None:
    np.testing.assert_array_equal(to_numpy(cp.arange(*bounds)), np.arange(*bounds))


@pytest.mark.parametrize("mode", ["maximum", "minimum", "mean", "median"])
@pytest.mark.parametrize("length", [None, 0, 2])
def test_padding_of_nothing(mode: Any, length: int | None) -> None:
    for xp in (np, cp):
        found = xp.pad(xp.zeros((2, 0, 2)), ((3,), (0,), (1,)), mode=mode, stat_length=length)
        assert found.shape == (8, 0, 4)


@pytest.mark.parametrize("axis", [-2, -1, 0, 1, 10])
def test_the_axis_of_sorting_keys_without_dimensions(axis: int) -> None:
    found = []
    for xp in (np, cp):
        try:
            found.append(int(xp.lexsort((xp.asarray(1),), axis=axis)))
        except np.exceptions.AxisError:
            found.append(-1)
    assert found[0] == found[1]


@pytest.mark.parametrize("size", [0, (3, 0), [0]])
def test_no_random_integer_is_out_of_bounds(size: Any) -> None:
    for xp in (np, cp):
        rng = xp.random.default_rng(1)
        assert rng.integers(5, -10, size).size == 0
        assert rng.integers(0, 300, size, dtype="uint8").dtype == np.uint8
        assert rng.integers(xp.asarray([5, 6]), 2, size).size == 0
        with pytest.raises(ValueError, match="low >= high"):
            rng.integers(5, -10, 2)


PARAMETERS: dict[str, Callable[[Any, Any], Any]] = {
    "binomial": lambda rng, a: rng.binomial(a, 0.5),
    "exponential": lambda rng, a: rng.exponential(a),
    "gamma": lambda rng, a: rng.gamma(a),
    "hypergeometric": lambda rng, a: rng.hypergeometric(a, a, a),
    "negative_binomial": lambda rng, a: rng.negative_binomial(a, 0.5),
    "normal": lambda rng, a: rng.normal(a),
    "poisson": lambda rng, a: rng.poisson(a),
    "power": lambda rng, a: rng.power(a),
    "standard_t": lambda rng, a: rng.standard_t(a),
    "triangular": lambda rng, a: rng.triangular(0, a, 9),
    "uniform": lambda rng, a: rng.uniform(0.0, a),
    "zipf": lambda rng, a: rng.zipf(a),
}


@pytest.mark.parametrize("name", sorted(PARAMETERS))
@pytest.mark.parametrize("dtype", ["c16", "f8", "f4", "u8", "i4", "?"])
def test_parameters_are_cast_safely(name: str, dtype: str) -> None:
    values = np.asarray([3, 5]).astype(dtype)
    for legacy in (False, True):
        refused = []
        for xp in (np, cp):
            rng = xp.random.RandomState(1) if legacy else xp.random.default_rng(1)
            try:
                PARAMETERS[name](rng, xp.asarray(values))
            except (TypeError, ValueError) as error:
                refused.append(isinstance(error, TypeError))
            else:
                refused.append(None)
        assert refused[0] == refused[1]
