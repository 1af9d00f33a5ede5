"""Modules of CuPy's own that libraries over it import: `cupy._core`, `cupy._util`,
`cupy_backends`."""

import subprocess
import sys

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp
from support.compilers import skip_without_compiler
from support.subprocesses import output_of

if not IS_NUMPY:
    from cupola._cupy import core, util
    from cupola._cupy.core import _accelerator, _dtype, _scalar, internal

pytestmark = pytest.mark.cupola_only


def test_products_and_comparisons_of_shapes() -> None:
    assert internal.prod([]) == internal.prod_sequence(()) == 1
    assert internal.prod((2, 3, 4)) == 24
    assert internal.is_in([1, 2], 2)
    assert not internal.is_in([1, 2], 3)
    assert internal.vector_equal([1, -2], (1, -2))
    assert not internal.vector_equal([1, 2], [1])
    assert [internal.clp2(n) for n in (0, 1, 2, 3, 9, 1 << 40)] == [0, 1, 2, 4, 16, 1 << 40]
    assert internal.from_float16(internal.to_float16(-1.5)) == -1.5
    assert internal.to_float16(1.0) == 0x3C00


def test_sizes() -> None:
    for size, expected in (
        ((2, 3), (2, 3)),
        ([4], (4,)),
        (5, (5,)),
        (np.int32(6), (6,)),
        (np.array(7), (7,)),
        (np.array([1, 2]), (1, 2)),
    ):
        assert internal.get_size(size) == expected
    with pytest.warns(DeprecationWarning, match="None as a shape"):
        assert internal.get_size(None) == ()
    for wrong in (True, np.True_, np.array(False), (2, True)):
        with pytest.raises(TypeError, match="an integer is required"):
            internal.get_size(wrong)


def test_shapes_with_an_unknown_dimension() -> None:
    assert internal.infer_unknown_dimension((2, -1, 3), 12) == [2, 2, 3]
    assert internal.infer_unknown_dimension((2, 3), 6) == [2, 3]
    for shape, size in (((-1, -1), 4), ((2, 2), 6), ((-1, 4), 6), ((-1, 0), 0)):
        with pytest.raises(ValueError, match=r"dimension|reshape"):
            internal.infer_unknown_dimension(shape, size)


def test_contiguity() -> None:
    a = np.zeros((3, 1, 4), "i2")
    assert internal.get_c_contiguity(a.shape, a.strides, 2)
    assert internal.get_c_contiguity((3, 1, 4), (8, 99, 2), 2)
    assert internal.get_c_contiguity((), (), 8)
    assert internal.get_c_contiguity((2, 0), (7, 7), 8)
    assert not internal.get_c_contiguity((3, 4), (2, 6), 2)
    assert not internal.get_c_contiguity((3,), (4,), 2)


@pytest.mark.parametrize("step", [1, 2, -1, -3, None])
@pytest.mark.parametrize("start", [None, 0, 3, -2, 9, -9])
@pytest.mark.parametrize("stop", [None, 0, 2, -1, 9, -9])
def test_slices_with_all_parts(start: int | None, stop: int | None, step: int | None) -> None:
    found = internal.complete_slice(slice(start, stop, step), 5)
    elements = list(range(5))[start:stop:step]
    assert list(range(found.start, found.stop, found.step)) == elements
    assert elements or found.start == found.stop


def test_axes() -> None:
    assert internal._normalize_axis_index(-1, 3) == 2
    assert internal._normalize_axis_indices(None, 3) == (0, 1, 2)
    assert internal._normalize_axis_indices((2, -3), 3) == (0, 2)
    assert internal._normalize_axis_indices((2, -3), 3, sort_axes=False) == (2, 0)
    with pytest.raises(np.exceptions.AxisError, match="out of bounds"):
        internal._normalize_axis_index(3, 3)
    with pytest.raises(ValueError, match="duplicate value"):
        internal._normalize_axis_indices((0, -2), 2)
    assert internal._contig_axes((1, 2))
    assert not internal._contig_axes((1, 3))
    assert internal._broadcast_shapes([(2, 1), (3,)]) == (2, 3)


def test_names_of_dtypes() -> None:
    skip_without_compiler()
    a = cp.arange(4, dtype="i8")
    kind = _scalar.get_typename(a.dtype)
    assert kind == "long long"
    twice = cp.ElementwiseKernel("T x", "T y", f"{kind} v = x; y = v + v", "twice_of_typename")
    assert twice(a).tolist() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match="None"):
        _scalar.get_typename(None)
    assert _dtype.to_cuda_dtype(np.dtype("f4")) == cp.cuda.runtime.CUDA_R_32F
    assert _dtype.to_cuda_dtype("e", True) == cp.cuda.runtime.CUDA_R_16F
    with pytest.raises(TypeError, match="not supported"):
        _dtype.to_cuda_dtype(np.dtype("f2"))
    assert _dtype.get_dtype_with_itemsize("f4") == (np.dtype("f4"), 4)


def test_accelerators_are_kept() -> None:
    core.set_reduction_accelerators(["cub", 2])
    try:
        assert core.get_reduction_accelerators() == [
            _accelerator.ACCELERATOR_CUB,
            _accelerator.ACCELERATOR_CUTENSOR,
        ]
        assert core.get_routine_accelerators() == []
        with pytest.raises(ValueError, match="unknown accelerator"):
            core.set_routine_accelerators(["abacus"])
    finally:
        core.set_reduction_accelerators([])


def test_warnings_and_checks() -> None:
    with pytest.warns(FutureWarning, match="a.b is experimental"):
        util.experimental("a.b")
    util.check_array(cp.ones(2), arg_name="a")
    with pytest.raises(TypeError, match="must be a cupy"):
        util.check_array([1], arg_name="a")
    assert not util.is_shutting_down()


def test_modules_compile_from_text() -> None:
    skip_without_compiler()
    text = 'extern "C" __global__ void set_to(int* x, int v) { x[threadIdx.x] = v; }'
    kernel = core.core.compile_with_cache(text).get_function("set_to")
    a = cp.zeros(4, "i4")
    kernel(grid=(1,), block=(4,), args=(a, np.int32(7)))
    assert a.tolist() == [7] * 4


UNDER_ITS_NAME = """
import importlib
import cupola
cupola.install_as("cupy")
import cupy
assert isinstance(cupy.ones(2), cupy._core.core.ndarray)
assert cupy._core.ndarray is cupy.ndarray
assert cupy._util.PerformanceWarning is cupola.errors.PerformanceWarning
import cupy._core.core
from cupy._core import internal, _kernel, fusion
from cupy._core._kernel import ElementwiseKernel, ufunc
from cupy._core._reduction import ReductionKernel
from cupy._core._gufuncs import _GUFunc
from cupy._core.flags import Flags
from cupy._core.dlpack import toDlpack
from cupy.random._generator import RandomState
from cupy_backends.cuda.api import driver, runtime
from cupy_backends.cuda.api.runtime import CUDARuntimeError
from cupy_backends.cuda.libs import nvrtc
import cupy_backends.cuda.stream
assert (ElementwiseKernel, ReductionKernel) == (cupy.ElementwiseKernel, cupy.ReductionKernel)
assert isinstance(cupy.add, ufunc) and isinstance(cupy.ones(1).flags, Flags)
assert RandomState is cupy.random.RandomState
assert CUDARuntimeError is cupy.cuda.runtime.CUDARuntimeError and runtime is cupy.cuda.runtime
assert cupy._core.add is cupy.add and cupy._core.concatenate_method is cupy.concatenate
from cupy._environment import get_cuda_path, get_nvcc_path
assert get_cuda_path() == cupy.cuda.get_cuda_path()
for missing in ("cupy._core._memory_range", "cupy._core.core.inner", "cupy_backends.hip"):
    try:
        importlib.import_module(missing)
    except ModuleNotFoundError:
        continue
    raise AssertionError(missing)
assert cupy.testing.installed("cupy>=13,<14") and not cupy.testing.installed("cupy>=14")
print("done")
"""


def test_under_its_name_modules_are_at_cupys_paths() -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNDER_ITS_NAME],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr


def test_what_is_not_used_is_not_loaded() -> None:
    program = """
import sys
import numpy as np
import cupola
cupola.install_as()
print({"cupola.polynomial", "cupola._cupy.core", "cupola._cupy.util"} & set(sys.modules))
import cupy
print(cupy.polyval(np.array([1.0, 2.0]), np.array([3.0])), cupy._core.core.ndarray is cupy.ndarray)
"""
    assert output_of(program) == "set()\n[5.] True"
