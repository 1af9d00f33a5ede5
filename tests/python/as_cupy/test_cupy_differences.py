"""What CuPy programs rely on beyond NumPy's behaviour."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from cupola_under_test import cp
from support.compilers import skip_without_compiler

pytestmark = pytest.mark.cupola_only


def output_of(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_indices_of_extremes_have_a_dtype() -> None:
    host = np.array([[3, 1, 2], [0, 5, 5]])
    a = cp.asarray(host)
    for name in ("argmin", "argmax"):
        wanted = getattr(np, name)(host, axis=1)
        for found in (
            getattr(cp, name)(a, axis=1, dtype=np.int32),
            getattr(a, name)(axis=1, dtype="i4"),
        ):
            assert found.dtype == np.int32
            np.testing.assert_array_equal(found.get(), wanted)
        out = cp.empty(2, "u1")
        assert getattr(cp, name)(a, axis=1, out=out, dtype="u1") is out
        np.testing.assert_array_equal(out.get(), wanted)
        with pytest.raises(TypeError, match="indices are integers"):
            getattr(cp, name)(a, dtype="f4")
        with pytest.raises(ValueError, match="output array of shape"):
            getattr(cp, name)(a, axis=1, out=cp.empty(3, "i4"), dtype="i4")


def test_a_random_state_takes_a_method_of_curand() -> None:
    for method in (100, 101, 161):
        state = cp.random.RandomState(3, method=method)
        cp.testing.assert_array_equal(state.rand(3), cp.random.RandomState(seed=3).rand(3))
    with pytest.raises(ValueError, match="method must be one of cuRAND's"):
        cp.random.RandomState(0, method=7)


def test_lost_imaginary_parts_are_warned_of() -> None:
    z = cp.array([1 + 2j, 3])
    for dtype in ("f4", "i8"):
        with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part"):
            assert z.astype(dtype).tolist() == [1, 3]
        with pytest.warns(np.exceptions.ComplexWarning):
            cp.astype(z, cp.dtype(dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert z.astype(bool).tolist() == [True, True]
        assert z.astype("c8").dtype == np.complex64
        assert cp.ones(2).astype("f4").dtype == np.float32
        with pytest.raises(np.exceptions.ComplexWarning):
            z.astype(float)


def test_numpy_arrays_are_refused_under_the_own_name() -> None:
    with pytest.raises(TypeError, match="copies it to a device"):
        cp.sum(np.ones(3))


UNDER_ITS_NAME = """
import pickle
import numpy as np
import cupola
cupola.install_as("cupy")
import cupy as cp
n = np.arange(6.0).reshape(2, 3)
a = cp.asarray(n)
for name in ("sum", "prod", "max", "amin", "mean", "std", "var", "ptp", "argmax", "ravel",
             "squeeze", "transpose", "nonzero", "trace", "diagonal", "copy",
             "any", "all", "argsort"):
    ours, numpys = getattr(cp, name)(n), getattr(np, name)(n)
    assert type(ours) is type(numpys), name
    np.testing.assert_array_equal(ours, numpys)
np.testing.assert_array_equal(cp.clip(n, 1, 3), n.clip(1, 3))
np.testing.assert_array_equal(cp.sum(n, axis=0, keepdims=True), n.sum(axis=0, keepdims=True))
assert cp.dot(n, n.T).shape == (2, 2) and cp.reshape(n, (3, 2)).shape == (3, 2)
assert isinstance(cp.sum(a), cp.ndarray) and float(cp.sum(a, axis=0)[2]) == 7
for bad in (lambda: cp.sin(n), lambda: a + n, lambda: cp.sort(cp.add(a, n))):
    try:
        bad()
    except TypeError:
        continue
    raise AssertionError("a NumPy array was taken")
assert pickle.loads(pickle.dumps(cp.sum)) is cp.sum
print(pickle.dumps((a, cp.ndarray, cp.sum, cp.float32, cp.linalg.norm)).hex())
"""


def test_under_its_name_functions_made_of_methods_take_numpy_arrays() -> None:
    data = bytes.fromhex(output_of(UNDER_ITS_NAME))
    a, kind, total, dtype, norm = pickle.loads(data)
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (kind, total, dtype, norm) == (cp.ndarray, cp.sum, np.float32, cp.linalg.norm)


def test_pickles_are_read_under_both_names() -> None:
    data = pickle.dumps((cp.arange(3), cp.ndarray, cp.sum)).hex()
    code = (
        "import pickle, cupola\ncupola.install_as()\nimport cupy\n"
        f"a, kind, total = pickle.loads(bytes.fromhex({data!r}))\n"
        "assert kind is cupy.ndarray and type(a) is kind\nprint(float(total(a)))"
    )
    assert output_of(code) == "3.0"


NUMPY_ARGUMENTS = """
import pickle
import numpy as np
import cupola
cupola.install_as("cupy")
import cupy as cp
n, v = np.arange(6.0).reshape(2, 3), np.arange(3.0)
a = cp.asarray(n)
for name, *arguments in (
    ("append", n, v), ("around", n), ("atleast_2d", v), ("average", n), ("cov", n), ("cross", v, v),
    ("corrcoef", n), ("diag", v), ("diff", n), ("einsum", "ij->ji", n), ("isclose", n, n + 1),
    ("extract", n > 2, n), ("gradient", v), ("imag", n * 1j), ("real", n), ("resize", n, (3, 3)),
    ("round", n), ("tile", n, 2), ("tril", n), ("unwrap", v), ("vander", v), ("allclose", n, n),
):
    ours = getattr(cp, name)(*arguments)
    assert type(ours) is cp.ndarray, name
    np.testing.assert_allclose(ours.get(), getattr(np, name)(*arguments), err_msg=name)
np.testing.assert_array_equal(cp.average(a, weights=n + 1).get(), np.average(n, weights=n + 1))
np.testing.assert_array_equal(cp.histogram(a, np.array([0.0, 2, 6]))[0].get(), [2, 4])
target = cp.zeros(3)
cp.put(target, np.array([1]), np.array([5.0]))
target.put(np.array([2]), np.array([6.0]))
cp.place(target, np.array([True, False, False]), np.array([4.0]))
assert target.tolist() == [4, 5, 6]
cp.add.at(target, np.array([0, 0]), np.array([1.0, 2.0]))
cp.add.at(target, np.array([1]), 1)
import cupyx
cupyx.scatter_add(target, np.array([2]), np.array([0.5]))
target.scatter_max(np.array([0]), np.array([9.0]))
assert target.tolist() == [9, 6, 6.5]
for name in ("empty_like", "zeros_like", "ones_like"):
    for order in "CF":
        like = getattr(cp, name)(np.asarray(n, "f4", order=order))
        assert type(like) is cp.ndarray and (like.shape, like.dtype) == ((2, 3), "f4"), name
        assert like.strides == np.zeros((2, 3), "f4", order).strides, name
assert cp.full_like(a=v, fill_value=2, dtype="i4").tolist() == [2, 2, 2]
assert cp.zeros_like(n[:, ::2].T).shape == (2, 2)
for source in (cp.random, cp.random.RandomState(1), cp.random.default_rng(1)):
    assert source.normal(np.zeros(3), np.ones(3)).shape == (3,)
    assert set(source.choice(v, 4, p=np.array([0, 0.5, 0.5])).tolist()) <= {1, 2}
    assert source.poisson(lam=np.ones(2)).shape == (2,)
for source in (n, [1.0, 2.0], a):
    for copied in (cp.array(source, copy=False), cp.array(source, None, False)):
        assert (copied is a) == (source is a)
assert cp.array(a, "f4", copy=False).dtype == np.float32
values, vectors = cp.linalg.eigh(cp.eye(2, dtype="e") * 2)
assert values.dtype == vectors.dtype == np.float16 and values.tolist() == [2, 2]
assert cp.linalg.eigvalsh(cp.eye(2, dtype="e")).dtype == np.float16
assert cp.linalg.eigvalsh(cp.eye(2)).dtype == np.float64
for name in ("irfft", "hfft", "irfft2", "irfftn"):
    found = getattr(cp.fft, name)(cp.ones((2, 3), "e"))
    assert (found.dtype, found.shape) == (np.float32, (2, 4)), name
    assert getattr(cp.fft, name)(a=cp.ones((2, 3))).dtype == np.float64, name
for function in (cp.average, cp.zeros_like, cp.random.normal, cp.array):
    assert pickle.loads(pickle.dumps(function)) is function
for bad in (lambda: cp.sin(n), lambda: cp.concatenate([a, n]), lambda: cp.where(n > 1, a, a)):
    try:
        bad()
    except TypeError:
        continue
    raise AssertionError("a NumPy array was taken")
print("done")
"""


def test_under_its_name_functions_that_make_arrays_take_numpy_arrays() -> None:
    assert output_of(NUMPY_ARGUMENTS) == "done"


def test_under_the_own_name_prototypes_and_copies_are_numpys() -> None:
    for wrong in (lambda: cp.average(np.ones(3)), lambda: cp.zeros_like(np.ones(3))):
        with pytest.raises(TypeError, match="copies it to a device"):
            wrong()
    with pytest.raises(ValueError, match="avoid copy"):
        cp.array(np.ones(3), copy=False)
    with pytest.raises(TypeError, match="float16"):
        cp.linalg.eigh(cp.eye(2, dtype="e"))


def test_lost_imaginary_parts_of_a_value_are_warned_of() -> None:
    with pytest.warns(np.exceptions.ComplexWarning):
        assert cp.full(2, 1 + 2j, dtype="f8").tolist() == [1, 1]
    with pytest.warns(np.exceptions.ComplexWarning):
        cp.full((), np.complex64(1 + 2j), "i4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cp.full(2, 1 + 2j, dtype="c8").tolist() == [1 + 2j] * 2
        assert cp.full(2, 1j, dtype=bool).tolist() == [True, True]


def test_who_prints_no_table_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    cp.who({"n": 1})
    assert capsys.readouterr().out == "\nUpper bound on total bytes  =       0\n"


KERNELS_OF_MODULES = """
import cupola
cupola.install_as("cupy")
import cupy
from cupy.cuda.driver import CUDADriverError
code = 'extern "C" __global__ void set(int* x) { *x = 3; }'
module = cupy.RawModule(code=code)
x = cupy.zeros(1, "i4")
module.get_function("set")((1,), (1,), (x,))
assert x.tolist() == [3]
try:
    module.get_function("other")
except CUDADriverError as error:
    assert "CUDA_ERROR_NOT_FOUND: named symbol not found" in str(error) and error.status == 500
else:
    raise AssertionError("a kernel was found")
try:
    cupy.RawModule(code="nonsense").get_function("set")
except cupy.cuda.compiler.CompileException:
    print("done")
"""


def test_under_its_name_kernels_of_modules_are_found_when_they_are_asked_for() -> None:
    skip_without_compiler()
    assert output_of(KERNELS_OF_MODULES) == "done"


SEEDED = """
import os
import cupola
first = cupola.random.rand(3).tolist()
os.environ["CUPY_SEED"] = "5"
cupola.install_as("cupy")
import cupy
found = cupy.random.rand(3).tolist()
assert found == cupy.random.RandomState(5).rand(3).tolist() != first
cupy.random.reset_states()
assert cupy.random.rand(3).tolist() == found
del os.environ["CUPY_SEED"]
cupy.random.reset_states()
assert cupy.random.rand(3).tolist() != found
print("done")
"""


def test_under_its_name_a_variable_seeds_the_numbers() -> None:
    assert output_of(SEEDED) == "done"
