"""`jit.rawkernel`: warps, atomic functions, reductions, groups and device functions."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same
from support.compilers import skip_without_compiler

from cupola.cupyx import jit

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


@pytest.mark.parametrize("dtype", ["int32", "float16", "complex64"])
def test_shuffles(dtype: str) -> None:
    @jit.rawkernel()
    def kernel(x, y, width):
        lane = jit.laneid()
        value = x[lane]
        y[0, lane] = jit.shfl_sync(0xFFFFFFFF, value, 5)
        y[1, lane] = jit.shfl_up_sync(0xFFFFFFFF, value, 3)
        y[2, lane] = jit.shfl_down_sync(0xFFFFFFFF, value, 2, width=width)
        i = jit.warpsize // 2
        while i >= 1:
            value += jit.shfl_xor_sync(0xFFFFFFFF, value, i)
            i //= 2
        y[3, lane] = value
        jit.syncwarp()

    x = np.arange(32).astype(dtype)
    y = cp.zeros((4, 32), dtype)
    kernel[1, 32](cp.asarray(x), y, 8)
    lanes = np.arange(32)
    down = np.where(lanes % 8 < 6, lanes + 2, lanes)
    rows = [np.full(32, 5), np.where(lanes < 3, lanes, lanes - 3), down, np.full(32, x.sum())]
    assert_same(y, np.array(rows).astype(dtype))


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float64"])
def test_atomic_functions_of_all_types(dtype: str) -> None:
    @jit.rawkernel()
    def kernel(x, y, old):
        i = jit.grid(1)
        old[i] = jit.atomic_add(y, 0, 1)
        jit.atomic_sub(y, 1, x[i])
        jit.atomic_min(y, 2, x[i])
        jit.atomic_max(y, 3, x[i])
        if i == 0:
            jit.atomic_exch(y, 4, x[7])
            old[64] = jit.atomic_cas(y, 5, 3, x[8])
            old[65] = jit.atomic_cas(y, 6, 2, x[8])

    x = np.random.default_rng(1).permutation(64).astype(dtype)
    y, old = cp.asarray(np.full(7, 3, dtype)), cp.zeros(66, dtype)
    kernel[2, 32](cp.asarray(x), y, old)
    three = np.array(3, dtype)
    with np.errstate(over="ignore"):
        expected = [67, three - x.sum(dtype=dtype), 0, 63, x[7], x[8], 3]
    assert_same(y, np.array([np.asarray(each).astype(dtype) for each in expected]))
    assert sorted(old.tolist()) == sorted([*range(3, 67), 3, 3])


def test_atomic_bits_and_counters() -> None:
    @jit.rawkernel()
    def kernel(y):
        i = jit.threadIdx.x
        jit.atomic_or(y, 0, 1 << i)
        jit.atomic_and(y, 1, ~(1 << i))
        jit.atomic_xor(y, 2, 1 << i)
        jit.atomic_inc(y, 3, 9)
        jit.atomic_dec(y, 4, 9)

    y = cp.asarray([0, 2**32 - 1, 5, 0, 0], "uint32")
    kernel[1, 16](y)
    assert y.tolist() == [0xFFFF, 0xFFFF0000, 0xFFFA, 6, 4]


def test_histogram_by_atomics_on_shared_memory() -> None:
    @jit.rawkernel()
    def histogram(x, counts):
        own = jit.shared_memory(np.uint32, 16)
        tid = jit.threadIdx.x
        if tid < 16:
            own[tid] = 0
        jit.syncthreads()
        for i in range(jit.grid(1), x.size, jit.gridsize(1)):
            jit.atomic_add(own, x[i], 1)
        jit.syncthreads()
        if tid < 16:
            jit.atomic_add(counts, tid, own[tid])

    x = np.random.default_rng(3).integers(0, 16, 3000, dtype="uint8")
    counts = cp.zeros(16, "uint32")
    histogram[4, 64](cp.asarray(x), counts)
    assert_same(counts, np.bincount(x, minlength=16).astype("uint32"))


def test_atomic_addition_of_halves() -> None:
    @jit.rawkernel()
    def kernel(x, y):
        jit.atomic_add(y, jit.threadIdx.x % 2, x[jit.threadIdx.x])

    x = np.arange(32).astype("float16")
    y = cp.zeros(2, "float16")
    kernel[1, 32](cp.asarray(x), y)
    assert_same(y, x.reshape(16, 2).sum(axis=0))


@pytest.mark.parametrize("dtype", ["int8", "float16", "complex128"])
def test_reductions_of_warps_and_blocks(dtype: str) -> None:
    @jit.rawkernel()
    def kernel(x, y):
        WarpReduce = jit.cub.WarpReduce[dtype]  # noqa: N806
        BlockReduce = jit.cub.BlockReduce[dtype, 96]  # noqa: N806
        warp_storage = jit.shared_memory(dtype=WarpReduce.TempStorage, size=3)
        block_storage = jit.shared_memory(dtype=BlockReduce.TempStorage, size=1)
        i, j = jit.blockIdx.x, jit.threadIdx.x
        value = x[i, j]
        warp = WarpReduce(warp_storage[j // 32])
        aggregate = warp.Sum(value)
        if j % 32 == 0:
            y[i, j // 32] = aggregate
        largest = BlockReduce(block_storage[0]).Reduce(value, jit.cub.Max())
        jit.syncthreads()
        smallest = BlockReduce(block_storage[0]).Reduce(value, jit.cub.Min())
        jit.syncthreads()
        total = BlockReduce(block_storage[0]).Sum(value)
        if j == 0:
            y[i, 3], y[i, 4], y[i, 5] = largest, smallest, total

    x = np.random.default_rng(2).integers(0, 3, (4, 96)).astype(dtype)
    y = cp.zeros((4, 6), dtype)
    kernel[4, 96](cp.asarray(x), y)
    warps = x.reshape(4, 3, 32).sum(axis=2, dtype=dtype)
    rest = [x.max(axis=1), x.min(axis=1), x.sum(axis=1, dtype=dtype)]
    assert_same(y, np.concatenate([warps, np.stack(rest, axis=1)], axis=1))


def test_groups_of_blocks() -> None:
    @jit.rawkernel()
    def kernel(x, y):
        group = jit.cg.this_thread_block()
        rank = group.thread_rank()
        shared = jit.shared_memory(np.int32, 64)
        jit.cg.memcpy_async(group, shared, 0, x, jit.blockIdx.x * 64, 64 * 4)
        jit.cg.wait(group)
        y[jit.blockIdx.x * 64 + rank] = shared[63 - rank] * group.size()
        group.sync()
        dims, index = group.group_dim(), group.group_index()
        if rank == 0:
            x[jit.blockIdx.x * 64] = dims.x * 100 + index.x * 10 + group.dim_threads().y

    x = np.arange(128, dtype="int32")
    given, y = cp.asarray(x), cp.zeros(128, "int32")
    kernel[2, 64](given, y)
    assert_same(y, x.reshape(2, 64)[:, ::-1].ravel() * 64)
    assert given[::64].tolist() == [6401, 6411]


def test_the_grid_as_a_group() -> None:
    @jit.rawkernel()
    def kernel(x, y):
        grid = jit.cg.this_grid()
        rank = grid.thread_rank()
        x[rank] = rank
        grid.sync()
        y[rank] = x[grid.num_threads() - 1 - rank] + grid.num_blocks() * 1000
        if rank == 0 and grid.is_valid():
            y[0] = 5

    x, y = cp.zeros(128, "uint64"), cp.zeros(128, "uint64")
    kernel[2, 64](x, y)
    assert y.tolist() == [5, *(4000 - 2000 + 127 - i for i in range(1, 128))]


@jit.rawkernel(device=True)
def both(a, b):
    a += 1
    return a + b, a - b


@jit.rawkernel(device=True)
def counted(x):
    x[0] += 1
    return 1


def test_device_functions() -> None:
    @jit.rawkernel(device=True)
    def clear(x, i):
        x[i] = 0

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        total, difference = both(x[i], y[i])
        x[i], y[i] = total, difference
        if i == 7:
            clear(x, 7)

    x, y = np.arange(8), np.arange(8) ** 2
    given = cp.asarray(x), cp.asarray(y)
    kernel[1, 8](*given)
    expected = x + 1 + y
    expected[7] = 0
    assert_same(given[0], expected)
    assert_same(given[1], x + 1 - y)


def test_functions_that_functions_make() -> None:
    def adder(const: int) -> Any:
        @jit.rawkernel(device=True)
        def f(x, y):
            return x + y + const

        return f

    def halved(step: int) -> Any:
        @jit.rawkernel(device=True)
        def f(x):
            if step < 64:
                tid = jit.threadIdx.x
                if tid % (step * 2) == 0:
                    x[tid] += x[tid + step]
                jit.syncthreads()
                halved(step * 2)(x)

        return f

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        y[i] = adder(10)(x[i], i) + adder(20)(x[i], i)
        halved(1)(x)

    x = np.arange(64)
    given, y = cp.asarray(x), cp.zeros(64, "int64")
    kernel[1, 64](given, y)
    assert_same(y, 4 * x + 30)
    assert int(given[0]) == x.sum()


def test_an_index_with_an_effect_is_evaluated_once() -> None:
    @jit.rawkernel()
    def kernel(x):
        x[counted(x)] += 1
        x[2] = 0 < counted(x) < 2

    x = cp.zeros(3, "int64")
    kernel[1, 1](x)
    assert x.tolist() == [2, 1, 1]
