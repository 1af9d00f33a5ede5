"""Memory pools and allocators under CuPy's names."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.subprocesses import output_of, run_python

pytestmark = pytest.mark.cupola_only

MIB = 1 << 20


@pytest.fixture
def pool() -> cp.cuda.MemoryPool:
    """A pool of its own."""
    return cp.cuda.MemoryPool()


def test_default_pool_counts_arrays() -> None:
    default = cp.get_default_memory_pool()
    before = default.used_bytes()
    a = cp.empty(100, "f4")
    assert default.used_bytes() - before == 512
    assert default.total_bytes() >= default.used_bytes()
    assert default.total_bytes() == default.used_bytes() + default.free_bytes()
    del a
    assert default.used_bytes() == before
    assert default.free_all_blocks() >= 0
    assert cp.get_default_memory_pool() is default


def test_arrays_of_a_set_allocator_come_from_it(pool: cp.cuda.MemoryPool) -> None:
    previous = cp.cuda.get_allocator()
    cp.cuda.set_allocator(pool.malloc)
    try:
        assert cp.cuda.get_allocator() == pool.malloc
        a = cp.arange(1000)
        assert pool.used_bytes() >= 8000
        other: list[Any] = []
        thread = threading.Thread(target=lambda kept=other: kept.append(cp.ones(1000)))
        thread.start()
        thread.join()
        assert pool.used_bytes() >= 16000
    finally:
        cp.cuda.set_allocator(previous)
    used = pool.used_bytes()
    b = cp.ones(1000)
    assert pool.used_bytes() == used
    assert float((a + b + other[0]).sum()) == 1000 * 999 / 2 + 2000
    del a, other
    assert pool.used_bytes() == 0
    assert pool.free_bytes() > 0
    assert pool.n_free_blocks() >= 1
    assert pool.free_all_blocks() > 0
    assert pool.total_bytes() == 0


def test_using_allocator_is_the_threads_own(pool: cp.cuda.MemoryPool) -> None:
    inner = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.ones(1000)
        with cp.cuda.using_allocator(inner.malloc):
            b = cp.ones(1000)
        thread = threading.Thread(target=cp.ones, args=(100_000,))
        thread.start()
        thread.join()
        with pytest.raises(ValueError, match="using_allocator"):
            cp.cuda.set_allocator(inner.malloc)
    assert pool.used_bytes() == 8192
    assert inner.used_bytes() == 8192
    assert float((a + b).sum()) == 2000
    with pytest.raises(RuntimeError, match="mine"), cp.cuda.using_allocator(inner.malloc):
        raise RuntimeError("mine")
    used = inner.used_bytes()
    cp.ones(1000)
    assert inner.used_bytes() == used


def test_no_allocator_means_no_pool() -> None:
    before = cp.get_default_memory_pool().used_bytes()
    with cp.cuda.using_allocator():
        a = cp.ones(1000)
    assert cp.get_default_memory_pool().used_bytes() == before
    assert float(a.sum()) == 1000
    assert a.data.mem.size == 8000


@pytest.mark.parametrize(
    "make",
    [
        lambda: cp.cuda.MemoryPool().malloc,
        lambda: cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc,
        lambda: cp.cuda.MemoryPool(cp.cuda.malloc_async).malloc,
        lambda: cp.cuda.MemoryPool(lambda size: cp.cuda.MemoryPool().malloc(size)).malloc,
        lambda: cp.cuda.MemoryAsyncPool().malloc,
        lambda: cp.cuda.malloc_managed,
        lambda: cp.cuda.malloc_async,
        lambda: lambda size: cp.cuda.malloc_managed(size),
    ],
)
def test_every_allocator_serves_arrays(make: Any) -> None:
    with cp.cuda.using_allocator(make()):
        kept = []
        for i in range(1, 20):
            a = cp.arange(i * 1000, dtype="i8")
            kept.append((a * 2)[::3])
    for i, a in enumerate(kept, 1):
        np.testing.assert_array_equal(cp.asnumpy(a), (np.arange(i * 1000) * 2)[::3])


def test_limits(pool: cp.cuda.MemoryPool) -> None:
    assert pool.get_limit() == 0
    pool.set_limit(size=4 * MIB)
    assert pool.get_limit() == 4 * MIB
    held = pool.malloc(3 * MIB)
    with pytest.raises(cp.errors.OutOfMemoryError, match="limit"):
        pool.malloc(2 * MIB)
    pool.set_limit(size=1000)  # below what is in use
    with pytest.raises(MemoryError):
        pool.malloc(4 * MIB)
    held.memset(7, 3 * MIB)
    assert int(cp.ndarray((3 * MIB,), "u1", held).min()) == 7
    pool.set_limit()
    assert pool.get_limit() == 0
    pool.malloc(8 * MIB)
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == cp.cuda.Device().mem_info[1] // 2


@pytest.mark.parametrize(
    ("size", "fraction"), [(-1, None), (None, -0.1), (None, 1.5), (None, float("nan")), (1, 0.5)]
)
def test_bad_limits(pool: cp.cuda.MemoryPool, size: Any, fraction: Any) -> None:
    pool.set_limit(size=MIB)
    with pytest.raises(ValueError, match=r"size|fraction"):
        pool.set_limit(size=size, fraction=fraction)
    assert pool.get_limit() == MIB


def test_async_pool_counts_and_limits() -> None:
    pool = cp.cuda.MemoryAsyncPool()
    memory = pool.malloc(1000)
    assert pool.used_bytes() == 1000
    pool.set_limit(size=1500)
    with pytest.raises(MemoryError):
        pool.malloc(1000)
    assert pool.get_limit() == 1500
    del memory
    assert pool.used_bytes() == 0
    pool.free_all_blocks()
    with pytest.raises(ValueError, match="pool_handles"):
        cp.cuda.MemoryAsyncPool(12345)


def test_blocks_of_one_stream_are_freed_alone(pool: cp.cuda.MemoryPool) -> None:
    one, two = cp.cuda.Stream(), cp.cuda.Stream()
    for stream in (one, two):
        with stream:
            pool.malloc(20 * MIB)
    assert pool.free_bytes() >= 20 * MIB
    before = pool.free_bytes()
    released = pool.free_all_blocks(stream=one)
    assert pool.free_bytes() == before - released
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


class Functions:
    """Allocation functions over pinned blocks of another pool, counted."""

    def __init__(self) -> None:
        self.live: dict[int, Any] = {}
        self.freed = 0

    def malloc(self, size: int, device: int) -> int:
        """An address."""
        assert device == cp.cuda.Device().members[0].id
        memory = cp.cuda.malloc_managed(size)
        self.live[memory.ptr] = memory
        return memory.ptr

    def free(self, ptr: int, device: int) -> None:
        """Forgets it."""
        del self.live[ptr]
        self.freed += 1


def test_functions_of_the_program_allocate_and_free() -> None:
    functions = Functions()
    allocator = cp.cuda.PythonFunctionAllocator(functions.malloc, functions.free)
    with cp.cuda.using_allocator(allocator.malloc):
        a = cp.arange(1000, dtype="f8")
        b = a + 1
        assert float(b.sum()) == 1000 * 999 / 2 + 1000
    assert len(functions.live) >= 2
    assert a.data.ptr in functions.live
    del a, b
    cp.synchronize()
    wait_until(lambda: not functions.live)
    assert functions.freed >= 2


def test_pool_over_the_programs_functions() -> None:
    functions = Functions()
    allocator = cp.cuda.PythonFunctionAllocator(functions.malloc, functions.free)
    pool = cp.cuda.MemoryPool(allocator.malloc)
    for _ in range(10):
        pool.malloc(30 * MIB)
    assert len(functions.live) == 1
    pool.free_all_blocks()
    wait_until(lambda: not functions.live)


def test_errors_of_the_programs_functions() -> None:
    def broken(size: int) -> Any:
        raise KeyError("mine")

    def full(size: int) -> Any:
        raise MemoryError("no more")

    with cp.cuda.using_allocator(broken), pytest.raises(KeyError, match="mine"):
        cp.ones(10)
    with cp.cuda.using_allocator(full), pytest.raises(cp.errors.OutOfMemoryError, match="no more"):
        cp.ones(10)
    with cp.cuda.using_allocator(lambda size: 17), pytest.raises(TypeError, match="MemoryPointer"):
        cp.ones(10)
    with pytest.raises(TypeError, match="callable"):
        cp.cuda.set_allocator(17)  # type: ignore[arg-type]
    nothing = cp.cuda.PythonFunctionAllocator(lambda size, device: 0, lambda ptr, device: None)
    with pytest.raises(MemoryError):
        nothing.malloc(10)
    assert float(cp.ones(10).sum()) == 10


def wait_until(condition: Any) -> None:
    """Until the interpreter has run what other threads left to it."""
    for _ in range(100_000):
        if condition():
            return
        cp.cuda.Stream().synchronize()
    raise AssertionError("did not happen")


def test_c_functions_allocate_and_free() -> None:
    import ctypes

    libc = ctypes.CDLL(None)
    libc.aligned_alloc.restype = ctypes.c_void_p
    libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    if cp.cuda.is_available():
        pytest.skip("host memory is no memory of a GPU")
    seen: list[tuple[Any, int]] = []
    pointer, number, size_type = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t

    @ctypes.CFUNCTYPE(pointer, pointer, size_type, number)
    def malloc(param: Any, size: int, device: int) -> Any:
        seen.append((param, device))
        return libc.aligned_alloc(256, (size + 255) // 256 * 256)

    @ctypes.CFUNCTYPE(None, pointer, pointer, number)
    def free(param: Any, ptr: Any, device: int) -> None:
        seen.append((param, -1))
        libc.free(ptr)

    addresses = [ctypes.cast(function, pointer).value for function in (malloc, free)]
    allocator = cp.cuda.CFunctionAllocator(5, *addresses, owner=seen)
    with cp.cuda.using_allocator(allocator.malloc):
        a = cp.ones(1000)
    assert float(a.sum()) == 1000
    assert seen == [(5, 0)]
    del a
    wait_until(lambda: len(seen) == 2)


def test_cycles_are_collected_before_memory_runs_out() -> None:
    """DESIGN.md section 5: the collector runs once before the error."""
    code = """
import cupola as cp
import gc
gc.disable()
class Node:
    pass
def leak():
    node = Node()
    node.self = node
    node.array = cp.zeros(5 << 20)
for _ in range(10):
    leak()                      # 40 MiB each, of 64
a = cp.ones(5 << 20)
def pending():
    node = Node()
    node.self = node
    node.array = a[: 2 << 20] + 1
    float(node.array[0])
for _ in range(10):
    pending()                   # in results as well
print("collected")
"""
    budget = {"CUPOLA_PLATFORM": "cpu", "CUPOLA_CPU_DEVICE_MEMORY": str(64 * MIB)}
    assert output_of(code, **budget) == "collected"


def test_account_of_an_error() -> None:
    """P4.6: asked, free, held by live arrays, cached, used by others, per device."""
    code = """
import cupola as cp
live = cp.zeros(20 << 20, "u1")
other = cp.zeros(10 << 20, "u1", device="cpu:1")
try:
    cp.zeros(60 << 20, "u1")
except cp.errors.OutOfMemoryError as error:
    print(error)
assert int(live.max()) == 0
"""
    message = output_of(
        code,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_DEVICES="2",
        CUPOLA_CPU_DEVICE_MEMORY=str(64 * MIB),
    )
    first, second = message.split("cpu:1:")
    for text in (first, second):
        for word in ("free of", "held by live arrays", "cached", "used by others"):
            assert word in text
    assert f"{60 * MIB} bytes asked for" in first
    assert f"{20 * MIB} held by live arrays" in first
    assert f"{10 * MIB} held by live arrays" in second


@pytest.mark.parametrize(("limit", "megabytes"), [("50%", 32), (str(32 * MIB), 32), ("0", 64)])
def test_limit_from_the_environment(limit: str, megabytes: int) -> None:
    code = """
import cupola as cp
a = cp.zeros(30 << 20, "u1")
try:
    b = cp.zeros(20 << 20, "u1")
    print("both")
except MemoryError as error:
    assert "limit" in str(error)
    print(cp.get_default_memory_pool().get_limit() >> 20)
"""
    output = output_of(
        code,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_DEVICE_MEMORY=str(64 * MIB),
        CUPOLA_GPU_MEMORY_LIMIT=limit,
    )
    assert output == ("both" if megabytes == 64 else str(megabytes))


def test_bad_limit_from_the_environment() -> None:
    result = run_python("import cupola as cp; cp.zeros(3)", CUPOLA_GPU_MEMORY_LIMIT="half")
    assert result.returncode == 1
    assert "CUPOLA_GPU_MEMORY_LIMIT=half" in result.stderr


@pytest.mark.parametrize("mode", ["poison", "guard", "passthrough"])
def test_debug_modes_change_no_result(mode: str) -> None:
    code = """
import cupola as cp
a = cp.arange(100_000, dtype="f4").reshape(100, 1000)
b = (a * 2 + 1)[::2].sum(axis=1)
c = cp.concatenate([b, b])
print(float(c.sum()), float(cp.ones(5).sum()))
"""
    expected = output_of(code, CUPOLA_PLATFORM="cpu")
    assert output_of(code, CUPOLA_PLATFORM="cpu", CUPOLA_MEMORY_DEBUG=mode) == expected


def test_poison_shows_what_was_never_written() -> None:
    code = 'import cupola as cp; print(set(cp.asnumpy(cp.empty(1000, "u1")).tolist()))'
    output = output_of(code, CUPOLA_PLATFORM="cpu", CUPOLA_MEMORY_DEBUG="poison")
    assert output == str({0xCD})


def test_guard_finds_a_write_beyond_the_end() -> None:
    code = """
import cupola as cp
import ctypes
a = cp.zeros(10, "u1")
cp.synchronize()
ctypes.memset(a.data.ptr + 10, 1, 1)
del a
try:
    cp.zeros(10)
except ValueError as error:
    print(error)
"""
    output = output_of(code, CUPOLA_PLATFORM="cpu", CUPOLA_MEMORY_DEBUG="guard")
    assert "1 bytes beyond its end" in output


def test_bad_debug_mode() -> None:
    result = run_python("import cupola as cp; cp.zeros(3)", CUPOLA_MEMORY_DEBUG="yes")
    assert result.returncode == 1
    assert "CUPOLA_MEMORY_DEBUG=yes" in result.stderr


def test_short_lived_threads_leave_nothing(pool: cp.cuda.MemoryPool) -> None:
    """P1.4: memory ends where it began."""

    def work() -> None:
        with cp.cuda.using_allocator(pool.malloc):
            assert float((cp.ones(1000) + 1).sum()) == 2000

    for _ in range(300):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    gc.collect()
    assert pool.used_bytes() == 0
    assert pool.total_bytes() <= 8 * MIB


@pytest.fixture(autouse=True)
def restore() -> Iterator[None]:
    """The default allocator after each test."""
    yield
    cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
