"""`jit.rawkernel`: what cannot be translated or launched says why, with file and line."""

import re
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compilers import skip_without_compiler

from cupola import _cupola
from cupola.cupyx import jit

pytestmark = pytest.mark.cupola_only

CASES: list[Any] = []
CONSTANT = 5


def case(error: type[Exception], message: str) -> Callable[..., Any]:
    """A kernel of an array of float32, one of int32 and a number, and what it raises."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append(pytest.param(function, error, message, id=function.__name__))
        return function

    return add


@case(NameError, "the name nowhere is not defined")
def unknown_name(x, k, n):
    x[0] = nowhere  # noqa: F821


@case(NameError, "later has no value here")
def no_value_yet(x, k, n):
    x[0] = later  # noqa: F821
    later = 1  # noqa: F841


@case(AttributeError, "jit.atomic_multiply does not exist")
def unknown_intrinsic(x, k, n):
    jit.atomic_multiply(x, 0, 1)


@case(AttributeError, "an array of float32 with 1 dimensions has no sum in a kernel")
def method_of_an_array(x, k, n):
    x[0] = x.sum()


@case(TypeError, "the variable a is int32, which a value of float32 cannot become")
def variable_of_another_type(x, k, n):
    a = 1
    a = 2.5
    x[0] = a


@case(TypeError, "the element is int32, which a value of float32 cannot become")
def element_of_another_type(x, k, n):
    k[0] = x[0]


@case(TypeError, "the element is int32, which a value of float64 cannot become")
def augmented_element_of_another_type(x, k, n):
    k[0] /= 2


@case(TypeError, "the variable i is int32, and the range is of int64")
def counter_of_another_type(x, k, n):
    i = 0
    for i in range(x.size):
        x[i] = 0


@case(IndexError, "2 indices of an array with 1 dimensions")
def too_many_indices(x, k, n):
    x[0, 1] = 0


@case(TypeError, "an index must be an integer, not float32")
def index_that_is_real(x, k, n):
    x[n] = x[x[0]]


@case(TypeError, "only range.. and jit.range.. can be iterated over")
def iteration_over_an_array(x, k, n):
    for value in x:
        k[0] = value


@case(TypeError, "range.. of float32, which is no integer")
def range_of_a_real_number(x, k, n):
    for i in range(x[0]):
        k[i] = 0


@case(TypeError, "With has no translation")
def with_statement(x, k, n):
    with x:
        pass


@case(TypeError, "Try has no translation")
def exceptions(x, k, n):
    try:
        x[0] = 1
    finally:
        x[1] = 1


@case(TypeError, "ListComp has no translation")
def comprehension(x, k, n):
    x[0] = [i * i for i in range(n)][n]


@case(TypeError, "FunctionDef has no translation")
def nested_function(x, k, n):
    def inner():
        return 1

    x[0] = inner()


@case(TypeError, "a loop with else")
def loop_with_else(x, k, n):
    for i in range(n):
        x[i] = 0
    else:
        x[0] = 1


@case(ValueError, "a kernel returns nothing")
def return_of_a_value(x, k, n):
    return x[0]


@case(ValueError, "3 values for 2 names")
def unpacking_too_few(x, k, n):
    a, b = jit.grid(3)
    x[a] = b


@case(ValueError, "ndim must be 1, 2 or 3, not 4")
def grid_of_four_dimensions(x, k, n):
    x[0] = jit.grid(4)


@case(TypeError, "ndim must be a constant")
def grid_of_a_variable(x, k, n):
    x[0] = jit.grid(n)


@case(TypeError, "the size of shared memory must be a constant")
def shared_memory_of_variable_size(x, k, n):
    shared = jit.shared_memory(np.float32, n)
    shared[0] = x[0]


@case(ValueError, "alignment must be a power of 2, not 12")
def alignment(x, k, n):
    shared = jit.shared_memory(np.float32, 4, alignment=12)
    shared[0] = x[0]


@case(TypeError, "atomic_and has no float32, but int32, uint32")
def atomic_of_a_real_number(x, k, n):
    jit.atomic_and(x, 0, 1)


@case(TypeError, "atomic_add: missing a required argument: 'value'")
def atomic_with_too_few_arguments(x, k, n):
    jit.atomic_add(x, 0)


@case(ValueError, "width must be a power of 2 up to 32, not 3")
def width_of_a_shuffle(x, k, n):
    x[0] = jit.shfl_sync(0xFFFFFFFF, x[0], 0, width=3)


@case(ValueError, "mask 4294967296 is out of range")
def mask_of_a_warp(x, k, n):
    jit.syncwarp(mask=2**32)


@case(TypeError, "a reduction of float32 takes no int32")
def reduction_of_another_type(x, k, n):
    Reduce = jit.cub.WarpReduce[np.float32]  # noqa: N806
    storage = jit.shared_memory(Reduce.TempStorage, 1)
    x[0] = Reduce(storage[0]).Sum(k[0])


@case(TypeError, r"sum\(\) has no translation")
def function_of_arrays(x, k, n):
    x[0] = sum(x)


@case(TypeError, r"float32 or int32, by a condition; convert one of them")
def conditional_of_two_types(x, k, n):
    x[0] = x[0] if n > 0 else k[0]


@case(AssertionError, "the assertion fails: 'more'")
def assertion(x, k, n):
    assert CONSTANT > 5, "more"


@jit.rawkernel(device=True)
def endless(x):
    return x + endless(x)


@jit.rawkernel(device=True)
def of_two_types(x):
    if x > 0:
        return x
    return 1


@case(ValueError, "endless calls itself with the same types")
def recursion(x, k, n):
    x[0] = endless(x[0])


@case(ValueError, "returns of different types")
def different_returns(x, k, n):
    x[0] = of_two_types(x[0])


@case(TypeError, "nothing where a number is needed|cannot be nothing|not nothing")
def result_of_a_barrier(x, k, n):
    x[0] = jit.syncthreads()


@pytest.mark.parametrize(("function", "error", "message"), CASES)
def test_untranslatable(function: Any, error: type[Exception], message: str) -> None:
    arguments = cp.zeros(4, "float32"), cp.zeros(4, "int32"), 3
    with pytest.raises(error, match=message) as caught:
        jit.rawkernel()(function)[1, 1](*arguments)
    assert re.search(r"\(.*test_jit_errors\.py:\d+: .+\)", str(caught.value))


@jit.rawkernel()
def stored(x, n):
    x[jit.threadIdx.x] = n


def test_arguments() -> None:
    x = cp.zeros(4, "float32")
    with pytest.raises(TypeError, match="stored takes 2 arguments, 1 was given"):
        stored[1, 1](x)
    with pytest.raises(TypeError, match=r"argument 1 of stored must be an array.*not ndarray"):
        stored[1, 1](np.zeros(4), 1)
    with pytest.raises(TypeError, match=r"argument 2 of stored .*not str"):
        stored[1, 1](x, "1")
    with pytest.raises(ValueError, match=r"x is read-only .*test_jit_errors.py"):
        stored[1, 1](cp.broadcast_to(x, (2, 4))[0], 1)
    with pytest.raises(TypeError, match=r"stored\[...\] takes grid, block"):
        stored[1]
    with pytest.raises(TypeError, match="endless is a device function"):
        endless[1, 1](x)
    with pytest.raises(ValueError, match="mode must be 'cuda' or 'numpy', not 'c'"):
        jit.rawkernel(mode="c")
    with pytest.raises(TypeError, match="rawkernel takes a function, not int"):
        jit.rawkernel()(3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"atomic_add is called in functions that jit.rawkernel"):
        jit.atomic_add(x, 0, 1)
    with pytest.warns(UserWarning, match="has no code yet"):
        assert jit.rawkernel()(unknown_name).cached_codes == {}


def test_launches_that_no_device_has() -> None:
    x = cp.zeros(4, "float32")
    with pytest.raises(cp.errors.LaunchError, match="2048"):
        stored[1, 2048](x, 1)
    with pytest.raises(cp.errors.LaunchError, match="grid of 0"):
        stored[0, 1](x, 1)


def launched(kernel: Any) -> None:
    """Waits for it too."""
    kernel[1, 64](cp.zeros(64, "float32"))
    cp.cuda.Device().synchronize()


def test_lines_in_the_checks_of_kernels() -> None:
    skip_without_compiler()
    if str(cp.empty(0).device).startswith("cuda"):
        pytest.skip("kernels are checked on the CPU platform")
    if shutil.which("addr2line") is None:
        pytest.skip("needs addr2line")

    @jit.rawkernel()
    def outside(x):
        i = jit.threadIdx.x
        x[i + 1] = 0

    line = outside._func.__code__.co_firstlineno + 3
    before = _cupola.checks_kernels()
    _cupola.set_checks_kernels(True)
    try:
        with pytest.raises(cp.errors.LaunchError, match=rf"test_jit_errors\.py:{line}\)"):
            launched(outside)
    finally:
        _cupola.set_checks_kernels(before)
