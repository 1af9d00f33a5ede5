"""cp.cuda.Device and the names of cp.cuda.runtime, on the default platform."""

import threading
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda

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
        assert device.attributes["WarpSize"] == (32 if on_cuda() else 1)
        properties = runtime.getDeviceProperties(number)
        assert properties["name"].decode() == device.name
        assert properties["totalGlobalMem"] > 0
        assert f"{properties['major']}{properties['minor']}" == device.compute_capability
        assert properties["warpSize"] == device.attributes["WarpSize"]
        assert len(properties["maxThreadsDim"]) == 3
        assert device.fault is None
        if on_cuda():
            assert cp.cuda.Device.from_pci_bus_id(device.pci_bus_id) == device
            assert runtime.deviceGetByPCIBusId(device.pci_bus_id.lower()) == number
    warp = runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0)
    assert warp == cp.cuda.Device(0).attributes["WarpSize"]
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
