"""Mistakes of kernels that the CPU platform reports, with the line of each."""

import re
from typing import Any

import pytest
from cupola_under_test import cp, on_cuda
from support.subprocesses import output_of

pytestmark = [
    pytest.mark.cupola_only,
    pytest.mark.skipif(on_cuda(), reason="kernels are checked on the CPU"),
    pytest.mark.long,
]

MISTAKES = {
    "race": """extern "C" __global__ void k(int* x, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 63)
    s[threadIdx.x] += s[threadIdx.x + 1];
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}""",
    "lost barrier": """extern "C" __global__ void k(int* x, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = n;
  __syncthreads();
  s[63 - threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[threadIdx.x];
}""",
    "lost update": """extern "C" __global__ void k(int* x, int n) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, 1);
  x[threadIdx.x] = s;
}""",
    "out of range": """extern "C" __global__ void k(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    x[i] = i;
}""",
    "shared out of range": """extern "C" __global__ void k(int* x, int n) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
}""",
    "divergent": """extern "C" __global__ void k(int* x, int n) {
  if (threadIdx.x % 2) {
    __syncthreads();
  } else {
    x[0] = 3;
    __syncthreads();
  }
}""",
    "early return": """extern "C" __global__ void k(int* x, int n) {
  if (threadIdx.x > 40) return;
  x[threadIdx.x] = 1;
  __syncthreads();
}""",
    "uninitialised": """extern "C" __global__ void k(int* x, int n) {
  __shared__ int s[64];
  if (threadIdx.x < 63) s[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}""",
    "read too early": """extern "C" __global__ void k(int* x, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x];
}""",
    "read in front of a barrier": """extern "C" __global__ void k(int* x, int n) {
  __shared__ int s[64];
  x[threadIdx.x] = s[63 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = n;
}""",
    "waits for a thread": """extern "C" __global__ void k(volatile int* x, int n) {
  if (threadIdx.x == 0)
    while (x[1] == 0) {}
  if (threadIdx.x == 1) x[1] = n;
}""",
    "nothing": """template <int N> __device__ int sum(const int* s) {
  int all = 0;
  for (int i = 0; i < N; ++i) all += s[i];
  return all;
}
struct Pair { char a; int b; };
__device__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void k(int* x, int n) {
  __shared__ int s[64];
  __shared__ Pair pairs[64];
  extern __shared__ int more[];
  int own[8];
  for (int i = 0; i < 8; ++i) own[i] = table[i % 4];
  s[threadIdx.x] = own[threadIdx.x % 8];
  pairs[threadIdx.x] = {1, 2};
  if (threadIdx.x < 32) {
    more[threadIdx.x] = s[threadIdx.x];
    __syncwarp();
    more[threadIdx.x] += __shfl_down_sync(0xffffffff, threadIdx.x, 1);
    __syncwarp();
    own[0] = more[31 - threadIdx.x];
  }
  __syncthreads();
  Pair pair = pairs[63 - threadIdx.x];
  if (threadIdx.x < n) x[threadIdx.x] = sum<64>(s) + pair.b + own[0];
}""",
}
# One module, so that there is one compilation; the kernels are told apart by their numbers.
TEXT = "".join(
    code.replace(" k(", f" k{i}(") + "\n" * (40 - code.count("\n"))
    for i, code in enumerate(MISTAKES.values())
)
PROGRAM = f"""
import cupola as cp
module = cp.RawModule(code={TEXT!r})
for i in range({len(MISTAKES)}):
    x = cp.zeros(100, "int32")
    try:
        module.get_function(f"k{{i}}")((2,), (64,), (x, 100), shared_mem=128)
        print("passes")
    except cp.errors.LaunchError as error:
        print(error)
print(float((cp.ones(3) + 1).sum()))
"""


@pytest.fixture(scope="module")
def reports() -> dict[str, str]:
    """What is said of each mistake, with lines counted from the first of each kernel."""
    lines = output_of(PROGRAM, CUPOLA_KERNEL_CHECK="1", CUPOLA_PLATFORM="cpu").splitlines()
    assert lines.pop() == "6.0"  # the device is still in use

    def own_line(number: re.Match[str]) -> str:
        return f"kernel.cu:{int(number[1]) % 40}"

    texts = [re.sub(r"kernel\.cu:(\d+)", own_line, line) for line in lines]
    return dict(zip(MISTAKES, texts, strict=True))


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("race", ["race on shared memory", "(kernel.cu:6)", "thread (1, 0, 0) of block (0, 0, 0)"]),
        (
            "lost barrier",
            ["race on shared memory", "reads", "writes", "(kernel.cu:5)", "(kernel.cu:6)"],
        ),
        ("lost update", ["race on shared memory", "updates", "(kernel.cu:5)", "(kernel.cu:6)"]),
        (
            "out of range",
            [
                "out of range: writes 4 bytes",
                "(kernel.cu:4), 0 bytes behind the end of the memory of argument 1 of k3 (int* x)",
                "thread (36, 0, 0) of block (1, 0, 0)",
            ],
        ),
        ("shared out of range", ["out of range", "(kernel.cu:3)", "dynamic shared memory, 128"]),
        ("divergent", ["a barrier (kernel.cu:3)", "waits at", "(kernel.cu:6)"]),
        ("early return", ["a barrier (kernel.cu:4)", "has ended"]),
        ("uninitialised", ["uninitialised shared memory", "(kernel.cu:5)", "thread (63, 0, 0)"]),
        (
            "read too early",
            ["race on shared memory: writes", "(kernel.cu:3)", "thread 31 of", "(kernel.cu:4)"],
        ),
        (
            "read in front of a barrier",
            ["uninitialised shared memory", "(kernel.cu:3)", "thread (0, 0, 0)"],
        ),
        ("waits for a thread", ["passes"]),
        ("nothing", ["passes"]),
    ],
)
def test_mistakes_are_reported_with_their_line(
    reports: dict[str, str], mistake: str, words: list[str]
) -> None:
    for word in words:
        assert word in reports[mistake]


def stopped(code: str, grid: int = 1, **options: Any) -> str:
    """The error of the kernel `k`, with 8 threads in each block; the device goes on."""

    def run() -> None:
        cp.RawKernel(code, "k", **options)((grid,), (8,), (cp.zeros(64, "int32"),))
        cp.cuda.Stream.null.synchronize()

    with pytest.raises(cp.errors.LaunchError) as caught:
        run()
    assert float((cp.ones(3) + 1).sum()) == 6.0
    return str(caught.value)


@pytest.mark.parametrize("grid", [1, 3])
def test_threads_that_wait_for_each_other_for_ever(grid: int) -> None:
    code = """extern "C" __global__ void k(int* x) {
  if (threadIdx.x < 3) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  x[0] = 1;
}"""
    message = stopped(code, grid)
    for word in ("for ever", "a barrier of the block (kernel.cu:3)", "warp (kernel.cu:5)"):
        assert word in message


def test_assertions_and_traps() -> None:
    code = """
extern "C" __global__ void k(int* x) {
  assert(threadIdx.x < 4);
}"""
    message = stopped(code)
    assert "assertion threadIdx.x < 4 failed" in message
    assert "thread (4, 0, 0) of block (0, 0, 0) (kernel.cu:3)" in message
    assert "__trap" in stopped('extern "C" __global__ void k(int* x) { if (*x == 0) __trap(); }')
    grid = "#include <cooperative_groups.h>\n"
    grid += 'extern "C" __global__ void k(int* x) { cooperative_groups::this_grid().sync(); }'
    assert "cooperative launch" in stopped(grid)
    deep = """extern "C" __global__ void k(int* x) {
  volatile char most[262144 - 4096];
  for (int i = 0; i < 262144 - 4096; ++i) most[i] = x[i % 64];
  x[0] = most[x[1]];
}"""
    assert "256 KiB of stack" in stopped(deep)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('asm volatile("mov.u32 %0, %laneid;" : "=r"(x[0]));', r"\(2\): error: inline PTX"),
        ("x[0] = tex1Dfetch<int>(cudaTextureObject_t(x), 0);", "2:.*error.*textures"),
    ],
)
def test_what_only_gpus_have_is_a_compile_error(line: str, words: str) -> None:
    code = f'extern "C" __global__ void k(int* x) {{\n{line}\n}}'
    with pytest.raises(cp.errors.CompileError, match=words):
        cp.RawKernel(code, "k")((1,), (1,), (cp.zeros(1, "int32"),))


def test_tensor_cores_are_a_compile_error() -> None:
    code = '#include <mma.h>\nextern "C" __global__ void k(int* x) {}'
    with pytest.raises(cp.errors.CompileError, match="tensor cores have no meaning on a CPU"):
        cp.RawKernel(code, "k")((1,), (1,), (cp.zeros(1, "int32"),))


def test_the_setting_holds_for_modules_compiled_from_then_on() -> None:
    code = 'extern "C" __global__ void k(int* x) { if (x[64] == 5) x[0] = 1; }'
    x = cp.zeros(65, "int32")
    before, kernel = cp.config.kernel_check, cp.RawKernel(code, "k")
    cp.config.kernel_check = True
    try:
        kernel((1,), (1,), (x,))
        with pytest.raises(cp.errors.LaunchError, match=r"out of range: reads.*kernel.cu:1"):
            kernel((1,), (1,), (cp.zeros(64, "int32"),))
    finally:
        cp.config.kernel_check = before


def test_more_shared_memory_than_there_is() -> None:
    code = """extern "C" __global__ void k(int* x) {
  extern __shared__ int s[];
  __shared__ int own[100];
  own[threadIdx.x] = s[threadIdx.x] = 1;
  x[threadIdx.x] = own[0];
}"""
    kernel = cp.RawKernel(code, "k")
    x = cp.zeros(64, "int32")
    assert kernel.shared_size_bytes == 400
    with pytest.raises(cp.errors.LaunchError, match="600000 bytes of dynamic shared memory"):
        kernel((1,), (8,), (x,), shared_mem=600000)
    kernel((1,), (8,), (x,), shared_mem=60000)
    assert int(x.sum()) == 8
    with pytest.raises(ValueError, match="max_dynamic_shared_size_bytes"):
        kernel.max_dynamic_shared_size_bytes = 1 << 20


def test_a_barrier_of_the_grid_that_a_block_does_not_reach() -> None:
    """Also where memory is not checked: on a GPU the others wait for ever."""
    code = """#include <cooperative_groups.h>
extern "C" __global__ void k(int* x) {
  if (blockIdx.x != 1)
    cooperative_groups::this_grid().sync();
  x[threadIdx.x] = 1;
}"""
    kernel = cp.RawKernel(code, "k", enable_cooperative_groups=True)

    def run() -> None:
        kernel((3,), (4,), (cp.zeros(4, "i4"),))
        cp.cuda.Device().synchronize()

    with pytest.raises(cp.errors.LaunchError) as caught:
        run()
    for words in (
        "a barrier of the grid (kernel.cu:4)",
        "block (0, 0, 0) waits",
        "block (1, 0, 0)",
    ):
        assert words in str(caught.value)
