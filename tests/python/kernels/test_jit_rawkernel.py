"""`jit.rawkernel`: kernels written in Python beside NumPy."""

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


OFFSET = 3


def random(shape: Any, dtype: str) -> np.ndarray:
    """Numbers from -9 to 9."""
    values = np.random.default_rng(5).integers(-9, 9, shape)
    if dtype.startswith("c"):
        return (values + 1j * values[::-1]).astype(dtype)
    return values.astype(dtype)


def doubled(x):
    return x * np.float64(2)


@jit.rawkernel()
def copied(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


def test_grid_stride_loop_and_its_launches() -> None:
    x = random(1000, "int32")
    for number in range(3):
        y = cp.zeros(1000, "int32")
        if number == 0:
            copied((7,), (64,), (cp.asarray(x), y, np.uint32(1000)))
        elif number == 1:
            copied[7, 64](cp.asarray(x), y, np.uint32(1000))
        else:
            copied[(7,), (64,), 16, cp.cuda.Stream()](cp.asarray(x), y, np.uint32(1000))
        cp.cuda.Device().synchronize()
        assert_same(y, x)
    assert "kernel_copied" in copied.cached_code
    assert list(copied.cached_codes.values()) == [copied.cached_code]


COPIED = """
static inline __device__ void kernel_body(const float* p_x, Layout<2> l_x, float* p_y, \
Layout<1> l_y) {  // shown
  Array<const float, 2, true> v_x{p_x, l_x};
  Array<float, 1, true> v_y{p_y, l_y};
  uint32_t v_i{};
  v_i = (threadIdx.x + blockIdx.x * blockDim.x);
  if (step_0(cast<int64_t>(v_i), v_y.size())) {
    v_y.at(v_i) = v_x.at(v_i, static_cast<int32_t>(1ll));
  } else {
  }
}
using parameter_0 = float;
using parameter_1 = Layout<2>;
using parameter_2 = float;
using parameter_3 = Layout<1>;
}
extern "C" __global__ void kernel_shown(const cupola_device::parameter_0* p_x, \
cupola_device::parameter_1 l_x, cupola_device::parameter_2* p_y, cupola_device::parameter_3 l_y) {
  cupola_device::kernel_body(p_x, l_x, p_y, l_y);
}
"""


def test_the_text_of_a_kernel() -> None:
    @jit.rawkernel()
    def shown(x, y):
        i = jit.grid(1)
        if i < y.size:
            y[i] = x[i, 1]

    x, y = np.arange(12, dtype="float32").reshape(6, 2), cp.zeros(6, "float32")
    shown[2, 4](cp.asarray(x), y)
    assert_same(y, x[:, 1])
    code = shown.cached_code
    text = code[code.rindex("static inline __device__") :]
    lines = [line for line in text.splitlines(keepends=True) if "#line" not in line]
    assert "".join(lines) == COPIED.removeprefix("\n")
    assert f'test_jit_rawkernel.py"\n  {lines[4].strip()}' in text


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint16", "int64", "float16", "float32", "complex128"],
)
def test_dtypes_of_every_kind_with_strides(dtype: str) -> None:
    @jit.rawkernel()
    def scaled(x, y, z, factor):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            z[j, i] = (x[i, j] + y[i, j]) * factor

    x, y = random((6, 5), dtype), random((6, 5), dtype)
    z = cp.zeros((10, 6), dtype)[::2]
    factor = np.dtype(dtype).type(1)
    wide = cp.asarray(np.repeat(x, 2, axis=1))
    scaled((2, 3), (4, 2), (wide[:, ::2], cp.asarray(y[::-1])[::-1], z, factor))
    assert_same(z, ((x + y) * factor).T)


def test_control_flow() -> None:
    @jit.rawkernel()
    def collatz(x, steps):
        i = jit.grid(1)
        if i >= x.size:
            return
        n, count = x[i], 0
        while True:
            if n == 1:
                break
            if n % 2 == 0:
                n //= 2
            elif not n < 0:
                n = 3 * n + 1
            count += 1
            if count > 500:
                break
        steps[i] = count

    def expected(n: int) -> int:
        count = 0
        while n != 1:
            n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
        return count

    x = np.arange(1, 50, dtype="int64")
    steps = cp.zeros(49, "int32")
    collatz[2, 32](cp.asarray(x), steps)
    assert steps.tolist() == [expected(n) for n in x.tolist()]


def test_ranges_of_all_kinds() -> None:
    @jit.rawkernel()
    def sums(y, n):
        total = 0
        for i in range(n):
            if i == 2:
                continue
            total += i
        y[0] = total
        for i in range(n - 1, -1, -1):
            total += i * i
        y[1] = total
        for j in jit.range(3, 20, 4, unroll=4):
            total -= j
        y[2] = total
        for j in jit.range(3, unroll=True):
            for k in jit.range(j, unroll=False):
                total += k
        y[3] = total
        step = -2
        for _k in range(9, 0, step):
            total += 1
        y[4] = total
        for _k in range(n, 0):
            total = 100
        y[5] = total

    first = sum(i for i in range(6) if i != 2)
    second = first + sum(i * i for i in range(6))
    third = second - sum(range(3, 20, 4))
    fourth = third + sum(k for j in range(3) for k in range(j))
    y = cp.zeros(6, "int64")
    sums[1, 1](y, 6)
    assert y.tolist() == [first, second, third, fourth, fourth + 5, fourth + 5]


def test_expressions() -> None:
    import math

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.grid(1)
        value = x[i]
        y[0, i] = value if value > 0 else -value
        y[1, i] = 1 if 0 < value < 5 else 0
        y[2, i] = min(value, 2.0, -1.0) + max(value, 1)
        y[3, i] = np.sqrt(abs(value)) + cp.exp(value / 10)
        y[4, i] = math.sin(value) ** 2
        y[5, i] = int(value) // 2 + OFFSET
        y[6, i] = float(i == 3 or (value == 2 and not value < 0))
        y[7, i] = doubled(cp.float32(value))

    x = np.linspace(-6, 6, 20)
    y = cp.zeros((8, 20))
    kernel[1, 20](cp.asarray(x), y)
    i = np.arange(20)
    rows = [
        np.abs(x),
        (0 < x) & (x < 5),
        np.minimum(x, -1) + np.maximum(x, 1),
        np.sqrt(np.abs(x)) + np.exp(x / 10),
        np.sin(x) ** 2,
        x.astype(int) // 2 + OFFSET,
        (i == 3) | (x == 2),
        x.astype("f4") * 2.0,
    ]
    np.testing.assert_allclose(y.get(), np.array(rows, "f8"), rtol=1e-13, atol=1e-15)


def test_rows_shapes_and_tuples() -> None:
    @jit.rawkernel()
    def kernel(x, y):
        row = x[1]
        plane = row[2]
        y[0] = plane[3]
        y[1] = x[1, 2][0]
        shape = x.shape
        y[2] = shape[0] * 100 + shape[1] * 10 + shape[-1]
        y[3] = x.strides[1]
        y[4] = len(x) + x.ndim * 10 + row.ndim
        a, b = 1, 2
        a, b = b, a
        y[5] = a * 10 + b
        pair = (a, b)
        pair = (pair[1], pair[0])
        y[6] = pair[0] * 10 + pair[1]
        y[7], y[8] = x.size, len(shape)
        y[9] = x.ravel()[5]
        y[10] = (x.begin() + 7)[0]
        y[11] = x.end() - x.begin()
        c = d = x[0, 0, 1]
        y[12] = c + d

    x = np.arange(24, dtype="int32").reshape(2, 3, 4)
    y = cp.zeros(13, "int64")
    kernel[1, 1](cp.asarray(x), y)
    assert y.tolist() == [23, 20, 234, 16, 2 + 30 + 2, 21, 12, 24, 3, 5, 7, 24, 2]


def test_arrays_without_dimensions_and_elements() -> None:
    @jit.rawkernel()
    def kernel(x, y, empty):
        y[()] = x[()] + empty.size

    y = cp.zeros((), "float32")
    kernel[1, 1](cp.asarray(np.float32(2.5)), y, cp.zeros((0, 3)))
    assert float(y) == 2.5


def test_scalars_have_the_types_of_mode_cuda_and_of_numpy() -> None:
    def kernel(y, a, b, c, d):
        y[0] = a + 0.5
        y[1] = b * 1000000
        y[2] = c

    arguments = (1, 3000, 0.1, 1j)
    results = []
    for mode in ("cuda", "numpy"):
        y = cp.zeros(3)
        made = jit.rawkernel(mode=mode)(kernel)
        made[1, 1](y, *arguments)
        results.append(y.tolist())
        types = [kind.name for kind in next(iter(made.cached_codes))[1:]]
        wide = ["int32", "int32", "float32", "complex64"]
        assert types == (wide if mode == "cuda" else ["int64", "int64", "float64", "complex128"])
    assert results[0] == [1.5, float(np.int32(3000 * 10**6 - 2**32)), float(np.float32(0.1))]
    assert results[1] == [1.5, 3e9, 0.1]


def test_integer_types_promote_as_in_c() -> None:
    @jit.rawkernel()
    def kernel(x, y):
        y[0] = x[0] < jit.threadIdx.x + 5  # as unsigned numbers
        y[1] = x[0] / 4
        y[2] = jit.threadIdx.x - 1

    y = cp.zeros(3)
    kernel[1, 1](cp.asarray([-1], "int32"), y)
    assert y.tolist() == [0.0, -0.25, 2.0**32 - 1]


def test_complex_numbers() -> None:
    @jit.rawkernel()
    def kernel(x, y, z):
        i = jit.grid(1)
        y[i] = x[i] * x[i].conj() + 2j
        z[i] = abs(x[i]) + x[i].real - x[i].imag

    x = random(8, "complex128")
    y, z = cp.zeros(8, "complex128"), cp.zeros(8)
    kernel[1, 8](cp.asarray(x), y, z)
    np.testing.assert_allclose(y.get(), x * x.conj() + 2j)
    np.testing.assert_allclose(z.get(), np.abs(x) + x.real - x.imag)


def test_matrix_product_by_tiles() -> None:
    tile = 8

    @jit.rawkernel()
    def product(a, b, c):
        left = jit.shared_memory(np.float32, tile * tile)
        right = jit.shared_memory(a.dtype, tile * tile, alignment=16)
        tx, ty = jit.threadIdx.x, jit.threadIdx.y
        column, row = jit.grid(2)
        total = np.float32(0)
        for first in range(0, a.shape[1], tile):
            inside = row < a.shape[0] and first + tx < a.shape[1]
            left[ty * tile + tx] = a[row, first + tx] if inside else 0
            inside = column < b.shape[1] and first + ty < b.shape[0]
            right[ty * tile + tx] = b[first + ty, column] if inside else 0
            jit.syncthreads()
            for k in jit.range(tile, unroll=True):
                total += left[ty * tile + k] * right[k * tile + tx]
            jit.syncthreads()
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = total

    a, b = random((20, 13), "float32"), random((13, 27), "float32")
    c = cp.zeros((20, 27), "float32")
    product[(4, 3), (tile, tile)](cp.asarray(a), cp.asarray(b), c)
    assert_same(c, a @ b)


def test_dynamic_shared_memory() -> None:
    @jit.rawkernel()
    def block_sum(x, sums):
        tid = jit.threadIdx.x
        partial = jit.shared_memory(np.float64, None)
        i = jit.grid(1)
        partial[tid] = x[i] if i < x.size else 0.0
        jit.syncthreads()
        half = jit.blockDim.x // 2
        while half > 0:
            if tid < half:
                partial[tid] += partial[tid + half]
            jit.syncthreads()
            half //= 2
        if tid == 0:
            sums[jit.blockIdx.x] = partial[0]

    x = random(1000, "float64")
    sums = cp.zeros(8)
    block_sum((8,), (128,), (cp.asarray(x), sums), shared_mem=8 * 128)
    assert_same(sums, np.append(x, np.zeros(24)).reshape(8, 128).sum(axis=1))


def test_streams_and_read_only_arrays() -> None:
    x = cp.broadcast_to(cp.asarray(np.int32(7)), (32,))
    y = cp.zeros(32, "int32")
    stream = cp.cuda.Stream()
    copied((1,), (32,), (x, y, np.uint32(32)), stream=stream)
    stream.synchronize()
    assert y.tolist() == [7] * 32


@pytest.mark.parametrize(("step", "expected"), [(None, 1), (3, 3)])
def test_none_is_compared_when_the_kernel_is_compiled(step: int | None, expected: int) -> None:
    @jit.rawkernel()
    def kernel(x):
        if step == None:  # noqa: E711
            x[0] = 1
        if step != None:  # noqa: E711
            x[0] = step
        if x[0] == None:  # noqa: E711
            x[0] = 7

    x = cp.zeros(1, "int32")
    kernel[1, 1](x)
    assert x.tolist() == [expected]
