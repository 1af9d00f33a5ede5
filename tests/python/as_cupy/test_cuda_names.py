"""Names of `cupy.cuda` beyond devices, streams and pools: memory hooks, paths, order of devices."""

import io
import json
import os
import pickle
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.fake_cuda import needs_nvrtc

pytestmark = pytest.mark.cupola_only

cuda: Any = getattr(cp, "cuda", None)
EVENTS = [f"{what}_{when}" for what in ("alloc", "malloc", "free") for when in ("pre", "post")]


def recorder(name: str = "Recorder") -> Any:
    class Recorder(cuda.MemoryHook):
        def __init__(self) -> None:
            self.calls: list[tuple[str, dict[str, int]]] = []

    Recorder.name = name
    for event in EVENTS:
        method = f"{event}process"

        def record(self: Any, method: str = method, **facts: int) -> None:
            self.calls.append((method, facts))

        setattr(Recorder, method, record)
    return Recorder()


def wait() -> None:
    cuda.Device().synchronize()


def test_a_hook_is_told_of_memory() -> None:
    with recorder() as hook:
        pool = cuda.MemoryPool()
        with cuda.using_allocator(pool.malloc):
            pass
        a = cp.zeros(100, "f4")
        cp.eval(a)
        del a
        wait()
    names = [name for name, _ in hook.calls]
    assert names[0] == "malloc_preprocess"
    assert names.count("malloc_postprocess") >= 1
    first = hook.calls[0][1]
    assert first == {"device_id": cuda.get_device_id(), "size": first["size"], "mem_size": 512}
    taken = next(facts for name, facts in hook.calls if name == "malloc_postprocess")
    assert set(taken) == {"device_id", "size", "mem_size", "mem_ptr", "pmem_id"}
    for name, facts in hook.calls:
        if name.startswith("free"):
            assert set(facts) == {"device_id", "mem_size", "mem_ptr", "pmem_id"}
    count = len(hook.calls)
    cp.eval(cp.ones(1000))
    assert len(hook.calls) == count


def test_a_hook_is_told_of_calls_of_pools() -> None:
    pool = cuda.MemoryPool()
    with recorder() as hook:
        for malloc in (pool.malloc, cp.get_default_memory_pool().malloc, cuda.alloc):
            hook.calls.clear()
            memory = malloc(3000)
            names = [name for name, _ in hook.calls]
            assert names.count("malloc_preprocess") == names.count("malloc_postprocess") == 1
            facts = hook.calls[-1][1]
            assert (facts["size"], facts["mem_ptr"]) == (3000, memory.ptr)
            hook.calls.clear()
            del memory
            assert [name for name, _ in hook.calls] == ["free_preprocess", "free_postprocess"]
        with cuda.using_allocator(pool.malloc):
            hook.calls.clear()
            a = cp.zeros(1000)
            cp.eval(a)
            assert [facts["size"] for name, facts in hook.calls if name == "malloc_postprocess"]
            assert pool.used_bytes() >= 8000
        del a
    hook.calls.clear()
    pool.malloc(100)
    assert hook.calls == []


def test_hooks_belong_to_a_thread_and_have_names() -> None:
    with recorder() as outer, recorder("other") as inner:
        with pytest.raises(KeyError, match="already exists"), recorder():
            pass
        thread = threading.Thread(target=lambda: cp.eval(cp.ones(10_000)))
        thread.start()
        thread.join()
        assert outer.calls == []
        cp.eval(cp.ones(10))
        assert inner.calls == outer.calls != []
    with recorder():
        pass


def test_a_hook_sees_what_a_pool_takes_of_the_device() -> None:
    pool = cuda.MemoryPool()
    with cuda.using_allocator(pool.malloc), recorder() as hook:
        for _ in range(2):
            a = cp.ones(1 << 16)
            cp.eval(a)
            del a
            wait()
    names = [name for name, _ in hook.calls]
    assert names.count("alloc_postprocess") >= 1
    assert names.count("alloc_preprocess") == names.count("alloc_postprocess")
    assert names.index("malloc_preprocess") < names.index("alloc_preprocess")
    deadline = time.monotonic() + 10
    while pool.used_bytes() and time.monotonic() < deadline:
        time.sleep(0.001)  # a thread of the device may hold the last one
    assert pool.used_bytes() == 0


def test_printed_hooks() -> None:
    text = io.StringIO()
    with cuda.memory_hooks.DebugPrintHook(file=text):
        a = cp.array(np.ones(3))
        cp.eval(a)
        del a
        wait()
    rows = [json.loads(line) for line in text.getvalue().splitlines()]
    assert {row["hook"] for row in rows} <= {"malloc", "free", "alloc"}
    assert any(row["hook"] == "malloc" and row["size"] >= 8 for row in rows)
    hook = cuda.memory_hooks.LineProfileHook()
    shallow = cuda.memory_hooks.LineProfileHook(max_depth=1)
    shallow.name = "shallow"
    with hook, shallow:
        cp.eval(cp.ones(512))
    report = io.StringIO()
    hook.print_report(report)
    lines = report.getvalue().splitlines()
    assert lines[0].startswith("_root (")
    assert f"{Path(__file__).name}:" in lines[-1]
    assert "test_printed_hooks" in lines[-1]
    brief = io.StringIO()
    shallow.print_report(brief)
    assert len(brief.getvalue().splitlines()) == 2


def test_devices_are_ordered() -> None:
    devices = [cuda.Device(n) for n in range(cuda.runtime.getDeviceCount())]
    assert sorted({*devices}) == devices
    first = devices[0]
    assert first <= first
    assert not first < first
    assert first >= cuda.Device(0)
    if len(devices) > 1:
        assert first < devices[1]
        assert devices[1] > first
    with pytest.raises(TypeError):
        first < 1  # noqa: B015


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin/nvcc"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name in ("CUDA_PATH", "NVCC", "ROCM_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(program.parent))
    assert cuda.get_cuda_path() == str(tmp_path)
    assert cuda.get_nvcc_path() == str(program)
    assert cuda.get_hipcc_path() is None
    assert cuda.get_rocm_path() is None
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setenv("CUDA_PATH", str(tmp_path))
    monkeypatch.setenv("ROCM_HOME", "/opt/rocm")
    assert cuda.get_cuda_path() == str(tmp_path)
    assert cuda.get_nvcc_path() == str(program)
    assert cuda.get_rocm_path() == "/opt/rocm"
    assert cuda.get_local_runtime_version() == cuda.runtime.runtimeGetVersion()


def test_runtime() -> None:
    runtime = cuda.runtime
    assert runtime.is_hip is False
    a = cp.arange(12, dtype="f4").reshape(3, 4)
    b = cp.zeros((3, 2), "f4")
    cp.eval(a, b)
    runtime.memcpy2D(b.data.ptr, 8, a.data.ptr, 16, 8, 3, runtime.memcpyDeviceToDevice)
    assert b.tolist() == [[0, 1], [4, 5], [8, 9]]
    runtime.memcpyPeer(b.data.ptr, 0, a.data.ptr, 0, 8)
    stream = runtime.streamCreate()
    runtime.memcpyPeerAsync(b.data.ptr + 8, 0, a.data.ptr + 24, 0, 8, stream)
    called: list[Any] = []
    runtime.launchHostFunc(stream, called.append, 3)
    runtime.streamAddCallback(stream, lambda *facts: called.append(facts), 4)
    runtime.streamSynchronize(stream)
    assert called == [3, (stream, 0, 4)]
    assert b.tolist() == [[0, 1], [6, 7], [8, 9]]
    pointer = runtime.mallocAsync(64, stream)
    runtime.freeAsync(pointer, stream)
    runtime.streamDestroy(stream)
    host = np.zeros(1000)
    address = host.__array_interface__["data"][0]
    runtime.hostRegister(address, host.nbytes)
    runtime.hostUnregister(address)
    with pytest.raises(ValueError, match="no address"):
        runtime.hostUnregister(address)
    runtime.profilerStart()
    runtime.profilerStop()


def test_managed_memory_by_address() -> None:
    runtime = cuda.runtime
    pointer = runtime.mallocManaged(4096)
    runtime.memset(pointer, 3, 4096)
    device = runtime.getDevice() if not cuda.Device().is_set else 0
    runtime.memAdvise(pointer, 4096, runtime.cudaMemAdviseSetReadMostly, device)
    runtime.memAdvise(
        pointer, 4096, runtime.cudaMemAdviseSetPreferredLocation, runtime.cudaCpuDeviceId
    )
    runtime.memPrefetchAsync(pointer, 4096, device, 0)
    runtime.memPrefetchAsync(pointer, 4096, runtime.cudaCpuDeviceId, 0)
    runtime.deviceSynchronize()
    with pytest.raises(ValueError, match="no memory advice"):
        runtime.memAdvise(pointer, 4096, 9, device)
    runtime.free(pointer)


def test_names_of_kernels() -> None:
    valid = cuda.compiler.is_valid_kernel_name
    assert valid("a")
    assert valid("_sum_2")
    for wrong in ("", "2a", "a b", "a\n", "a$", "\u00e4"):
        assert not valid(wrong), wrong


@needs_nvrtc
def test_sources_compile_to_ptx_without_a_gpu() -> None:
    source = "template <int N> __global__ void f(int* x) { int unused; *x = N; }"
    log = io.StringIO()
    ptx, names = cuda.compiler.compile_using_nvrtc(
        source, ("-lineinfo",), "80", "mine.cu", ["f<3>"], log
    )
    assert b".target sm_80" in ptx
    assert names["f<3>"].encode() in ptx
    assert "mine.cu" in log.getvalue()
    assert cuda.compiler.compile_using_nvrtc("__global__ void g() {}")[1] == {}
    with pytest.raises(cuda.compiler.CompileException, match="error: ") as caught:
        cuda.compiler.compile_using_nvrtc("nonsense", ("-lineinfo",))
    assert str(caught.value) == caught.value.get_message() == caught.value.args[0]
    assert caught.value.args[3] == ("-lineinfo",)


def test_exceptions_of_compilers_are_made_as_cupys() -> None:
    error = cuda.compiler.CompileException("log", "source", "name", ("-O3",), "nvrtc")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.args) == ("log", error.args)
    assert str(cuda.compiler.CompileException("", "", "", None)) == ""
