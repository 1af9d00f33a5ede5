"""cp.cuda.Device and the names of cp.cuda.runtime, on the default platform."""

import threading
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.fake_cuda import needs_fake_cuda, needs_nvrtc, output_on_fake_cuda
from support.subprocesses import output_of

pytestmark = pytest.mark.cupola_only


@pytest.fixture
def runtime() -> Any:
    return cp.cuda.runtime


def test_devices_describe_themselves(runtime: Any) -> None:
    assert cp.cuda.available_gpus() == list(range(runtime.getDeviceCount()))
    assert cp.cuda.Device.available_gpus() == cp.cuda.available_gpus()
    for number in cp.cuda.available_gpus():
        device = cp.cuda.Device(number)
        assert device.id == number
        assert device.name
        assert device.uuid
        free, total = device.mem_info
        assert 0 <= free <= total
        assert device.attributes["WarpSize"] == 32
        properties = runtime.getDeviceProperties(number)
        assert properties["name"].decode() == device.name
        assert properties["totalGlobalMem"] > 0
        assert f"{properties['major']}{properties['minor']}" == device.compute_capability
        assert properties["warpSize"] == device.attributes["WarpSize"]
        assert properties["maxThreadsDim"][0] >= 512
        assert properties["maxGridSize"][2] >= 65535
        assert properties["maxThreadsPerBlock"] >= 512
        assert properties["sharedMemPerBlock"] >= 48000
        assert device.fault is None
        if on_cuda():
            assert cp.cuda.Device.from_pci_bus_id(device.pci_bus_id) == device
            assert runtime.deviceGetByPCIBusId(device.pci_bus_id.lower()) == number
    warp = runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0)
    assert warp == cp.cuda.Device(0).attributes["WarpSize"]
    assert runtime.cudaDevAttrTextureAlignment == 14
    assert runtime.cudaMemAttachSingle == 4
    assert runtime.cudaGraphDebugDotFlagsHandles == 1024
    assert (runtime.CUDA_R_32F, runtime.CUDA_C_8U, runtime.CUDA_R_16BF) == (0, 9, 14)
    assert runtime.cudaDevAttrComputeCapabilityMajor == 75
    assert runtime.cudaDevAttrMaxBlocksPerMultiprocessor == 106
    assert runtime.cudaDevAttrMemoryPoolSupportedHandleTypes == 119
    assert runtime.deviceCanAccessPeer(0, 0) == 0
    assert (runtime.driverGetVersion() >= 12000) == on_cuda()
    assert (runtime.runtimeGetVersion() >= 12000) == on_cuda()
    assert cp.cuda.get_compute_capability() == cp.cuda.Device().compute_capability


def test_the_current_device_is_the_threads_own(runtime: Any) -> None:
    last = runtime.getDeviceCount() - 1
    seen = []

    def other() -> None:
        seen.append(runtime.getDevice())
        runtime.setDevice(last)
        seen.append(runtime.getDevice())

    before = runtime.getDevice()
    with cp.cuda.Device(last):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert runtime.getDevice() == last == cp.cuda.get_device_id()
    assert runtime.getDevice() == before
    assert seen == [before, last]


def test_one_device_object_nests_in_several_threads() -> None:
    devices = cp.all_devices()
    first, last = devices[0], devices[-1]
    default = cp.current_device()
    meet = threading.Barrier(4)
    failures: list[BaseException] = []

    def nest() -> None:
        try:
            for _ in range(50):
                with first, last:
                    meet.wait(30)
                    with pytest.raises(KeyError), first:
                        raise KeyError
                    assert cp.current_device() == last
                    with last, first:
                        assert cp.current_device() == first
                assert cp.current_device() == default
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=nest) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_memory_by_address(runtime: Any) -> None:
    host = np.arange(1000, dtype=np.int32)
    back = np.zeros_like(host)
    one, two = runtime.malloc(host.nbytes), runtime.malloc(host.nbytes)
    to_device, to_host = runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost
    runtime.memcpy(one, host.ctypes.data, host.nbytes, to_device)
    runtime.memcpy(two, one, host.nbytes, runtime.memcpyDeviceToDevice)
    runtime.memset(one, 0, host.nbytes)
    runtime.memcpy(back.ctypes.data, two, host.nbytes, to_host)
    assert np.array_equal(back, host)
    runtime.memcpy(back.ctypes.data, one, host.nbytes, runtime.memcpyDefault)
    assert not back.any()
    known = runtime.pointerGetAttributes(one + 4)
    assert known.type == runtime.memoryTypeDevice
    assert known.device in [device.id for device in cp.current_device().members]
    stranger = runtime.pointerGetAttributes(host.ctypes.data)
    assert (stranger.type, stranger.device) == (runtime.memoryTypeUnregistered, -1)
    pinned, managed = runtime.hostAlloc(64), runtime.mallocManaged(64)
    assert runtime.pointerGetAttributes(pinned).type == runtime.memoryTypeHost
    assert runtime.pointerGetAttributes(managed).type == runtime.memoryTypeManaged
    runtime.freeHost(pinned)
    for address in (one, two, managed, 0):
        runtime.free(address)


def test_addresses_that_are_not_ours(runtime: Any) -> None:
    block = runtime.malloc(1024)
    for address in (block + 4, 12345, -8):
        with pytest.raises((ValueError, TypeError)):
            runtime.free(address)
    runtime.free(block)
    with pytest.raises(ValueError, match="freed already"):
        runtime.free(block)
    with pytest.raises(ValueError, match="kind of copy"):
        runtime.memcpy(0, 0, 8, 9)
    with pytest.raises(MemoryError):
        runtime.malloc(1 << 60)


def test_streams_and_events_by_handle(runtime: Any) -> None:
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    start, end = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventDefault)
    memory = runtime.malloc(1 << 20)
    host = np.zeros(1 << 20, np.uint8)
    runtime.eventRecord(start, stream)
    runtime.memsetAsync(memory, 3, host.nbytes, stream)
    runtime.memcpyAsync(host.ctypes.data, memory, host.nbytes, runtime.memcpyDeviceToHost, stream)
    runtime.eventRecord(end, stream)
    runtime.streamWaitEvent(0, end)
    runtime.eventSynchronize(end)
    runtime.streamSynchronize(stream)
    assert host.min() == host.max() == 3
    assert runtime.eventQuery(end) == runtime.streamQuery(stream) == 0
    assert runtime.eventElapsedTime(start, end) >= 0
    for event in (start, end):
        runtime.eventDestroy(event)
    runtime.streamDestroy(stream)
    runtime.free(memory)
    with pytest.raises(ValueError, match="no stream"):
        runtime.streamDestroy(stream)
    with pytest.raises(ValueError, match="no event"):
        runtime.eventDestroy(start)


def test_errors_have_a_status(runtime: Any) -> None:
    assert runtime.CUDARuntimeError is cp.errors.DeviceError
    with pytest.raises(runtime.CUDARuntimeError, match="999") as caught:
        runtime.setDevice(999)
    assert isinstance(caught.value.status, int)
    assert issubclass(cp.errors.FaultError, cp.errors.DeviceError)


@pytest.mark.parametrize("text", ["", "junk", "0000:1b:00", "0000:1b:00.0 ", "zz:00.0"])
def test_texts_that_are_no_pci_bus_id(text: str) -> None:
    with pytest.raises(ValueError, match="PCI bus id"):
        cp.cuda.Device.from_pci_bus_id(text)


def test_devices_that_do_not_exist(runtime: Any) -> None:
    with pytest.raises(cp.errors.DeviceError, match=r"ffff:ff:1f\.7"):
        cp.cuda.Device.from_pci_bus_id("ffff:ff:1f.7")
    for number in (runtime.getDeviceCount(), 4095):
        for use in (
            lambda n=number: cp.cuda.Device(n).use(),
            lambda n=number: cp.cuda.Device(n).mem_info,
            lambda n=number: cp.cuda.Device(n).attributes,
            lambda n=number: cp.cuda.Device(n).synchronize(),
            lambda n=number: runtime.getDeviceProperties(n),
            lambda n=number: runtime.deviceCanAccessPeer(0, n),
        ):
            with pytest.raises(cp.errors.DeviceError, match=str(number)):
                use()
    with pytest.raises((ValueError, cp.errors.DeviceError), match="-1"):
        cp.cuda.Device(-1)


@pytest.mark.skipif(cp.current_device().is_set, reason="each member's stream is captured by itself")
def test_captures_and_graphs_by_handle(runtime: Any) -> None:
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    memory = runtime.malloc(64)
    back = np.zeros(64, np.uint8)
    assert not runtime.streamIsCapturing(stream)
    runtime.streamBeginCapture(stream)
    assert runtime.streamIsCapturing(stream)
    runtime.memsetAsync(memory, 5, 64, stream)
    graph = runtime.streamEndCapture(stream)
    executable = runtime.graphInstantiate(graph)
    assert "digraph" in runtime.graphDebugDotStr(graph)
    runtime.graphDestroy(graph)
    for value in (1, 2):
        runtime.memset(memory, value, 64)
        runtime.graphUpload(executable, stream)
        runtime.graphLaunch(executable, stream)
        runtime.streamSynchronize(stream)
        runtime.memcpy(back.ctypes.data, memory, 64, runtime.memcpyDeviceToHost)
        assert np.array_equal(back, np.full(64, 5))
    runtime.graphExecDestroy(executable)
    for call in (runtime.graphLaunch, runtime.graphUpload):
        with pytest.raises(ValueError, match="graphInstantiate"):
            call(executable, stream)
    with pytest.raises(ValueError, match="streamEndCapture"):
        runtime.graphDestroy(graph)
    runtime.streamDestroy(stream)
    runtime.free(memory)


def test_streams_have_priorities_and_flags(runtime: Any) -> None:
    least, greatest = runtime.deviceGetStreamPriorityRange()
    assert greatest <= least == 0
    for asked in (-100, -1, 0, 1):
        stream = cp.cuda.Stream(priority=asked)
        assert stream.priority == min(max(asked, greatest), least)
    handle = runtime.streamCreateWithPriority(runtime.streamNonBlocking, -1)
    assert runtime.streamGetPriority(handle) == max(-1, greatest)
    assert runtime.streamGetFlags(handle) == runtime.streamNonBlocking
    runtime.streamDestroy(handle)
    assert not cp.cuda.Stream.null.is_non_blocking
    assert cp.cuda.Stream(non_blocking=True).is_non_blocking


def test_peer_access_is_kept_account_of(runtime: Any) -> None:
    devices = range(runtime.getDeviceCount())
    pairs = [(i, k) for i in devices for k in devices]
    for device, peer in pairs:
        with cp.cuda.Device(device):
            if not runtime.deviceCanAccessPeer(device, peer):
                with pytest.raises(runtime.CUDARuntimeError, match="cannot reach"):
                    runtime.deviceEnablePeerAccess(peer)
                continue
            runtime.deviceEnablePeerAccess(peer)
            with pytest.raises(runtime.CUDARuntimeError, match="AlreadyEnabled") as error:
                runtime.deviceEnablePeerAccess(peer)
            assert error.value.status == runtime.errorPeerAccessAlreadyEnabled
            runtime.deviceDisablePeerAccess(peer)
            with pytest.raises(runtime.CUDARuntimeError, match="NotEnabled"):
                runtime.deviceDisablePeerAccess(peer)


def test_rows_are_copied_in_the_order_of_a_stream(runtime: Any) -> None:
    source = np.arange(64, dtype=np.uint8).reshape(8, 8)
    back = np.zeros((8, 4), np.uint8)
    memory = runtime.malloc(64)
    stream = runtime.streamCreate()
    to_device, to_host = runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost
    runtime.memcpy2DAsync(memory, 8, source.ctypes.data, 8, 8, 8, to_device, stream)
    runtime.memcpy2DAsync(back.ctypes.data, 4, memory, 8, 4, 8, to_host, stream)
    runtime.streamSynchronize(stream)
    assert np.array_equal(back, source[:, :4])
    runtime.streamDestroy(stream)
    runtime.free(memory)


def test_devices_are_found_by_addresses() -> None:
    a = cp.zeros(10)
    assert cp.cuda.Device.from_pointer(a.data.ptr) in a.device.members
    with pytest.raises(ValueError):
        cp.cuda.Device.from_pointer(np.zeros(10).ctypes.data)


@pytest.mark.skipif(on_cuda(), reason="the driver is there")
def test_the_driver_is_of_cuda_alone(runtime: Any) -> None:
    driver = cp.cuda.driver
    calls = {
        "cuCtxGetLimit": lambda: runtime.deviceGetLimit(runtime.cudaLimitStackSize),
        "cuIpcGetMemHandle": lambda: runtime.ipcGetMemHandle(0),
        "cuCtxGetCurrent": driver.ctxGetCurrent,
        "cuModuleLoad": lambda: driver.moduleLoad("none.cubin"),
    }
    for call in calls.values():
        with pytest.raises(cp.errors.DeviceError, match="call of the CUDA driver"):
            call()
    assert driver.get_build_version() == 0
    module = cp.cuda.Module()
    module.load(b"no machine code")
    function = module.get_function("f")
    with pytest.raises(cp.errors.CompileError, match="needs the CUDA C"):
        function.linear_launch(100, (1,))


def test_modules_without_a_file_say_so() -> None:
    with pytest.raises(ValueError, match="load"):
        cp.cuda.Module().get_function("f")
    assert not cp.cuda.cub.available
    assert not cp.cuda.thrust.available
    assert cp.cuda.cub.get_build_version() == cp.cuda.thrust.get_build_version() == 0


@needs_nvrtc
def test_nvrtc_compiles_without_a_gpu() -> None:
    nvrtc = cp.cuda.nvrtc
    assert nvrtc.getVersion() >= (12, 0)
    text = '#include "n.h"\ntemplate <class T> __global__ void f(T* p) { *p = N; }'
    program = nvrtc.createProgram(text, "f.cu", ["#define N 3"], ["n.h"])
    nvrtc.addNameExpression(program, "f<float>")
    nvrtc.compileProgram(program, ["--gpu-architecture=sm_90"])
    assert nvrtc.getLoweredName(program, "f<float>") in nvrtc.getPTX(program)
    assert nvrtc.getCUBIN(program).startswith(b"\x7fELF")
    assert nvrtc.getProgramLog(program) == ""
    nvrtc.destroyProgram(program)
    wrong = nvrtc.createProgram("int f() { return nothing; }", "wrong.cu")
    with pytest.raises(nvrtc.NVRTCError, match="COMPILATION") as error:
        nvrtc.compileProgram(wrong)
    assert error.value.status == 6
    assert "nothing" in nvrtc.getProgramLog(wrong)
    nvrtc.destroyProgram(wrong)
    with pytest.raises(ValueError, match="names"):
        nvrtc.createProgram("", "f.cu", ["#define N"], [])


@needs_nvrtc
def test_nvrtc_brings_the_library_that_it_opens_by_name() -> None:
    """Without a toolkit the system's loader finds none."""
    code = (
        "from cupola.cuda import nvrtc; nvrtc.getVersion()\n"
        "maps = open('/proc/self/maps').read().split()\n"
        "paths = {path for path in maps if '/libnvrtc' in path}\n"
        "folders = {path.rpartition('/')[0] for path in paths}\n"
        "print(len(folders), sum('libnvrtc-builtins' in path for path in paths))"
    )
    assert output_of(code) == "1 1"


@needs_fake_cuda
def test_calls_of_the_driver_on_the_fake_one() -> None:
    code = """
driver, runtime = cp.cuda.driver, cp.cuda.runtime
a = cp.zeros(10)
for call in (lambda: runtime.ipcGetMemHandle(a.data.ptr), lambda: runtime.deviceGetLimit(0)):
    try:
        call()
    except (cp.errors.LibraryError, driver.CUDADriverError) as error:
        print(type(error).__name__)
print(driver.ctxGetCurrent(), driver.ctxGetDevice(), driver.streamGetCtx(cp.cuda.Stream().ptr) > 0)
try:
    driver.check_status(2)
except driver.CUDADriverError as error:
    print(error.status)
"""
    lines = output_on_fake_cuda(code).split()
    assert lines[-4:] == ["0", "0", "True", "2"]


@needs_fake_cuda
def test_graphs_on_the_fake_driver() -> None:
    code = """
s = cp.cuda.Stream(non_blocking=True)
a = cp.arange(1000.0)
seen = []
with s:
    s.begin_capture()
    b = cp.sqrt(a) + 1
    total = b.sum()
    order = cp.sort(cp.cumsum(b))
    transform = cp.fft.fft(b)
    product = b @ b
    s.launch_host_func(seen.append, 1)
    try:
        cp.linalg.cholesky(cp.eye(3))
    except cp.errors.CaptureError as error:
        print(error.status)
    graph = s.end_capture()
graph.upload()
graph.launch()
graph.launch(s)
s.synchronize()
print(len(seen), graph.graph != 0, graph.graphExec != 0, "digraph" in graph.debug_dot_str())
del graph, b, total, order, transform, product
cp.cuda.Device().synchronize()
print("end")
"""
    assert output_on_fake_cuda(code).split() == ["900", "2", "True", "True", "True", "end"]


@needs_fake_cuda
def test_handles_of_libraries_are_a_threads_own() -> None:
    code = """
import threading
device = cp.cuda.Device(0)
first = cp.cuda.get_cublas_handle()
assert first and first == device.cublas_handle == cp.cuda.device.get_cublas_handle()
dense = device.cusolver_handle
assert dense and dense == cp.cuda.device.get_cusolver_handle() and dense != first
with cp.cuda.Stream(non_blocking=True):
    assert cp.cuda.get_cublas_handle() == first
others = []
thread = threading.Thread(target=lambda: others.append(cp.cuda.get_cublas_handle()))
thread.start()
thread.join()
assert others[0] and others[0] != first
print("done")
"""
    assert output_on_fake_cuda(code).strip() == "done"


@pytest.mark.skipif(on_cuda(), reason="there are handles")
def test_there_are_no_handles_of_cuda_libraries_on_the_cpu() -> None:
    for ask in (
        cp.cuda.get_cublas_handle,
        cp.cuda.device.get_cusparse_handle,
        cp.cuda.device.get_cusolver_sp_handle,
        lambda: cp.cuda.Device(0).cusolver_handle,
    ):
        with pytest.raises(cp.errors.DeviceError, match="no handle of cu"):
            ask()


def test_raw_kernels_as_functions_and_modules() -> None:
    text = 'extern "C" __global__ void k(int* x, int n) { int i = blockIdx.x * blockDim.x + '
    text += "threadIdx.x; if (i < n) x[i] += i; }"
    x = cp.zeros(100, "i4")
    kernel = cp.RawKernel(text, "k")
    kernel.kernel((1,), (100,), (x, 100))
    kernel.kernel.linear_launch(100, (x, 100))
    function = cp.RawModule(code=text).module.get_function("k")
    function.linear_launch(100, (x, 100), 0, 32, None, False)
    with pytest.raises(ValueError, match="enable_cooperative_groups"):
        function.linear_launch(100, (x, 100), enable_cooperative_groups=True)
    np.testing.assert_array_equal(x.get(), 3 * np.arange(100))
