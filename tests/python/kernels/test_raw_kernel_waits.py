"""Raw kernels whose threads wait for what others write, and arrays that they take by value."""

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, on_cuda, to_numpy

pytestmark = pytest.mark.cupola_only

CHAIN = """
extern "C" __global__ void chain(volatile int* flag, int* order, int backward) {
    const int n = gridDim.x;
    const int me = backward ? n - 1 - blockIdx.x : blockIdx.x;
    __shared__ int kept;
    kept = 7 * me;
    if (threadIdx.x == 0) {
        %s
        order[me] = flag[0];
        __threadfence();
        flag[0] = me + 1;
    }
    __syncthreads();
    if (threadIdx.x == 1) order[n + me] = kept;
}
"""
LOOPS = [
    "while (flag[0] != me) ;",
    "while (flag[0] != me) { }",
    "for (;;) if (flag[0] == me) break;",
    "for (int tries = 0; flag[0] != me; ++tries) { }",
    "do { } while (!(flag[0] == me));",
    "int seen; while ((seen = flag[0]) != me) { for (int i : {1, 2}) kept += 0 * i; }",
]


@pytest.mark.parametrize("backward", [0, 1])
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("blocks", [3, 40])
def test_blocks_that_wait_for_each_other_end(loop: str, backward: int, blocks: int) -> None:
    kernel = cp.RawKernel(CHAIN % loop, "chain")
    flag, order = cp.zeros(1, "int32"), cp.full(2 * blocks, -1, "int32")
    kernel((blocks,), (2,), (flag, order, np.int32(backward)))
    found = to_numpy(order)
    np.testing.assert_array_equal(found[:blocks], np.arange(blocks))
    np.testing.assert_array_equal(found[blocks:], 7 * np.arange(blocks))
    assert flag.item() == blocks


def test_threads_of_a_block_wait_for_each_other() -> None:
    code = """
    extern "C" __global__ void pass_on(int* seen) {
        __shared__ volatile int turn;
        if (threadIdx.x == 0) turn = blockDim.x - 1;
        __syncthreads();
        while (turn != threadIdx.x) { }
        seen[blockIdx.x * blockDim.x + threadIdx.x] = turn;
        turn = turn - 1;
    }"""
    seen = cp.zeros(96, "int32")
    cp.RawKernel(code, "pass_on")((3,), (32,), (seen,))
    np.testing.assert_array_equal(to_numpy(seen), np.tile(np.arange(32), 3))


def test_a_barrier_of_the_grid_made_of_atomics() -> None:
    code = """
    extern "C" __global__ void halves(float* x, float* y, unsigned int* come) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
        y[i] = x[i] + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(come, 1u);
            while (atomicAdd(come, 0u) < gridDim.x) { }
        }
        __syncthreads();
        x[i] = y[n - 1 - i];
    }"""
    x, y, come = cp.arange(320, dtype="float32"), cp.zeros(320, "float32"), cp.zeros(1, "uint32")
    cp.RawKernel(code, "halves")((10,), (32,), (x, y, come))
    np.testing.assert_array_equal(to_numpy(x), np.arange(320)[::-1] + 1)


@pytest.mark.skipif(on_cuda(), reason="a trap ends the device for the process")
def test_a_block_that_fails_ends_those_that_wait_for_it() -> None:
    code = """
    extern "C" __global__ void never(volatile int* flag) {
        if (blockIdx.x == 5) __trap();
        while (flag[0] == 0) { }
    }"""
    kernel = cp.RawKernel(code, "never")

    def run() -> None:
        kernel((8,), (4,), (cp.zeros(1, "int32"),))
        cp.cuda.get_current_stream().synchronize()

    with pytest.raises(cp.errors.LaunchError, match="__trap"):
        run()


VIEWS = """
#include <cupy/carray.cuh>
template <typename T, int N>
__global__ void doubled(CArray<T, N> x, CArray<T, N, true> y) {
    CUPY_FOR(i, x.size()) y[i] = 2 * x[i];
}
extern "C" __global__ void turned(const CArray<float, 2> x, CArray<float, 2> y) {
    CIndexer<2> place(x.shape());
    CUPY_FOR(i, place.size()) {
        place.set(i);
        const int other[] = {int(place.get()[1]), int(place.get()[0])};
        y[other] = x[place.get()] + 100 * x.ndim + x.strides()[1];
    }
}
"""


def test_arrays_by_value() -> None:
    names = ["doubled<int, 3>", "doubled<double, 0>"]
    module = cp.RawModule(code=VIEWS, options=("--std=c++17",), name_expressions=names)
    values = np.arange(48, dtype="int32").reshape(4, 4, 3)
    x = from_numpy(values)[::2, ::-1, 1:]
    y = cp.zeros(x.shape, "int32")
    module.get_function(names[0])((2,), (8,), (x.cstruct, y.cstruct))
    np.testing.assert_array_equal(to_numpy(y), 2 * values[::2, ::-1, 1:])
    one = cp.zeros((), "float64")
    module.get_function(names[1])((1,), (1,), ((cp.ones(()) * 4).cstruct, one.cstruct))
    assert one.item() == 8
    rows = np.arange(12, dtype="float32").reshape(3, 4)
    z = cp.zeros((4, 3), "float32").T.T
    module.get_function("turned")((1,), (5,), (from_numpy(rows).cstruct, z.cstruct))
    np.testing.assert_array_equal(to_numpy(z), rows.T + 204)
    with pytest.raises(TypeError, match=r"CArray<T, 1>"):
        module.get_function("turned")((1,), (5,), (from_numpy(rows).cstruct, z[0].cstruct))
    assert repr(z.cstruct) == "<CArray of shape (4, 3), float32>"


def test_complex_numbers_beside_arrays_by_value() -> None:
    code = """
    #include <cupy/complex.cuh>
    #include <cupy/carray.cuh>
    extern "C" __global__ void squares(CArray<complex<float>, 1> x) {
        CUPY_FOR(i, x.size()) x[i] = x[i] * x[i];
    }"""
    x = np.array([1 + 2j, 3j, 5], "complex64")
    y = from_numpy(x)
    cp.RawKernel(code, "squares")((1,), (32,), (y.cstruct,))
    np.testing.assert_allclose(to_numpy(y), x * x)
