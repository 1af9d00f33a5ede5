"""`cupola.testing`: assertions, and CuPy's decorators of tests."""

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

pytestmark = pytest.mark.cupola_only

testing: Any = getattr(cp, "testing", None)


def test_assertions() -> None:
    a = cp.array([1.0, 2.0])
    testing.assert_array_almost_equal_nulp(a, np.nextafter(np.array([1.0, 2.0]), 3))
    testing.assert_array_max_ulp(a, a.get(), 1)
    testing.assert_array_list_equal([a, a], [a.get(), a])
    with testing.assert_warns(DeprecationWarning):
        cp.cupyx.time.repeat(cp.ones, (1,), n_repeat=1)
    for call in (
        lambda: testing.assert_array_almost_equal_nulp(a, a + 1e-12),
        lambda: testing.assert_array_max_ulp(a, a + 1e-12),
        lambda: testing.assert_array_list_equal([a], [a, a]),
        lambda: testing.assert_array_list_equal([a], [a + 1]),
        lambda: testing.assert_array_list_equal(a, a),
    ):
        with pytest.raises(AssertionError):
            call()
    with (
        pytest.raises(AssertionError, match="no warning of class UserWarning"),
        testing.assert_warns(UserWarning),
    ):
        pass


def seen(decorator: Any, *names: str) -> list[Any]:
    """What a decorator calls a test with."""
    calls = []

    def work(**kwargs: Any) -> None:
        assert sorted(kwargs) == sorted(names)
        calls.append(tuple(kwargs[name] for name in names))

    decorator(work)()
    return calls


def test_dtypes() -> None:
    floats = {np.float16, np.float32, np.float64}
    complexes = {np.complex64, np.complex128}
    signed = {np.dtype(c).type for c in "bhilq"}
    unsigned = {np.dtype(c).type for c in "BHILQ"}
    everything = floats | complexes | signed | unsigned | {np.bool_}

    def kinds(decorator: Any, name: str = "dtype") -> set[Any]:
        return {row[0] for row in seen(decorator, name)}

    assert kinds(testing.for_all_dtypes()) == everything
    assert kinds(testing.for_all_dtypes("d", True, True, True), "d") == (
        (floats - {np.float16}) | signed | unsigned
    )
    assert kinds(testing.for_float_dtypes(no_float16=True)) == floats - {np.float16}
    assert kinds(testing.for_signed_dtypes()) == signed
    assert kinds(testing.for_unsigned_dtypes()) == unsigned
    assert kinds(testing.for_int_dtypes()) == signed | unsigned | {np.bool_}
    assert kinds(testing.for_int_dtypes(no_bool=True)) == signed | unsigned
    assert kinds(testing.for_complex_dtypes()) == complexes
    assert seen(testing.for_dtypes("fd", "t"), "t") == [(np.float32,), (np.float64,)]
    assert len(seen(testing.for_CF_orders(), "order")) == 5
    assert seen(testing.for_orders("CF"), "order") == [("C",), ("F",)]
    assert len(seen(testing.for_castings(), "casting")) == 5


def test_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("a", "b", "c")
    rows = seen(testing.for_dtypes_combination("bhif", names, full=False), *names)
    for column in zip(*rows, strict=True):
        assert {np.dtype(kind).char for kind in column} == set("bhif")
    assert len(seen(testing.for_dtypes_combination("bhif", names, full=True), *names)) == 64
    monkeypatch.setenv("CUPY_TEST_FULL_COMBINATION", "1")
    assert len(seen(testing.for_signed_dtypes_combination(("a", "b")), "a", "b")) == 25
    monkeypatch.setenv("CUPY_TEST_FULL_COMBINATION", "0")
    assert len(seen(testing.for_unsigned_dtypes_combination(("a", "b")), "a", "b")) == 5
    assert len(seen(testing.for_all_dtypes_combination(("a",), no_bool=True), "a")) == 15
    assert len(seen(testing.for_int_dtypes_combination(("a",)), "a")) == 11


def test_contiguous_axes() -> None:
    class Case:
        shape = (2, 3, 4)

        @testing.for_contiguous_axes()
        def run(self, axis: Any) -> None:
            calls.append(axis)

    for order, expected in (("C", [(1, 2), (2,)]), ("F", [(0,), (0, 1)])):
        calls: list[Any] = []
        case: Any = Case()
        case.order = order
        case.run()
        assert calls == expected


def test_what_fails_says_for_which_dtype_and_what_is_skipped_goes_on() -> None:
    calls = []

    @testing.for_orders("CF")
    @testing.for_dtypes("bhi")
    def work(dtype: Any, order: Any) -> None:
        calls.append(dtype)
        if dtype == np.int8:
            pytest.skip("not this one")
        if dtype == np.int16:
            raise unittest.SkipTest("nor this")
        assert order == "C"

    with pytest.raises(AssertionError) as error:
        work()
    assert error.value.__notes__ == ["with dtype=int32", "with order='F'"]
    assert len(calls) == 6


# ---- comparison with NumPy


def passes(decorator: Any, work: Any) -> None:
    assert decorator(work)() is None


def fails(decorator: Any, work: Any, match: str) -> None:
    with pytest.raises(AssertionError, match=match):
        decorator(work)()


def off(amount: float) -> Any:
    """A test that is off by so much with this package."""
    return lambda xp: xp.ones(3) + (amount if xp is cp else 0)


def test_comparisons() -> None:
    passes(testing.numpy_cupy_allclose(), off(0))
    passes(testing.numpy_cupy_allclose(rtol=1e-3), off(1e-4))
    fails(testing.numpy_cupy_allclose(), off(1e-4), "Not equal to tolerance")
    passes(testing.numpy_cupy_array_almost_equal(decimal=3), off(1e-5))
    fails(testing.numpy_cupy_array_almost_equal(), off(1e-5), "not almost equal")
    passes(testing.numpy_cupy_array_equal(), off(0))
    fails(testing.numpy_cupy_array_equal(), off(1e-15), "Mismatched")
    passes(testing.numpy_cupy_array_less(), off(-1))
    fails(testing.numpy_cupy_array_less(), off(0), "not")
    passes(testing.numpy_cupy_array_max_ulp(2), off(3e-16))
    fails(testing.numpy_cupy_array_max_ulp(), off(1e-13), "ULP")
    passes(testing.numpy_cupy_array_almost_equal_nulp(2), off(3e-16))
    fails(
        testing.numpy_cupy_array_almost_equal_nulp(),
        off(1e-13),
        "not almost|not equal",
    )
    passes(testing.numpy_cupy_array_list_equal(), lambda xp: [xp.ones(2), xp.arange(3)])
    fails(
        testing.numpy_cupy_array_list_equal(),
        lambda xp: [xp.ones(2)] * (1 + (xp is cp)),
        "lengths differ",
    )
    passes(testing.numpy_cupy_equal(), lambda xp: xp.ones((2, 3)).shape)
    fails(testing.numpy_cupy_equal(), lambda xp: 1 + (xp is cp), "not equal")
    passes(testing.numpy_cupy_allclose(name="np"), lambda np: np.arange(3).sum())
    passes(testing.numpy_cupy_allclose(), lambda xp: (xp.ones(3), xp.zeros(2)))


def test_forms_must_agree() -> None:
    fails(testing.numpy_cupy_array_equal(), lambda xp: xp.ones(2 + (xp is cp)), "shapes differ")

    def other_dtype(xp: Any) -> Any:
        return xp.ones(2, "f4" if xp is cp else "f8")

    fails(testing.numpy_cupy_array_equal(), other_dtype, "dtypes differ")
    passes(testing.numpy_cupy_array_equal(type_check=False), other_dtype)

    def other_order(xp: Any) -> Any:
        return xp.ones((2, 3), order="F" if xp is cp else "C")

    fails(testing.numpy_cupy_allclose(), other_order, "c_contiguous")
    passes(testing.numpy_cupy_allclose(contiguous_check=False), other_order)
    passes(testing.numpy_cupy_array_equal(), other_order)
    fails(testing.numpy_cupy_array_equal(strides_check=True), other_order, "strides differ")


def test_errors_must_agree() -> None:
    def both(xp: Any) -> Any:
        return xp.ones(3).reshape(2)

    with pytest.raises(ValueError, match="reshape"):
        testing.numpy_cupy_array_equal()(both)()
    passes(testing.numpy_cupy_array_equal(accept_error=True), both)
    passes(testing.numpy_cupy_array_equal(accept_error=ValueError), both)
    with pytest.raises(ValueError, match="reshape"):
        testing.numpy_cupy_array_equal(accept_error=(TypeError,))(both)()

    def one(xp: Any) -> Any:
        if xp is cp:
            raise KeyError("only here")
        return xp.ones(1)

    fails(testing.numpy_cupy_array_equal(accept_error=True), one, "only one raised")

    def other(xp: Any) -> Any:
        raise KeyError if xp is cp else IndexError

    fails(testing.numpy_cupy_array_equal(accept_error=True), other, "other errors")


# ---- inputs


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float64", "complex64"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_inputs(dtype: str, order: str) -> None:
    for make in (testing.shaped_arange, testing.shaped_reverse_arange, testing.shaped_random):
        ours, numpys = (make((2, 3), xp, dtype, order=order) for xp in (cp, np))
        assert isinstance(ours, cp.ndarray)
        assert isinstance(numpys, np.ndarray)
        np.testing.assert_array_equal(to_numpy(ours), numpys, strict=True)
        assert numpys.flags.f_contiguous == ours.flags.f_contiguous == (order == "F")
    assert testing.empty(np, dtype).shape == (0,)
    assert testing.shaped_arange(()).shape == ()
    assert testing.shaped_arange((4,)).dtype == np.float32
    assert testing.shaped_arange((2, 2), np, bool).tolist() == [[False, True], [False, True]]
    assert testing.shaped_arange((2,), np, complex).tolist() == [1 + 1j, 2 + 2j]
    assert testing.shaped_linspace(0, 3, (2, 2), np).tolist() == [[0, 1], [2, 3]]
    assert testing.shaped_linspace(-3, 3, (4,), np, "u1").tolist() == [0, 1, 2, 3]
    assert testing.shaped_linspace(-3, 3, (3,), np, "?").tolist() == [False, True, True]
    assert testing.shaped_linspace(-1, 1, (3,), np, "c8").tolist() == [-1, 0, 1]
    assert testing.shaped_arange((2, 2), np).base is None
    assert 0 <= testing.shaped_random((99,), np, "f8", scale=3).max() <= 3


def test_matrices_of_singular_values() -> None:
    values = np.array([[3.0, 2.0], [5.0, 0.5]])
    for dtype in ("f8", "c16"):
        m = testing.generate_matrix((2, 2, 4), cp, dtype, singular_values=values)
        assert m.dtype == dtype
        np.testing.assert_allclose(to_numpy(cp.linalg.svdvals(m)), values, rtol=1e-12)
    with pytest.raises(ValueError, match="two dimensions"):
        testing.generate_matrix((3,), singular_values=1)
    with pytest.raises(TypeError, match="floating"):
        testing.generate_matrix((3, 3), dtype="i4", singular_values=1)
    with pytest.raises(TypeError, match="real"):
        testing.generate_matrix((3, 3), singular_values=1j)
    with pytest.raises(ValueError, match="not negative"):
        testing.generate_matrix((2, 2), singular_values=[1, -1])


def test_fix_random() -> None:
    @testing.fix_random()
    def draw() -> Any:
        return np.random.rand(), cp.random.rand(2).tolist(), testing.generate_seed()

    @testing.fix_random()
    class Tests:
        def test_it(self) -> Any:
            return np.random.rand(), cp.random.rand(2).tolist(), testing.generate_seed()

    cp.random.seed(1)
    first = cp.random.rand(1).tolist()
    cp.random.seed(1)
    assert draw() == draw() == Tests().test_it()
    assert cp.random.rand(1).tolist() == first


# ---- requirements and parameters


def test_requirements() -> None:
    pytest.importorskip("packaging")
    assert testing.installed("numpy>=1.0")
    assert not testing.installed("numpy>=1.0", "no-such-package-anywhere")
    assert testing.numpy_satisfies(">=2")
    assert not testing.numpy_satisfies("<1")

    def work() -> int:
        return 3

    assert testing.with_requires("numpy")(work)() == 3
    assert testing.multi_gpu(1)(work)() == 3
    for decorator in (testing.with_requires("numpy<1"), testing.multi_gpu(10**6)):
        with pytest.raises(unittest.SkipTest):
            decorator(work)()


PARAMETERS = """
import unittest
import cupy
from cupy import testing


@testing.parameterize(*testing.product({"n": [1, 2], "order": ["C", "F"]}))
class TestIt:
    def setup_method(self):
        self.shape = (self.n, 3)

    @testing.for_all_dtypes()
    @testing.numpy_cupy_array_equal()
    def test_sum(self, xp, dtype):
        return testing.shaped_arange(self.shape, xp, dtype, order=self.order).sum(axis=0)


@testing.parameterize({"n": 1}, {"n": 2}, _ids=False)
class TestNumbered:
    def test_it(self, request):
        assert f"[{self.n - 1}]" in request.node.name


def double(x):
    return 2 * x


@testing.parameterize({"f": double}, {"f": lambda x: 2 * x})
class TestFunctions:
    def test_it(self):
        assert self.f(2) == 4


@testing.parameterize({"n": 1, "f": double}, {"n": 2, "f": double}, {"n": 3, "f": double})
class TestOld(unittest.TestCase):
    def test_function(self):
        assert self.f(2) == 4

    @testing.slow
    @testing.multi_gpu(1)
    def test_it(self):
        assert self.n in (1, 2, 3)
"""


def test_parameters(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PARAMETERS)
    words = ["-m", "pytest", "-q", "-p", "cupola.as_cupy", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "14 passed" in done.stdout, done.stdout
    assert testing.product([[{"a": 1}], [{"b": 2}, {"b": 3}]]) == [
        {"a": 1, "b": 2},
        {"a": 1, "b": 3},
    ]


def test_a_case_within_a_case_replaces_it() -> None:
    """As CuPy's decorators do."""
    drawn = []

    @testing.for_dtypes("fd")
    @testing.for_dtypes("bh")
    @testing.for_orders("CF", "shape")
    @testing.for_orders("A", "shape")
    def test(dtype: Any, shape: str) -> None:
        drawn.append((np.dtype(dtype).char, shape))

    test()
    assert sorted(drawn) == [("b", "A")] * 4 + [("h", "A")] * 4


def test_private_errors_of_numpy_are_those_that_they_derive_from() -> None:
    def test(xp: Any) -> Any:
        return xp.add(xp.ones(2), 1.5, out=xp.ones(2, "i4"))

    testing.numpy_cupy_array_equal(accept_error=TypeError)(test)()


def test_tolerances_of_dtypes_and_other_libraries() -> None:
    """Both in CuPy's forms: a dict of dtypes, and keywords of SciPy's counterparts."""
    off = {cp: 1.0 + 1e-5, np: 1.0}

    def test(xp: Any, dtype: str) -> Any:
        return xp.full(2, off[xp], dtype)

    tolerances = {np.float32: 1e-4, "f8": 1e-7, "default": 1e-2}
    checked = testing.numpy_cupy_allclose(rtol=tolerances)(test)
    checked(dtype="f4")
    checked(dtype="f2")
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        checked(dtype="f8")
    with pytest.raises(TypeError, match="no tolerance for float16"):
        testing.numpy_cupy_allclose(atol={"f4": 1})(test)(dtype="f2")
    with pytest.raises(AssertionError, match="strides differ"):
        testing.assert_array_equal(cp.ones((2, 3)), cp.ones((3, 2)).T, strides_check=True)
    testing.assert_allclose(cp.ones(2), np.ones(2), 1e-7, 0, "text", True)

    def with_scipy(xp: Any, scp: Any) -> Any:
        assert scp.__name__.endswith("scipy")
        return xp.ones(2)

    compared = testing.numpy_cupy_allclose(1e-7, 0, "", True, "xp", True, False, None, "scp")
    if importlib.util.find_spec("cupola.cupyx.scipy") is None:
        with pytest.raises(ModuleNotFoundError, match=r"cupyx\.scipy"):
            compared(with_scipy)()
    else:
        compared(with_scipy)()
